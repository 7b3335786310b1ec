"""Canonical JSON: one text for one value, so that a digest of it means the value.

UTF-8 without ASCII escaping, keys sorted by code point, separators `,` and `:`, no NaN and no infinity.
Types are part of the text: `true` is not `1`, and `1.0` is not `1`.
"""

import json
from hashlib import sha256
from math import isfinite

from boundary_lab.rejected import Rejected
from boundary_lab.strict_json import MAX_DEPTH, MAX_DIGITS

__all__ = ["canonical", "same", "sha256_hex"]

_TOO_LONG: int = 10**MAX_DIGITS
_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode


def _is_json(value: object, depth: int = 0) -> bool:
    """Whether a value is JSON within the lab's limits; unpaired surrogates are left to the encoder."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return True
    if type(value) is int:
        return -_TOO_LONG < value < _TOO_LONG
    if type(value) is float:
        return isfinite(value)
    if depth == MAX_DEPTH:
        return False
    if type(value) is list:
        return all(_is_json(item, depth + 1) for item in value)
    if type(value) is dict:
        return all(type(key) is str and _is_json(item, depth + 1) for key, item in value.items())
    return False


def canonical(value: object) -> str:
    """The canonical text of a JSON value, encodable as UTF-8; anything else is `bad_value`."""
    try:
        if _is_json(value):
            text = _encode(value)
            text.encode()
            return text
    except (ValueError, RecursionError) as fault:  # ValueError: not UTF-8, or over an interpreter's own digit limit
        raise Rejected("bad_value") from fault
    raise Rejected("bad_value")


def sha256_hex(value: object) -> str:
    """SHA-256 over the UTF-8 bytes of the canonical text, in lower-case hex; refuses with `bad_value`."""
    return sha256(canonical(value).encode()).hexdigest()


def same(one: object, other: object) -> bool:
    """Whether two values have one canonical text; a value that has none equals nothing."""
    try:
        return canonical(one) == canonical(other)
    except Rejected:
        return False
