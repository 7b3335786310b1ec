"""Exercises of lesson 4: a guard that looks at one step, a guard of one's own, a folder with a longer name."""

import random
from collections.abc import Iterator
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from boundary_lab.containment import GUARDS, Flavour, is_absolute, join, relative
from boundary_lab.learn.attempts import Call
from boundary_lab.teach.exercises import exercise
from boundary_lab.teach.exercises.exercise import Exercise, Row, Said, not_yet, right, shown, texts

__all__ = ["attack", "fix", "spot"]

ROOT: dict[Flavour, str] = {"posix": "/srv/notes", "windows": "D:\\srv\\notes"}
SEPARATOR: dict[Flavour, str] = {"posix": "/", "windows": "\\"}


def a(flavour: Flavour, path: str) -> bool:
    return GUARDS["corrected"].lexical(flavour, ROOT[flavour], path)


def b(flavour: Flavour, path: str) -> bool:
    way = relative(flavour, ROOT[flavour], join(flavour, ROOT[flavour], path))
    leaves = way.split(SEPARATOR[flavour])[0] == ".." or is_absolute(flavour, way)
    return not leaves and not is_absolute(flavour, path)


def c(flavour: Flavour, path: str) -> bool:
    steps = path.replace(SEPARATOR[flavour], "/").split("/")
    on_this_drive = join(flavour, ROOT[flavour], path)[:2].lower() == ROOT[flavour][:2].lower()
    return steps[0] != ".." and not is_absolute(flavour, path) and on_this_drive


def d(flavour: Flavour, path: str) -> bool:
    pure = PurePosixPath if flavour == "posix" else PureWindowsPath
    below = pure(join(flavour, ROOT[flavour], path)).is_relative_to(pure(ROOT[flavour]))
    return below and not is_absolute(flavour, path)


def e(flavour: Flavour, path: str) -> bool:
    target, root = (
        where.lower() if flavour == "windows" else where for where in (_target(flavour, path), ROOT[flavour])
    )
    return (target + SEPARATOR[flavour]).startswith(root + SEPARATOR[flavour]) and not is_absolute(flavour, path)


def _target(flavour: Flavour, path: str) -> str:
    return join(flavour, ROOT[flavour], path)


_GUARDS = (a, b, c, d, e)


def _inside(flavour: Flavour, path: str) -> bool:
    """The corrected guard; on Windows no name holds a colon, so that nobody is asked about one."""
    if flavour == "windows" and ":" in path[2:]:
        raise ValueError
    return a(flavour, path)


spot = Exercise(
    "4.spot", exercise.spot(_GUARDS, "c", _inside, texts("4.spot")["why"], many=True), exercise.listing(_GUARDS)
)

_NAMES = ("a", "b", "..cache", "c.d", "...", "")


def _paths() -> Iterator[Row]:
    """Made-up paths; right is what the corrected guard says below a root whose name no path has."""
    made = random.Random("4.fix")
    for number in range(120):
        flavour: Flavour = made.choice(["posix", "windows"])
        separators = "/" if flavour == "posix" else "/\\"
        path = made.choice(["", "", "", *separators])
        path += "".join(
            made.choice([*_NAMES, "..", "."]) + made.choice(separators) for _ in range(made.randrange(1, 6))
        )
        root = "/zz9/zz8" if flavour == "posix" else "C:\\zz9\\zz8"
        inside = GUARDS["corrected"].lexical(flavour, root, path)
        yield Row(f"made-up path {number + 1}, {flavour} {path!a}", [flavour, path], Call("gave", inside), _MADE_UP)


_MADE_UP = "Go through its steps one by one, and say after each how deep you are."

fix = Exercise(
    "4.fix", exercise.function("stays_inside", [*exercise.rows("4.fix"), *_paths()], texts("4.fix")["right"])
)


def prefix(flavour: Flavour, path: str) -> bool:
    return join(flavour, ROOT[flavour], path).startswith(ROOT[flavour])


def _outside(given: Any) -> Said:
    """Judges a pair of a flavour and a path that `prefix` lets through and the corrected guard stops."""
    why = texts("4.attack")["why"]
    if type(given) is not tuple or [*map(type, given)] != [str, str] or given[0] not in ROOT:
        return not_yet(f"Give a pair, 'posix' or 'windows' and a path; {shown(given)} is something else.")
    target = _target(*given)
    if not prefix(*given):
        return not_yet(f"On {shown(given)}: the target is {target}, and prefix stops it. {why['refused']}")
    if a(*given):
        return not_yet(f"On {shown(given)}: the target is {target}, which is inside. {why['accepted']}")
    return right(f"On {shown(given)}: the target is {target}. {why['right']}")


attack = Exercise("4.attack", _outside, exercise.listing([prefix]))
