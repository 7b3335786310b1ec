import os

import pytest
from hypothesis import settings

from net.copies import copy_core

# The same examples every time; a person who hunts for more runs with HYPOTHESIS_PROFILE=hunt.
settings.register_profile("lab", derandomize=True, deadline=None, database=None, max_examples=200)
settings.register_profile("hunt", deadline=None, max_examples=20_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "lab"))


@pytest.fixture
def copy_of_the_core(tmp_path):
    """A folder with `src` and `fixtures` of its own; the first goes on PYTHONPATH and wins over an installed core."""
    return copy_core(tmp_path / "copy")
