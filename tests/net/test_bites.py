"""The net turns red for the right reason, on copies; an identical copy stays green."""

import json
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest

from boundary_lab.fixtures import changed, fixture
from boundary_lab.nets import CHECKOUT, copy_of_the_lab
from net.checks import code_cells, faults, read
from rows import load

NOTEBOOKS = CHECKOUT / "notebooks"
FROZEN = load("lab/notebooks.json")
# A lesson, and the oracle cell of it that the changes go to.
LESSONS = {
    "01_tool_row_dropping": "counts",
    "02_stale_review": "answer",
    "03_replacement_char_digest": "recovery",
    "04_windows_path_prefix": "all-guards",
    "05_release_note_check": "report",
    "06_break_the_core": "unchanged-verdict",
}
SLOW = {"06_break_the_core"}  # runs suites itself, so that one change must do: the other cells stay green there

QUICK = [lesson for lesson in LESSONS if lesson not in SLOW]


def other_output(cell, _):
    (output,) = cell.outputs
    if "text" in output:
        output.text = output.text.swapcase()
    else:
        output.data["text/plain"] = output.data["text/plain"].swapcase()


def other_source(cell, _):
    cell.source += "\nprint('more')"


def stripped(_, notebook):
    for cell in code_cells(notebook):
        cell.outputs, cell.execution_count = [], None


def tagged(tag):
    return lambda cell, _: cell.metadata.update(tags=[tag])


def commented(cell, _):
    cell.source = "# NBVAL_IGNORE_OUTPUT\nprint('more')\n" + cell.source


# What is done to a lesson, how many cells nbval fails, and what the checks say of the oracle cell, if anything.
CHANGES = {
    "identical": (lambda *_: None, 0, None),
    "a stored output changed": (other_output, 1, "the stored output is not {oracle}"),
    "a source changed": (other_source, 1, None),
    "outputs stripped": (stripped, 0, "executed as None, not as "),
    "tag nbval-ignore-output": (tagged("nbval-ignore-output"), 0, "tag nbval-ignore-output is not on the list"),
    "tag nbval-skip": (tagged("nbval-skip"), 0, "tag nbval-skip is not on the list"),
    "tag raises-exception": (tagged("raises-exception"), 0, "tag raises-exception is not on the list"),
    "a comment that ignores": (commented, 0, "a marker comment"),
}
CHANGED = [
    (lesson, change)
    for lesson in LESSONS
    for change in CHANGES
    if lesson not in SLOW or change == "a stored output changed"
]


def oracle_cell(lesson):
    notebook = read(NOTEBOOKS / f"{lesson}.ipynb")
    return next(cell for cell in notebook.cells if cell.id == LESSONS[lesson]), notebook


def put(lesson, change, folder):
    """A changed lesson in a folder of a copy; its path."""
    cell, notebook = oracle_cell(lesson)
    CHANGES[change][0](cell, notebook)
    path = folder / lesson / f"{change}.ipynb"
    path.parent.mkdir(exist_ok=True)
    nbformat.write(notebook, path)
    return path


@pytest.fixture(scope="module")
def changed_lessons():
    """The path of every changed lesson, and what nbval said of each lesson's folder; two quick lessons at a time."""
    with copy_of_the_lab() as copy, ThreadPoolExecutor(max_workers=2) as pool:
        paths = {key: put(*key, copy.folder) for key in CHANGED}
        runs = dict(zip(QUICK, pool.map(copy.nbval, QUICK), strict=True))
        yield paths, runs | {lesson: copy.nbval(lesson) for lesson in SLOW}  # alone: a cell has a minute


@pytest.mark.parametrize(("lesson", "change"), CHANGED)
def test_change(lesson, change, changed_lessons):
    paths, runs = changed_lessons
    _, failed, said = CHANGES[change]
    differ = {name: text for name, text in runs[lesson].differ.items() if name.startswith(f"{change} In [")}
    assert len(differ) == failed, differ
    assert not runs[lesson].crashed
    cell, _ = oracle_cell(lesson)
    red = faults(paths[lesson, change], FROZEN[f"{lesson}.ipynb"], fixture("."))
    if said is None:
        assert red == []
    else:
        assert any(f.startswith(f"{cell.id}: " + said.format(oracle=cell.metadata.oracle.file)) for f in red)


@pytest.mark.parametrize("lesson", QUICK)
def test_stripping_changes_the_frozen_count(lesson, changed_lessons):
    paths, _ = changed_lessons
    red = faults(paths[lesson, "outputs stripped"], FROZEN[f"{lesson}.ipynb"], fixture("."))
    assert any(fault.startswith("{'outputs': 0, ") for fault in red)


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_changed_oracle(lesson, copy_of_the_core):
    cell, _ = oracle_cell(lesson)
    oracle = copy_of_the_core / "fixtures" / cell.metadata.oracle.file
    value = json.loads(oracle.read_text(encoding="utf-8"))
    oracle.write_text(json.dumps(value[1:] if isinstance(value, list) else {"R2": {}}), encoding="utf-8")
    assert changed(copy_of_the_core / "fixtures") == [cell.metadata.oracle.file]
    red = faults(NOTEBOOKS / f"{lesson}.ipynb", FROZEN[f"{lesson}.ipynb"], copy_of_the_core / "fixtures")
    assert red == [f"{cell.id}: the stored output is not {cell.metadata.oracle.file}"]
