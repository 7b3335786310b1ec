"""What a run leaves on the disk: whole files or none, flushed before they appear, for their owner alone.

- A run folder is new. A checkpoint replaces the one before it; a candidate and a report replace nothing.
- How a file gets its name, and `WRITE_FAILED`: `boundary_lab.written`.
"""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from boundary_lab.canonical import canonical
from boundary_lab.files import open_regular, read_regular
from boundary_lab.manifest import Loaded
from boundary_lab.notes import CHECKS, STATUS
from boundary_lab.rejected import Rejected
from boundary_lab.strict_json import JSON, Words, parse_bytes
from boundary_lab.turn import MAX_CANDIDATE_BYTES, Checkpoint, parse_candidate
from boundary_lab.written import add, create, open_log, put, writing

__all__ = [
    "MAX_CHECKPOINT_BYTES",
    "MAX_EVENT_BYTES",
    "MAX_THREAD_BYTES",
    "EventFile",
    "RunFolder",
    "read_candidate",
    "read_checkpoint",
    "read_thread",
    "report",
    "write_report",
]

MAX_CHECKPOINT_BYTES = 64 << 10
MAX_EVENT_BYTES = 16 << 20
MAX_THREAD_BYTES = 256 << 20


def read_candidate(path: str | Path) -> JSON:
    """The strict JSON of a candidate's file: `CANDIDATE_MISSING`, and as `parse_candidate`."""
    return parse_candidate(read_regular(path, MAX_CANDIDATE_BYTES, "CANDIDATE_MISSING"))


def read_checkpoint(path: str | Path) -> Checkpoint:
    """A checkpoint of at most 64 KiB: `CHECKPOINT_MISSING`, `CHECKPOINT_SHAPE`."""
    data = read_regular(path, MAX_CHECKPOINT_BYTES, "CHECKPOINT_MISSING")
    return Checkpoint.from_json(parse_bytes(data, MAX_CHECKPOINT_BYTES, Words.only("CHECKPOINT_SHAPE")))


def read_thread(checkpoint: str | Path) -> bytes:
    """The recording that a live run left beside its checkpoint, at most 256 MiB; `THREAD_UNKNOWN`."""
    data = read_regular(Path(checkpoint).parent / "thread.jsonl", MAX_THREAD_BYTES, "THREAD_UNKNOWN")
    if len(data) > MAX_THREAD_BYTES:
        raise Rejected("THREAD_UNKNOWN")
    return data


class EventFile:
    """The events of a file, one strict JSON text of at most 16 MiB a line, read as they are asked for.

    `EVENTS_MISSING` at once; `EVENT_SHAPE` when the line comes. To be closed, or used as a context.
    """

    def __init__(self, path: str | Path) -> None:
        self._file = open_regular(path, "EVENTS_MISSING")

    def __enter__(self) -> "EventFile":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[JSON]:
        words = Words.only("EVENT_SHAPE")
        while line := self._next_line():
            yield parse_bytes(line.removesuffix(b"\n"), MAX_EVENT_BYTES, words)

    def _next_line(self) -> bytes:
        try:
            return self._file.readline(MAX_EVENT_BYTES + 2)  # its LF, and one byte too many
        except OSError as fault:
            raise Rejected("EVENTS_MISSING") from fault


def report(loaded: Loaded, candidate: JSON) -> dict[str, JSON]:
    """What `boundary-lab check` says of a verified candidate. It never says approved."""
    return {
        "status": STATUS,
        "release": loaded.manifest["release"],
        "digest": loaded.digest,
        "checks": list(CHECKS),
        "candidate": candidate,
    }


def write_report(path: str | Path, value: JSON) -> None:
    """A new file, whole or not at all: `REPORT_EXISTS`, `WRITE_FAILED`; `bad_value` for what is no JSON."""
    _write_new(Path(path), value, "REPORT_EXISTS")


class RunFolder:
    """A new folder (0700) with `checkpoint.json`, `events.jsonl` and, at the end, `candidate.json` (0600).

    A live run leaves a `thread.jsonl` too. It is the sink of a turn.
    `RUN_EXISTS` if there is something of that name already; `WRITE_FAILED`.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        with writing("RUN_EXISTS"):
            self._path.mkdir(mode=0o700)
        try:
            with writing():
                self._events = open_log(self._path / "events.jsonl")
        except Rejected:
            with suppress(OSError):
                self._path.rmdir()
            raise

    def __enter__(self) -> "RunFolder":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):
            os.close(self._events)

    def checkpoint(self, checkpoint: Checkpoint) -> None:
        """Puts the newest checkpoint in the place of the one before it."""
        put(self._path / "checkpoint.json", _text(checkpoint.to_json(), ascii_only=True))

    def thread(self, recording: bytes) -> None:
        """Keeps the recording of a live thread, `thread.jsonl`, without which its checkpoint cannot be resumed."""
        put(self._path / "thread.jsonl", recording)

    def event(self, kind: str, item_id: str | None) -> None:
        """Adds a line with an event's type and its item's id."""
        line = json.dumps({"type": kind, "item": item_id}) + "\n"
        with writing():
            add(self._events, line.encode())

    def candidate(self, candidate: JSON) -> None:
        """Writes the candidate, and makes sure that the events before it are on the disk."""
        with writing():
            os.fsync(self._events)
        _write_new(self._path / "candidate.json", candidate, "WRITE_FAILED")


def _text(value: JSON, *, ascii_only: bool = False) -> bytes:
    return (json.dumps(value, ensure_ascii=ascii_only, indent=2) + "\n").encode()


def _write_new(path: Path, value: JSON, exists: str) -> None:
    canonical(value)  # or it is no JSON, and no file could be read back
    create(path, _text(value), exists)
