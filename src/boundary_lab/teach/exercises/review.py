"""Exercises of lesson 2: facts compared by type and value, a hasty receiver, a review of one's own."""

import json
from hashlib import sha256
from typing import Any

from boundary_lab.canonical import canonical, same, sha256_hex
from boundary_lab.fixtures import fixture, load
from boundary_lab.rejected import CODES, Rejected, outcome
from boundary_lab.review import ReviewBook, ReviewSnapshot
from boundary_lab.strict_json import JSON
from boundary_lab.teach.exercises import exercise
from boundary_lab.teach.exercises.exercise import Exercise, Said, not_yet, right, shown, texts

__all__ = ["attack", "spot", "yours"]

REVIEWED: JSON = {"pump_off": True, "pressure": 7}


def a(facts: JSON) -> bool:
    return canonical(facts) == canonical(REVIEWED)


def b(facts: JSON) -> bool:
    return sha256_hex(facts) == sha256_hex(REVIEWED)


def c(facts: JSON) -> bool:
    return facts == REVIEWED


def d(facts: JSON) -> bool:
    return json.dumps(facts, sort_keys=True) == json.dumps(REVIEWED, sort_keys=True)


def e(facts: JSON) -> bool:
    return same(facts, REVIEWED)


_COMPARISONS = (a, b, c, d, e)
spot = Exercise("2.spot", exercise.spot(_COMPARISONS, "c", a, texts("2.spot")["why"]), exercise.listing(_COMPARISONS))

_BOOK = ReviewBook.load(fixture("review"))
PACKETS = {revision: snapshot.packet() for revision, snapshot in _BOOK.snapshots.items()}
CURRENT = "R2"


def hasty(text: str) -> None:
    packet = json.loads(text)
    if packet["review_revision"] != CURRENT:
        raise Rejected("stale_review")
    if packet != PACKETS[CURRENT]:
        raise Rejected("packet_mismatch")


def _receive(text: str) -> object:
    return _BOOK.receive(text, CURRENT)


attack = Exercise(
    "2.attack", exercise.attack(hasty, _receive, str, texts("2.attack")["why"]), exercise.listing([hasty])
)


def _review(given: Any) -> Said:
    """Judges snapshots and questions for the pump's note: loadable, of this text and these facts, with its question."""
    asked, note = texts("2.yours"), load("lab/exercises/pump.json")
    if type(given) is not tuple or len(given) != 2 or not all(type(part) is dict for part in given):  # noqa: PLR2004
        return not_yet(f"Give two dicts, snapshots and questions; {shown(given)} is something else.")
    snapshots, questions = given
    if outcome(ReviewBook.from_json, snapshots, questions) != "accepted":
        return not_yet(_why_not(snapshots, questions, asked["keys"]))
    book = ReviewBook.from_json(snapshots, questions)
    if len(book.snapshots) != 1:
        return not_yet(f"There are {len(book.snapshots)} reviews. One text was read once: one snapshot.")
    (snapshot,) = book.snapshots.values()
    code = outcome(book.project, note, snapshot.revision)
    if code != "accepted":
        return not_yet(f"On the note, project refuses with {code}. {_of_code(code, snapshot, note['records'][0])}")
    if list(snapshot.unresolved) != asked["unresolved"] or snapshot.target != asked["target"]:
        return not_yet(
            f"It leaves {shown(list(snapshot.unresolved))} open, for {snapshot.target}. {asked['why']['open']}"
        )
    return right(asked["right"])


def _why_not(snapshots: dict[str, Any], questions: dict[str, Any], keys: list[str]) -> str:
    for revision, snapshot in snapshots.items():
        if type(snapshot) is not dict or snapshot.keys() != {*keys}:
            return f"The snapshot {shown(revision)} needs exactly these keys: {', '.join(keys)}."
        if snapshot["revision"] != revision:
            return f"It stands under {shown(revision)} and says that it is {shown(snapshot['revision'])}."
        if missing := [name for name in snapshot["unresolved"] if name not in questions]:
            return f"The open question {missing[0]} has no text in questions, so that nobody could ask it."
    return "bad_review: a revision is a whole number, the hash 64 small hex digits, facts an object, unresolved a list."


def _of_code(code: str, snapshot: ReviewSnapshot, record: dict[str, Any]) -> str:
    text, facts = record["text"], record["facts"]
    if code == "source_text_changed":
        others = {"the text without its end": text.strip(), "the text as JSON": json.dumps(text)}
        of = [what for what, other in others.items() if sha256(other.encode()).hexdigest() == snapshot.text_hash]
        return (
            f"The hash is not of the text's UTF-8 bytes{f', but of {of[0]}' if of else ''}: nobody could find it again."
        )
    if code == "unreviewed_facts":
        name = next(name for name in (*facts, *snapshot.facts) if not same(facts.get(name), snapshot.facts.get(name)))
        said, reviewed = (shown(of[name]) if name in of else "nothing" for of in (facts, snapshot.facts))
        return f"Of {name} the note says {said}, and the review {reviewed}."
    return f"{CODES[code].meaning} The note says what it is; a review repeats it to the type."


yours = Exercise("2.yours", _review)
