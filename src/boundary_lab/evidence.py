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

    def __init__(self, asked: Iterable[tuple[int, str]], errors: str) -> None:
        self.found: set[tuple[int, str]] = set()
        self._asked: dict[int, set[str]] = {}
        for number, quote in asked:
            self._asked.setdefault(number, set()).add(quote)
        self._errors = errors
        self._wanted = sorted(self._asked, reverse=True)  # the next one comes last
        self._number = 1  # of the line at which the next piece begins
        self._await_next()

    def feed(self, piece: bytes, ends: int) -> None:
        """Takes the next piece, which holds `ends` LF and is known to be text."""
        if not self._wanted:
            return
        last = self._number + ends
        if self._wanted[-1] <= last:
            self._take(piece.split(b"\n"), last)
        self._number = last

    def _take(self, lines: list[bytes], last: int) -> None:
        while self._wanted and self._wanted[-1] <= last:
            part = lines[self._wanted[-1] - self._number]
            self._size += len(part)
            if self._size <= self._most:
                self._begun.append(part)
            if self._wanted[-1] == last:
                return  # it goes on in the next piece
            self._compare(ended=True)

    def end(self) -> None:
        """Says that no piece follows: what is there of the last line is the whole of it."""
        if self._wanted and self._wanted[-1] == self._number:
            self._compare(ended=False)

    def _compare(self, *, ended: bool) -> None:
        """Compares the line that was waited for, less the CR before its LF, and waits for the next."""
        number = self._wanted.pop()
        if self._size <= self._most:
            line = b"".join(self._begun)
            text = (line.removesuffix(b"\r") if ended else line).decode("utf-8", self._errors)
            if text in self._asked[number]:
                self.found.add((number, text))
        self._await_next()

    def _await_next(self) -> None:
        self._begun: list[bytes] = []
        self._size = 0
        if self._wanted:
            quotes = self._asked[self._wanted[-1]]
            self._most = max(len(quote.encode("utf-8", "surrogatepass")) for quote in quotes) + 1  # a CR


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
    """Calls each update with one piece after another, in a second thread; leaving the block waits for the last.

    Where the system gives no thread, they are called at once.
    """

    def __init__(self, *updates: Update) -> None:
        self._updates = updates
        self._worker = ThreadPoolExecutor(max_workers=1)
        self._has_thread = True
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
        try:
            if self._has_thread:
                self._waiting.append(self._worker.submit(self._update, piece))
        except RuntimeError:  # the system gives no thread, so that none will ever take a piece
            self._has_thread = False
        if not self._has_thread:
            self._update(piece)

    def _update(self, piece: bytes) -> None:
        for update in self._updates:
            update(piece)
