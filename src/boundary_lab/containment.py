"""Whether a cited path stays below a root, for POSIX and for Windows alike, on any host.

Nothing here touches a disk. The guards reason about the relative path from the root to the target, as
Node's `path.relative` gives it, since the original program did; `..cache` is a name like any other.
A guard asks twice: `lexical` before the disk is looked at, `physical` after links were resolved.
"""

import ntpath
import posixpath
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

__all__ = ["GUARDS", "Flavour", "Guard", "is_absolute", "join", "relative", "steps"]

Flavour = Literal["posix", "windows"]

_SLASHES = ("\\", "/")


def is_absolute(flavour: Flavour, path: str) -> bool:
    r"""Whether a path begins at a root: `/a`; on Windows also `\a`, `C:\a` and a share, but not `C:a`.

    Decided by the drive and what follows it: `ntpath.isabs(r'\a')` changed its answer in Python 3.13.
    """
    if flavour == "posix":
        return path.startswith("/")
    return path[:1] in _SLASHES or ntpath.splitdrive(path)[1][:1] in _SLASHES


def join(flavour: Flavour, root: str, path: str) -> str:
    """The normalised target of a path that is cited below a root; an absolute path is its own target."""
    if flavour == "posix":
        return posixpath.normpath(posixpath.join(root, path))
    drive, rest = ntpath.splitdrive(ntpath.join(root, path))
    return ntpath.normpath(drive + rest if rest[:1] in _SLASHES else f"{drive}\\{rest}")


def relative(flavour: Flavour, root: str, target: str) -> str:
    r"""The way from a root to a normalised target: `a`, `../a`, or the target itself from another drive.

    Two shares of one server are `..\..\other\a` apart, as in Node, where the server counts as a folder.
    """
    separator = "/" if flavour == "posix" else "\\"
    start, goal = (_parts(separator, path) for path in (join(flavour, root, ""), target))
    shared = _shared(*((start, goal) if flavour == "posix" else (_folded(start), _folded(goal))))
    if flavour == "windows" and not shared:
        return target
    return separator.join([".."] * (len(start) - shared) + goal[shared:])


def steps(flavour: Flavour, root: str, path: str) -> list[str]:
    """The names to go through from a root to a target, which is cited below it or absolute."""
    if _is_plain(flavour, path):
        return [part for part in path.split("/") if part not in ("", ".")]
    return relative(flavour, root, join(flavour, root, path)).split("/" if flavour == "posix" else "\\")


def _is_plain(flavour: Flavour, path: str) -> bool:
    """Whether a path can be seen at once to lead nowhere but down; most can, and each is asked about twice."""
    return flavour == "posix" and ".." not in path and not path.startswith("/")


def _parts(separator: str, path: str) -> list[str]:
    return [part for part in path.split(separator) if part]


def _folded(parts: list[str]) -> list[str]:
    return [part.lower() for part in parts]


def _shared(start: list[str], goal: list[str]) -> int:
    pairs = list(zip(start, goal, strict=False))
    return next((place for place, (one, other) in enumerate(pairs) if one != other), len(pairs))


@dataclass(frozen=True, slots=True)
class Guard:
    """Two questions about containment, each answered from the flavour, the root and a path."""

    lexical: Callable[[Flavour, str, str], bool]
    physical: Callable[[Flavour, str, str], bool]


def _leaves(flavour: Flavour, way: str, *, slash_only: bool = False, any_drive: bool = False) -> bool:
    """Whether a relative path leads outside; the two options are the defects that lesson 4 shows."""
    up = "../" if flavour == "posix" or slash_only else "..\\"
    return way == ".." or way.startswith(up) or (is_absolute(flavour, way) and not any_drive)


def _guard(*, lexical: dict[str, bool], physical: dict[str, bool]) -> Guard:
    def asks_path(flavour: Flavour, root: str, path: str) -> bool:
        if _is_plain(flavour, path):
            return True
        if is_absolute(flavour, path):
            return False
        return not _leaves(flavour, relative(flavour, root, join(flavour, root, path)), **lexical)

    def asks_resolved(flavour: Flavour, root: str, resolved: str) -> bool:
        return not _leaves(flavour, relative(flavour, root, resolved), **physical)

    return Guard(asks_path, asks_resolved)


_SLASH_ONLY = {"slash_only": True}
_ANY_DRIVE = {"any_drive": True}

GUARDS = {
    "corrected": _guard(lexical={}, physical={}),
    "published": _guard(lexical=_SLASH_ONLY | _ANY_DRIVE, physical=_SLASH_ONLY),
    "lexical_forward_slash": _guard(lexical=_SLASH_ONLY, physical={}),
    "physical_forward_slash": _guard(lexical={}, physical=_SLASH_ONLY),
    "no_absolute_relative": _guard(lexical=_ANY_DRIVE, physical=_ANY_DRIVE),
}
