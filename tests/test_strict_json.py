"""The one parser, against RFC 8259 and the lab's own limits; each row names its rule's source."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boundary_lab.rejected import outcome
from boundary_lab.strict_json import Words, parse, parse_bytes
from rows import edited, rows, title

RULES = ("size", "encoding", "bom", "syntax", "surrogate", "repeated_key")
WORDS = Words(**{rule: rule for rule in RULES})
LIMIT = 10_000


@pytest.mark.parametrize("row", rows("lab/strict-json.json"), ids=title)
def test_row(row):
    text = edited("", row)
    assert outcome(parse, text, LIMIT, WORDS) == (row["rule"] or "accepted")
    if row["rule"] is None and len(text) < LIMIT:
        assert parse(text, LIMIT, WORDS) == json.loads(text)


@pytest.mark.parametrize("row", rows("lab/strict-json.json"), ids=title)
def test_row_as_bytes(row):
    data = edited("", row).encode("utf-8", "surrogatepass")
    assert outcome(parse_bytes, data, LIMIT, WORDS) == (row["rule"] or "accepted")


@pytest.mark.parametrize("value", [None, 1, b"{}", ["{}"], bytearray(b"{}")])
def test_what_is_no_text_has_no_size(value):
    assert outcome(parse, value, LIMIT, WORDS) == "size"


@pytest.mark.parametrize("value", [None, 1, "{}", ["{}"], bytearray(b"{}")])
def test_what_is_no_bytes_has_no_size(value):
    assert outcome(parse_bytes, value, LIMIT, WORDS) == "size"


def test_an_escaped_surrogate_passes_where_the_reader_has_no_word_for_it():
    words = Words(**{rule: rule for rule in RULES} | {"surrogate": None})
    assert parse(r'"\ud800"', LIMIT, words) == "\ud800"
    assert outcome(parse, r'{"a":"\ud800","a":1}', LIMIT, words) == "repeated_key"


@pytest.mark.parametrize(("depth", "verdict"), [(100, "accepted"), (101, "syntax")])
def test_depth_is_not_the_number_of_brackets(depth, verdict):
    text = f"{'[' * depth}{']' * (depth - 1)},[]]"
    assert outcome(parse, text, LIMIT, WORDS) == verdict


PIECES = [
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    '"',
    "\\",
    "\\u",
    "d83d",
    "de00",
    "0",
    "1",
    "-",
    ".",
    "e",
    "true",
    "null",
    " ",
    "a",
]


@given(st.text() | st.lists(st.sampled_from(PIECES)).map("".join))
def test_what_is_accepted_is_what_the_standard_library_reads(text):
    verdict = outcome(parse, text, LIMIT, WORDS)
    assert verdict in (*RULES, "accepted")
    if verdict == "accepted":
        assert parse(text, LIMIT, WORDS) == json.loads(text)


@given(st.binary())
def test_any_bytes_give_a_value_or_a_rule(data):
    assert outcome(parse_bytes, data, LIMIT, WORDS) in (*RULES, "accepted")
