"""Values as a reader sees them in an output: JSON, with everything short on one line."""

import json

from boundary_lab.strict_json import JSON

__all__ = ["pretty", "show"]

_WIDTH = 100


def pretty(value: JSON, indent: int = 0) -> str:
    """JSON text of a value; a list or object that fits into the line is not broken up."""
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
