"""Files that are written whole or not at all, flushed before they appear, for their owner alone.

- A file gets its name only when all of it is on the disk: killed at any moment, a writer leaves no half of one.
- Whatever the disk refuses is `WRITE_FAILED`.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from boundary_lab.rejected import Rejected

__all__ = ["add", "append", "create", "open_log", "put", "writing"]

_WRITE = os.O_WRONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_CREATE = _WRITE | os.O_CREAT | os.O_EXCL


@contextmanager
def writing(exists: str = "WRITE_FAILED") -> Iterator[None]:
    """What the disk refuses in the block is `WRITE_FAILED`, and a name that is taken is `exists`."""
    try:
        yield
    except FileExistsError as fault:
        raise Rejected(exists) from fault
    except (OSError, ValueError) as fault:  # ValueError: a path with NUL
        raise (fault if isinstance(fault, Rejected) else Rejected("WRITE_FAILED")) from fault


def open_log(path: Path) -> int:
    """The descriptor of a new file to which lines are added."""
    return os.open(path, _CREATE | os.O_APPEND, 0o600)


def add(descriptor: int, data: bytes) -> None:
    """Writes all of the bytes at the end of an open file."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def append(path: Path, line: bytes) -> None:
    """Adds a line to a file that is there, in one piece, so that two writers do not mix."""
    with writing():
        descriptor = os.open(path, _WRITE | os.O_APPEND)
        _fill(descriptor, line)


def put(path: Path, data: bytes) -> None:
    """A file in the place of the one before it, if there is one."""
    with writing(), _named(path, data) as finished:
        finished.replace(path)
        _flush(path.parent)


def create(path: Path, data: bytes, exists: str) -> None:
    """A new file; `exists` where there is one of that name.

    A link to a finished file fails where there is one, and is there at once where there is none.
    """
    if os.path.lexists(path):
        raise Rejected(exists)
    with writing(exists), (_unnamed if _HAS_UNNAMED else _named)(path, data) as finished:
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
        add(descriptor, data)
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
        add(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


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
