"""The table of torture texts through every parser: each contract has its own word for what is wrong."""

import pytest

from boundary_lab.folders import SyntheticFolder
from boundary_lab.manifest import load_manifest
from boundary_lab.packet import PacketContract
from boundary_lab.rejected import outcome
from boundary_lab.review import ReviewBook
from boundary_lab.turn import parse_candidate
from parsers import LIMITS, WORDS
from rows import edited, edited_bytes, fixture, rows, title

CONTRACT = PacketContract.load(fixture("handoff/contract.json"))
BOOK = ReviewBook.load(fixture("review"))


def manifest(data):
    return load_manifest(SyntheticFolder("posix", "/", {"manifest.json": data}))


def text(row):
    return edited("", row)


# What parses a text or bytes, by the name of its contract in `parsers`.
PARSERS = {
    "packet": (CONTRACT.parse, text),
    "review": (lambda wire: BOOK.receive(wire, "R1"), text),
    "manifest": (manifest, edited_bytes),
    "candidate, as text": (parse_candidate, text),
    "candidate, as bytes": (parse_candidate, edited_bytes),
}


def contract(parser):
    return parser.split(",")[0]


def says(parser, row):
    parse, form = PARSERS[parser]
    return outcome(parse, form(row))


def fits(verdict, row, contract):
    """Whether the verdict is this contract's word for the rule that the row breaks."""
    words = WORDS[contract]
    rule = row.get("within") if row["rule"] == "size" else row["rule"]  # the limit is the table's, not this parser's
    if len(edited_bytes(row)) > LIMITS[contract]:
        return verdict == words["size"]
    if rule is None:
        return verdict not in words.values()
    if words[rule]:
        return verdict == words[rule]
    # An escaped unpaired surrogate passes the review's parser, and fails its contract.
    return verdict in ("bad_packet_fields", words["repeated_key"])


@pytest.mark.parametrize("row", rows("lab/strict-json.json"), ids=title)
def test_row(row):
    verdicts = {parser: says(parser, row) for parser in PARSERS}
    assert {parser: verdict for parser, verdict in verdicts.items() if not fits(verdict, row, contract(parser))} == {}


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("character", ["x", "\u00e9"], ids=["one byte", "two bytes"])
@pytest.mark.parametrize("over", [0, 1, 2])
def test_size_limit_to_the_byte(parser, character, over):
    """A text of the limit, and of one or two bytes more, with as many characters in two bytes as fit."""
    times, odd = divmod(LIMITS[contract(parser)] + over - 2, len(character.encode()))
    row = {"edit": {"joined": [['"', 1], [character, times], ["x", odd], ['"', 1]]}}
    assert (says(parser, row) == WORDS[contract(parser)]["size"]) == bool(over)
