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

__all__ = ["NOTEBOOKS", "reset", "solution", "start"]

_INSTALLED = Path(__file__).parents[1] / "_notebooks"
NOTEBOOKS = _INSTALLED if _INSTALLED.is_dir() else ROOT.parent / "notebooks"
_COPIED = ("*.ipynb", "exercises/*.ipynb", "pictures/*.svg")
_MOST = 16 << 20  # bytes: no notebook has as many


def start(folder: Path, learner: str | None = None) -> list[str]:
    """Copies into a folder what of the lessons, exercises and pictures is missing there; gives the names.

    `NAME_UNFIT`, `NOTEBOOKS_MISSING`, `WRITE_FAILED`; `PROGRESS_DAMAGED` if there is a progress file that is.
    """
    progress.check_name(learner)
    names = [path.relative_to(NOTEBOOKS).as_posix() for path in _originals()]
    missing = [name for name in names if not (folder / name).exists()]
    for name in missing:
        _copy(name, folder)
    progress.begin(folder / progress.FILE, learner)
    return missing


def reset(folder: Path, lesson: str) -> list[str]:
    """Makes fresh copies of a lesson (`3`, or the name of its notebook) and of its exercises.

    Gives the names under which the learner's own are kept: `03_name.kept-1.ipynb`. `WORK_MISSING`, `LESSON_UNKNOWN`,
    `NOTEBOOKS_MISSING`, `WRITE_FAILED`.
    """
    if not (folder / progress.FILE).is_file():
        raise Rejected("WORK_MISSING")
    kept = []
    for name in _of_lesson(lesson):
        if (folder / name).exists():
            kept.append(_keep(folder / name).relative_to(folder).as_posix())
        _copy(name, folder)
    return kept


def solution(key: str) -> str:
    """The reference answer of an exercise, such as `1.fix`; `NOTEBOOKS_MISSING`, `LESSON_UNKNOWN`."""
    lesson, kind = key.split(".")
    (name,) = (name for name in _of_lesson(lesson) if name.startswith("exercises/"))
    data = read_regular(NOTEBOOKS / "solutions" / Path(name).name, _MOST, "NOTEBOOKS_MISSING")
    notebook: Any = parse_bytes(data, _MOST, Words.only("NOTEBOOKS_MISSING"))
    return next("".join(cell["source"]) for cell in notebook["cells"] if cell["id"] == f"answer-{kind}")


def _originals() -> list[Path]:
    found = [path for pattern in _COPIED for path in sorted(NOTEBOOKS.glob(pattern))]
    if not found:
        raise Rejected("NOTEBOOKS_MISSING")
    return found


def _of_lesson(lesson: str) -> Iterator[str]:
    asked = re.escape(lesson.removesuffix(".ipynb"))
    wanted = re.compile(rf"(?:exercises/)?(?:0?{asked}_\w+|{asked})\.ipynb")
    names = [path.relative_to(NOTEBOOKS).as_posix() for path in _originals()]
    found = [name for name in names if wanted.fullmatch(name)]
    if not found:
        raise Rejected("LESSON_UNKNOWN")
    return iter(found)


def _copy(name: str, folder: Path) -> None:
    path = folder / name
    with writing():
        path.parent.mkdir(parents=True, exist_ok=True)
    create(path, read_regular(NOTEBOOKS / name, _MOST, "NOTEBOOKS_MISSING"), "WRITE_FAILED")


def _keep(path: Path) -> Path:
    """Renames a notebook to the next name that is free."""
    names = (path.with_name(f"{path.stem}.kept-{number}.ipynb") for number in count(1))
    with writing():
        return path.rename(next(name for name in names if not os.path.lexists(name)))
