"""One notebook in JupyterLab, as its reader opens it: read without a run, run, answered, and seen by axe."""

import re
from contextlib import contextmanager

from axe_playwright_python.sync_playwright import Axe

from boundary_lab.nets import CHECKOUT
from browser.pages import Explorer
from net.checks import code_cells, output_text, read
from rows import load

BASELINE = load("lab/axe-baseline.json")


def first_line(output):
    return output_text(output).splitlines()[0]


def unexpected(found):
    """What axe found and the baseline does not explain: another rule, or another kind of element."""
    return [
        (fault["id"], node["html"])
        for fault in found
        for node in fault["nodes"]
        if not any(row["rule"] == fault["id"] and row["element"] in node["html"] for row in BASELINE)
    ]


def predicted(page, place):
    """Answers by the keyboard, first this and then that, and reads the comparison."""
    said = page.page.locator(".jp-OutputArea").get_by_text("The run says: ")
    assert "You have not answered." in said.inner_text()
    answers = Explorer(page, place).cell.get_by_role("radio")
    answers.first.focus()
    for key, chosen in (("Space", answers.first), ("ArrowDown", answers.nth(1))):
        page.page.keyboard.press(key)
        assert chosen.is_checked()
        said.get_by_text(re.compile("You said: |That is what you said")).wait_for()


@contextmanager
def visited(page, name, keep):
    """The notebook of that name, open in JupyterLab and run."""
    notebook = read(CHECKOUT / "notebooks" / name)
    with page.opened(f"notebooks/{name}", len(notebook.cells)):
        unexecuted = page.text()
        for cell in code_cells(notebook):
            for output in cell.outputs:
                assert first_line(output) in unexecuted, cell.id
        assert page.broken_images() == []
        page.restart_and_run_all()
        for place, cell in enumerate(code_cells(notebook)):
            if "Prediction(" in cell.source:
                predicted(page, place)
        keep(page, name.removesuffix(".ipynb"))
        assert page.errors() == []
        assert page.broken_images() == []
        assert unexpected(Axe().run(page.page, ".jp-Notebook").response["violations"]) == []
        yield
        assert page.console == []
