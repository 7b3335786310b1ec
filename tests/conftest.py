import os
import signal

import pytest
from hypothesis import HealthCheck, settings

from boundary_lab.nets import copy_of_the_lab
from shell import Copy

# The same examples every time; a person who hunts for more runs with HYPOTHESIS_PROFILE=hunt.
# `make mutants` asks every test thousands of times, so it takes fewer. No verdict depends on how fast the machine is.
UNHURRIED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("lab", derandomize=True, database=None, max_examples=200, **UNHURRIED)
settings.register_profile("mutants", derandomize=True, database=None, max_examples=25, **UNHURRIED)
settings.register_profile("hunt", max_examples=20_000, **UNHURRIED)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "lab"))


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items):
    """A test that is given a `row` is one of the net that the named defects must not pass."""
    for item in items:
        if "row" in getattr(getattr(item, "callspec", None), "params", ()):
            item.add_marker("rows")


@pytest.fixture
def copy_of_the_core():
    """A folder with a lab of its own; its `src` goes on PYTHONPATH and wins over an installed core."""
    with copy_of_the_lab() as copy:
        yield copy.folder


@pytest.fixture
def heeded():
    """A child of what ignores SIGINT, as everything does that a shell puts into the background, would ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def lab(tmp_path):
    """A copy of the lab in which commands can run."""
    return Copy(tmp_path)
