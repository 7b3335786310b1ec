"""Strict JSON (RFC 8259): text to value, or a refusal in the reader's own words.

- One parser for the whole lab; each contract has its own `Words` for what can be wrong.
- The limits are the lab's own and the same on every interpreter.
- The first fault in this order names the refusal: size, encoding, byte order mark, then syntax,
  numbers and depth, unpaired surrogates, and last a repeated key at any depth.
"""

import json
import re
from dataclasses import dataclass
from itertools import accumulate
from math import isfinite
from typing import NoReturn, TypeAlias

from boundary_lab.rejected import Rejected

__all__ = ["JSON", "MAX_DEPTH", "MAX_DIGITS", "Words", "parse", "parse_bytes"]

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"

MAX_DEPTH = 100
MAX_DIGITS = 4300
_BOM = "\ufeff"


@dataclass(frozen=True, kw_only=True, slots=True)
class Words:
    """One contract's code for each rule. With `surrogate=None` an escaped unpaired surrogate passes."""

    size: str
    encoding: str
    bom: str
    syntax: str
    surrogate: str | None
    repeated_key: str

    @classmethod
    def only(cls, code: str) -> "Words":
        """The same code whatever is wrong."""
        return cls(size=code, encoding=code, bom=code, syntax=code, surrogate=code, repeated_key=code)


class _RepeatedKey(Exception):
    pass


def _integer(digits: str) -> int:
    if len(digits.removeprefix("-")) > MAX_DIGITS:
        raise ValueError
    return int(digits)


def _fraction(digits: str) -> float:
    value = float(digits)
    if not isfinite(value):
        raise ValueError
    return value


def _constant(_: str) -> NoReturn:
    raise ValueError


def _unique(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _RepeatedKey
    return value


_ANY_KEYS = json.JSONDecoder(parse_int=_integer, parse_float=_fraction, parse_constant=_constant)
_UNIQUE_KEYS = json.JSONDecoder(
    parse_int=_integer, parse_float=_fraction, parse_constant=_constant, object_pairs_hook=_unique
)

# Everything but structural brackets; a string, closed or not, is passed over as a whole, and nothing is retried.
_NO_BRACKETS = re.compile(r'[^][{}"]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"?+[^][{}"]*+)*+', re.DOTALL)
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")  # signed bytes: 1 and -1
# In a JSON text a backslash stands in strings only, and pairs are consumed before single ones.
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]|(u[dD][89a-fA-F])|.)", re.DOTALL)


def _too_deep(text: str) -> bool:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    steps = _NO_BRACKETS.sub("", text).encode().translate(_STEPS)
    return max(accumulate(memoryview(steps).cast("b")), default=0) > MAX_DEPTH


def _has_unpaired_surrogate(text: str) -> bool:
    return "\\u" in text and any(match[1] for match in _ESCAPE.finditer(text))


def _decode(text: str) -> tuple[JSON, bool]:
    """The value, and whether a key is repeated; any other fault of the text is a `ValueError`."""
    if _too_deep(text):
        raise ValueError
    try:
        return _UNIQUE_KEYS.decode(text), False
    except _RepeatedKey:
        return _ANY_KEYS.decode(text), True


def parse(text: object, limit: int, words: Words) -> JSON:
    """The value of a JSON text of at most `limit` UTF-8 bytes; refused in `words`."""
    if type(text) is not str or len(text) > limit or len(text.encode("utf-8", "surrogatepass")) > limit:
        raise Rejected(words.size)
    try:
        text.encode()
    except UnicodeEncodeError as fault:
        raise Rejected(words.encoding) from fault
    return _value(text, words)


def _value(text: str, words: Words) -> JSON:
    if text.startswith(_BOM):
        raise Rejected(words.bom)
    try:
        value, repeats_key = _decode(text)
    except (ValueError, RecursionError) as fault:
        raise Rejected(words.syntax) from fault
    if words.surrogate and _has_unpaired_surrogate(text):
        raise Rejected(words.surrogate)
    if repeats_key:
        raise Rejected(words.repeated_key)
    return value


def parse_bytes(data: object, limit: int, words: Words) -> JSON:
    """As `parse`, for bytes that must be UTF-8."""
    if type(data) is not bytes or len(data) > limit:
        raise Rejected(words.size)
    try:
        text = data.decode()
    except UnicodeDecodeError as fault:
        raise Rejected(words.encoding) from fault
    return _value(text, words)
