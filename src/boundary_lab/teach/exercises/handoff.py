"""Exercises of lesson 1: a probe that does not look everywhere, facts by approval, a contract of one's own."""

import json
import random
from collections.abc import Iterator
from typing import Any

from boundary_lab.canonical import canonical
from boundary_lab.fixtures import load
from boundary_lab.learn.attempts import Call
from boundary_lab.packet import PacketContract
from boundary_lab.rejected import CODES, Rejected, outcome
from boundary_lab.strict_json import JSON
from boundary_lab.teach.exercises import exercise
from boundary_lab.teach.exercises.exercise import Exercise, Row, Said, not_yet, right, shown, texts

__all__ = ["MARKER", "fix", "spot", "yours"]

MARKER = "PRIVATE_DOOR_6W"


def a(value: JSON) -> bool:
    return MARKER in canonical(value)


def b(value: JSON) -> bool:
    return MARKER in repr(value)


def c(value: JSON) -> bool:
    if isinstance(value, dict):
        return any(c(item) for item in value.values())
    if isinstance(value, list):
        return any(c(item) for item in value)
    return MARKER in str(value)


def d(value: JSON) -> bool:
    if isinstance(value, dict):
        return any(d(part) for pair in value.items() for part in pair)
    if isinstance(value, list):
        return any(d(item) for item in value)
    return MARKER in str(value)


def e(value: JSON) -> bool:
    return MARKER in json.dumps(value)


_PROBES = (a, b, c, d, e)
spot = Exercise("1.spot", exercise.spot(_PROBES, "c", a, texts("1.spot")["why"]), exercise.listing(_PROBES))


def _tickets() -> Iterator[Row]:
    """Made-up tickets; what is right comes from how each was made."""
    made = random.Random("1.fix")
    for number in range(40):
        facts = {
            (f"R{row}", f"f{field}"): made.choice([0, "", False, "x", 7]) for row in range(3) for field in range(3)
        }
        approved = made.sample([*facts], 3)
        records = [
            {"id": name, "text": "private", "facts": {f: v for (row, f), v in facts.items() if row == name}}
            for name in ("R0", "R1", "R2")
        ]
        made.shuffle(records)
        gives = [{"source_id": name, "field": field, "value": facts[name, field]} for name, field in approved]
        pairs = [list(pair) for pair in approved]
        yield Row(f"made-up ticket {number + 1}", [{"records": records}, pairs], Call("gave", gives), _MADE_UP)


_MADE_UP = "It approves three facts of nine. Exactly those cross, in the order of the approval."

fix = Exercise(
    "1.fix", exercise.function("facts_only", [*exercise.rows("1.fix"), *_tickets()], texts("1.fix")["right"])
)


def _contract(given: Any) -> Said:
    """Judges a contract for the parcel ticket: loadable, fitting, narrow, guarded, in this order."""
    asked = texts("1.yours")
    if type(given) is not dict or given.keys() != {*asked["keys"]}:
        return not_yet(_keys(given, asked["keys"]))
    if outcome(PacketContract.from_json, given) != "accepted":
        return not_yet(_why_not(given))
    contract, ticket = PacketContract.from_json(given), load("lab/exercises/parcel.json")
    try:
        packet = contract.project(ticket)
    except Rejected as refusal:
        return not_yet(f"On the parcel ticket, project refuses with {refusal.code}. {CODES[refusal.code].meaning}")
    return _narrow(contract, packet, asked)


def _keys(given: Any, keys: list[str]) -> str:
    if type(given) is not dict:
        return f"A contract is a dict, as in lesson 1; {shown(given)} is none."
    missing, other = sorted({*keys} - given.keys()), sorted(given.keys() - {*keys}, key=str)
    return f"A contract has ten keys. Missing: {missing or 'none'}; not among them: {other or 'none'}."


def _why_not(given: dict[str, Any]) -> str:
    """Which rule of `PacketContract.from_json` an object with the right keys breaks, as far as can be told."""
    if outcome(PacketContract.from_json, given | {"forbidden_markers": ["-" * 99]}) == "accepted":
        return "A value or a question of yours holds one of your own forbidden_markers, and would hand it over."
    if outcome(PacketContract.from_json, given | {"max_wire_bytes": 1 << 20}) == "accepted":
        return f"The packet itself is longer than max_wire_bytes, {given['max_wire_bytes']}: nothing could ever cross."
    if outcome(PacketContract.from_json, given | {"unresolved": ["q"], "questions": {"q": "?"}}) == "accepted":
        return "Each name in unresolved needs its text in questions, and there must be one: else nothing can be asked."
    return "bad_contract: compare the shape with lesson 1's: a catalog of source_id, field and value, a version from 1."


def _narrow(contract: PacketContract, packet: dict[str, Any], asked: dict[str, Any]) -> Said:
    crossing = {(seen.source_id, seen.field) for seen in contract.catalog.values()}
    needed = {(name, field) for name, field in asked["needed"]}
    if more := sorted(crossing - needed):
        return not_yet(f"On the parcel ticket, {' '.join(more[0])} crosses too. {asked['why']['more']}")
    if less := sorted(needed - crossing):
        return not_yet(f"On the parcel ticket, {' '.join(less[0])} does not cross. {asked['why']['less']}")
    if [packet[name] for name in ("target", "objective")] != asked["head"]:
        return not_yet(
            f"The packet goes to {shown(packet['target'])}, {shown(packet['objective'])}. {asked['why']['head']}"
        )
    if open_ := sorted({*asked["markers"]} - {*contract.forbidden_markers}):
        return not_yet(f"On a later edit that approves {open_[0]}: accepted. {asked['why']['markers']}")
    return right(asked["right"])


yours = Exercise("1.yours", _contract)
