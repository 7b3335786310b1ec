"""Plain values between two processes: JSON's, and bytes. What is anything else is not sent."""

import json
from typing import Any

__all__ = ["NotPlain", "from_text", "to_text"]

_PLAIN = (str, int, float, bool, type(None))


class NotPlain(TypeError):
    """A value that is neither JSON nor bytes; the message is the name of its type."""


def to_text(value: object) -> str:
    """One line of ASCII for a value of texts, numbers, truth values, None, bytes, lists, tuples and dicts."""
    return json.dumps(_tagged(value))


def from_text(text: str) -> Any:
    """The value of such a line; a tuple has become a list."""
    return _untagged(json.loads(text))


def _tagged(value: object) -> Any:
    if type(value) in _PLAIN:
        return value
    if type(value) is bytes:
        return {"bytes": value.hex()}
    if type(value) is list or type(value) is tuple:
        return [_tagged(item) for item in value]
    if type(value) is dict:
        return {"pairs": [[_tagged(key), _tagged(item)] for key, item in value.items()]}
    raise NotPlain(type(value).__name__)


def _untagged(value: Any) -> Any:
    if type(value) is list:
        return [_untagged(item) for item in value]
    if type(value) is dict and "bytes" in value:
        return bytes.fromhex(value["bytes"])
    if type(value) is dict:
        return {_untagged(key): _untagged(item) for key, item in value["pairs"]}
    return value
