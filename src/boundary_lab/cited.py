"""The files that a manifest cites: each looked at once, and taken into the digest at each of its citations.

- A file is opened and decoded once, however often it is cited. A later citation takes it from memory if it is
  small, else reads it again from the same descriptor, and refuses if it differs from the first look.
- Memory and open descriptors are bounded, whatever the folder holds.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import BinaryIO, NamedTuple

from boundary_lab.containment import Guard
from boundary_lab.digests import Digest
from boundary_lab.evidence import PIECE, SMALL, Hashing, QuoteFinder, Utf8Check, pieces, read, size_of
from boundary_lab.folders import Folder
from boundary_lab.rejected import Rejected

__all__ = ["Citation", "CitedFiles", "Progress"]

_KEPT_BYTES = 8 << 20  # of files that are cited again, each under PIECE
_KEPT_FILES = 16  # open, of larger files that are cited again

Progress = Callable[[int, int, int], object]


class Citation(NamedTuple):
    """One piece of evidence: a path, a physical line from 1, and the exact text of that line."""

    path: str
    line: int
    quote: str


class _Look(NamedTuple):
    """What the first look at a file leaves for its later citations."""

    there: set[tuple[int, str]]  # the cited (line, quote) that it holds
    size: int
    content: bytes | None  # of a small file
    digest: bytes  # of a file that has to be read again


class CitedFiles:
    """The cited files of one manifest, taken citation by citation in its order.

    `check` says which bytes pass, and `errors` how a line that passed is decoded.
    """

    def __init__(
        self,
        folder: Folder,
        guard: Guard,
        cited: list[Citation],
        *,
        check: type[Utf8Check],
        errors: str,
        progress: Progress | None,
    ) -> None:
        self._folder, self._guard = folder, guard
        self._check, self._errors, self._progress = check, errors, progress
        self._asked: dict[str, list[tuple[int, str]]] = {}
        for path, line, quote in cited:
            self._asked.setdefault(path, []).append((line, quote))
        self._later = {path: len(asked) for path, asked in self._asked.items()}
        self._looks: dict[str, _Look] = {}
        self._files: OrderedDict[str, BinaryIO] = OrderedDict()
        self._all = len(cited)
        self._kept_bytes = self._done = self._bytes_read = 0

    def __enter__(self) -> "CitedFiles":
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            file.close()

    def take(self, citation: Citation, digest: Digest) -> None:
        """Feeds the digest with the cited file; the line must hold the quote, else `INPUT_QUOTE_MISMATCH`."""
        path, line, quote = citation
        self._later[path] -= 1
        look = self._look_again if path in self._looks else self._first_look
        there = look(path, digest)
        if (line, quote) not in there:
            raise Rejected("INPUT_QUOTE_MISMATCH")
        self._done += 1

    def _first_look(self, path: str, digest: Digest) -> set[tuple[int, str]]:
        file = self._files[path] = self._folder.open(path, self._guard)
        enough = PIECE if self._later[path] else SMALL  # a file that is cited again is worth keeping whole
        head = read(file, enough)
        if len(head) < enough:
            self._files.pop(path).close()
            return self._look_at_whole(path, head, digest)
        size = size_of(file)
        digest.begin(path, size)
        own = sha256()
        updates = (digest.update, own.update) if self._later[path] else (digest.update,)
        with Hashing(*updates) as hashing:
            there = self._find(path, self._fed(pieces(file, size), hashing))
        if self._later[path]:
            self._looks[path] = _Look(there, size, None, own.digest())
        self._release(path)
        return there

    def _look_at_whole(self, path: str, content: bytes, digest: Digest) -> set[tuple[int, str]]:
        digest.begin(path, len(content))
        digest.update(content)
        self._report(len(content))
        there = self._find(path, (content,))
        if self._later[path]:
            kept = self._kept_bytes + len(content) <= _KEPT_BYTES
            self._kept_bytes += len(content) if kept else 0
            self._looks[path] = _Look(
                there, len(content), content if kept else None, b"" if kept else sha256(content).digest()
            )
        return there

    def _look_again(self, path: str, digest: Digest) -> set[tuple[int, str]]:
        look = self._looks[path]
        digest.begin(path, look.size)
        if look.content is None:
            self._read_again(path, look, digest)
        else:
            digest.update(look.content)
        if not self._later[path]:
            self._kept_bytes -= len(self._looks.pop(path).content or b"")
        return look.there

    def _fed(self, read: Iterable[bytes], hashing: Hashing) -> Iterator[bytes]:
        for piece in read:
            hashing.feed(piece)
            self._report(len(piece))
            yield piece

    def _find(self, path: str, read: Iterable[bytes]) -> set[tuple[int, str]]:
        """Those of the (line, quote) asked for that are there; the whole of what is read is checked."""
        finder = QuoteFinder(self._asked.pop(path), self._errors)
        check = self._check()
        for piece in read:
            finder.feed(piece, check.feed(piece))
        check.end()
        finder.end()
        return finder.found

    def _read_again(self, path: str, look: _Look, digest: Digest) -> None:
        file = self._files.get(path)
        if file is None:
            file = self._files[path] = self._folder.open(path, self._guard)
        if size_of(file) != look.size:
            raise Rejected("EVIDENCE_CHANGED")
        own = sha256()
        with Hashing(digest.update, own.update) as hashing:
            deque(self._fed(pieces(file, look.size), hashing), maxlen=0)
        if own.digest() != look.digest:
            raise Rejected("EVIDENCE_CHANGED")
        self._release(path)

    def _release(self, path: str) -> None:
        """Closes a file that is not cited again, and the one that waited longest if too many are open."""
        if not self._later[path]:
            self._files.pop(path).close()
            return
        self._files.move_to_end(path)
        if len(self._files) > _KEPT_FILES:
            self._files.popitem(last=False)[1].close()

    def _report(self, read: int) -> None:
        self._bytes_read += read
        if self._progress:
            self._progress(self._done, self._all, self._bytes_read)
