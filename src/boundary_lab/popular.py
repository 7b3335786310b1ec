"""Guards that are in wide use, each as people write it, asked about lesson 4's cases. None but the last is right.

Every one answers for a cited path and for what its links lead to (`resolved`, an absolute path), of either flavour
on any host. `ValueError` is what some of them raise where no answer was thought of.
"""

import ntpath
import posixpath
from collections.abc import Callable, Iterable
from pathlib import PurePosixPath, PureWindowsPath
from types import ModuleType
from typing import Any, NamedTuple

from boundary_lab.containment import GUARDS, Flavour, join
from boundary_lab.fixtures import load

__all__ = ["POPULAR", "Answer", "Case", "answers", "cases"]


class Case(NamedTuple):
    """One of the frozen cases: a path cited below a root, what it resolves to, and whether it may be read."""

    name: str
    flavour: Flavour
    root: str
    path: str
    resolved: str
    may_read: bool


def cases() -> list[Case]:
    """The 25 cases; whether a path may be read is the frozen verdict of the corrected guard."""
    verdicts = {row["name"]: row["corrected"]["result"] for row in load("paths/results.json")}
    return [
        Case(
            case["name"],
            case["flavour"],
            case["root"],
            case["path"],
            case["resolves_to"] or join(case["flavour"], case["root"], case["path"]),
            verdicts[case["name"]] == "accepted",
        )
        for case in load("paths/cases.json")
    ]


def _module(case: Case) -> ModuleType:
    return posixpath if case.flavour == "posix" else ntpath


def _pure(case: Case, path: str) -> Any:
    return (PurePosixPath if case.flavour == "posix" else PureWindowsPath)(path)


def _relpath(case: Case) -> str:
    way: str = _module(case).relpath(case.resolved, case.root)
    return way


def _starts_with_root(case: Case) -> bool:
    return case.resolved.startswith(case.root)


def _abspath_prefix(case: Case) -> bool:
    target: str = _module(case).normpath(_module(case).join(case.root, case.path))
    return target.startswith(case.root + _module(case).sep)


def _no_dots(case: Case) -> bool:
    return not _relpath(case).startswith("..")


def _no_dots_slash(case: Case) -> bool:
    return not _relpath(case).startswith("../")


def _commonpath(case: Case) -> bool:
    shared: str = _module(case).commonpath([case.root, case.resolved])
    return shared == case.root


def _relative_to_unresolved(case: Case) -> bool:
    return bool((_pure(case, case.root) / case.path).is_relative_to(case.root))


def _relative_to_resolved(case: Case) -> bool:
    return bool(_pure(case, case.resolved).is_relative_to(case.root))


def _corrected(case: Case) -> bool:
    guard = GUARDS["corrected"]
    return guard.lexical(case.flavour, case.root, case.path) and guard.physical(case.flavour, case.root, case.resolved)


POPULAR: dict[str, Callable[[Case], bool]] = {
    "resolved.startswith(root)": _starts_with_root,
    "abspath.startswith(root + sep)": _abspath_prefix,
    "relpath.startswith('..')": _no_dots,
    "relpath.startswith('../')": _no_dots_slash,
    "commonpath([root, resolved])": _commonpath,
    "(root / path).is_relative_to(root)": _relative_to_unresolved,
    "resolved.is_relative_to(root)": _relative_to_resolved,
    "corrected": _corrected,
}


class Answer(NamedTuple):
    """What a guard does with a case: `reads`, `stops`, or `raises`; and whether that is right."""

    does: str
    right: bool


def _answer(guard: Callable[[Case], bool], case: Case) -> Answer:
    try:
        reads = guard(case)
    except ValueError:
        return Answer("raises", right=False)
    return Answer("reads" if reads else "stops", reads == case.may_read)


def answers(asked: Iterable[Case] | None = None) -> dict[str, dict[str, Answer]]:
    """Case → guard → answer, of the 25 cases or of those that are asked about."""
    found = cases() if asked is None else asked
    return {case.name: {name: _answer(guard, case) for name, guard in POPULAR.items()} for case in found}
