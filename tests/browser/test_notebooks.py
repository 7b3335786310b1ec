"""Every notebook in JupyterLab, as its reader opens it: run, reloaded without a run, and seen by axe."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from boundary_lab.nets import CHECKOUT
from net.checks import code_cells, output_text, read
from rows import load

NOTEBOOKS = sorted(path.name for path in (CHECKOUT / "notebooks").glob("*.ipynb"))
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


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook(name, lab, page, keep):
    notebook = read(CHECKOUT / "notebooks" / name)
    page.open(lab.format(name), len(notebook.cells))
    unexecuted = page.text()
    for cell in code_cells(notebook):
        for output in cell.outputs:
            assert first_line(output) in unexecuted, cell.id
    assert page.broken_images() == []
    page.restart_and_run_all()
    keep(page, name.removesuffix(".ipynb"))
    assert page.errors() == []
    assert page.console == []
    assert page.broken_images() == []
    assert unexpected(Axe().run(page.page, ".jp-Notebook").response["violations"]) == []
