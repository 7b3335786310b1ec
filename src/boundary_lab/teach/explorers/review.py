"""Lesson 2: a source with its text, revision and fact, before the review that is current."""

from collections.abc import Mapping
from copy import deepcopy
from hashlib import sha256
from typing import Any
from unicodedata import normalize

from boundary_lab.canonical import canonical, same
from boundary_lab.fixtures import fixture, load
from boundary_lab.rejected import Rejected, outcome
from boundary_lab.review import ReviewBook, ReviewSnapshot
from boundary_lab.strict_json import JSON, Words, parse
from boundary_lab.teach.explorers.explorer import Explorer, Invalid, choice, typed
from boundary_lab.teach.figures import Lane, Picture
from boundary_lab.teach.shown import Stack
from boundary_lab.teach.tables import Answer, Table

__all__ = ["TEXTS", "explorer", "judged"]

_BOOK = ReviewBook.load(fixture("review"))
_SOURCES = load("review/sources.json")
_OLD, _NEW = (review.facts for review in _BOOK.snapshots.values())
_FACT = next(name for name in _OLD if _OLD[name] != _NEW[name])  # the one on which the two reviews differ
_MOST = 64  # characters of a typed JSON value
_WORDS = Words.only("bad_value")


def _text(revision: str) -> str:
    text: str = _SOURCES[revision]["records"][0]["text"]
    return text


TEXTS = {
    "as R1 reviewed it": _text("R1"),
    "as R2 reviewed it": _text("R2"),
    "R1's, and a space": _text("R1") + " ",
    "R1's, in form NFKC": normalize("NFKC", _text("R1")),
}


def judged(text: str = "as R1 reviewed it", revision: str = "7", fact: str = "true", current: str = "R1") -> Stack:
    """What the sender says of the source, and two receivers of its packet.

    `text` is a name of `TEXTS`; `revision` and `fact` are JSON, and what is none is `Invalid`.
    """
    source = deepcopy(_SOURCES["R1"])
    record = source["records"][0]
    record["text"], record["revision"] = TEXTS[text], _value("revision", revision)
    record["facts"][_FACT] = _value("fact", fact)
    sent = outcome(_BOOK.project, source, current)
    lanes = [Lane("the sender, with this source", f"review {current}", sent == "accepted", sent)]
    if sent == "accepted":
        packet = canonical(_BOOK.project(source, current))
        for now in _BOOK.snapshots:
            received = outcome(_BOOK.receive, packet, now)
            lanes.append(
                Lane(f"its packet, where {now} is current", f"label {current}", received == "accepted", received)
            )
    picture = Picture("What passes under which review", "who is asked", "the answer", lanes)
    return Stack(picture, _differences(record, _BOOK.snapshots[current]))


def _value(control: str, text: str) -> JSON:
    try:
        return parse(text, _MOST, _WORDS)
    except Rejected as refusal:
        raise Invalid(control, 'this is no JSON; try 7, 7.0, true, "7" or null') from refusal


def _differences(record: Mapping[str, Any], review: ReviewSnapshot) -> Table:
    """What was reviewed beside what is there now."""
    now = sha256(record["text"].encode()).hexdigest()
    pairs: dict[str, tuple[JSON, JSON]] = {
        "SHA-256 of the text, 16 digits": (review.text_hash[:16], now[:16]),
        "revision of the source": (review.source_revision, record["revision"]),
        _FACT: (review.facts[_FACT], record["facts"][_FACT]),
    }
    return Table(
        f"The source beside review {review.revision}",
        {
            what: {"reviewed": canonical(was), "now": Answer(canonical(is_), right=same(was, is_))}
            for what, (was, is_) in pairs.items()
        },
        wrong="DIFFERS",
    )


def explorer() -> Explorer:
    """A text out of four, revision and fact as JSON, and the current review."""
    return Explorer(
        judged,
        {
            "text": choice("Text of the source", "Four texts; a reader would call three of them the same.", [*TEXTS]),
            "revision": typed("Its revision", "JSON: 7 was reviewed as R1, 8 as R2. Try 7.0 and true.", "7"),
            "fact": typed(_FACT, "JSON: R1 says true, R2 says false. Try 1.", "true"),
            "current": choice("Current review", "What the application says is current.", [*_BOOK.snapshots]),
        },
    )
