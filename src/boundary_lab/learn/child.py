"""The process in which an attempt runs: `python -m boundary_lab.learn.child`, asked and answered by `attempts`.

A line comes in; `ready` goes out, and then a line for each call. What the attempt itself prints goes nowhere.
"""

import asyncio
import os
import sys
import traceback
from collections.abc import Callable
from functools import partial
from importlib import import_module
from inspect import isawaitable
from typing import Any, TextIO

from boundary_lab.learn.plain import NotPlain, from_text, to_text
from boundary_lab.rejected import Rejected

__all__ = ["main"]

_FILE = "<your attempt>"
_TEXT = 200  # characters of what an exception says
_MOST = 1 << 20  # characters of one answer


def _answer(call: Callable[[], object]) -> str:
    """What became of a call, as a line."""
    try:
        value = call()
        value = asyncio.run(_awaited(value)) if isawaitable(value) else value
    except Rejected as refusal:
        return to_text(["refused", refusal.code])
    except BaseException as fault:  # noqa: BLE001  sys.exit too
        return to_text(["raised", _said(fault)])
    return _gave(value)


def _gave(value: object) -> str:
    try:
        line = to_text(["gave", value])
    except NotPlain as odd:
        return to_text(["odd", str(odd)])
    except RecursionError:
        return to_text(["odd", "value in itself, or of too many levels"])
    return line if len(line) <= _MOST else to_text(["odd", "very long value"])


def _call(attempt: Callable[..., object], given: list[Any]) -> object:
    return attempt(*given)


async def _awaited(value: Any) -> object:
    return await value


def _said(fault: BaseException) -> str:
    """What was raised, and in which line of the attempt: never a line of the lab."""
    lines = [frame.lineno for frame in traceback.extract_tb(fault.__traceback__) if frame.filename == _FILE]
    line = fault.lineno if isinstance(fault, SyntaxError) else next(iter(reversed(lines)), None)
    where = f" (line {line} of your cell)" if line else ""
    text = fault.msg if isinstance(fault, SyntaxError) else str(fault)
    return f"{type(fault).__name__}: {ascii(text)[1:-1][:_TEXT]}{where}" if text else type(fault).__name__ + where


def _around(via: str) -> Callable[..., object] | None:
    module, _, name = via.partition(":")
    return getattr(import_module(module), name) if module else None


def _function(source: str, name: str, around: Callable[..., object] | None) -> Callable[..., object]:
    space: dict[str, Any] = {"__name__": "attempt"}
    exec(compile(source, _FILE, "exec"), space)  # noqa: S102  a learner's own code, in a process of its own
    if name not in space:
        raise NameError(f"your cell defines no function {name}")  # noqa: EM102  for the learner
    attempt: Callable[..., object] = space[name]
    return attempt if around is None else lambda *arguments: around(attempt, *arguments)


def _answers() -> TextIO:
    """Standard output for the answers alone; whatever else is written there goes nowhere."""
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    return answers


def main() -> None:
    """Answers one request."""
    source, name, via, arguments = from_text(sys.stdin.readline())
    around = _around(via)  # an SDK takes seconds, which are not the attempt's
    attempt: list[Callable[..., object]] = []
    with _answers() as answers:
        print(to_text(["ready", None]), file=answers, flush=True)
        print(_answer(lambda: attempt.append(_function(source, name, around))), file=answers, flush=True)
        for given in arguments if attempt else ():
            print(_answer(partial(_call, attempt[0], given)), file=answers, flush=True)


if __name__ == "__main__":
    main()
