"""The explorers by hand: every control by mouse and by keyboard, until the value of the table is there."""

import pytest

from boundary_lab.nets import CHECKOUT
from boundary_lab.teach.explorers.handoff import FIELDS, ROWS
from browser.pages import MILLISECONDS, Explorer
from browser.servers import serving, with_notebooks
from browser.visit import visited
from net.checks import code_cells, read
from rows import load, title

NOTEBOOK = read(CHECKOUT / "notebooks" / "explorers.ipynb")
PLACES = {cell.id: place for place, cell in enumerate(code_cells(NOTEBOOK))}
LABELS = {
    "rows": [*ROWS], "fields": [*FIELDS], "marker": "Also look for",
    "text": "Text of the source", "revision": "Its revision", "fact": "restart_attempted", "current": "Current review",
    "note": "Bytes after note=",
    "flavour": "Kind of system", "path": "Cited path", "link": "A link leads to", "root": "Folder",
    "read": "Events that arrive", "ending": "How it ends", "resumed": "Resumed with",
    "name": "Defect",
}  # fmt: skip


@pytest.fixture(scope="module")
def explorers(lab, keep):
    """The page of all explorers, which was run once."""
    with visited(lab, "explorers.ipynb", keep):
        yield lab


CASES = load("lab/explorers.json")
ONE_OF_EACH = {case["explorer"]: case for case in CASES}


def move(page, case, hand):
    """Moves the control of a case, and waits for what shall be shown."""
    explorer = Explorer(page, PLACES[case["explorer"]])
    control = explorer.control(LABELS[case["control"]])
    control.move(case["value"], hand)
    explorer.wait_for(case["shows"])
    assert control.value() == case["value"]
    assert explorer.cell.locator("script, img[src=x]").count() == 0


@pytest.mark.parametrize("hand", ["mouse", "keyboard"])
@pytest.mark.parametrize("case", CASES, ids=title)
def test_case(case, hand, explorers):
    explorer = Explorer(explorers, PLACES[case["explorer"]])
    control = explorer.control(LABELS[case["control"]])
    before, text = control.value(), explorer.text()
    move(explorers, case, hand)
    control.move(before, hand)
    explorer.wait_for(text, whole=True)


@pytest.mark.parametrize("name", PLACES.keys() - {"imports"})
def test_the_keyboard_reaches_every_control_in_order(name, explorers):
    reached = Explorer(explorers, PLACES[name]).tabbed()
    labels = [LABELS[case["control"]] for case in CASES if case["explorer"] == name]
    wanted = [label for label in LABELS.values() if not isinstance(label, list) and label in labels]
    assert [label for label in reached if label in wanted] == wanted


def test_a_picture_opens_as_text_by_the_keyboard(explorers):
    summary = Explorer(explorers, PLACES["stream"]).cell.get_by_text("The picture as text")
    picture = Explorer(explorers, PLACES["stream"]).cell.locator("details pre")
    assert not picture.is_visible()
    summary.focus()
    explorers.page.keyboard.press("Enter")
    picture.wait_for(state="visible")


def test_both_nets_run_on_request(explorers):
    explorer = Explorer(explorers, PLACES["defect"])
    button = explorer.cell.get_by_role("button", name="Run both nets on it now")
    button.focus()
    explorers.page.keyboard.press("Enter")
    explorer.cell.get_by_text("Runs", exact=True).wait_for()
    explorer.wait_for("As recorded: replacement-decode is noticed by", milliseconds=MILLISECONDS)
    button.click(trial=True)  # waits until it can be pressed again


def test_in_notebook_7(page, tmp_path, keep):
    with serving(with_notebooks(tmp_path), "notebook", "--allow-root", "--IdentityProvider.token=t") as address:
        page.page.goto(f"{address}/notebooks/notebooks/explorers.ipynb?token=t")
        page.wait_for_cells(len(NOTEBOOK.cells))
        page.restart_and_run_all()
        for case in ONE_OF_EACH.values():
            move(page, case, "keyboard")
        keep(page, "notebook-7")
        assert page.errors() == []
        assert page.console == []


def test_as_an_app(page, tmp_path, keep):
    with serving(tmp_path, "boundary_lab.teach.explore") as address:
        page.page.goto(address)
        page.page.locator(".jp-OutputArea button").wait_for(timeout=MILLISECONDS)
        for case in ONE_OF_EACH.values():
            move(page, case, "keyboard")
        keep(page, "app")
        assert page.page.locator(".jp-InputArea-editor, .jp-CodeMirrorEditor").count() == 0
        assert page.console == []
