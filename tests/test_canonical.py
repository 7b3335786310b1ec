import json
import os
import subprocess
import sys
from hashlib import sha256

import pytest
from hypothesis import given

from boundary_lab.canonical import canonical, same, sha256_hex
from boundary_lab.rejected import outcome
from json_values import json_values
from rows import load, rows, title


@pytest.mark.parametrize("row", rows("lab/canonical.json"), ids=title)
def test_row(row):
    assert canonical(row["value"]) == row["canonical"]


def test_digest_of_the_frozen_evidence():
    for row in load("handoff/packet.json")["evidence"]:
        assert sha256_hex({key: row[key] for key in ("source_id", "field", "value")}) == row["sha256"]


CYCLE = []
CYCLE.append(CYCLE)


def nested(depth, inside=lambda value: [value]):
    value = 0
    for _ in range(depth):
        value = inside(value)
    return value


def member(value):
    return {"a": value}


NOT_JSON = {
    "NaN": float("nan"),
    "infinity": float("-inf"),
    "an unpaired surrogate": ["\ud800"],
    "an unpaired surrogate in a key": {"\ud800": 1},
    "4,301 digits": 10**4300,
    "4,301 digits and a minus": -(10**4300),
    "101 levels": nested(101),
    "101 levels of objects": nested(101, member),
    "a cycle": CYCLE,
    "a tuple": (1,),
    "bytes": b"a",
    "a set": {1},
    "a key that is no text": {1: 1},
    "an object": object(),
}


@pytest.mark.parametrize("value", NOT_JSON.values(), ids=NOT_JSON)
def test_no_canonical_form(value):
    assert outcome(canonical, value) == outcome(sha256_hex, value) == "bad_value"
    assert not same(value, value)


AT_THE_LIMITS = {"4,300 digits": 10**4300 - 1, "100 levels": nested(100), "100 levels of objects": nested(100, member)}


@pytest.mark.parametrize("value", AT_THE_LIMITS.values(), ids=AT_THE_LIMITS)
def test_at_the_limits(value):
    assert json.loads(canonical(value)) == value


@pytest.mark.parametrize("value", [10**4300, -(10**4300)], ids=["plus", "minus"])
def test_an_interpreter_without_a_digit_limit(value):
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        assert outcome(canonical, value) == "bad_value"
    finally:
        sys.set_int_max_str_digits(limit)


def test_an_interpreter_with_a_digit_limit_of_its_own():
    code = "from boundary_lab.canonical import canonical; from boundary_lab.rejected import outcome; "
    code += "print(outcome(canonical, 10**1000))"
    environment = os.environ | {"PYTHONINTMAXSTRDIGITS": "640"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True, timeout=60)
    assert done.stdout == b"bad_value" + os.linesep.encode()


@given(json_values)
def test_round_trip(value):
    if outcome(canonical, value) == "accepted":
        text = canonical(value)
        assert canonical(json.loads(text)) == text
        assert sha256_hex(value) == sha256(text.encode()).hexdigest()
        assert same(value, json.loads(text))
