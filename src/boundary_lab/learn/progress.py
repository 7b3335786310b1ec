"""What became of a learner's attempts: a file to which lines are added.

- A line is added in one piece, so that two notebooks can be open at once; nothing is ever rewritten.
- Each line carries a sum. It shows damage and careless editing; it is no signature.
- A file with a line that does not hold is `PROGRESS_DAMAGED`, and is left as it is.
- The file stays where it is. It names nobody unless the learner gave a name.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from boundary_lab.canonical import canonical, sha256_hex
from boundary_lab.files import read_regular
from boundary_lab.fixtures import fixture, load
from boundary_lab.rejected import Rejected
from boundary_lab.strict_json import JSON, Words, parse_bytes
from boundary_lab.written import append, create

__all__ = ["FILE", "Progress", "State", "begin", "check_name", "find", "keys", "learners", "note", "read"]

FILE = "progress.jsonl"
_MOST = 16 << 20  # bytes: a check is some 150
_LONGEST_NAME = 60  # characters
_WORDS = Words.only("PROGRESS_DAMAGED")
_SUM = 16  # hex digits

_WHAT = re.compile(r"not yet|right|solution|hint [1-9]")


@cache
def keys() -> tuple[str, ...]:
    """Every exercise, in the order in which they are met: `1.spot`, `1.fix` …; `bad_fixture`."""
    files = sorted(fixture("lab/exercises").glob("[1-9].json"))
    return tuple(f"{file.stem}.{kind}" for file in files for kind in load(f"lab/exercises/{file.name}"))


@dataclass(slots=True)
class State:
    """Where a learner stands with one exercise."""

    outcome: str = "open"
    attempts: int = 0
    hints: int = 0
    solution: bool = False

    def take(self, what: str) -> None:
        """Counts one line; what was right once stays right."""
        if what == "solution":
            self.solution = True
        elif what.startswith("hint "):
            self.hints = max(self.hints, int(what.removeprefix("hint ")))
        else:
            self.attempts += 1
            self.outcome = "right" if "right" in (what, self.outcome) else "tried"

    def words(self) -> str:
        """`right`, `tried (2)` or `open`, and what help was taken."""
        tried = f"tried ({self.attempts})" if self.outcome == "tried" else self.outcome
        hints = f"{self.hints} hint{'s' * (self.hints > 1)}" if self.hints else ""
        return ", ".join(filter(None, [tried, hints, "solution seen" * self.solution]))


@dataclass(slots=True)
class Progress:
    """A learner's file, read: the name that the learner gave, or none; each exercise; the time of the last line."""

    learner: str = ""
    states: dict[str, State] = field(default_factory=lambda: {key: State() for key in keys()})
    last: str = ""

    def count(self, outcome: str) -> int:
        """How many exercises are `right`, `tried` or `open`."""
        return sum(state.outcome == outcome for state in self.states.values())


def check_name(learner: str | None) -> None:
    """`NAME_UNFIT` for a name that is empty, longer than 60 characters or not printable."""
    if learner is not None and not (0 < len(learner) <= _LONGEST_NAME and learner.isprintable() and learner.strip()):
        raise Rejected("NAME_UNFIT")


def begin(path: Path, learner: str | None) -> None:
    """Makes the file, or adds the name to the one that is there; `PROGRESS_DAMAGED`, `WRITE_FAILED`."""
    if not path.exists():
        create(path, _line({"learner": learner or ""}), "WRITE_FAILED")
    elif read(path).learner != learner and learner:
        append(path, _line({"learner": learner}))


def find(folder: Path) -> Path | None:
    """The progress file of a folder of notebooks, or of the one above it."""
    return next((path for place in (folder, folder.parent) if (path := place / FILE).is_file()), None)


def note(key: str, what: str) -> None:
    """Adds a line to the file of the folder in which this runs; without one, nothing is noted.

    `PROGRESS_DAMAGED`, `WRITE_FAILED`.
    """
    path = find(Path.cwd())
    if path is not None:
        read(path)
        append(path, _line({"exercise": key, "what": what}))


def read(path: Path) -> Progress:
    """The progress in a file; `WORK_MISSING` without one, `PROGRESS_DAMAGED` if any line of it does not hold."""
    data = read_regular(path, _MOST, "WORK_MISSING")
    if len(data) > _MOST or not data.endswith(b"\n"):
        raise Rejected("PROGRESS_DAMAGED")
    progress = Progress()
    for line in data.splitlines():
        _take(progress, parse_bytes(line, _MOST, _WORDS))
    return progress


def _take(progress: Progress, line: Any) -> None:
    if type(line) is not dict or line.pop("sum", None) != _sum(line) or not all(map(_is_text, line.values())):
        raise Rejected("PROGRESS_DAMAGED")
    if line.keys() == {"at", "learner"}:
        progress.learner = line["learner"]
    elif line.keys() == {"at", "exercise", "what"} and _WHAT.fullmatch(line["what"]):
        progress.states.setdefault(line["exercise"], State()).take(line["what"])
    else:
        raise Rejected("PROGRESS_DAMAGED")
    progress.last = line["at"]


def _is_text(value: object) -> bool:
    return type(value) is str


def _line(what: Mapping[str, str]) -> bytes:
    stamped: dict[str, JSON] = {"at": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}", **what}
    return (canonical({**stamped, "sum": _sum(stamped)}) + "\n").encode()


def _sum(line: dict[str, JSON]) -> str:
    return sha256_hex(line)[:_SUM]


def learners(folder: Path) -> Iterable[tuple[str, Path]]:
    """Every progress file of a folder for instructors: the name that its place gives, and its path."""
    for path in sorted([*folder.glob("*.jsonl"), *folder.glob(f"*/{FILE}"), *folder.glob(f"*/work/{FILE}")]):
        below = path.relative_to(folder)
        yield (path.stem if len(below.parts) == 1 else below.parts[0]), path
