"""Over all notebooks: nothing passes because nobody looked."""

import pytest

from boundary_lab.fixtures import fixture
from boundary_lab.nets import CHECKOUT
from net.checks import faults
from rows import load

NOTEBOOKS = CHECKOUT / "notebooks"
FROZEN = load("lab/notebooks.json")


def test_every_notebook_is_frozen():
    found = {path.relative_to(NOTEBOOKS).as_posix() for path in NOTEBOOKS.rglob("*.ipynb")}
    assert {name for name in found if ".ipynb_checkpoints" not in name} == set(FROZEN)


@pytest.mark.parametrize("name", FROZEN)
def test_notebook(name):
    found = faults(NOTEBOOKS / name, FROZEN[name], fixture("."))
    assert not found, f"{found}\nmake reset puts it back; after a change on purpose: make notebooks, make freeze"
