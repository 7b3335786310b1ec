"""Which planted values turned up where: canaries for an application of agents, and one table of what was seen.

Plant a value wherever private data lives, run the application, and look at every sink. A canary is looked for as it
is and in the encodings of `HOW`. A canary that was not found was not found: no other encoding, paraphrase,
translation or digest of it is looked for, and no other run.
"""

import asyncio
import base64
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import unquote_plus

from boundary_lab.rejected import Rejected

__all__ = ["HOW", "RUN", "SINKS", "Audit", "Finding", "seen_in", "texts"]

SINKS = (
    "system text", "input", "tool arguments", "raw responses",  # of an agent
    "trace", "session store", "result as input list",
)  # fmt: skip
RUN = "(the run)"
"""Stands for an agent where a sink belongs to none."""

_SHORTEST = 8  # characters of a canary; a shorter one turns up by chance
_PART = 3  # characters of the smaller part of a split canary
_NESTED = 3  # encodings of the same kind, one in the other
_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')
_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{8,}")


@dataclass(frozen=True, slots=True)
class Finding:
    """A canary that reached a sink of an agent, and how it was written there: a word of `HOW`."""

    agent: str
    sink: str
    canary: str
    how: str


def texts(value: object) -> Iterator[str]:
    """Every text in a value, in order: of mappings, sequences, dataclasses and models of pydantic, keys included."""
    return _texts(value, ())


def _texts(value: Any, outer: tuple[int, ...]) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, bytes | bytearray):
        yield value.decode("utf-8", "replace")
    elif value is not None and id(value) not in outer:  # what holds itself is looked into once
        yield from _parts(value, (*outer, id(value)))


def _parts(value: Any, outer: tuple[int, ...]) -> Iterator[str]:
    if hasattr(value, "model_dump"):
        value = value.model_dump(mode="json", warnings=False)
    elif is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        value = [part for pair in value.items() for part in pair]
    if isinstance(value, Iterable):
        for part in value:
            yield from _texts(part, outer)
    else:
        yield str(value)


def seen_in(value: object, canaries: Mapping[str, str]) -> set[tuple[str, str]]:
    """Every canary in the texts of a value, as pairs of its name and how it was written."""
    read = [*texts(value)]
    return {(name, how) for name, canary in canaries.items() if (how := next(_hows(canary, read), None)) is not None}


def _hows(canary: str, read: list[str]) -> Iterator[str]:
    return (how for how, finds in HOW.items() if finds(canary, read))


def _as_it_is(canary: str, read: list[str]) -> bool:
    return any(canary in text for text in read)


def _json_escaped(canary: str, read: list[str]) -> bool:
    return any(canary in _peeled(text, _unescaped) for text in read if "\\" in text)


def _url_encoded(canary: str, read: list[str]) -> bool:
    return any(canary in _peeled(text, unquote_plus) for text in read if "%" in text or "+" in text)


def _in_base64(canary: str, read: list[str]) -> bool:
    wanted = canary.encode()
    return any(wanted in data for text in read for data in _decoded(text))


def _split(canary: str, read: list[str]) -> bool:
    """The end of one text and the beginning of a later one, with or without white space at the cut."""
    for cut in range(_PART, len(canary) - _PART + 1):
        begun = (place for place, text in enumerate(read) if _either(str.endswith, text, text.rstrip(), canary[:cut]))
        first = next(begun, len(read))
        if any(_either(str.startswith, text, text.lstrip(), canary[cut:]) for text in read[first + 1 :]):
            return True
    return False


def _either(holds: Callable[[str, str], bool], text: str, stripped: str, part: str) -> bool:
    return holds(text, part) or holds(stripped, part)


HOW = {
    "as it is": _as_it_is,
    "JSON-escaped": _json_escaped,
    "URL-encoded": _url_encoded,
    "base64": _in_base64,
    "split over two items": _split,
}
"""What is looked for: JSON escapes and URL encoding up to three times over, base64 with either alphabet and at any
alignment, a canary in two parts of at least three characters. Of several that hold, the first is named."""


def _peeled(text: str, decode: Callable[[str], str]) -> str:
    """Every stage of decoding, a line each."""
    stages = [text]
    while len(stages) <= _NESTED and (further := decode(stages[-1])) != stages[-1]:
        stages.append(further)
    return "\n".join(stages)


def _unescaped(text: str) -> str:
    plain = _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else _LETTERS.get(found[2], found[2]), text)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # two halves make a character


def _decoded(text: str) -> Iterator[bytes]:
    for run in _BASE64.findall(re.sub(r"[\r\n]", "", text)):
        for start in range(4):
            shifted = run[start:].translate({ord("-"): "+", ord("_"): "/"})
            whole = shifted[: len(shifted) - (len(shifted) % 4 == 1)]  # one digit alone holds no byte
            yield base64.b64decode(whole + "=" * (-len(whole) % 4))


class Audit:
    """Canaries, and every sink that was looked at."""

    def __init__(self) -> None:
        self._canaries: dict[str, str] = {}
        self._looked: dict[tuple[str, str], None] = {}  # in the order in which they were seen
        self._findings: dict[Finding, None] = {}

    def plant(self, name: str, value: str | None = None) -> str:
        """A value to put where private data lives: the given one, or one that occurs nowhere else.

        `CANARY_UNFIT` for a value of fewer than eight characters, and for a name that has another value already.
        """
        canary = f"CANARY-{name}-{sha256(name.encode()).hexdigest()[:12]}" if value is None else value
        if len(canary) < _SHORTEST or self._canaries.get(name, canary) != canary:
            raise Rejected("CANARY_UNFIT")
        self._canaries[name] = canary
        return canary

    def saw(self, agent: str, sink: str, value: object) -> None:
        """Looks for every canary in what a sink of an agent received."""
        self._looked[agent, sink] = None
        for name, how in sorted(seen_in(value, self._canaries)):
            self._findings[Finding(agent, sink, name, how)] = None

    async def run(self, agent: Any, run_input: Any, **options: Any) -> Any:
        """As `agents.Runner.run`, whose options it takes, with every sink looked at; gives the run's result.

        With `streamed=True` as `run_streamed`, read to its end. `AGENTS_UNAVAILABLE` without the extra `agents`.
        """
        try:
            from boundary_lab.sdk.openai_agents import watched_run
        except ModuleNotFoundError as missing:
            raise Rejected("AGENTS_UNAVAILABLE") from missing
        return await watched_run(self.saw, agent, run_input, **options)

    def run_sync(self, agent: Any, run_input: Any, **options: Any) -> Any:
        """The same where no event loop runs."""
        return asyncio.run(self.run(agent, run_input, **options))

    @property
    def findings(self) -> list[Finding]:
        """What was found, in the order in which it was first seen."""
        return list(self._findings)

    def records(self) -> list[dict[str, str]]:
        """The findings as plain records: `agent`, `sink`, `canary`, `how`."""
        return [asdict(finding) for finding in self._findings]

    def text(self) -> str:
        """A line for each sink of each agent that was looked at, with the canaries that arrived."""
        lines = [(agent, sink, self._arrived(agent, sink) or "none") for agent, sink in self._looked]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)] if lines else []
        return "\n".join(
            "  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
        )

    def _arrived(self, agent: str, sink: str) -> str:
        return ", ".join(
            f"{finding.canary} ({finding.how})"
            for finding in self._findings
            if (finding.agent, finding.sink) == (agent, sink)
        )

    def assert_none_reach(self, agent: str, sink: str | None = None) -> None:
        """Fails with the table if a canary reached the agent, or that sink of it, and if nothing there was looked at.

        An agent that never ran, or a name that is not quite its own, proves nothing.
        """
        __tracebackhide__ = True  # pytest then shows the line that asked
        looked = [pair for pair in self._looked if pair[0] == agent and sink in (None, pair[1])]
        arrived = {finding.canary for finding in self._findings if (finding.agent, finding.sink) in looked}
        if not looked:
            raise AssertionError(f"nothing was seen of {agent!r}, sink {sink!r}; seen was:\n{self.text()}")  # noqa: EM102  for a person
        if arrived:
            raise AssertionError(f"{agent!r} was reached by {', '.join(sorted(arrived))}:\n{self.text()}")  # noqa: EM102  for a person
