"""A learner's own copies of the lessons and exercises, so that an update of the lab never meets them.

- `start` adds what is missing and overwrites nothing; `reset` keeps what was there beside the fresh copy.
- Beside the notebooks lies `progress.jsonl` (`learn.progress`).
"""

import os
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from boundary_lab.files import read_regular
from boundary_lab.fixtures import ROOT
from boundary_lab.learn import progress
from boundary_lab.rejected import Rejected
from boundary_lab.strict_json import Words, parse_bytes
from boundary_lab.written import create, writing

__all__ = ["NOTEBOOKS", "free_name", "reset", "solution", "start"]

_INSTALLED = Path(__file__).parents[1] / "_notebooks"
NOTEBOOKS = _INSTALLED if _INSTALLED.is_dir() else ROOT.parent / "notebooks"
_COPIED = ("*.ipynb", "exercises/*.ipynb", "pictures/*.svg")
_MOST = 16 << 20  # bytes: no notebook has as many


def start(folder: Path, learner: str | None = None) -> list[str]:
    """Copies into a folder what of the lessons, exercises and pictures is missing there; gives the names.

    `NAME_UNFIT`, `NOTEBOOKS_MISSING`, `WRITE_FAILED`; `PROGRESS_DAMAGED` if there is a progress file that is.
    """
    progress.check_name(learner)
    missing = [name for name in _names() if not (folder / name).exists()]
    for name in missing:
        _copy(name, folder)
    progress.begin(folder / progress.FILE, learner)
    return missing


def reset(folder: Path, lesson: str | None = None) -> list[str]:
    """Makes the copies of a lesson (`3`, or the name of its notebook) and of its exercises fresh, or all copies.

    Gives the names under which those are kept that the learner had changed: `03_name.kept-1.ipynb`. `WORK_MISSING`,
    `LESSON_UNKNOWN`, `NOTEBOOKS_MISSING`, `WRITE_FAILED`.
    """
    if not (folder / progress.FILE).is_file():
        raise Rejected("WORK_MISSING")
    kept = []
    for name in _names() if lesson is None else _of_lesson(lesson):
        path = folder / name
        if os.path.lexists(path) and not _holds(path, _original(name)):
            kept.append(_keep(path).relative_to(folder).as_posix())
        if not os.path.lexists(path):
            _copy(name, folder)
    return kept


def solution(key: str) -> str:
    """The reference answer of an exercise, such as `1.fix`; `NOTEBOOKS_MISSING`, `LESSON_UNKNOWN`."""
    lesson, kind = key.split(".")
    (name,) = (name for name in _of_lesson(lesson) if name.startswith("exercises/"))
    data = _original(f"solutions/{Path(name).name}")
    notebook: Any = parse_bytes(data, _MOST, Words.only("NOTEBOOKS_MISSING"))
    return next("".join(cell["source"]) for cell in notebook["cells"] if cell["id"] == f"answer-{kind}")


def _names() -> list[str]:
    found = [path.relative_to(NOTEBOOKS).as_posix() for pattern in _COPIED for path in sorted(NOTEBOOKS.glob(pattern))]
    if not found:
        raise Rejected("NOTEBOOKS_MISSING")
    return found


def _original(name: str) -> bytes:
    return read_regular(NOTEBOOKS / name, _MOST, "NOTEBOOKS_MISSING")


def _of_lesson(lesson: str) -> Iterator[str]:
    asked = re.escape(lesson.removesuffix(".ipynb"))
    wanted = re.compile(rf"(?:exercises/)?(?:0?{asked}_\w+|{asked})\.ipynb")
    found = [name for name in _names() if wanted.fullmatch(name)]
    if not found:
        raise Rejected("LESSON_UNKNOWN")
    return iter(found)


def _copy(name: str, folder: Path) -> None:
    path = folder / name
    with writing():
        path.parent.mkdir(parents=True, exist_ok=True)
    create(path, _original(name), "WRITE_FAILED")


def free_name(path: Path) -> Path:
    """The next name, beside a file, under which it could be kept."""
    names = (path.with_name(f"{path.stem}.kept-{number}{path.suffix}") for number in count(1))
    return next(name for name in names if not os.path.lexists(name))


def _holds(path: Path, data: bytes) -> bool:
    try:
        return read_regular(path, _MOST, "NOTEBOOKS_MISSING") == data
    except Rejected:  # a folder, a link to nowhere: not the lab's
        return False


def _keep(path: Path) -> Path:
    with writing():
        return path.rename(free_name(path))
