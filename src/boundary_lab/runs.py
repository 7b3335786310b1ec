"""What a run leaves on the disk: whole files or none, flushed before they appear, for their owner alone.

- A run folder is new. A checkpoint replaces the one before it; a candidate and a report replace nothing.
- A file gets its name only when all of it is on the disk: killed at any moment, a run leaves no half of one.
- Whatever the disk refuses is `WRITE_FAILED`.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from types import TracebackType

from boundary_lab.canonical import canonical
from boundary_lab.files import open_regular, read_regular
from boundary_lab.manifest import Loaded
from boundary_lab.notes import CHECKS, STATUS
from boundary_lab.rejected import Rejected
from boundary_lab.strict_json import JSON, Words, parse_bytes
from boundary_lab.turn import MAX_CANDIDATE_BYTES, Checkpoint, parse_candidate

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
        with _writing("RUN_EXISTS"):
            self._path.mkdir(mode=0o700)
        try:
            with _writing():
                self._events = os.open(self._path / "events.jsonl", _CREATE | os.O_APPEND, 0o600)
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
        self._put("checkpoint.json", _text(checkpoint.to_json(), ascii_only=True))

    def thread(self, recording: bytes) -> None:
        """Keeps the recording of a live thread, `thread.jsonl`, without which its checkpoint cannot be resumed."""
        self._put("thread.jsonl", recording)

    def _put(self, name: str, data: bytes) -> None:
        path = self._path / name
        with _writing(), _named(path, data) as finished:
            finished.replace(path)
            _flush(path.parent)

    def event(self, kind: str, item_id: str | None) -> None:
        """Adds a line with an event's type and its item's id."""
        line = json.dumps({"type": kind, "item": item_id}) + "\n"
        with _writing():
            _write(self._events, line.encode())

    def candidate(self, candidate: JSON) -> None:
        """Writes the candidate, and makes sure that the events before it are on the disk."""
        with _writing():
            os.fsync(self._events)
        _write_new(self._path / "candidate.json", candidate, "WRITE_FAILED")


_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


@contextmanager
def _writing(exists: str = "WRITE_FAILED") -> Iterator[None]:
    try:
        yield
    except FileExistsError as fault:
        raise Rejected(exists) from fault
    except (OSError, ValueError) as fault:  # ValueError: a path with NUL
        raise (fault if isinstance(fault, Rejected) else Rejected("WRITE_FAILED")) from fault


def _text(value: JSON, *, ascii_only: bool = False) -> bytes:
    return (json.dumps(value, ensure_ascii=ascii_only, indent=2) + "\n").encode()


def _write_new(path: Path, value: JSON, exists: str) -> None:
    """A link to a finished file fails where there is one of that name, and is there at once where there is none."""
    canonical(value)  # or it is no JSON, and no file could be read back
    data = _text(value)
    if os.path.lexists(path):
        raise Rejected(exists)
    with _writing(exists), (_unnamed if _HAS_UNNAMED else _named)(path, data) as finished:
        _link(finished, path)
        try:
            _flush(path.parent)
        except OSError:
            path.unlink()
            raise


@contextmanager
def _named(path: Path, data: bytes) -> Iterator[Path]:
    """A finished file beside `path`, under a name that nobody else has, as long as the block lasts."""
    scratch = path.with_name(f".{path.name}.{token_hex(8)}")
    descriptor = os.open(scratch, _CREATE, 0o600)
    try:
        _fill(descriptor, data)
        yield scratch
    finally:
        with suppress(OSError):
            scratch.unlink()


_LINKS_AT_FOLDERS = os.link in os.supports_dir_fd
# A file without a name vanishes with its writer, even a killed one.
_HAS_UNNAMED = _LINKS_AT_FOLDERS and hasattr(os, "O_TMPFILE") and Path("/proc/self/fd").is_dir()


@contextmanager
def _unnamed(path: Path, data: bytes) -> Iterator[Path]:
    """A finished file on the disk of `path`, as long as the block lasts; where it cannot be had, a named one."""
    try:
        descriptor = os.open(path.parent, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    except OSError:
        with _named(path, data) as finished:
            yield finished
        return
    try:
        _write(descriptor, data)
        os.fsync(descriptor)
        yield Path(f"/proc/self/fd/{descriptor}")
    finally:
        with suppress(OSError):
            os.close(descriptor)


def _link(finished: Path, path: Path) -> None:
    if not _LINKS_AT_FOLDERS:
        os.link(finished, path)
        return
    with _opened(path.parent) as folder:
        os.link(finished, path.name, dst_dir_fd=folder)  # with a folder given, the link in /proc is followed


def _fill(descriptor: int, data: bytes) -> None:
    """Writes a file, to the disk, and closes it."""
    try:
        _write(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _flush(folder: Path) -> None:
    """Makes a new name in a folder last, where the system can open a folder."""
    if os.name != "nt":  # pragma: no branch  what Windows does instead is nothing
        with _opened(folder) as descriptor:
            os.fsync(descriptor)


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        yield descriptor
    finally:
        with suppress(OSError):
            os.close(descriptor)
