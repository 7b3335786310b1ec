import os

import pytest
from hypothesis import HealthCheck, settings

from net.copies import copy_core

# The same examples every time; a person who hunts for more runs with HYPOTHESIS_PROFILE=hunt.
# `make mutants` asks every test thousands of times, so it takes fewer. No verdict depends on how fast the machine is.
UNHURRIED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("lab", derandomize=True, database=None, max_examples=200, **UNHURRIED)
settings.register_profile("mutants", derandomize=True, database=None, max_examples=25, **UNHURRIED)
settings.register_profile("hunt", max_examples=20_000, **UNHURRIED)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "lab"))


@pytest.fixture
def copy_of_the_core(tmp_path):
    """A folder with `src` and `fixtures` of its own; the first goes on PYTHONPATH and wins over an installed core."""
    return copy_core(tmp_path / "copy")
