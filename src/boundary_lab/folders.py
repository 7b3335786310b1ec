"""Where evidence lies: one protocol, the real disk, and a disk in memory of either flavour.

- A path is refused lexically before the disk is asked, and physically before a byte is read.
- `DiskFolder` opens regular files only and never waits for one. With the corrected guard it follows no link
  but one that it resolved and checked, and none that appears after that.
- A refusal leaves no descriptor open.
"""

import ntpath
import os
import posixpath
import stat
from collections.abc import Mapping
from errno import ELOOP
from io import BytesIO, FileIO
from pathlib import Path
from typing import BinaryIO, Protocol
from weakref import finalize

from boundary_lab.containment import GUARDS, Flavour, Guard, join, relative, steps
from boundary_lab.rejected import Rejected

__all__ = ["DiskFolder", "Folder", "SyntheticFolder"]

_CORRECTED = GUARDS["corrected"]
_MANIFEST = "manifest.json"
_MAX_LINKS = 40
_MAX_PATH = 4096  # characters


class Folder(Protocol):
    """A folder of evidence, and what the loader asks of it."""

    flavour: Flavour
    root: str

    def realpath(self, path: str) -> str:
        """The absolute target of a path below the root, its links followed."""

    def open(self, path: str, guard: Guard = _CORRECTED) -> BinaryIO:
        """Evidence, for reading: `EVIDENCE_PATH`, `EVIDENCE_UNREADABLE`, `EVIDENCE_CHANGED`."""

    def open_manifest(self) -> BinaryIO:
        """`manifest.json` of the root, for reading: `MANIFEST_MISSING`."""


def _check_text(path: str) -> None:
    """What can be no path at all is refused, and what is longer than any system takes is not there."""
    try:
        path.encode()
    except UnicodeEncodeError as fault:
        raise Rejected("EVIDENCE_PATH") from fault
    if "\0" in path:
        raise Rejected("EVIDENCE_PATH")
    if len(path) > _MAX_PATH:
        raise Rejected("EVIDENCE_UNREADABLE")


def _check_lexically(folder: Folder, path: str, guard: Guard) -> None:
    _check_text(path)
    if not guard.lexical(folder.flavour, folder.root, path):
        raise Rejected("EVIDENCE_PATH")


def _check_physically(folder: Folder, resolved: str, guard: Guard) -> None:
    if not guard.physical(folder.flavour, folder.root, resolved):
        raise Rejected("EVIDENCE_PATH")


_READ = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_READ_FILE = _READ | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = getattr(os, "O_PATH", _READ) | getattr(os, "O_CLOEXEC", 0) | _NO_LINK | getattr(os, "O_DIRECTORY", 0)
_CAN_WALK = os.open in os.supports_dir_fd and bool(_NO_LINK)


def _native(path: str) -> str:
    """A cited path as the calls of `os` take it, whatever the locale: on the disk its name is UTF-8."""
    return os.fsdecode(path.encode())


class _MetALinkError(Exception):
    pass


class DiskFolder:
    """A folder on the real disk.

    `walk=False` is for systems without `dir_fd`, and the default there: the path is resolved and checked, and
    the opened file must be the one that was checked, by device and inode. That guards the last component only.
    """

    def __init__(self, root: str | Path, *, walk: bool = _CAN_WALK) -> None:
        self.flavour: Flavour = "windows" if os.name == "nt" else "posix"
        self._walks = walk
        self._descriptor: int | None = None
        try:
            self.root = os.path.realpath(root)
        except (OSError, ValueError) as fault:  # this process stands in a folder that is gone; a path with NUL
            raise Rejected("MANIFEST_MISSING") from fault

    def realpath(self, path: str) -> str:
        """The absolute target of a path below the root, links followed as far as they lead somewhere.

        `EVIDENCE_PATH` for what can be no path, `EVIDENCE_UNREADABLE` for one of over 4,096 characters.
        """
        _check_text(path)
        return os.path.realpath(self._target(path))

    def open(self, path: str, guard: Guard = _CORRECTED) -> BinaryIO:
        """A regular file below the root.

        `EVIDENCE_PATH` if the path or what it resolves to is outside; `EVIDENCE_UNREADABLE` if there is none,
        it is no regular file or may not be read; `EVIDENCE_CHANGED` if a link was put there in between.
        With a guard other than the corrected one, it checks and then opens: the counterexample.
        """
        _check_lexically(self, path, guard)
        try:
            if guard is not _CORRECTED:
                descriptor = os.open(self._resolved(path, guard), _READ_FILE)
            elif self._walks:
                descriptor = self._walked(path)
            else:
                descriptor = self._identified(self._resolved(path, guard))
        except OSError as fault:
            raise Rejected("EVIDENCE_UNREADABLE") from fault
        return _regular(descriptor)

    def open_manifest(self) -> BinaryIO:
        """`manifest.json`, opened as evidence is; whatever is wrong is `MANIFEST_MISSING`."""
        try:
            return self.open(_MANIFEST)
        except Rejected as fault:
            raise Rejected("MANIFEST_MISSING") from fault

    def _target(self, path: str) -> str:
        return join(self.flavour, self.root, _native(path))

    def _resolved(self, path: str, guard: Guard) -> str:
        resolved = self.realpath(path)
        _check_physically(self, resolved, guard)
        if os.path.realpath(self._target(path), strict=True) != resolved:
            raise Rejected("EVIDENCE_CHANGED")
        return resolved

    def _walked(self, path: str) -> int:
        try:
            return self._walk(_native(path))
        except _MetALinkError:
            resolved = self._resolved(path, _CORRECTED)
        try:
            return self._walk(resolved)
        except _MetALinkError:
            raise Rejected("EVIDENCE_CHANGED") from None

    def _walk(self, path: str) -> int:
        """A descriptor of a path below the root, every component opened from the one before it."""
        *folders, name = steps(self.flavour, self.root, path) or [""]
        top = here = self._root_descriptor()
        try:
            for step in folders:
                below = os.open(step, _FOLDER, dir_fd=here)
                if here != top:
                    os.close(here)
                here = below
            step = name
            return os.open(name, _READ_FILE | _NO_LINK, dir_fd=here)
        except OSError as fault:
            _raise_for_link(fault, step, here)
            raise
        finally:
            if here != top:
                os.close(here)

    def _root_descriptor(self) -> int:
        if self._descriptor is None:
            self._descriptor = os.open(self.root, _FOLDER)
            finalize(self, os.close, self._descriptor)
        return self._descriptor

    @staticmethod
    def _identified(resolved: str) -> int:
        expected = os.lstat(resolved)
        descriptor = os.open(resolved, _READ_FILE | _NO_LINK)
        if not os.path.samestat(expected, os.fstat(descriptor)):
            os.close(descriptor)
            raise Rejected("EVIDENCE_CHANGED")
        return descriptor


def _raise_for_link(fault: OSError, name: str, folder: int) -> None:
    """What could not be opened may be a link, or may have been one a moment ago."""
    if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        raise _MetALinkError from None
    if fault.errno == ELOOP:
        raise Rejected("EVIDENCE_CHANGED") from fault


def _regular(descriptor: int) -> BinaryIO:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Rejected("EVIDENCE_UNREADABLE")
    return FileIO(descriptor)


class SyntheticFolder:
    """A folder in memory, of either flavour on any host; `touched` holds the calls made for evidence, in order.

    `files`: path → content; `links`: path → what it leads to. Paths are absolute, or relative to the root.
    """

    def __init__(
        self, flavour: Flavour, root: str, files: Mapping[str, bytes], links: Mapping[str, str] | None = None
    ) -> None:
        self.flavour = flavour
        self.root = root
        self.touched: list[str] = []
        self._path = posixpath if flavour == "posix" else ntpath
        self._files = {self._key(path): content for path, content in files.items()}
        self._links = {self._key(path): target for path, target in (links or {}).items()}

    def realpath(self, path: str) -> str:
        """The absolute target of a path, its links followed; a loop of links is `EVIDENCE_UNREADABLE`."""
        _check_text(path)
        self.touched.append("realpath")
        target = join(self.flavour, self.root, path)
        for _ in range(_MAX_LINKS):
            link = self._first_link(target)
            if link is None:
                return target
            led = join(self.flavour, self._path.dirname(link), self._links[self._key(link)])
            target = join(self.flavour, led, relative(self.flavour, link, target))
        raise Rejected("EVIDENCE_UNREADABLE")

    def open(self, path: str, guard: Guard = _CORRECTED) -> BinaryIO:
        """A file that the guard lets through: else `EVIDENCE_PATH`; `EVIDENCE_UNREADABLE` if there is none."""
        _check_lexically(self, path, guard)
        resolved = self.realpath(path)
        _check_physically(self, resolved, guard)
        self.touched.append("read")
        return self._read(resolved, "EVIDENCE_UNREADABLE")

    def open_manifest(self) -> BinaryIO:
        """`manifest.json` of the root; `MANIFEST_MISSING` if there is none. Not recorded."""
        return self._read(_MANIFEST, "MANIFEST_MISSING")

    def _read(self, path: str, code: str) -> BinaryIO:
        content = self._files.get(self._key(path))
        if content is None:
            raise Rejected(code)
        return BytesIO(content)

    def _key(self, path: str) -> str:
        key: str = self._path.normcase(join(self.flavour, self.root, path))
        return key

    def _first_link(self, target: str) -> str | None:
        ancestors = [target]
        while (parent := self._path.dirname(ancestors[-1])) != ancestors[-1]:
            ancestors.append(parent)
        return next((path for path in reversed(ancestors) if self._key(path) in self._links), None)
