"""A race for real: a second thread swaps a file for a link that leads outside, as fast as it can, while we read."""

import threading
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from boundary_lab.folders import DiskFolder
from boundary_lab.rejected import Rejected

__all__ = ["race"]

_NAME = "a.patch"
_INSIDE, _OUTSIDE = b"inside\n", b"outside\n"


def race(guard: Callable[[DiskFolder, str], BinaryIO], loads: int) -> Counter[str]:
    """How `loads` openings of one cited file ended: `inside`, `outside` (foreign bytes), or the code of a refusal.

    `guard` opens a path below a folder, such as `DiskFolder.open`.
    """
    with TemporaryDirectory() as place:
        root, outside = Path(place, "root"), Path(place, "outside.patch")
        root.mkdir()
        outside.write_bytes(_OUTSIDE)
        (root / _NAME).write_bytes(_INSIDE)
        done = threading.Event()
        swapper = threading.Thread(target=_swap, args=(root, outside, done))
        swapper.start()
        try:
            folder = DiskFolder(root)
            return Counter(_load(guard, folder) for _ in range(loads))
        finally:
            done.set()
            swapper.join()


def _load(guard: Callable[[DiskFolder, str], BinaryIO], folder: DiskFolder) -> str:
    try:
        with guard(folder, _NAME) as file:
            return "outside" if file.read() == _OUTSIDE else "inside"
    except Rejected as refusal:
        return refusal.code


def _swap(root: Path, outside: Path, done: threading.Event) -> None:
    fresh = root / "fresh"
    for turn in count():
        if done.is_set():
            return
        if turn % 2:
            fresh.write_bytes(_INSIDE)
        else:
            fresh.symlink_to(outside)
        fresh.replace(root / _NAME)
