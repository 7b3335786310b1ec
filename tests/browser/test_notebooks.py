"""Every lesson and its exercises in JupyterLab, from opening to the last cell; `explorers.ipynb` has its own tests."""

import pytest

from boundary_lab.nets import CHECKOUT
from boundary_lab.teach.exercises.handoff import MARKER
from browser.visit import visited
from net.checks import code_cells, read

NOTEBOOKS = CHECKOUT / "notebooks"
LESSONS = sorted(
    path.relative_to(NOTEBOOKS).as_posix()
    for name in ("0*.ipynb", "exercises/*.ipynb")
    for path in NOTEBOOKS.glob(name)
)


@pytest.mark.parametrize("name", LESSONS)
def test_notebook(name, lab, keep):
    with visited(lab, name, keep):
        pass


def test_an_exercise_in_a_copy_of_one_s_own(lab):
    """Typed, checked, helped with, and found again in the table on the first page."""
    cells = code_cells(read(NOTEBOOKS / "exercises/01_tool_row_dropping.ipynb"))
    place = next(place for place, cell in enumerate(cells) if cell.id == "answer-spot")
    with lab.opened("work/exercises/01_tool_row_dropping.ipynb", _cells("exercises/01_tool_row_dropping.ipynb")):
        lab.restart_and_run_all()
        for answer, says in (
            ('("b", {})', "Not yet. On {}, b gives False"),
            (f'("c", {{"{MARKER}": 1}})', "Right. On {"),
        ):
            lab.page.locator(".jp-CodeCell .cm-content").nth(place).click()
            lab.page.keyboard.press("ControlOrMeta+a")
            lab.page.keyboard.insert_text(f"answer = {answer}")
            lab.page.keyboard.press("Shift+Enter")
            lab.page.keyboard.press("Shift+Enter")
            lab.page.locator(".jp-OutputArea").get_by_text(says).first.wait_for()
    with lab.opened("work/00_start_here.ipynb", _cells("00_start_here.ipynb")):
        lab.restart_and_run_all()
        lab.page.locator(".jp-OutputArea").get_by_text("1.spot    right").first.wait_for()
    assert lab.console == []


def _cells(name):
    return len(read(NOTEBOOKS / name).cells)
