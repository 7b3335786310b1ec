"""The net turns red for the right reason, on copies; an identical copy stays green."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest

from boundary_lab.fixtures import changed, fixture
from net.checks import code_cells, faults, read
from net.copies import NOTEBOOKS, copy_core, nbval
from rows import load

# A lesson, and the oracle cell of it that the changes go to.
LESSONS = {
    "01_tool_row_dropping.ipynb": "counts",
    "02_stale_review.ipynb": "answer",
    "03_replacement_char_digest.ipynb": "recovery",
    "04_windows_path_prefix.ipynb": "all-guards",
    "05_release_note_check.ipynb": "report",
}
FROZEN = load("lab/notebooks.json")
DIFFERS = "Cell outputs differ"
RAISED = "Cell execution caused an exception"


def other_output(cell, _):
    cell.outputs[0].text = cell.outputs[0].text.replace("s", "z", 1)


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


def copied(folder, lesson, change=None):
    folder.mkdir(exist_ok=True)
    path = folder / f"{change or 'copy'} {lesson}"
    shutil.copy(NOTEBOOKS / lesson, path)
    return path


def oracle_cell(path):
    notebook = read(path)
    return next(cell for cell in notebook.cells if cell.id == LESSONS[path.name.split()[-1]]), notebook


@pytest.fixture(scope="module")
def changed_lessons(tmp_path_factory):
    """For each lesson a folder with every change of it, and what nbval said of each; two lessons at a time."""
    folders = {lesson: tmp_path_factory.mktemp("changes") for lesson in LESSONS}
    for lesson, folder in folders.items():
        for change, (edit, *_) in CHANGES.items():
            path = copied(folder, lesson, change)
            cell, notebook = oracle_cell(path)
            edit(cell, notebook)
            nbformat.write(notebook, path)
    with ThreadPoolExecutor(max_workers=2) as pool:
        return dict(zip(LESSONS, zip(folders.values(), pool.map(nbval, folders.values()), strict=True), strict=True))


@pytest.mark.parametrize("lesson", LESSONS)
@pytest.mark.parametrize("change", CHANGES)
def test_change(change, lesson, changed_lessons):
    folder, runs = changed_lessons[lesson]
    path = folder / f"{change} {lesson}"
    _, failed, said = CHANGES[change]
    run = runs[path.name]
    assert run.cells["failure"] == failed, run.text
    assert (DIFFERS in run.text) == bool(failed)
    cell, _ = oracle_cell(path)
    red = faults(path, FROZEN[lesson], fixture("."))
    if said is None:
        assert red == []
    else:
        assert any(f.startswith(f"{cell.id}: " + said.format(oracle=cell.metadata.oracle.file)) for f in red)


@pytest.mark.parametrize("lesson", LESSONS)
def test_stripping_changes_the_frozen_count(lesson, changed_lessons):
    folder, _ = changed_lessons[lesson]
    red = faults(folder / f"outputs stripped {lesson}", FROZEN[lesson], fixture("."))
    assert any(fault.startswith("{'outputs': 0, ") for fault in red)


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_changed_oracle(lesson, tmp_path, copy_of_the_core):
    path = copied(tmp_path / "notebooks", lesson)
    cell, _ = oracle_cell(path)
    oracle = copy_of_the_core / "fixtures" / cell.metadata.oracle.file
    value = json.loads(oracle.read_text(encoding="utf-8"))
    oracle.write_text(json.dumps(value[1:] if isinstance(value, list) else {"R2": {}}), encoding="utf-8")
    assert changed(copy_of_the_core / "fixtures") == [cell.metadata.oracle.file]
    red = faults(path, FROZEN[lesson], copy_of_the_core / "fixtures")
    assert red == [f"{cell.id}: the stored output is not {cell.metadata.oracle.file}"]


def test_the_lessons_on_a_copy_of_the_core(tmp_path):
    """The control of the next test."""
    core = copy_core(tmp_path / "core")
    for lesson in LESSONS:
        copied(tmp_path / "notebooks", lesson)
    runs = nbval(tmp_path / "notebooks", core)
    assert {name: run.cells for name, run in runs.items()} == {
        f"copy {lesson}": {"passed": len(code_cells(read(NOTEBOOKS / lesson)))} for lesson in LESSONS
    }


# One defect for each lesson: equality without types; the text's hash not looked at; bytes that are no UTF-8
# pass; the way up is written with a slash everywhere; any evidence of the manifest will do.
DEFECTS = {
    "01_tool_row_dropping.ipynb": ("packet.py", "return *map(type, values), *values", "return values"),
    "02_stale_review.ipynb": ("review.py", "sha256(text.encode()).hexdigest() == self.text_hash", "True"),
    "03_replacement_char_digest.ipynb": ("manifest.py", 'Utf8Check, "strict"', 'AnyBytes, "replace"'),
    "04_windows_path_prefix.ipynb": (
        "containment.py",
        '"../" if flavour == "posix" or slash_only else "..\\\\"',
        '"../"',
    ),
    "05_release_note_check.ipynb": (
        "notes.py",
        "set(expected.changes[change])",
        "{cited for change in expected.changes.values() for cited in change}",
    ),
}


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_defective_core(lesson, tmp_path):
    core = copy_core(tmp_path / "core")
    path = copied(tmp_path / "notebooks", lesson)
    file, old, new = DEFECTS[lesson]
    module = core / "src" / "boundary_lab" / file
    source = module.read_text(encoding="utf-8")
    assert source.count(old) == 1
    module.write_text(source.replace(old, new), encoding="utf-8")
    run = nbval(path.parent, core)[path.name]
    assert run.cells["failure"] > 0
    assert DIFFERS in run.text
    assert RAISED not in run.text
