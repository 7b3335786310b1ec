"""One update of each explorer, from the changed control to what is shown, against the tenth of a second it may take.

Of the cases of `fixtures/lab/explorers.json`, the slowest of each explorer. What the browser then does comes on top.
"""

import time

import pytest

from boundary_lab.teach import explorers
from rows import load

LIMIT = 0.1  # seconds
CASES = load("lab/explorers.json")
NAMES = sorted({case["explorer"] for case in CASES})


def update(case):
    """Two functions: one moves the control of the case, the other moves it back."""
    control = getattr(explorers, case["explorer"]).explorer()[case["control"]]
    before = control.value
    moved = tuple(case["value"]) if isinstance(case["value"], list) else case["value"]
    return lambda: setattr(control, "value", moved), lambda: setattr(control, "value", before)


def seconds(case):
    there, back = update(case)
    there(), back()
    start = time.perf_counter()
    there()
    return time.perf_counter() - start


@pytest.mark.benchmark(group="an update of an explorer")
@pytest.mark.parametrize("name", NAMES)
def test_update(benchmark, name):
    there, back = update(max((case for case in CASES if case["explorer"] == name), key=seconds))
    benchmark.pedantic(there, setup=back, rounds=30, warmup_rounds=1)


@pytest.mark.benchmark(group="an update of an explorer")
def test_limit(benchmark):
    benchmark.pedantic(lambda: time.sleep(LIMIT), rounds=5)
