"""The five of each *spot it*: four agree with what is right on whatever is asked, and the wrong one does not."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boundary_lab.learn.progress import keys
from boundary_lab.teach.exercises import digest, handoff, nets, notes, path, review, sdk
from json_values import json_values

MARKED = st.recursive(
    st.sampled_from([handoff.MARKER, "none", "门", 1, None]),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([handoff.MARKER, "a", "门"]), inner),
)
FACTS = st.dictionaries(st.sampled_from(["pump_off", "pressure", "x"]), st.sampled_from([True, 1, 1.0, 7, 7.0, "7"]))
STEPS = ["a", "..", ".", "", "..cache", "notes", "notes2", "NOTES", "srv", "D:", "d:", "C:x"]
PATHS = st.tuples(st.sampled_from(["posix", "windows"]), st.lists(st.sampled_from(STEPS), min_size=1, max_size=6)).map(
    lambda drawn: (drawn[0], ("/" if drawn[0] == "posix" else "\\").join(drawn[1]))
)
EVIDENCE = st.sampled_from([cited for own in notes.OWN.values() for cited in own]) | json_values
ITEMS = st.lists(st.sampled_from(["x", "a token"]), max_size=3)
INPUTS = {
    "1.spot": (handoff.spot, MARKED),
    "2.spot": (review.spot, FACTS),
    "3.spot": (digest.spot, st.tuples(*[st.lists(st.binary(max_size=3) | st.sampled_from([b"1", b"1" * 11]))] * 2)),
    "4.spot": (path.spot, PATHS),
    "5.spot": (notes.spot, st.tuples(st.sampled_from(["A1", "B2", "Z9"]), EVIDENCE)),
    "6.spot": (nets.spot, st.sampled_from([*nets.IMPLEMENTATIONS])),
    "7.spot": (sdk.spot, st.fixed_dictionaries(dict.fromkeys(sdk.PARTS, ITEMS))),
}


def test_every_spot_is_here():
    assert {*INPUTS} == {key for key in keys() if key.endswith(".spot")}


@pytest.mark.parametrize("key", INPUTS)
@pytest.mark.parametrize("name", "abde")
@given(data=st.data())
def test_four_are_right(key, name, data):
    """What is said of a right one is never that it is wrong; what nobody can answer is said to be that."""
    exercise, inputs = INPUTS[key]
    said = exercise.check((name, data.draw(inputs))).text()
    assert " which is right. " in said or "Nobody can answer on" in said


def test_the_guards_agree_on_every_path_of_three_steps():
    for flavour, separator in (("posix", "/"), ("windows", "\\"), ("windows", "/")):
        for steps in itertools.product(STEPS, repeat=3):
            said = [path.spot.check((name, (flavour, separator.join(steps)))).text() for name in "bde"]
            assert all(" which is right. " in one or "Nobody" in one for one in said)
