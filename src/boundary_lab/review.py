"""The review book: a packet is bound to the exact text, revision and facts that a reviewer read.

- The sender projects only from the source as it was reviewed; one space more needs a new review.
- The receiver takes the current revision from its own trusted state, never from the candidate, and
  works without the texts and without their hashes.
"""

import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

from boundary_lab.canonical import canonical, same
from boundary_lab.files import read_json
from boundary_lab.rejected import Rejected
from boundary_lab.shapes import Shapes
from boundary_lab.strict_json import JSON, Words, parse

__all__ = ["MAX_WIRE_BYTES", "Receiver", "ReviewBook", "ReviewSnapshot"]

Packet = dict[str, Any]

MAX_WIRE_BYTES = 4096
_FILES = ("snapshots.json", "questions.json")
_SCHEMA_VERSION = 2
_FIELDS = ("schema_version", "task_id", "target", "review_revision", "facts", "evidence", "unresolved")
_FIELD_SET = frozenset(_FIELDS)
_HEX_DIGEST = re.compile("[0-9a-f]{64}")
_SHAPES = Shapes("bad_review")
_WORDS = Words(
    size="bad_wire",
    encoding="bad_wire",
    bom="bad_json",
    syntax="bad_json",
    surrogate=None,  # such a text can equal no reviewed text, so the comparison refuses it
    repeated_key="duplicate_key",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewSnapshot:
    """One finished review of one source. `text_hash` is SHA-256, in hex, over the text's UTF-8 bytes."""

    revision: str
    task_id: str
    target: str
    source_id: str
    source_revision: int
    text_hash: str
    facts: Mapping[str, JSON]
    unresolved: tuple[str, ...]

    @classmethod
    def from_json(cls, value: object) -> "ReviewSnapshot":
        """A snapshot of its JSON object, all fields and no others, facts as JSON scalars; or `bad_review`."""
        revision, task, target, source_id, source_revision, text_hash, facts, unresolved = _SHAPES.record(
            _SHAPES.json(value),
            *("revision", "task_id", "target", "source_id", "source_revision", "text_hash", "facts", "unresolved"),
        )
        snapshot = cls(
            revision=_SHAPES.text(revision),
            task_id=_SHAPES.text(task),
            target=_SHAPES.text(target),
            source_id=_SHAPES.text(source_id),
            source_revision=_SHAPES.count(source_revision),
            text_hash=_SHAPES.text(text_hash),
            facts=MappingProxyType({name: _SHAPES.scalar(fact) for name, fact in _SHAPES.members(facts).items()}),
            unresolved=_SHAPES.texts(unresolved),
        )
        _SHAPES.require(_HEX_DIGEST.fullmatch(snapshot.text_hash) is not None)
        return snapshot

    def covers_text(self, text: object) -> bool:
        """Whether this is the exact text that was reviewed; nothing is normalised."""
        try:
            return type(text) is str and sha256(text.encode()).hexdigest() == self.text_hash
        except UnicodeEncodeError:
            return False

    def packet(self) -> Packet:
        """A new packet of this review."""
        return {
            "schema_version": _SCHEMA_VERSION,
            "task_id": self.task_id,
            "target": self.target,
            "review_revision": self.revision,
            "facts": dict(self.facts),
            "evidence": {"source_id": self.source_id, "source_revision": self.source_revision},
            "unresolved": list(self.unresolved),
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Receiver:
    """What a receiving application holds: each review's packet, and the text of each open question."""

    packets: Mapping[str, Packet]
    questions: Mapping[str, str]

    @classmethod
    def from_json(cls, public: object) -> "Receiver":
        """The receiver for what `ReviewBook.public` gave, however it travelled; or `bad_review`."""
        packets, questions = _SHAPES.record(_SHAPES.json(public), "packets", "questions")
        receiver = cls(
            packets=MappingProxyType(
                {key: _public_packet(key, value) for key, value in _SHAPES.members(packets).items()}
            ),
            questions=_questions(questions),
        )
        for packet in receiver.packets.values():
            _SHAPES.require(receiver.questions.keys() >= set(packet["unresolved"]))
        return receiver

    def receive(self, text: object, current: object) -> Packet:
        """The answer to a packet's text under the review `current`, which the application itself vouches for.

        Refuses in this order: `unknown_review`, `bad_wire` (over 4,096 UTF-8 bytes too), `bad_json`,
        `duplicate_key`, `bad_packet_fields`, `stale_review`, `packet_mismatch`.
        """
        if type(current) is not str or current not in self.packets:
            raise Rejected("unknown_review")
        packet = parse(text, MAX_WIRE_BYTES, _WORDS)
        if type(packet) is not dict or packet.keys() != _FIELD_SET:
            raise Rejected("bad_packet_fields")
        if packet["review_revision"] != current:
            raise Rejected("stale_review")
        if not same(packet, self.packets[current]):
            raise Rejected("packet_mismatch")
        question = self.questions[self.packets[current]["unresolved"][0]]
        return {"review_revision": current, "status": "needs_information", "question": question}


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewBook:
    """The finished reviews of a task by revision, and the questions that they leave open."""

    snapshots: Mapping[str, ReviewSnapshot]
    questions: Mapping[str, str]
    receiver: Receiver

    @classmethod
    def load(cls, folder: str | Path) -> "ReviewBook":
        """The book of `snapshots.json` and `questions.json` in a folder; anything else is `bad_review`."""
        return cls.from_json(*(read_json(Path(folder) / name, Words.only("bad_review")) for name in _FILES))

    @classmethod
    def from_json(cls, snapshots: object, questions: object) -> "ReviewBook":
        """`snapshots`: revision → snapshot object; `questions`: open question → text; or `bad_review`."""
        book = {key: ReviewSnapshot.from_json(value) for key, value in _SHAPES.members(_SHAPES.json(snapshots)).items()}
        _SHAPES.require(all(key == snapshot.revision for key, snapshot in book.items()))
        texts = _questions(_SHAPES.json(questions))
        asked = {name: texts.get(name) for snapshot in book.values() for name in snapshot.unresolved}
        packets = {key: snapshot.packet() for key, snapshot in book.items()}
        receiver = Receiver.from_json({"packets": packets, "questions": asked})
        return cls(snapshots=MappingProxyType(book), questions=texts, receiver=receiver)

    def project(self, source: object, current: object) -> Packet:
        """The packet of the review `current`, if the source is still exactly what was reviewed.

        Refuses in this order: `unknown_review`, `wrong_task`, `bad_records`, `bad_source`, `duplicate_source`,
        `missing_source`, `source_revision_changed`, `source_text_changed`, `unreviewed_facts`.
        Everything else that the source holds is ignored and never copied.
        """
        if type(current) is not str or current not in self.snapshots:
            raise Rejected("unknown_review")
        snapshot = self.snapshots[current]
        if type(source) is not dict or not same(source.get("task_id"), snapshot.task_id):
            raise Rejected("wrong_task")
        record = _only_record(source.get("records"), snapshot.source_id)
        revision = record.get("revision")
        if type(revision) is not int or revision != snapshot.source_revision:
            raise Rejected("source_revision_changed")
        if not snapshot.covers_text(record.get("text")):
            raise Rejected("source_text_changed")
        if not same(record.get("facts"), dict(snapshot.facts)):
            raise Rejected("unreviewed_facts")
        return snapshot.packet()

    def receive(self, text: object, current: object) -> Packet:
        """As `Receiver.receive`, from nothing but what `public` gives away."""
        return self.receiver.receive(text, current)

    def public(self) -> dict[str, JSON]:
        """What a receiving application may hold, as JSON: packets and questions, no text and no text hash."""
        return {
            "packets": {key: snapshot.packet() for key, snapshot in self.snapshots.items()},
            "questions": dict(self.receiver.questions),
        }


def _questions(value: object) -> Mapping[str, str]:
    return MappingProxyType({name: _SHAPES.text(text) for name, text in _SHAPES.members(value).items()})


def _public_packet(revision: str, value: object) -> Packet:
    packet = dict(zip(_FIELDS, _SHAPES.record(deepcopy(value), *_FIELDS), strict=True))
    _SHAPES.require(packet["review_revision"] == revision and bool(_SHAPES.texts(packet["unresolved"])))
    _SHAPES.require(len(canonical(packet).encode()) <= MAX_WIRE_BYTES)
    return packet


def _only_record(records: object, source_id: str) -> dict[str, Any]:
    if type(records) is not list:
        raise Rejected("bad_records")
    for record in records:
        if type(record) is not dict or type(record.get("id")) is not str:
            raise Rejected("bad_source")
    found: list[dict[str, Any]] = [record for record in records if record["id"] == source_id]
    if len(found) > 1:
        raise Rejected("duplicate_source")
    if not found:
        raise Rejected("missing_source")
    return found[0]
