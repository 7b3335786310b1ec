"""What nbval passes without looking, closed: every check gives the faults that it finds, one line each.

A run is compared with the outputs stored in the notebook, so three links are needed:
executed = stored (nbval), stored = oracle file (`oracle_faults`), oracle file = its sum (`fixtures.changed`).
"""

import json
import re
from itertools import pairwise

import nbformat

# Tags that a cell may carry. None of nbval's own is among them: a cell that is not compared is a hole.
TAGS = {"long-output"}
MARKER_COMMENT = re.compile(r"^\s*#\s*(NBVAL|PYTEST)_\w+", re.MULTILINE)
COMPARED = {"text/plain", "text/html", "text/markdown", "text/latex", "image/svg+xml", "application/json"}
OF_THIS_RUN = re.compile(
    r"(?:^|[\s'\"(=])/(?:tmp|home|root|usr|opt|var|Users|work|private)/"  # a path of a machine
    r"|(?:^|[\s'\"(=])[A-Z]:\\++(?!demo\b|changes\b|vault\b)"  # another one, but for those of lesson 4
    r"|\b0x[0-9a-f]{6,}\b"  # an address
    r"|\b\d{1,2}:\d{2}:\d{2}\b|\b20\d\d-\d\d-\d\d[T ]\d"  # a time
    r"|\b\d+(?:\.\d+)? ?(?:ms|µs|us|ns|seconds)\b"  # how long something took
    r"|\b[Pp]ython 3\.\d+|\bVersion: \d"  # what is installed
)
MEDDLING = re.compile(
    r"\bsys\.path\b|\bos\.environ\b|PYTEST_CURRENT_TEST|\binput\(|\bsys\.exit\b|^\s*[%!]", re.MULTILINE
)
MAX_CELLS, MAX_CODE_LINES, MAX_OUTPUT_LINES = 45, 7, 12
MAX_ANSWER_LINES = 25  # of an exercise: a function or a file of the reader's own
PROSE_PER_CODE_LINE = range(12, 31)  # about 20 words


def read(path):
    return nbformat.read(path, as_version=nbformat.NO_CONVERT)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def output_text(output):
    """What a reader sees of one output, as text."""
    if output.output_type == "stream":
        return output.text
    if output.output_type == "error":
        return f"{output.ename}: {output.evalue}"
    return output.data.get("text/plain", "")


def format_faults(notebook):
    yield from _format(notebook)
    for cell in notebook.cells:
        if not re.fullmatch("[a-z][a-z0-9]*(-[a-z0-9]+)*", cell.id) or re.fullmatch("[0-9a-f]{8}", cell.id):
            yield f"{cell.id}: the id says nothing, so it is not stable"


def _format(notebook):
    if (notebook.nbformat, notebook.nbformat_minor) != (4, 5):
        yield "not nbformat 4.5"
    if notebook.metadata.get("kernelspec", {}).get("name") != "python3":
        yield "the kernel is not python3"
    if set(notebook.metadata) != {"kernelspec", "language_info"}:
        yield "metadata beside kernelspec and language_info"
    ids = [cell.id for cell in notebook.cells]
    if len(set(ids)) != len(ids):
        yield "cell ids repeat"


def execution_faults(notebook):
    """nbval compares nothing of a cell that was not executed, and passes a missing error."""
    for place, cell in enumerate(code_cells(notebook), start=1):
        if not cell.source.strip():
            yield f"{cell.id}: empty"
        if cell.execution_count != place:
            yield f"{cell.id}: executed as {cell.execution_count}, not as {place}"
        failed = any(output.output_type == "error" for output in cell.outputs)
        if failed != ("raises-exception" in cell.metadata.get("tags", [])):
            yield f"{cell.id}: tag and stored error disagree"
        if MEDDLING.search(cell.source):
            yield f"{cell.id}: touches the process that runs it"


def marker_faults(notebook):
    for cell in notebook.cells:
        for tag in set(cell.metadata.get("tags", [])) - TAGS:
            yield f"{cell.id}: tag {tag} is not on the list"
        if cell.cell_type == "code" and MARKER_COMMENT.search(cell.source):
            yield f"{cell.id}: a marker comment"


def output_faults(notebook):
    for cell in code_cells(notebook):
        for output in cell.outputs:
            if output.output_type in ("display_data", "execute_result") and not COMPARED & set(output.data):
                yield f"{cell.id}: an output that nothing compares"
            if any("widget" in kind for kind in output.get("data", {})):
                yield f"{cell.id}: a widget, which is of no use without its kernel"
            if OF_THIS_RUN.search(output_text(output)):
                yield f"{cell.id}: an output that tells of a machine or a run"


def compared_outputs(notebook):
    """How many outputs nbval compares, and how many cells are tied to an oracle: both are frozen."""
    cells = code_cells(notebook)
    return {
        "outputs": sum(len(cell.outputs) for cell in cells if cell.execution_count is not None),
        "oracles": sum("oracle" in cell.metadata for cell in cells),
    }


def count_faults(notebook, frozen):
    found = compared_outputs(notebook)
    if found != frozen:
        yield f"{found} compared, {frozen} frozen"


def oracle_faults(notebook, fixtures):
    for cell in code_cells(notebook):
        if "oracle" in cell.metadata:
            stored = "".join(output_text(output) for output in cell.outputs)
            if not _equals_oracle(stored, fixtures, cell.metadata.oracle):
                yield f"{cell.id}: the stored output is not {cell.metadata.oracle.file}"


def _equals_oracle(stored, fixtures, link):
    """Whether an output is what the `file` of a link says.

    What lies at the path `at`, or a `part` of that list: as JSON, or a line for each row. With `rows`, code and `is`
    of the rows that have these members; with `members`, those of every row; with `lanes`, the name and for each lane
    the first 16 digits of the digest, or the code; with `guards`, the name and for each guard what it does and the
    number of calls by then.
    """
    oracle = json.loads((fixtures / link["file"]).read_text(encoding="utf-8"))
    for key in link.get("at", ()):
        oracle = oracle[key]
    oracle = oracle[slice(*link["part"])] if "part" in link else oracle
    if "lanes" in link:
        return _of_table(stored, 1 + len(link["lanes"])) == [
            [row["name"], *(row[lane].get("digest", "")[:16] or row[lane]["error"] for lane in link["lanes"])]
            for row in oracle
        ]
    if "guards" in link:
        return _of_table(stored, 1 + 2 * len(link["guards"])) == [
            [row["name"], *(word for guard in link["guards"] for word in _does(row[guard]))] for row in oracle
        ]
    if "members" in link:
        wanted = [[str(row[name]) for name in link["members"]] for row in oracle]
        return [line.split(maxsplit=len(link["members"]) - 1) for line in stored.splitlines()] == wanted
    if "rows" in link:
        wanted = [row for row in oracle if link["rows"].items() <= row.items()]
        return [line.split(maxsplit=1) for line in stored.splitlines()] == [
            [row["code"] or "accepted", row["is"]] for row in wanted
        ]
    try:
        return json.loads(stored) == oracle
    except ValueError:
        return False


def _of_table(stored, words):
    """So many words of each row, below caption and heading; that a cell is wrong is not the oracle's to say."""
    lines = stored.splitlines()[2:]
    return [[word for word in line.split() if word != "WRONG:"][:words] for line in lines]


def _does(cell):
    return ("reads" if cell["result"] == "accepted" else "stops"), str(len(cell["touched"]))


def length_faults(notebook):
    """The limits of a lesson: what a person reads in half an hour."""
    if len(notebook.cells) > MAX_CELLS:
        yield f"{len(notebook.cells)} cells"
    answers = [cell for cell in code_cells(notebook) if cell.id.startswith("answer-")]
    for cell in code_cells(notebook):
        if len(_lines(cell.source)) > (MAX_ANSWER_LINES if cell in answers else MAX_CODE_LINES):
            yield f"{cell.id}: {len(_lines(cell.source))} lines of code"
        lines = sum(len(output_text(output).splitlines()) for output in cell.outputs)
        if lines > MAX_OUTPUT_LINES and "long-output" not in cell.metadata.get("tags", []):
            yield f"{cell.id}: {lines} lines of output"


def ratio_faults(notebook):
    """A lesson is neither a listing nor an essay."""
    words = sum(len(cell.source.split()) for cell in notebook.cells if cell.cell_type == "markdown")
    code = sum(len(_lines(cell.source)) for cell in code_cells(notebook))
    if words // code not in PROSE_PER_CODE_LINE:
        yield f"{words / code:.1f} words of prose to a line of code"


def _lines(source):
    return [line for line in source.splitlines() if line.strip()]


def slide_faults(notebook):
    """Every cell of a lesson says what it is on a slide; the notes below a slide are its speaker's."""
    kinds = [cell.metadata.get("slideshow", {}).get("slide_type") for cell in notebook.cells]
    if kinds[0] != "slide":
        yield "the first cell begins no slide"
    for cell, kind in zip(notebook.cells, kinds, strict=True):
        if kind not in ("slide", "subslide", "-", "notes", "skip") or (kind == "notes") != _is_prose(cell):
            yield f"{cell.id}: {kind} on a slide"


def _is_prose(cell):
    return cell.cell_type == "markdown" and not cell.source.startswith("#")


def prose_faults(notebook):
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    levels = [len(marks) for marks in re.findall(r"^(#+) ", prose, re.MULTILINE)]
    if levels[:1] != [1] or levels.count(1) != 1 or any(below - above > 1 for above, below in pairwise(levels)):
        yield f"headings out of order: {levels}"
    if "Run All Cells" not in notebook.cells[0].source:
        yield "the first cell does not say how to run the page"
    if re.search(r"!\[\s*\]\(|<img(?![^>]*\balt=\"[^\"]+\")", prose):
        yield "an image without a text"


def faults(path, frozen, fixtures):
    """Every fault of one notebook file."""
    notebook = read(path)
    checks = (format_faults, execution_faults, marker_faults, output_faults, length_faults, prose_faults)
    checks += (slide_faults, ratio_faults) if re.match("0[1-9]_", path.name) and path.parent.name == "notebooks" else ()
    found = [fault for check in checks for fault in check(notebook)]
    return [*found, *count_faults(notebook, frozen), *oracle_faults(notebook, fixtures)]
