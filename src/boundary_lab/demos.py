"""The lessons' runs as text, each equal to the frozen transcript of its lesson."""

import json
from collections.abc import Iterator

from boundary_lab.canonical import canonical
from boundary_lab.fixtures import fixture, load
from boundary_lab.history import drop_tool_rows, flatten_as_summary, markers_in
from boundary_lab.packet import PacketContract
from boundary_lab.rejected import outcome
from boundary_lab.review import ReviewBook

__all__ = ["DEMOS"]


def _indented(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def handoff() -> Iterator[str]:
    """Lesson 1: how many markers each way of handing over lets across; the packet; the receipt."""
    contract = PacketContract.load(fixture("handoff/contract.json"))
    source = load("handoff/source-record.json")
    packet = contract.project(source)
    crossing = {
        "full_history": source,
        "without_tool_rows": drop_tool_rows(source),
        "summary_of_all_rows": flatten_as_summary(source),
        "minimal_packet": packet,
    }
    for name, value in crossing.items():
        yield f"{name}: fixture markers = {len(markers_in(value, contract.forbidden_markers))}"
    yield from ("packet:", _indented(packet))
    yield from ("receiver:", _indented(contract.receive(canonical(packet))))


def review() -> Iterator[str]:
    """Lesson 2: a correction that lesson 1 does not see, the refusals that see it, and the recovery."""
    contract = PacketContract.load(fixture("handoff/contract.json"))
    corrected = load("handoff/source-record.json")
    correction = load("review/correction.json")
    next(row for row in corrected["records"] if row["id"] == correction["record"])["text"] = correction["text"]
    unchanged = contract.project(corrected)
    yield f"baseline corrected input: {canonical(corrected)}"
    yield f"baseline unchanged packet: {canonical(unchanged)}"
    yield f"baseline wrong next question: {canonical(contract.receive(canonical(unchanged)))}"

    book = ReviewBook.load(fixture("review"))
    old, new = (load("review/sources.json")[revision] for revision in ("R1", "R2"))
    packet = book.project(old, "R1")
    yield f"review R1 source: {canonical(old)}"
    yield f"review R1 packet: {canonical(packet)}"
    yield f"review R1 answer: {canonical(book.receive(canonical(packet), 'R1'))}"

    text_only = load("review/sources.json")["R1"]
    text_only["records"][0]["text"] = new["records"][0]["text"]
    yield f"text-only correction input: {canonical(text_only)}"
    yield f"text-only correction rejected: {canonical({'error': outcome(book.project, text_only, 'R1')})}"
    yield f"old packet with current R2: {canonical({'error': outcome(book.receive, canonical(packet), 'R2')})}"

    recovered = book.project(new, "R2")
    yield f"review R2 source: {canonical(new)}"
    yield f"recovered packet: {canonical(recovered)}"
    yield f"recovered answer: {canonical(book.receive(canonical(recovered), 'R2'))}"


DEMOS = {"handoff": handoff, "review": review}
