"""The lessons' runs as text, the same every time; where a transcript is frozen, equal to it."""

import asyncio
import json
from collections.abc import Iterator
from shutil import get_terminal_size

from boundary_lab.canonical import canonical
from boundary_lab.fixtures import fixture, load
from boundary_lab.folders import DiskFolder, SyntheticFolder
from boundary_lab.history import drop_tool_rows, flatten_as_summary, markers_in
from boundary_lab.manifest import load_manifest
from boundary_lab.notes import STATUS, verify
from boundary_lab.packet import PacketContract
from boundary_lab.popular import POPULAR, answers
from boundary_lab.rejected import Rejected, outcome
from boundary_lab.review import ReviewBook
from boundary_lab.strict_json import JSON
from boundary_lab.turn import Recorder, ReplaySDK, generate

__all__ = ["DEMOS", "paths_json"]


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


def release() -> Iterator[str]:
    """Lesson 5: the frozen release, what the checker says to each candidate, and how each stream ends."""
    loaded = load_manifest(DiskFolder(fixture("release")))
    candidate = load("release/candidate.json")
    yield f"release {loaded.manifest['release']}, bytes-v2 {loaded.digest}"
    yield f"the frozen candidate: {outcome(verify, candidate, loaded.manifest)}; status: {STATUS}"
    events = [json.loads(line) for line in fixture("release/success.events.jsonl").read_text("utf-8").splitlines()]
    record = Recorder()
    drafted = asyncio.run(generate(ReplaySDK(events), loaded, record))
    for kind, item_id in record.events:
        yield f"event {kind}{f' of item {item_id}' if item_id else ''}"
    for checkpoint in record.checkpoints:
        yield f"checkpoint {canonical(checkpoint.to_json())}"
    yield f"the answer is the frozen candidate: {drafted == candidate}"
    for left in range(len(events)):
        cut = generate(ReplaySDK(events[:left]), loaded, Recorder())
        yield f"cut after {left} of {len(events)} events: {outcome(asyncio.run, cut)}"


def byte_digests() -> Iterator[str]:
    """Lesson 3: each byte input under both digests, and two folders whose texts collide."""
    yield f"{'input':24}{'published: text-v1':24}repaired: bytes-v2"
    for case in load("bytes/cases.json"):
        files = {"manifest.json": case["manifest_hex"], "change.patch": case["evidence_hex"]}
        yield f"{case['name']:24}{_digest(files, 'published'):24}{_digest(files, 'repaired')}"
    for pair in load("bytes/framing.json"):
        yield f"{pair['name']:24}{_digest(pair['files_hex'], 'published'):24}{_digest(pair['files_hex'], 'repaired')}"


def _digest(files_hex: dict[str, str], lane: str) -> str:
    """The first 16 digits of a folder's digest in a lane, or the code of its refusal."""
    files = {name: bytes.fromhex(content) for name, content in files_hex.items()}
    try:
        return load_manifest(SyntheticFolder("posix", "/", files), lane).digest[:16]
    except Rejected as refusal:
        return refusal.code


_COLUMN = 7


def paths() -> Iterator[str]:
    """Lesson 4: popular guards over the frozen cases, as wide as the terminal; an empty cell is a right answer."""
    table = answers()
    width = min(max(map(len, table)) + 1, max(16, get_terminal_size().columns - _COLUMN * len(POPULAR)))
    for number, guard in enumerate(POPULAR, start=1):
        yield f"{number}  {guard}"
    yield f"\n{'case':{width}}{''.join(f'{number:>{_COLUMN}}' for number in range(1, len(POPULAR) + 1))}"
    for case, row in table.items():
        name = case if len(case) <= width else f"{case[: width - 1]}…"
        words = ("" if cell.right else cell.does for cell in row.values())
        yield f"{name:{width}}{''.join(f'{word:>{_COLUMN}}' for word in words)}".rstrip()
    wrong = [sum(not row[guard].right for row in table.values()) for guard in POPULAR]
    yield f"{'wrong answers':{width}}{''.join(f'{count:>{_COLUMN}}' for count in wrong)}"


def paths_json() -> list[JSON]:
    """The same as JSON: an object for each case, with what each guard does and whether that is right."""
    return [
        {"case": case, "guards": {name: {"does": cell.does, "right": cell.right} for name, cell in row.items()}}
        for case, row in answers().items()
    ]


DEMOS = {"handoff": handoff, "review": review, "release": release, "bytes": byte_digests, "paths": paths}
