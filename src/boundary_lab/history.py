"""Two shortcuts that look like minimisation and are not, and the probe that shows it.

All three are teaching material: a packet is built by `boundary_lab.packet`, never by these.
"""

from collections.abc import Iterable

from boundary_lab.canonical import canonical
from boundary_lab.rejected import Rejected
from boundary_lab.strict_json import JSON

__all__ = ["drop_tool_rows", "flatten_as_summary", "markers_in"]


def _rows(source: object) -> list[dict[str, JSON]]:
    rows = source.get("records") if type(source) is dict else source
    if type(rows) is not list:
        raise Rejected("bad_records")
    for row in rows:
        if type(row) is not dict or type(row.get("type")) is not str or type(row.get("text")) is not str:
            raise Rejected("bad_record")
    return rows


def drop_tool_rows(source: object) -> list[dict[str, JSON]]:
    """Counterexample: the rows of type `message`, private fields and all.

    `source` is a source record, or its list of rows; else `bad_records`, `bad_record`.
    """
    return [row for row in _rows(source) if row["type"] == "message"]


def flatten_as_summary(rows: object) -> dict[str, JSON]:
    """Counterexample: one assistant message that holds every row's text, a line each.

    `rows` is a source record, or its list of rows; else `bad_records`, `bad_record`.
    """
    return {"type": "message", "role": "assistant", "text": "\n".join(str(row["text"]) for row in _rows(rows))}


def markers_in(value: object, markers: Iterable[str]) -> list[str]:
    """Those of the known markers that occur in the canonical JSON of `value`, in the order given.

    It finds only what it was told to look for. No JSON value, or a marker that is not text: `bad_value`.
    """
    text = canonical(value)
    return [marker for marker in markers if _as_written(marker) in text]


def _as_written(marker: object) -> str:
    if type(marker) is not str:
        raise Rejected("bad_value")
    return canonical(marker)[1:-1]
