"""Exercises of lesson 7: a filter that forgets a part, and a filter on a real handoff."""

from collections.abc import Callable
from importlib.util import find_spec
from itertools import product
from typing import Any

from boundary_lab.learn.attempts import Call
from boundary_lab.rejected import in_words
from boundary_lab.teach.exercises import exercise
from boundary_lab.teach.exercises.exercise import Exercise, Row, Said, not_yet, texts

__all__ = ["fix", "spot"]

PARTS = ("input_history", "pre_handoff_items", "new_items")
PACKET = {"role": "user", "content": "the packet"}
Conversation = dict[str, list[Any]]


def a(conversation: Conversation) -> Conversation:
    return {"input_history": [PACKET], "pre_handoff_items": [], "new_items": []}


def b(conversation: Conversation) -> Conversation:
    return {name: [PACKET] if name == "input_history" else [] for name in conversation}


def c(conversation: Conversation) -> Conversation:
    return {**conversation, "input_history": [PACKET], "new_items": []}


def d(conversation: Conversation) -> Conversation:
    return {name: [] for name in conversation} | {"new_items": [PACKET]}


def e(conversation: Conversation) -> Conversation:
    empty: Conversation = {name: items[:0] for name, items in conversation.items()}
    return empty | {"input_history": [PACKET]}


_FILTERS = (a, b, c, d, e)


def _crossing(filtered: Callable[[Conversation], Conversation]) -> Callable[[Any], list[Any]]:
    """What the next agent gets of a conversation: the three parts, one after the other."""

    def crosses(conversation: Any) -> list[Any]:
        if conversation.keys() != {*PARTS} or not all(type(items) is list for items in conversation.values()):
            raise ValueError
        left = filtered(conversation)
        return [item for name in PARTS for item in left[name]]

    crosses.__name__ = filtered.__name__
    return crosses


spot = Exercise(
    "7.spot",
    exercise.spot([*map(_crossing, _FILTERS)], "c", _crossing(a), texts("7.spot")["why"]),
    exercise.listing(_FILTERS),
)

_RIGHT = [["user", "a packet"]]


def _handoffs() -> list[Row]:
    """Every way in which lesson 7's ticket reaches its handoff; right is one user item with the packet."""
    says = texts("7.fix")
    return [
        Row(
            ", ".join(says["ways"][name][on] for name, on in zip(says["ways"], way, strict=True)),
            ["a packet", *map(bool, way)],
            Call("gave", _RIGHT),
            says["why"],
        )
        for way in product((1, 0), (0, 1), (0, 1))
    ]


_judged = exercise.function(
    "only_the_packet", _handoffs(), texts("7.fix")["right"], via="boundary_lab.sdk.openai_agents.exercise:crossing"
)


def _filter(attempt: Any) -> Said:
    if find_spec("agents") is None:
        return not_yet(in_words("AGENTS_UNAVAILABLE"))
    return _judged(attempt)


fix = Exercise("7.fix", _filter)
