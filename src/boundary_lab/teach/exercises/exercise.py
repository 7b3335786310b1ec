"""An exercise: what is asked of an attempt, and what its author is told.

- Three outcomes: not attempted, not yet, right. A *not yet* names the input on which the attempt fails, and why
  that matters.
- A function runs in a process of its own (`learn.attempts`); its cell must hold all that it needs.
- Texts and frozen rows are in `fixtures/lab/exercises/`, the reference answers in `notebooks/solutions/`.
"""

import ast
import inspect
import linecache
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, TypeVar

from boundary_lab.fixtures import load
from boundary_lab.learn import attempts, copies, progress
from boundary_lab.learn.attempts import Call
from boundary_lab.learn.plain import to_text
from boundary_lab.rejected import Rejected, outcome
from boundary_lab.teach.shown import View

__all__ = [
    "Code",
    "Exercise",
    "Row",
    "Said",
    "Unfit",
    "attack",
    "did",
    "function",
    "listing",
    "not_yet",
    "ran",
    "right",
    "rows",
    "shown",
    "spot",
    "texts",
]

Judge = Callable[[Any], "Said"]
_T = TypeVar("_T", bound="Said")
_LONGEST, _WHOLE = 160, 480  # characters of a value that is shown, and of one that is all there is to look at


class Said(View):
    """Lines for the reader; of an attempt that was judged, the outcome too."""

    def __init__(self, *lines: str, outcome: str = "") -> None:
        self.lines = lines
        self.outcome = outcome

    def html(self) -> str:
        """A paragraph for each line."""
        return "".join(f"<p>{escape(line)}</p>" for line in self.lines)

    def text(self) -> str:
        """The lines."""
        return "\n".join(self.lines)


class Code(Said):
    """Lines of a program."""

    def html(self) -> str:
        """The lines as they are."""
        return f"<pre>{escape(self.text())}</pre>"


def right(why: str) -> Said:
    """The attempt holds; `why` says what it shows."""
    return Said(f"Right. {why}", outcome="right")


def not_yet(why: str) -> Said:
    """The attempt does not hold; `why` names the input, and why it matters."""
    return Said(f"Not yet. {why}", outcome="not yet")


class Unfit(Exception):
    """An attempt of which nothing can be asked; the message tells its author why."""


class Exercise:
    """One exercise of a lesson. `key` is the lesson's number and the kind: `1.fix`."""

    def __init__(self, key: str, judge: Judge, task: View | None = None) -> None:
        self.key = key
        self._judge = judge
        self._task = task
        self._hints = list(texts(key)["hints"])
        self._given = 0

    def task(self) -> View:
        """What there is to look at before the attempt."""
        return self._task or Said("Nothing beside the text above.")

    def check(self, attempt: Any = ...) -> Said:
        """What is said of an attempt. It is noted where a learner's copies are, and nowhere else."""
        if attempt is ... or _is_blank(attempt):
            what = "Put your answer in the place of the dots, run its cell, then this one again."
            return Said(f"Not attempted. {what}", outcome="not attempted")
        try:
            said = self._judge(attempt)
        except Unfit as unfit:
            said = not_yet(str(unfit))
        except Exception as fault:  # noqa: BLE001  no stack of the lab's own is of use to the reader
            said = not_yet(
                f"Nothing can be made of {shown(attempt)} ({type(fault).__name__}). Look at its shape again."
            )
        return self._noting(said.outcome, said)

    def hint(self) -> Said:
        """The next hint; after the last one, that one again."""
        self._given = min(self._given + 1, len(self._hints))
        hint = Said(f"Hint {self._given} of {len(self._hints)}. {self._hints[self._given - 1]}")
        return self._noting(f"hint {self._given}", hint)

    def solution(self) -> "Code":
        """The reference answer, from the lesson's solutions."""
        return self._noting("solution", Code(*copies.solution(self.key).splitlines()))

    def _noting(self, what: str, said: _T) -> _T:
        try:
            progress.note(self.key, what)
        except Rejected as refusal:
            said.lines += (f"Not noted: {refusal.code}. `boundary-lab progress` says what to do.",)
        return said


def texts(key: str) -> Any:
    """The table of an exercise."""
    lesson, kind = key.split(".")
    return load(f"lab/exercises/{lesson}.json")[kind]


def _is_blank(attempt: Any) -> bool:
    """Whether nothing was written into a function yet: its body is the dots that it came with."""
    name = getattr(attempt, "__name__", "")
    try:
        found = [node for node in ast.walk(ast.parse(_sources(attempt))) if getattr(node, "name", "") == name]
    except (SyntaxError, TypeError):
        return False
    bodies = [node.body for node in found if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return bool(bodies) and all(ast.unparse(line) == "..." for line in bodies[-1] if not _is_docstring(line))


def _is_docstring(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and isinstance(line.value.value, str)


def _sources(function: Any) -> str:
    """The whole cell in which a function was defined; `TypeError` for what is no function of a cell."""
    if not inspect.isfunction(function):
        raise TypeError
    return "".join(linecache.getlines(function.__code__.co_filename))


@dataclass(frozen=True, slots=True)
class Row:
    """Arguments, what is right for them (`gave` a value, or `refused` with a code), and why that matters."""

    named: str
    arguments: Sequence[Any]
    right: Call
    why: str


def rows(key: str) -> list[Row]:
    """The frozen rows of an exercise; `{"hex": …}` stands for bytes, `{"file": …}` for a frozen JSON file."""
    return [Row(row["is"], _given(row["arguments"]), _right(row), row["why"]) for row in texts(key)["rows"]]


def _right(row: dict[str, Any]) -> Call:
    return Call("refused", row["code"]) if "code" in row else Call("gave", _given(row["gives"]))


def _given(value: Any) -> Any:
    if type(value) is list:
        return [_given(item) for item in value]
    if type(value) is not dict:
        return value
    if value.keys() == {"hex"}:
        return bytes.fromhex(value["hex"])
    if value.keys() == {"file"}:
        return load(value["file"])
    return {key: _given(item) for key, item in value.items()}


def ran(attempt: Any, name: str, arguments: Sequence[Sequence[Any]], via: str = "") -> list[Call]:
    """As `attempts.run`, for a function of a cell; `Unfit` for what is none, and for a cell that does not run."""
    try:
        source = _sources(attempt)
    except TypeError as fault:
        raise Unfit(f"Give the function {name} itself, defined in a cell of this page.") from fault  # noqa: EM102
    calls = attempts.run(source, name, arguments, via)
    if calls[0].kind in ("broken", "changed"):
        raise Unfit(_of_the_cell(calls[0]))
    return calls


def function(name: str, rows: Iterable[Row], praise: str, via: str = "") -> Judge:
    """Judges a function `name` by rows; `via` as in `attempts.run`."""
    asked = list(rows)

    def judge(attempt: Any) -> Said:
        calls = ran(attempt, name, [row.arguments for row in asked], via)
        for row, call in zip(asked, calls, strict=False):
            if not _same(call, row.right):
                return not_yet(
                    f"On {row.named}: {name} {did(call)}; right is {_wanted(row.right)}. {_why(call, row.why)}"
                )
        return right(praise)

    return judge


def spot(
    candidates: Sequence[Callable[..., object]],
    wrong: str,
    truth: Callable[..., object],
    whys: Mapping[str, str],
    *,
    many: bool = False,
) -> Judge:
    """Judges a pair: the name of the one candidate that is `wrong`, and an input on which it differs from `truth`.

    With `many` the input is a tuple of arguments.

    `whys`: for each other candidate why it is right, for `input` what sort of input to look for, for `right` what
    the difference teaches.
    """
    named = {candidate.__name__: candidate for candidate in candidates}

    def judge(answer: Any) -> Said:
        if type(answer) is not tuple or len(answer) != 2 or answer[0] not in [*named]:  # noqa: PLR2004  a pair
            return not_yet(f"Answer with a pair: one of {', '.join(named)}, and an input on which that one is wrong.")
        name, value = answer
        try:
            arguments = value if many else (value,)
            gives, should = named[name](*arguments), truth(*arguments)
        except Exception as fault:  # noqa: BLE001  whatever the input does, the reader is told
            return not_yet(f"Nobody can answer on the input {shown(value)}: {_name(fault)}. {whys['input']}")
        if gives == should and name == wrong:
            return not_yet(
                f"{name} it is, but on {shown(value)} it gives {shown(gives)}, as it should. {whys['input']}"
            )
        if gives == should:
            return not_yet(f"On {shown(value)}, {name} gives {shown(gives)}, which is right. {whys[name]}")
        return right(f"On {shown(value)}, {name} gives {shown(gives)}; right is {shown(should)}. {whys['right']}")

    return judge


def attack(
    broken: Callable[[Any], object], sound: Callable[[Any], object], kind: type, whys: Mapping[str, str]
) -> Judge:
    """Judges a value of exactly that type which `broken` accepts and `sound` refuses.

    `whys`: why a value that `broken` refuses, too, is no attack (by its code, or else `refused`), one that `sound`
    accepts (`accepted`), and what an attack shows (`right`).
    """

    def judge(value: Any) -> Said:
        if type(value) is not kind:
            return not_yet(f"An attack here is a {kind.__name__}; {shown(value)} is none.")
        on = f"On {shown(value, _WHOLE)}"
        if (code := _answers(broken, value)) != "accepted":
            why = whys.get(code, whys["refused"])
            return not_yet(f"{on}: the broken version refuses it as well, with {code}. {why}")
        if (code := _answers(sound, value)) == "accepted":
            return not_yet(f"{on}: both accept it. {whys['accepted']}")
        return right(f"{on}: the broken version accepts it, the right one refuses with {code}. {whys['right']}")

    return judge


def _answers(call: Callable[[Any], object], value: Any) -> str:
    try:
        return outcome(call, value)
    except Exception as fault:  # noqa: BLE001  the broken version is broken
        return type(fault).__name__


def _name(fault: Exception) -> str:
    return fault.code if isinstance(fault, Rejected) else type(fault).__name__


def listing(functions: Iterable[Callable[..., object]]) -> Code:
    """The source of functions, as a task shows it."""
    return Code(*"\n\n".join(inspect.getsource(function).rstrip() for function in functions).splitlines())


def _same(one: Call, other: Call) -> bool:
    return to_text([one.kind, one.what]) == to_text([other.kind, other.what])


def _of_the_cell(call: Call) -> str:
    if call.kind == "changed":
        return (
            f"It changed the frozen file {call.what}, which is as it was again. What is frozen is read, never written."
        )
    return (
        f"Your cell alone does not run: {call.what}. It runs in a process of its own, without the other cells, so "
        "everything that it needs must be in it."
    )


def did(call: Call) -> str:
    """What a call did, in the past tense."""
    return {
        "gave": f"gave {shown(call.what)}",
        "refused": f"refused with {call.what}",
        "raised": f"raised {call.what}",
        "odd": f"gave a {call.what}, which is no plain value",
        "endless": f"was still running after {attempts.SECONDS} seconds and was stopped",
        "ended": "ended the process",
    }[call.kind]


def _why(call: Call, why: str) -> str:
    """Why it matters: the row's reason where the answer was one, else that of what came in its place."""
    if call == Call("gave", None):
        return "None is what a function gives that returns nothing: the caller goes on with it and never learns why."
    return {
        "raised": f"What is no refusal with a code tells the caller nothing that it could act on. {why}",
        "odd": "Only texts, numbers, True, False, None, bytes, lists and dicts cross to another program.",
        "endless": "Whoever can keep a check waiting keeps everybody waiting; every loop needs an end.",
        "ended": "A check that ends the program takes everything with it that had called it.",
    }.get(call.kind, why)


def _wanted(call: Call) -> str:
    return f"a refusal with {call.what}" if call.kind == "refused" else shown(call.what)


def shown(value: Any, longest: int = _LONGEST) -> str:
    """A value as it is written in Python, on one line and cut where it is long."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  a value of the reader's own class
        text = f"a {type(value).__name__}"
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
