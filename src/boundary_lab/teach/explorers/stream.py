"""Lesson 5: a recorded turn, cut after any event: the checkpoint by then, and the verdict."""

import asyncio
import json
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from boundary_lab.fixtures import fixture
from boundary_lab.folders import DiskFolder
from boundary_lab.manifest import load_manifest
from boundary_lab.teach.explorers.explorer import Explorer, choice, steps
from boundary_lab.teach.figures import Lane, Picture
from boundary_lab.teach.show import outcome_of
from boundary_lab.teach.shown import Passage, Stack
from boundary_lab.turn import Checkpoint, Recorder, ReplaySDK, generate

__all__ = ["ENDINGS", "RESUMED", "cut", "explorer"]

_LOADED = load_manifest(DiskFolder(fixture("release")))
_RELEASE = _LOADED.manifest["release"]
_EVENTS = [json.loads(line) for line in fixture("release/success.events.jsonl").read_text("utf-8").splitlines()]
_THREAD = _EVENTS[0]["thread_id"]
_PROSE = {"id": "prose", "type": "agent_message", "text": "Here are your notes!"}

ENDINGS: dict[str, list[Any]] = {
    "the turn is completed": _EVENTS,
    "the turn fails after the answer": [*_EVENTS[:-1], {"type": "turn.failed", "error": {"message": "made up"}}],
    "the answer is no JSON": [*_EVENTS[:-2], {"type": "item.completed", "item": _PROSE}, _EVENTS[-1]],
}
RESUMED = {
    "nothing: a new thread": None,
    "a checkpoint of this input": Checkpoint(_RELEASE, _LOADED.digest, _THREAD),
    "a checkpoint of other bytes": Checkpoint(_RELEASE, "0" * 64, _THREAD),
    "a checkpoint of another thread": Checkpoint(_RELEASE, _LOADED.digest, "different"),
}


def cut(read: int = 5, ending: str = "the turn is completed", resumed: str = "nothing: a new thread") -> Stack:
    """The first `read` events of a recording, and what `generate` makes of them.

    `ending` is a name of `ENDINGS`, `resumed` one of `RESUMED`.
    """
    events = ENDINGS[ending]
    sdk, record = ReplaySDK(events[:read]), Recorder()
    verdict = _finished(outcome_of(generate(sdk, _LOADED, record, RESUMED[resumed])))
    lanes = [
        Lane(
            str(place), _kind(event), place <= len(record.events), "read" if place <= len(record.events) else "not read"
        )
        for place, event in enumerate(events, start=1)
    ]
    newest = record.checkpoints[-1:]
    kept = [f"thread {point.thread_id}, release {point.release}, digest {point.digest[:16]}…" for point in newest]
    return Stack(
        Picture("What of the turn is read", "event", "the reader", lanes, looks="its type"),
        Passage(f"Calls: {', '.join(sdk.calls) or 'none'}.", f"Checkpoint: {', '.join(kept) or 'none'}."),
        Passage(f"Verdict: {verdict}"),
    )


def _finished(running: Coroutine[Any, Any, str]) -> str:
    """The result of a coroutine, also where a loop is running already, as in a notebook."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, running).result()


def _kind(event: Any) -> str:
    item = event.get("item", {}).get("type")
    return f"{event['type']}, {item}" if item else str(event["type"])


def explorer() -> Explorer:
    """How many events, how the turn ends, and what is resumed."""
    return Explorer(
        cut,
        {
            "read": steps("Events that arrive", "Step through the turn; after the fourth, the answer is there.", 5),
            "ending": choice("How it ends", "Three recordings of the same turn.", [*ENDINGS]),
            "resumed": choice("Resumed with", "What lies there from an earlier turn.", [*RESUMED]),
        },
    )
