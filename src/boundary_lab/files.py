"""Files read whole from the disk: regular files only, never more than a limit, and no `OSError` leaves."""

import os
import stat
from pathlib import Path
from typing import BinaryIO

from boundary_lab.rejected import Rejected
from boundary_lab.strict_json import JSON, Words, parse_bytes

__all__ = ["open_regular", "read_json", "read_regular"]

_MAX_BYTES = 1 << 20
_READ = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def open_regular(path: str | Path, missing: str) -> BinaryIO:
    """A regular file, for reading; none, another kind or no permission is refused with `missing`. Never waits."""
    try:
        descriptor = os.open(path, _READ)
    except (OSError, ValueError) as fault:  # ValueError: a path with NUL
        raise Rejected(missing) from fault
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Rejected(missing)
    return os.fdopen(descriptor, "rb")


def read_regular(path: str | Path, limit: int, missing: str) -> bytes:
    """The bytes of a regular file, at most one more than `limit`; `missing` if it cannot be read."""
    with open_regular(path, missing) as file:
        try:
            return file.read(limit + 1)
        except OSError as fault:
            raise Rejected(missing) from fault


def read_json(path: str | Path, words: Words) -> JSON:
    """The strict JSON of a regular file of at most 1 MiB; one that cannot be read has the wrong `size`."""
    return parse_bytes(read_regular(path, _MAX_BYTES, words.size), _MAX_BYTES, words)
