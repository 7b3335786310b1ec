"""Every lesson in JupyterLab, from opening it to its last cell; `explorers.ipynb` is visited by its own tests."""

import pytest

from boundary_lab.nets import CHECKOUT
from browser.visit import visited

LESSONS = sorted(path.name for path in (CHECKOUT / "notebooks").glob("0*.ipynb"))


@pytest.mark.parametrize("name", LESSONS)
def test_notebook(name, lab, keep):
    with visited(lab, name, keep):
        pass
