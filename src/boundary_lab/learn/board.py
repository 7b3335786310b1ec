"""Progress as tables: one learner's own, and several learners' side by side for an instructor.

As text, as CSV and as a page that renews itself. Nothing of a file is shown unescaped.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path

from boundary_lab.learn.progress import Progress, keys, learners, read
from boundary_lab.rejected import Rejected

__all__ = ["Line", "lines", "own", "summary", "to_csv", "to_html", "to_text"]

_LETTERS = {"right": "R", "tried": "t", "open": "."}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet takes for one

_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="{seconds}">
<title>Boundary Lab: progress</title>
<style>
body {{ font: 16px/1.4 sans-serif; margin: 1em; color: #1b1f24; background: #fff }}
table {{ border-collapse: collapse }}
th, td {{ border: 1px solid #767676; padding: 2px 6px; text-align: left; vertical-align: top }}
.right {{ background: #d8f0dc; font-weight: bold }} .tried {{ background: #fff3c4 }}
</style>
<h1>Progress</h1>
<p>{summary} This page loads itself again every {seconds} seconds.</p>
<table>
<thead><tr>{head}</tr></thead>
<tbody>
{body}
</tbody>
</table>
</html>
"""


@dataclass(frozen=True, slots=True)
class Line:
    """One learner of a table; without progress the file was refused with the code."""

    learner: str
    progress: Progress | None
    code: str = ""

    def counts(self) -> list[str]:
        """How many exercises are right, tried and open, and when something last happened."""
        if self.progress is None:
            return [self.code, "", "", ""]
        return [*(str(self.progress.count(outcome)) for outcome in _LETTERS), self.progress.last]

    def words(self) -> list[str]:
        """Each exercise in words."""
        return [self.progress.states[key].words() if self.progress else "" for key in keys()]

    def letters(self) -> str:
        """A letter for each exercise, a space between lessons."""
        if self.progress is None:
            return ""
        states = self.progress.states
        return " ".join("".join(_LETTERS[states[key].outcome] for key in lesson) for lesson in _by_lesson())


def _by_lesson() -> list[list[str]]:
    return [list(lesson) for _, lesson in groupby(keys(), lambda key: key[0])]


def lines(folder: Path) -> list[Line]:
    """A line for each progress file of a folder; the name is the learner's own, or that of the place."""
    return [_line(name, path) for name, path in learners(folder)]


def _line(name: str, path: Path) -> Line:
    try:
        progress = read(path)
    except Rejected as refusal:
        return Line(name, None, refusal.code)
    return Line(progress.learner or name, progress)


def own(progress: Progress) -> str:
    """One learner's table: a line for each exercise."""
    rows = [f"{key:8}  {progress.states[key].words()}" for key in keys()]
    return "\n".join([*rows, summary([Line("", progress)])])


def to_text(lines: Sequence[Line]) -> str:
    """The instructor's table, and what its letters mean."""
    head = [
        "learner",
        "right",
        "tried",
        "open",
        "last",
        " ".join(f"{group[0][0]:{len(group)}}" for group in _by_lesson()),
    ]
    return "\n".join([*_columns([head, *([*_start(line), line.letters()] for line in lines)]), _legend()])


def _start(line: Line) -> list[str]:
    return [ascii(line.learner)[1:-1] if not line.learner.isprintable() else line.learner, *line.counts()]


def _columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(f"{word:{width}}" for word, width in zip(row, widths, strict=True)).rstrip()


def _legend() -> str:
    return "A letter for each exercise, lesson by lesson: R right, t tried, . open."


def summary(lines: Sequence[Line]) -> str:
    """How many exercises of all learners are right, tried and open."""
    read = [line.progress for line in lines if line.progress]
    right, tried, left = (sum(progress.count(outcome) for progress in read) for outcome in _LETTERS)
    return f"{right} of {right + tried + left} right, {tried} tried, {left} open."


_HEAD = ("learner", "right", "tried", "open", "last")


def to_csv(lines: Sequence[Line]) -> str:
    """The same with each exercise in words; no field of it is a formula to a spreadsheet."""
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow([*_HEAD, *keys()])
    table.writerows([_harmless(word) for word in (line.learner, *line.counts(), *line.words())] for line in lines)
    return written.getvalue()


def _harmless(word: str) -> str:
    return f"'{word}" if word.startswith(_FORMULA) else word


def to_html(lines: Sequence[Line], seconds: int) -> str:
    """A page with the same table that loads itself again after so many seconds."""
    return _PAGE.format(
        seconds=seconds,
        summary=f"Learners: {len(lines)}. {summary(lines)}",
        head="".join(f'<th scope="col">{escape(word)}</th>' for word in (*_HEAD, *keys())),
        body="\n".join(_html_row(line) for line in lines),
    )


def _html_row(line: Line) -> str:
    cells = [f"<td>{escape(word)}</td>" for word in line.counts()]
    cells += [
        f'<td class="{word.split(",")[0].split()[0] if word else ""}">{escape(word)}</td>' for word in line.words()
    ]
    return f'<tr><th scope="row">{escape(line.learner)}</th>{"".join(cells)}</tr>'
