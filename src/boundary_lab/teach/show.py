"""Values and verdicts as a reader sees them in an output."""

import json
from collections.abc import Awaitable

from boundary_lab.rejected import Rejected
from boundary_lab.strict_json import JSON

__all__ = ["outcome_of", "pretty", "show"]

_WIDTH = 100


def pretty(value: JSON, indent: int = 0) -> str:
    """JSON text of a value; a list or object that fits into the line stays on it."""
    flat = json.dumps(value, ensure_ascii=False)
    if indent + len(flat) <= _WIDTH or not isinstance(value, list | dict):
        return flat
    if isinstance(value, dict):
        members = [f"{json.dumps(key, ensure_ascii=False)}: {pretty(item, indent + 2)}" for key, item in value.items()]
    else:
        members = [pretty(item, indent + 2) for item in value]
    opened, closed = "{}" if isinstance(value, dict) else "[]"
    margin = "\n" + " " * indent
    return opened + ",".join(f"{margin}  {member}" for member in members) + margin + closed


def show(value: JSON) -> None:
    """Prints a value as JSON."""
    print(pretty(value))


async def outcome_of(awaitable: Awaitable[object]) -> str:
    """As `outcome`, for what is awaited."""
    try:
        await awaitable
    except Rejected as refusal:
        return refusal.code
    return "accepted"
