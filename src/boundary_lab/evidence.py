"""One look at a cited file: its bytes hashed, its UTF-8 checked and its cited lines found in one pass.

- Files are read in pieces, so memory does not grow with them. A large file is hashed in a second thread
  (hashlib lets go of the interpreter lock) while this one decodes it and counts its lines.
- A line ends at LF or CRLF and nowhere else. A byte order mark is part of line 1; nothing is normalised.
"""

from codecs import IncrementalDecoder, getincrementaldecoder
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from io import SEEK_END
from typing import BinaryIO

from boundary_lab.rejected import Rejected

__all__ = ["PIECE", "SMALL", "AnyBytes", "Hashing", "QuoteFinder", "Utf8Check", "pieces", "read", "size_of"]

_UTF_8 = getincrementaldecoder("utf-8")
SMALL = 1 << 16  # bytes: a smaller file is read at once
PIECE = 1 << 20  # bytes read at a time
_DECODED = 1 << 15  # bytes decoded at a time: the text stays in the processor's cache
_AHEAD = 3  # pieces that may wait for the hash


class Utf8Check:
    """Whether a sequence of pieces is UTF-8, and how many line ends each piece holds."""

    def __init__(self) -> None:
        self._decoder: IncrementalDecoder | None = None  # until the first piece that is not ASCII

    def feed(self, piece: bytes) -> int:
        """The number of LF in the next piece; `EVIDENCE_UTF8` if the sequence can no longer be UTF-8."""
        if self._decoder is None:
            if piece.isascii():
                return piece.count(b"\n")
            self._decoder = _UTF_8()
        view = memoryview(piece)
        slices = (view[start : start + _DECODED] for start in range(0, len(piece), _DECODED))
        try:
            return sum([self._decoder.decode(part).count("\n") for part in slices])  # fewer units than bytes
        except UnicodeDecodeError as fault:
            raise Rejected("EVIDENCE_UTF8") from fault

    def end(self) -> None:
        """Says that no piece follows; `EVIDENCE_UTF8` if the last one ended inside a character."""
        if self._decoder and self._decoder.getstate()[0]:
            raise Rejected("EVIDENCE_UTF8")


class AnyBytes(Utf8Check):
    """In its place where bytes that are no UTF-8 pass: the defect of the lane `published`."""

    def feed(self, piece: bytes) -> int:
        """The number of LF in the next piece."""
        return piece.count(b"\n")


class QuoteFinder:
    """Which of the (number, quote) asked for a sequence of pieces holds, each as the whole line of that number.

    Lines count from 1. A line is decoded only if it can equal a quote; of one that goes on from piece to piece no
    more is kept than that takes.
    """

    def __init__(self, asked: Iterable[tuple[int, str]], errors: str = "strict") -> None:
        self.found: set[tuple[int, str]] = set()
        self._asked: dict[int, list[str]] = {}
        for number, quote in asked:
            self._asked.setdefault(number, []).append(quote)
        self._errors = errors
        self._wanted = sorted(self._asked, reverse=True)  # the next one comes last
        self._number = 1  # of the line at which the next piece begins
        self._begun = b""  # what is known of that line, if it is wanted

    def feed(self, piece: bytes, ends: int) -> None:
        """Takes the next piece, which holds `ends` LF and is known to be text."""
        if not self._wanted:
            return
        last = self._number + ends
        if self._wanted[-1] <= last:
            self._take(piece.split(b"\n"), last)
        self._number = last

    def _take(self, lines: list[bytes], last: int) -> None:
        lines[0] = self._begun + lines[0]
        self._begun = b""
        while self._wanted and self._wanted[-1] < last:
            number = self._wanted.pop()
            self._compare(number, lines[number - self._number].removesuffix(b"\r"))
        if self._wanted and self._wanted[-1] == last:
            self._begun = lines[-1][: self._longest(last) + 2]  # a CR, and one byte too many

    def end(self) -> None:
        """Says that no piece follows: what is there of the last line is the whole of it."""
        if self._wanted and self._wanted[-1] == self._number:
            self._compare(self._number, self._begun)

    def _longest(self, number: int) -> int:
        return 4 * max(map(len, self._asked[number]))  # bytes: UTF-8 has at most four for a character

    def _compare(self, number: int, line: bytes) -> None:
        if len(line) <= self._longest(number):
            text = line.decode("utf-8", self._errors)
            if text in self._asked[number]:
                self.found.add((number, text))


def read(file: BinaryIO, limit: int) -> bytes:
    """The next bytes of a file, fewer than `limit` only where it ends; `EVIDENCE_UNREADABLE`."""
    try:
        data = file.read(limit)
        while data and len(data) < limit and (more := file.read(limit - len(data))):
            data += more
    except OSError as fault:
        raise Rejected("EVIDENCE_UNREADABLE") from fault
    return data


def size_of(file: BinaryIO) -> int:
    """The size of a file in bytes; reading begins at its start again."""
    try:
        size = file.seek(0, SEEK_END)
        file.seek(0)
    except OSError as fault:
        raise Rejected("EVIDENCE_UNREADABLE") from fault
    return size


def pieces(file: BinaryIO, size: int) -> Iterator[bytes]:
    """The bytes of a file, piece by piece; `EVIDENCE_CHANGED` if there are more or fewer than `size`."""
    missing = size
    while piece := read(file, PIECE):
        missing -= len(piece)
        if missing < 0:
            break
        yield piece
    if missing:
        raise Rejected("EVIDENCE_CHANGED")


Update = Callable[[bytes], object]


class Hashing:
    """Calls `update` with one piece after another, in a second thread; leaving the block waits for the last."""

    def __init__(self, *updates: Update) -> None:
        self._updates = updates
        self._worker = ThreadPoolExecutor(max_workers=1)
        self._waiting: deque[Future[None]] = deque()

    def __enter__(self) -> "Hashing":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._worker.shutdown()
        for future in self._waiting if kind is None else ():
            future.result()  # what went wrong in there goes on here

    def feed(self, piece: bytes) -> None:
        """Takes the next piece; waits if too many are on their way, so that memory stays bounded."""
        if len(self._waiting) == _AHEAD:
            self._waiting.popleft().result()
        self._waiting.append(self._worker.submit(self._update, piece))

    def _update(self, piece: bytes) -> None:
        for update in self._updates:
            update(piece)
