"""Lesson 1: which rows and fields of the ticket cross, and which markers cross with them."""

import json
from collections.abc import Sequence

from boundary_lab.fixtures import fixture, load
from boundary_lab.history import markers_in
from boundary_lab.packet import PacketContract
from boundary_lab.strict_json import JSON
from boundary_lab.teach.explorers.explorer import Explorer, Invalid, boxes, typed
from boundary_lab.teach.figures import Lane, Picture
from boundary_lab.teach.shown import Passage, Stack

__all__ = ["FIELDS", "ROWS", "crossing", "explorer"]

_SOURCE = load("handoff/source-record.json")
_MARKERS = load("handoff/contract.json")["forbidden_markers"]
_PACKET = PacketContract.load(fixture("handoff/contract.json")).project(_SOURCE)
_SHORTEST = 3

ROWS = tuple(row["id"] for row in _SOURCE["records"])
FIELDS = ("text", "facts", "private")


def crossing(rows: Sequence[str] = ROWS, fields: Sequence[str] = FIELDS, marker: str = "") -> Stack:
    """The ticket's rows before the boundary, with these of them and these of their fields let through.

    `marker` is looked for beside the contract's three; with fewer than three characters it is `Invalid`.
    """
    if marker and len(marker) < _SHORTEST:
        raise Invalid("marker", "write at least three characters, or none; shorter ones are everywhere")
    markers = sorted({*_MARKERS, marker} - {""})
    handed = {row["id"]: _cut(row, fields) for row in _SOURCE["records"] if row["id"] in rows}
    lanes = [_lane(row, handed.get(row["id"]), markers) for row in _SOURCE["records"]]
    across, in_packet = (_listed(markers_in(value, markers)) for value in ([*handed.values()], _PACKET))
    return Stack(
        Picture("What of the ticket crosses", "the ticket", "markers in it", lanes, looks="its box"),
        Passage(
            f"Looked for: {_listed(markers)}.",
            f"Markers that cross: {across}.",
            f"In the packet that the contract builds: {in_packet}.",
        ),
        Passage(*(f"{name} · {json.dumps(row, ensure_ascii=False)}" for name, row in handed.items()), lit=markers),
    )


def _cut(row: dict[str, JSON], fields: Sequence[str]) -> dict[str, JSON]:
    return {field: row[field] for field in fields if field in row}


def _lane(row: dict[str, JSON], handed: dict[str, JSON] | None, markers: Sequence[str]) -> Lane:
    what = f"{row['id']}, {row['type']}"
    if handed is None:
        return Lane(what, "not ticked", crosses=False, then="kept back")
    return Lane(what, "ticked", crosses=True, then=_listed(markers_in(handed, markers)))


def _listed(markers: Sequence[str]) -> str:
    return ", ".join(markers) or "none"


def explorer() -> Explorer:
    """Boxes for rows and fields, and a marker of one's own."""
    return Explorer(
        crossing,
        {
            "rows": boxes("Rows that cross", "Untick a row to keep it back.", ROWS, ROWS),
            "fields": boxes("Fields that cross", "Untick a field to cut it out of every row.", FIELDS, FIELDS),
            "marker": typed("Also look for", "A text of your own, such as one from the rows below.", ""),
        },
    )
