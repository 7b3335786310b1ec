"""Runs a learner's function in a process of its own, call by call.

- An attempt that loops, prints, exits or raises ends its process and nothing else; none is left behind.
- What it does to its arguments it does to a copy. A frozen file that it changed is put back.
- It is a learner's own code with a learner's own rights: this is no sandbox.
"""

import os
import queue
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from threading import Thread
from typing import IO, Any

from boundary_lab.fixtures import ROOT
from boundary_lab.learn.plain import from_text, to_text

__all__ = ["SECONDS", "Call", "run"]

SECONDS = 5  # for each call, and for the attempt's own lines before the first
_STARTING_SECONDS = 60  # until Python is there: twenty may start at once


@dataclass(frozen=True, slots=True)
class Call:
    """What became of one call.

    `kind` is `gave` with the value, `refused` with the code, `raised` with what and where, `odd` with the type of a
    value that is not plain, `endless`, `ended` when the process did; or, of the attempt as a whole, `broken` with
    what was raised, `changed` with the name of a frozen file.
    """

    kind: str
    what: Any = None


def run(source: str, name: str, arguments: Sequence[Sequence[Any]], via: str = "") -> list[Call]:
    """What the function `name` of `source` does with each list of arguments; it ends early where a call does not.

    `via` names a function as `module:function`, which is given the attempt's function and the arguments instead.
    """
    request = to_text([source, name, via, list(arguments)])
    with _kept() as changed, TemporaryDirectory(prefix="boundary-lab-") as folder:
        calls = list(_calls(request, folder, len(arguments)))
    return [Call("changed", changed[0])] if changed else calls


@contextmanager
def _kept() -> Iterator[list[str]]:
    """Puts back every frozen file that is another when the block ends, and names it."""
    before = {path: path.read_bytes() for path in ROOT.rglob("*") if path.is_file()}
    changed: list[str] = []
    try:
        yield changed
    finally:
        for path, data in before.items():
            if _bytes(path) != data:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                changed.append(path.relative_to(ROOT).as_posix())


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _calls(request: str, folder: str, wanted: int) -> Iterator[Call]:
    """What the child says of each call; of the loading of the attempt only that it failed."""
    with _child(request, folder) as lines:
        _next(lines, _STARTING_SECONDS)
        loaded = _next(lines, SECONDS)
        if loaded.kind != "gave":
            yield Call("broken", loaded.what) if loaded.kind == "raised" else loaded
            return
        for _ in range(wanted):
            call = _next(lines, SECONDS)
            yield call
            if call.kind in ("endless", "ended"):
                return


def _next(lines: "queue.Queue[str]", seconds: float) -> Call:
    try:
        line = lines.get(timeout=seconds)
    except queue.Empty:
        return Call("endless")
    if not line:
        lines.put("")  # whoever asks again hears it again
        return Call("ended")
    return Call(*from_text(line))


@contextmanager
def _child(request: str, folder: str) -> Iterator["queue.Queue[str]"]:
    """The lines that a process in an empty folder answers, and an empty one at the end.

    With the block everything ends that it started in its own group; what it sent elsewhere is not waited for.
    """
    with TemporaryFile("w+", encoding="ascii") as asked:
        asked.write(request)
        asked.seek(0)
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "boundary_lab.learn.child"],
            stdin=asked,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            encoding="ascii",
            start_new_session=True,
        )
    lines: queue.Queue[str] = queue.Queue()
    reader = Thread(target=_read, args=(child.stdout, lines), daemon=True)
    reader.start()
    try:
        yield lines
    finally:
        _kill(child)
        child.wait()
        reader.join(SECONDS)


def _read(output: IO[str], lines: "queue.Queue[str]") -> None:
    with output:
        for line in output:
            lines.put(line)
    lines.put("")


def _kill(child: "subprocess.Popen[str]") -> None:
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
        else:  # pragma: no cover  Windows
            child.kill()
