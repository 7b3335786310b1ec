"""Every code is documented, is the whole message, and is all that ever leaves a public entry."""

import ast
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boundary_lab.canonical import canonical, sha256_hex
from boundary_lab.fixtures import fixture
from boundary_lab.history import drop_tool_rows, flatten_as_summary, markers_in
from boundary_lab.packet import PacketContract
from boundary_lab.rejected import CODES, Rejected, outcome
from boundary_lab.review import Receiver, ReviewBook, ReviewSnapshot
from json_values import changed, json_values
from rows import load

CONTRACT = PacketContract.load(fixture("handoff/contract.json"))
BOOK = ReviewBook.load(fixture("review"))

ENTRIES = {
    "canonical": (canonical, []),
    "sha256_hex": (sha256_hex, []),
    "drop_tool_rows": (drop_tool_rows, load("handoff/source-record.json")),
    "flatten_as_summary": (flatten_as_summary, load("handoff/source-record.json")),
    "markers_in": (lambda value: markers_in(value, ["a", "\n"]), {}),
    "PacketContract.from_json": (PacketContract.from_json, load("handoff/contract.json")),
    "PacketContract.project": (CONTRACT.project, load("handoff/source-record.json")),
    "PacketContract.validate": (CONTRACT.validate, load("handoff/packet.json")),
    "PacketContract.parse": (CONTRACT.parse, load("handoff/packet.json")),
    "PacketContract.receive": (CONTRACT.receive, load("handoff/packet.json")),
    "PacketContract.evidence": (CONTRACT.evidence, "EV-01"),
    "ReviewSnapshot.from_json": (ReviewSnapshot.from_json, load("review/snapshots.json")["R1"]),
    "ReviewBook.from_json": (
        lambda value: ReviewBook.from_json(value, load("review/questions.json")),
        load("review/snapshots.json"),
    ),
    "ReviewBook.from_json, questions": (
        lambda value: ReviewBook.from_json(load("review/snapshots.json"), value),
        load("review/questions.json"),
    ),
    "ReviewBook.project": (lambda value: BOOK.project(value, "R1"), load("review/sources.json")["R1"]),
    "ReviewBook.project, current": (lambda value: BOOK.project({}, value), "R1"),
    "ReviewBook.receive": (lambda value: BOOK.receive(value, "R1"), load("review/packets.json")["R1"]),
    "ReviewBook.receive, current": (lambda value: BOOK.receive("", value), "R1"),
    "Receiver.from_json": (Receiver.from_json, BOOK.public()),
}


@pytest.mark.parametrize("entry", ENTRIES)
@given(data=st.data())
def test_any_value_is_answered_or_refused_with_a_documented_code(entry, data):
    call, example = ENTRIES[entry]
    value = data.draw(json_values | changed(example) | st.binary() | st.tuples(st.text()))
    assert outcome(call, value) in {*CODES, "accepted"}


def test_the_code_is_the_whole_message():
    assert str(Rejected("bad_json")) == Rejected("bad_json").code == "bad_json"
    assert Rejected("bad_json").args == ("bad_json",)


@pytest.mark.parametrize("entry", ["PacketContract.parse", "PacketContract.receive", "ReviewBook.receive"])
@given(text=st.text() | st.binary().map(lambda data: data.decode("utf-8", "surrogateescape")))
def test_any_text_is_answered_or_refused_with_a_documented_code(entry, text):
    assert outcome(ENTRIES[entry][0], text) in CODES


@pytest.mark.parametrize("entry", ["PacketContract.parse", "PacketContract.receive", "ReviewBook.receive"])
@given(data=st.data())
def test_any_candidate_as_text_is_answered_or_refused_with_a_documented_code(entry, data):
    call, example = ENTRIES[entry]
    candidate = data.draw(changed(example))
    if outcome(canonical, candidate) == "accepted":
        assert outcome(call, canonical(candidate)) in {*CODES, "accepted"}


def _literals(tree):
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_codes_that_are_raised_are_the_documented_ones():
    """Codes are literals, so both directions can be read off the source."""
    raised, literals = set(), set()
    for path in (fixture(".").parent / "src" / "boundary_lab").rglob("*.py"):
        if path.name != "rejected.py":
            tree = ast.parse(path.read_text(encoding="utf-8"))
            literals |= _literals(tree)
            for call in ast.walk(tree):
                if isinstance(call, ast.Call) and ast.unparse(call.func) in RAISING:
                    raised |= {code for argument in (*call.args, *call.keywords) for code in _literals(argument)}
    assert raised <= set(CODES) <= literals


RAISING = {"Rejected", "Shapes", "Words", "Words.only"}


def test_every_code_says_what_it_means_and_what_to_do_next():
    for code, refusal in CODES.items():
        assert re.fullmatch("[a-z0-9_]+|[A-Z0-9_]+|SyntaxError", code)  # the last is the first version's own word
        assert all(re.fullmatch(r"[A-Z][ -~]+", sentence) for sentence in refusal)


def test_the_cause_is_kept_for_a_debugger():
    with pytest.raises(Rejected) as caught:
        canonical("\ud800")
    assert isinstance(caught.value.__cause__, UnicodeEncodeError)
