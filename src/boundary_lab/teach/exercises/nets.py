"""Exercises of lesson 6: a test that cannot fail, and a fault that three green rows let through."""

import logging
import random
from collections.abc import Callable
from typing import Any

from boundary_lab.learn.attempts import Call
from boundary_lab.teach.exercises import exercise
from boundary_lab.teach.exercises.exercise import Exercise, Said, did, not_yet, right, texts

__all__ = ["attack", "spot"]

ROWS = {"a  b": "a b", " a": "a", "a\tb": "a b", "": ""}
Tidy = Callable[[str], str]


def tidy(text: str) -> str:
    return " ".join(text.split())


def no_tabs(text: str) -> str:
    return " ".join(part for part in text.split(" ") if part)


def untouched(text: str) -> str:
    return text


def raises(text: str) -> str:
    return text[0] + tidy(text[1:])


def a(implementation: Tidy) -> bool:
    return all(implementation(text) == wanted for text, wanted in ROWS.items())


def b(implementation: Tidy) -> bool:
    return [implementation(text) for text in ROWS] == [*ROWS.values()]


def c(implementation: Tidy) -> bool:
    try:
        for text, wanted in ROWS.items():
            if implementation(text) != wanted:
                raise AssertionError(text)
    except Exception as fault:
        logging.info("differs: %s", fault)
    return True


def d(implementation: Tidy) -> bool:
    differ = {text for text, wanted in ROWS.items() if implementation(text) != wanted}
    return not differ


def e(implementation: Tidy) -> bool:
    return sum(implementation(text) == wanted for text, wanted in ROWS.items()) == len(ROWS)


IMPLEMENTATIONS = {one.__name__: one for one in (tidy, no_tabs, untouched, raises)}
_TESTS = (a, b, c, d, e)


def _on(test: Callable[[Tidy], bool]) -> Callable[[Any], str]:
    """A test that is given the name of an implementation; what raises is red."""

    def says(name: Any) -> str:
        implementation = IMPLEMENTATIONS[name]
        try:
            return "green" if test(implementation) else "red"
        except IndexError:
            return "red"

    says.__name__ = test.__name__
    return says


spot = Exercise(
    "6.spot",
    exercise.spot([*map(_on, _TESTS)], "c", _on(a), texts("6.spot")["why"]),
    exercise.listing([*IMPLEMENTATIONS.values(), *_TESTS]),
)

GREEN = {"  a": "a", "a  b": "a b", "a": "a"}


def _texts() -> list[str]:
    made = random.Random("6.attack")
    return ["".join(made.choice("ab  \t\n") for _ in range(made.randrange(9))) for _ in range(60)]


def _fault(attempt: Any) -> Said:
    """Judges a function: green on the three rows, and wrong somewhere."""
    why, asked = texts("6.attack")["why"], [*GREEN, *_texts()]
    calls = exercise.ran(attempt, "wrong", [[text] for text in asked])
    for text, call in zip(asked, calls, strict=False):  # what ends early has gone wrong by then
        if call == Call("gave", tidy(text)):
            continue
        if text in GREEN:
            return not_yet(f"On {text!a}: wrong {did(call)}, and the row says {GREEN[text]!a}. {why['red']}")
        return right(f"On {text!a}: wrong {did(call)}, and the rule says {tidy(text)!a}. {why['right']}")
    return not_yet(f"On {len(asked)} texts, {asked[3]!a} among them: what the rule says. {why['sound']}")


attack = Exercise("6.attack", _fault, exercise.listing([tidy]))
