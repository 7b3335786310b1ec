"""The table of torture texts through every parser: each contract has its own word for what is wrong."""

import pytest

from boundary_lab.folders import SyntheticFolder
from boundary_lab.manifest import load_manifest
from boundary_lab.packet import PacketContract
from boundary_lab.rejected import outcome
from boundary_lab.review import ReviewBook
from boundary_lab.turn import parse_candidate
from rows import edited, fixture, rows, title

CONTRACT = PacketContract.load(fixture("handoff/contract.json"))
BOOK = ReviewBook.load(fixture("review"))


def as_bytes(text):
    return text.encode("utf-8", "surrogatepass")


def manifest(text):
    return load_manifest(SyntheticFolder("posix", "/", {"manifest.json": as_bytes(text)}))


# The parser, its limit in bytes, and its word for each rule.
PARSERS = {
    "packet": (CONTRACT.parse, 8192, {
        "size": "bad_wire_size", "encoding": "bad_json", "bom": "bad_json", "syntax": "bad_json",
        "surrogate": "bad_json", "repeated_key": "duplicate_json_key",
    }),
    "review": (lambda text: BOOK.receive(text, "R1"), 4096, {
        "size": "bad_wire", "encoding": "bad_wire", "bom": "bad_json", "syntax": "bad_json",
        "surrogate": None, "repeated_key": "duplicate_key",
    }),
    "manifest": (manifest, 64 << 20, {
        "size": "MANIFEST_SIZE", "encoding": "MANIFEST_UTF8", "bom": "MANIFEST_BOM", "syntax": "MANIFEST_JSON",
        "surrogate": "MANIFEST_JSON", "repeated_key": "MANIFEST_JSON",
    }),
    "candidate, as text": (parse_candidate, 64 << 20, {
        "size": "CANDIDATE_SIZE", "encoding": "CANDIDATE_UTF8", "bom": "CANDIDATE_JSON", "syntax": "CANDIDATE_JSON",
        "surrogate": "CANDIDATE_JSON", "repeated_key": "CANDIDATE_JSON",
    }),
}  # fmt: skip
PARSERS["candidate, as bytes"] = (lambda text: parse_candidate(as_bytes(text)), *PARSERS["candidate, as text"][1:])


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("row", rows("lab/strict-json.json"), ids=title)
def test_row(row, parser):
    parse, limit, words = PARSERS[parser]
    text = edited("", row)
    verdict = outcome(parse, text)
    rule = row.get("within") if row["rule"] == "size" else row["rule"]  # the limit is the table's, not this parser's
    if len(as_bytes(text)) > limit:
        assert verdict == words["size"]
    elif rule is None:
        assert verdict not in words.values()
    elif words[rule]:
        assert verdict == words[rule]
    else:  # an escaped unpaired surrogate passes the review's parser, and fails its contract
        assert verdict in ("bad_packet_fields", words["repeated_key"])
