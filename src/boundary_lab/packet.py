"""The context packet: what a receiver needs for one narrow task, rebuilt from an approved catalog.

- The contract is the application's own policy. It is read from a file and never from a candidate.
- A packet is built from an empty object. Raw text, private fields and old summaries have no way in.
- Equality is by type and value: `True` is not `1`, and `1.0` is not `1`.
- What does not depend on the candidate is computed once, when the contract is made.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any

from boundary_lab.canonical import canonical, sha256_hex
from boundary_lab.files import read_json
from boundary_lab.history import markers_in
from boundary_lab.rejected import Rejected
from boundary_lab.shapes import Shapes
from boundary_lab.strict_json import JSON, Words, parse

__all__ = ["Observation", "PacketContract"]

Packet = dict[str, Any]

_FIELDS = ("schema_version", "task_id", "target", "objective", "facts", "evidence", "unresolved")
_FIELD_SET = frozenset(_FIELDS)
_FACT_CODES = ("bad_fact_keys", "duplicate_fact", "fact_mismatch")
_EVIDENCE_CODES = ("bad_evidence_keys", "duplicate_evidence", "evidence_mismatch")
_SHAPES = Shapes("bad_contract")
_WORDS = Words(
    size="bad_wire_size",
    encoding="bad_json",
    bom="bad_json",
    syntax="bad_json",
    surrogate="bad_json",
    repeated_key="duplicate_json_key",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Observation:
    """One approved observation: the value (a JSON scalar) of one field of one source record."""

    source_id: str
    field: str
    value: Any


def _is(value: object, text: str) -> bool:
    """Whether a value is that very text; one of another type is not asked, since it could say that it equals it."""
    return type(value) is str and value == text


def _are(values: object, texts: tuple[str, ...]) -> bool:
    return type(values) is list and len(values) == len(texts) and all(map(_is, values, texts))


class _Rows:
    """One kind of row of a packet: the expected rows by reference, and the code for each way to differ."""

    def __init__(self, rows: Mapping[str, Packet], reference: str, codes: tuple[str, str, str]) -> None:
        first = next(iter(rows.values()))
        self.keys = first.keys()
        self.values: Callable[[Packet], tuple[Any, ...]] = itemgetter(*first)
        self.rows = rows
        self.expected = {ref: self._typed(row) for ref, row in rows.items()}
        self.reference = reference
        self.bad_keys, self.duplicate, self.mismatch = codes

    def _typed(self, row: Packet) -> tuple[Any, ...]:
        values = self.values(row)
        return *map(type, values), *values

    def fresh(self) -> list[Packet]:
        return [dict(row) for row in self.rows.values()]

    def check(self, candidates: list[Any]) -> None:
        seen = set()
        for row in candidates:
            if type(row) is not dict or row.keys() != self.keys:
                raise Rejected(self.bad_keys)
            ref = row[self.reference]
            if type(ref) is not str or ref not in self.expected:
                raise Rejected("unknown_evidence")
            if ref in seen:
                raise Rejected(self.duplicate)
            seen.add(ref)
            if self._typed(row) != self.expected[ref]:
                raise Rejected(self.mismatch)


@dataclass(frozen=True, kw_only=True, slots=True)
class PacketContract:
    """One task's policy: which observations and which open questions may cross, and to whom.

    `load` and `from_json` refuse with `bad_contract`. The keys of the file are the fields below, all of them:

    - `schema_version` (an integer from 1), `task_id`, `target`, `objective`, `title`: fixed values of a packet
      and of its schema;
    - `catalog`: evidence reference → the approved `Observation`; its value is a JSON scalar;
    - `unresolved`: the open questions in order; `questions`: the text to ask for each;
    - `forbidden_markers`: texts that no approved value and no question may hold;
    - `max_wire_bytes`: the limit of a packet's text in UTF-8 bytes, which its own packet must meet.
    """

    schema_version: int
    task_id: str
    target: str
    objective: str
    catalog: Mapping[str, Observation]
    unresolved: tuple[str, ...]
    questions: Mapping[str, str]
    forbidden_markers: tuple[str, ...]
    max_wire_bytes: int
    title: str
    _facts: _Rows = field(init=False, repr=False, compare=False)
    _evidence: _Rows = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        facts = {ref: _fact(ref, seen) for ref, seen in self.catalog.items()}
        evidence = {ref: _evidence(ref, seen) for ref, seen in self.catalog.items()}
        object.__setattr__(self, "_facts", _Rows(facts, "evidence_ref", _FACT_CODES))
        object.__setattr__(self, "_evidence", _Rows(evidence, "ref", _EVIDENCE_CODES))

    @classmethod
    def load(cls, path: str | Path) -> "PacketContract":
        """The contract of a JSON file of at most 1 MiB; anything else is `bad_contract`."""
        return cls.from_json(read_json(path, Words.only("bad_contract")))

    @classmethod
    def from_json(cls, value: object) -> "PacketContract":
        """The contract of a JSON value; `bad_contract` for a wrong shape or one that contradicts itself."""
        (version, task, target, objective, catalog, unresolved, questions, markers, limit, title) = _SHAPES.record(
            _SHAPES.json(value),
            *("schema_version", "task_id", "target", "objective", "catalog", "unresolved", "questions"),
            *("forbidden_markers", "max_wire_bytes", "title"),
        )
        contract = cls(
            schema_version=_SHAPES.count(version),
            task_id=_SHAPES.text(task),
            target=_SHAPES.text(target),
            objective=_SHAPES.text(objective),
            catalog=MappingProxyType({_SHAPES.text(r): _observation(v) for r, v in _SHAPES.members(catalog).items()}),
            unresolved=_SHAPES.texts(unresolved),
            questions=MappingProxyType({k: _SHAPES.text(v) for k, v in _SHAPES.members(questions).items()}),
            forbidden_markers=_SHAPES.texts(markers),
            max_wire_bytes=_SHAPES.count(limit),
            title=_SHAPES.text(title),
        )
        contract._check_itself()
        return contract

    def _check_itself(self) -> None:
        _SHAPES.require(bool(self.unresolved) and self.questions.keys() >= set(self.unresolved))
        packet = self._packet()
        _SHAPES.require(not markers_in([packet, dict(self.questions)], self.forbidden_markers))
        _SHAPES.require(len(canonical(packet).encode()) <= self.max_wire_bytes)

    def _packet(self) -> Packet:
        return {
            "schema_version": self.schema_version,
            "task_id": self.task_id,
            "target": self.target,
            "objective": self.objective,
            "facts": self._facts.fresh(),
            "evidence": self._evidence.fresh(),
            "unresolved": list(self.unresolved),
        }

    def project(self, source: object) -> Packet:
        """The packet for a source record whose structured facts agree with the catalog; nothing is aliased.

        Refuses in this order: `wrong_task`, `bad_records`; each record: `bad_record`, `duplicate_source`;
        each catalog entry: `missing_source`, `missing_fact`, `unreviewed_fact`; `unreviewed_question`.
        """
        if type(source) is not dict or not _is(source.get("task_id"), self.task_id):
            raise Rejected("wrong_task")
        records = _by_id(source.get("records"))
        for seen in self.catalog.values():
            _check_observed(records, seen)
        if not _are(source.get("unresolved"), self.unresolved):
            raise Rejected("unreviewed_question")
        return self._packet()

    def evidence(self, ref: object) -> Packet:
        """The approved projection of one observation, and nothing else; `unknown_evidence` for another ref."""
        if type(ref) is not str or ref not in self.catalog:
            raise Rejected("unknown_evidence")
        return dict(self._evidence.rows[ref])

    def validate(self, packet: object) -> Packet:
        """The packet itself, if it is exactly the contract's, its facts and evidence in any order.

        Refuses in this order: `bad_packet_keys`, `bad_version`, `wrong_task`, `wrong_target`, `wrong_objective`,
        `bad_fact_count`, `bad_evidence_count`; each evidence row: `bad_evidence_keys`, `unknown_evidence`,
        `duplicate_evidence`, `evidence_mismatch`; each fact: `bad_fact_keys`, `unknown_evidence`,
        `duplicate_fact`, `fact_mismatch`; `bad_unresolved`.
        """
        if type(packet) is not dict or packet.keys() != _FIELD_SET:
            raise Rejected("bad_packet_keys")
        self._check_head(packet)
        facts, evidence = packet["facts"], packet["evidence"]
        if type(facts) is not list or len(facts) != len(self.catalog):
            raise Rejected("bad_fact_count")
        if type(evidence) is not list or len(evidence) != len(self.catalog):
            raise Rejected("bad_evidence_count")
        self._evidence.check(evidence)
        self._facts.check(facts)
        if not _are(packet["unresolved"], self.unresolved):
            raise Rejected("bad_unresolved")
        return packet

    def _check_head(self, packet: Packet) -> None:
        version = packet["schema_version"]
        if type(version) is not int or version != self.schema_version:
            raise Rejected("bad_version")
        if not _is(packet["task_id"], self.task_id):
            raise Rejected("wrong_task")
        if not _is(packet["target"], self.target):
            raise Rejected("wrong_target")
        if not _is(packet["objective"], self.objective):
            raise Rejected("wrong_objective")

    def parse(self, text: object) -> Packet:
        """The packet of a strict JSON text: `bad_wire_size`, `bad_json`, `duplicate_json_key`, then `validate`."""
        return self.validate(parse(text, self.max_wire_bytes, _WORDS))

    def receive(self, text: object) -> Packet:
        """The specialist's receipt for a packet's text: it asks the first open question. Refuses as `parse`."""
        packet = self.parse(text)
        return {
            "task_id": packet["task_id"],
            "status": "needs_information",
            "question": self.questions[packet["unresolved"][0]],
            "evidence_refs": [row["ref"] for row in packet["evidence"]],
        }

    def json_schema(self) -> dict[str, JSON]:
        """The closed JSON Schema (2020-12) of the packet. It cannot tell `1.0` from `1`; `validate` can."""
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": self.title,
            "type": "object",
            "additionalProperties": False,
            "required": list(_FIELDS),
            "properties": {
                "schema_version": {"type": "integer", "const": self.schema_version},
                "task_id": {"const": self.task_id},
                "target": {"const": self.target},
                "objective": {"const": self.objective},
                "facts": _one_of_each(self._facts),
                "evidence": _one_of_each(self._evidence),
                "unresolved": {"const": list(self.unresolved)},
            },
        }


def _observation(value: object) -> Observation:
    source_id, name, observed = _SHAPES.record(value, "source_id", "field", "value")
    return Observation(source_id=_SHAPES.text(source_id), field=_SHAPES.text(name), value=_SHAPES.scalar(observed))


def _fact(ref: str, seen: Observation) -> Packet:
    return {"field": seen.field, "value": seen.value, "evidence_ref": ref}


def _evidence(ref: str, seen: Observation) -> Packet:
    approved = {"source_id": seen.source_id, "field": seen.field, "value": seen.value}
    return {"ref": ref, **approved, "sha256": sha256_hex(approved)}


def _one_of_each(rows: _Rows) -> JSON:
    choices: list[JSON] = list(rows.fresh())
    return {
        "type": "array",
        "minItems": len(choices),
        "maxItems": len(choices),
        "uniqueItems": True,
        "items": {"enum": choices},
    }


def _by_id(records: object) -> dict[str, Packet]:
    if type(records) is not list:
        raise Rejected("bad_records")
    found: dict[str, Packet] = {}
    for record in records:
        if type(record) is not dict or type(record.get("id")) is not str:
            raise Rejected("bad_record")
        if record["id"] in found:
            raise Rejected("duplicate_source")
        found[record["id"]] = record
    return found


def _check_observed(records: dict[str, Packet], seen: Observation) -> None:
    if seen.source_id not in records:
        raise Rejected("missing_source")
    facts = records[seen.source_id].get("facts")
    if type(facts) is not dict or seen.field not in facts:
        raise Rejected("missing_fact")
    value = facts[seen.field]
    if type(value) is not type(seen.value) or value != seen.value:
        raise Rejected("unreviewed_fact")
