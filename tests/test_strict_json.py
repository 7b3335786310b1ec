"""The one parser, against RFC 8259 and the lab's own limits; each row names its rule's source."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boundary_lab.rejected import outcome
from boundary_lab.strict_json import Words, parse, parse_bytes
from rfc8259 import judged, judged_bytes
from rows import edited, edited_bytes, rows, title

RULES = ("size", "encoding", "bom", "syntax", "surrogate", "repeated_key")
WORDS = Words(**{rule: rule for rule in RULES})
LIMIT = 10_000


# The table, by this reading and by a second one.


def agree(text):
    """Both readings find the same first fault, or the same value."""
    faults, value = judged(text, LIMIT)
    assert outcome(parse, text, LIMIT, WORDS) == (*faults, "accepted")[0], ascii(text)
    if not faults:
        assert repr(parse(text, LIMIT, WORDS)) == repr(value)  # the types too


@pytest.mark.parametrize("row", rows("lab/strict-json.json"), ids=title)
def test_row(row):
    text, data, rule = edited("", row), edited_bytes(row), row["rule"] or "accepted"
    assert outcome(parse, text, LIMIT, WORDS) == rule
    assert outcome(parse_bytes, data, LIMIT, WORDS) == rule
    assert (*judged_bytes(data, LIMIT)[0], "accepted")[0] == rule
    agree(text)
    if row["rule"] is None:
        assert parse(text, LIMIT, WORDS) == json.loads(text)


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


# Other texts, by both readings.


SMALL = (
    ' {"a\\u00e9\\n":[-10.5e+3,true]}\n',
    '["\\ud83d\\ude00",{"":null,"b":0}]',
    '{"a":{},"b":[false,"\U0001f600"]}',
)
CHARACTERS = [*map(chr, range(0x80)), *"\x85\xa0\u0661\u2028\ufeff\uff11\ud83d\ude00\U0001f600"]


def one_edit(text):
    """The text with one character removed, doubled or swapped with the next; one put in or in another's place."""
    for at in range(len(text) + 1):
        head, tail = text[:at], text[at:]
        yield from (head + tail[1:], head + tail[:1] + tail, head + tail[1:2] + tail[:1] + tail[2:], head)
        for character in CHARACTERS:
            yield from (head + character + tail, head + character + tail[1:])


@pytest.mark.parametrize("text", SMALL, ids=ascii)
def test_every_text_one_edit_away(text):
    for near in one_edit(text):
        agree(near)


PIECES = [*'{}[]:,"\\01-.e a', "\\u", "d83d", "de00", "true", "null", "1e400"]


@given(st.text() | st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_text(text):
    agree(text)


@given(st.binary())
def test_any_bytes(data):
    assert outcome(parse_bytes, data, LIMIT, WORDS) == (*judged_bytes(data, LIMIT)[0], "accepted")[0]
