"""The table of torture texts through every parser: each contract has its own word for what is wrong."""

import pytest

from boundary_lab.folders import SyntheticFolder
from boundary_lab.manifest import load_manifest
from boundary_lab.packet import PacketContract
from boundary_lab.rejected import outcome
from boundary_lab.review import ReviewBook
from boundary_lab.turn import parse_candidate
from parsers import LIMITS, WORDS
from rows import edited, fixture, rows, title

CONTRACT = PacketContract.load(fixture("handoff/contract.json"))
BOOK = ReviewBook.load(fixture("review"))


def as_bytes(text):
    return text.encode("utf-8", "surrogatepass")


def manifest(text):
    return load_manifest(SyntheticFolder("posix", "/", {"manifest.json": as_bytes(text)}))


# What parses a text, by the name of its contract in `parsers`.
PARSERS = {
    "packet": CONTRACT.parse,
    "review": lambda text: BOOK.receive(text, "R1"),
    "manifest": manifest,
    "candidate": parse_candidate,
    "candidate, as bytes": lambda text: parse_candidate(as_bytes(text)),
}


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("row", rows("lab/strict-json.json"), ids=title)
def test_row(row, parser):
    contract = parser.split(",")[0]
    limit, words = LIMITS[contract], WORDS[contract]
    text = edited("", row)
    verdict = outcome(PARSERS[parser], text)
    rule = row.get("within") if row["rule"] == "size" else row["rule"]  # the limit is the table's, not this parser's
    if len(as_bytes(text)) > limit:
        assert verdict == words["size"]
    elif rule is None:
        assert verdict not in words.values()
    elif words[rule]:
        assert verdict == words[rule]
    else:  # an escaped unpaired surrogate passes the review's parser, and fails its contract
        assert verdict in ("bad_packet_fields", words["repeated_key"])
