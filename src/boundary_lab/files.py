"""Whole small files from the disk: regular files only, never more than a limit, and no `OSError` leaves."""

import os
import stat
from pathlib import Path

from boundary_lab.rejected import Rejected
from boundary_lab.strict_json import JSON, Words, parse_bytes

__all__ = ["read_json"]

_MAX_BYTES = 1 << 20


def _read(path: str | Path) -> bytes:
    """At most one byte more than the limit; a FIFO is not waited for."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("not a regular file")
        return file.read(_MAX_BYTES + 1)


def read_json(path: str | Path, words: Words) -> JSON:
    """The strict JSON of a regular file of at most 1 MiB; one that cannot be read has the wrong `size`."""
    try:
        data = _read(path)
    except (OSError, ValueError) as fault:  # ValueError: a path with NUL
        raise Rejected(words.size) from fault
    return parse_bytes(data, _MAX_BYTES, words)
