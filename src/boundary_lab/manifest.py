"""The manifest of a release: its changes, each with evidence that is there, and one digest of it all.

- All shapes and repeated entries are checked first; then, evidence by evidence in manifest order, the path,
  the opening, the UTF-8 of the whole file and the quote.
- A cited file is opened and looked at once, however often it is cited. The digest takes it again at each later
  citation: from memory if it is small, from the same descriptor if not, refused if it differs from the first look.
- Memory and open descriptors are bounded, whatever the folder holds.
- The lane `repaired` is strict; `published` keeps the defects of the first version and must be named.
"""

import json
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType
from typing import Any, BinaryIO, NamedTuple

from boundary_lab.containment import GUARDS, Guard
from boundary_lab.digests import BytesV2, Digest, TextV1
from boundary_lab.evidence import PIECE, SMALL, AnyBytes, Hashing, QuoteFinder, Utf8Check, pieces, read, size_of
from boundary_lab.folders import Folder
from boundary_lab.rejected import Rejected
from boundary_lab.shapes import Shapes
from boundary_lab.strict_json import JSON, Words, parse_bytes

__all__ = ["MAX_MANIFEST_BYTES", "Citation", "Loaded", "Release", "citations", "load_manifest", "read_release"]

MAX_MANIFEST_BYTES = 64 << 20
_KEPT_BYTES = 8 << 20  # of small files that are cited again
_KEPT_FILES = 16  # open, of large files that are cited again

_MANIFEST = Shapes("MANIFEST_SHAPE", keys="SHAPE")
_EVIDENCE = Shapes("EVIDENCE_SHAPE", keys="SHAPE")
_WORDS = Words(
    size="MANIFEST_SIZE",
    encoding="MANIFEST_UTF8",
    bom="MANIFEST_BOM",
    syntax="MANIFEST_JSON",
    surrogate="MANIFEST_JSON",
    repeated_key="MANIFEST_JSON",
)


class Citation(NamedTuple):
    """One piece of evidence: a path, a physical line from 1, and the exact text of that line."""

    path: str
    line: int
    quote: str


def citations(evidence: object, shapes: Shapes, repeated: str) -> Iterator[Citation]:
    """The citations of a list that is not empty; `SHAPE`, `EVIDENCE_SHAPE`, and `repeated` for one given twice."""
    seen = set()
    for value in shapes.items(evidence):
        path, line, quote = _EVIDENCE.record(value, "path", "line", "quote")
        cited = Citation(_EVIDENCE.text(path), _EVIDENCE.count(line), _EVIDENCE.text(quote))
        yield cited  # the reader's own check of this one comes before the next
        if cited in seen:
            raise Rejected(repeated)
        seen.add(cited)


@dataclass(frozen=True, slots=True)
class Release:
    """What a manifest says: the release, and for each change id its citations, in manifest order."""

    release: str
    changes: Mapping[str, tuple[Citation, ...]]


def read_release(manifest: object) -> Release:
    """The release of a manifest's JSON value; nothing is opened.

    Refuses with `SHAPE`, `MANIFEST_SHAPE`, `EVIDENCE_SHAPE`, `DUPLICATE_INPUT`, `DUPLICATE_INPUT_EVIDENCE`.
    """
    release, changes = _MANIFEST.record(manifest, "release", "changes")
    _MANIFEST.text(release)
    read: dict[str, tuple[Citation, ...]] = {}
    for change in _MANIFEST.items(changes):
        change_id, commit, summary, evidence = _MANIFEST.record(change, "changeId", "commit", "summary", "evidence")
        name, *_ = (_MANIFEST.text(text) for text in (change_id, commit, summary))
        if name in read:
            raise Rejected("DUPLICATE_INPUT")
        read[name] = tuple(citations(evidence, _MANIFEST, "DUPLICATE_INPUT_EVIDENCE"))
    return Release(_MANIFEST.text(release), MappingProxyType(read))


@dataclass(frozen=True, slots=True)
class Loaded:
    """A manifest whose evidence is there: its JSON value, and the digest of it and of every cited file."""

    manifest: dict[str, Any]
    digest: str


def _strictly(raw: bytes) -> JSON:
    return parse_bytes(raw, MAX_MANIFEST_BYTES, _WORDS)


def _plainly(raw: bytes) -> JSON:
    try:
        value: JSON = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as fault:
        raise Rejected("SyntaxError") from fault
    return value


class _Lane(NamedTuple):
    parse: Callable[[bytes], JSON]
    digest: Callable[[bytes], Digest]
    check: type[Utf8Check]
    errors: str


_LANES = {
    "repaired": _Lane(_strictly, BytesV2, Utf8Check, "strict"),
    "published": _Lane(_plainly, TextV1, AnyBytes, "replace"),
}

Progress = Callable[[int, int, int], object]


def load_manifest(
    folder: Folder, lane: str = "repaired", guard: str = "corrected", progress: Progress | None = None
) -> Loaded:
    """The manifest of a folder and its digest, every cited file opened, decoded and compared.

    `progress` is told (citations done, citations in all, bytes read) as it goes on. Refuses as `read_release`, and
    with `MANIFEST_MISSING`, `MANIFEST_SIZE` (over 64 MiB), `MANIFEST_UTF8`, `MANIFEST_BOM`, `MANIFEST_JSON`;
    `EVIDENCE_PATH`, `EVIDENCE_UNREADABLE`, `EVIDENCE_CHANGED`, `EVIDENCE_UTF8`, `INPUT_QUOTE_MISMATCH`;
    `UNKNOWN_LANE` for a lane or a guard that there is not.
    In the lane `published`, JSON that does not parse is `SyntaxError`, and nothing is refused for its encoding.
    """
    if lane not in _LANES or guard not in GUARDS:
        raise Rejected("UNKNOWN_LANE")
    rules = _LANES[lane]
    raw = _read_manifest(folder)
    manifest = rules.parse(raw)
    cited = [citation for change in read_release(manifest).changes.values() for citation in change]
    digest = rules.digest(raw)
    with _CitedFiles(folder, GUARDS[guard], rules, cited, progress) as files:
        for citation in cited:
            files.take(citation, digest)
    return Loaded(manifest, digest.hexdigest())  # type: ignore[arg-type]  # read_release saw an object


def _read_manifest(folder: Folder) -> bytes:
    try:
        with folder.open_manifest() as file:
            raw = read(file, MAX_MANIFEST_BYTES + 1)
    except Rejected as fault:
        raise Rejected("MANIFEST_MISSING") from fault
    if len(raw) > MAX_MANIFEST_BYTES:
        raise Rejected("MANIFEST_SIZE")
    return raw


class _Look(NamedTuple):
    """What the first look at a file leaves for its later citations."""

    there: set[tuple[int, str]]  # the cited (line, quote) that it holds
    size: int
    content: bytes | None  # of a small file
    digest: bytes  # of a file that has to be read again


class _CitedFiles:
    """The cited files of one manifest; what later citations need is kept within bounds."""

    def __init__(
        self, folder: Folder, guard: Guard, lane: _Lane, cited: list[Citation], progress: Progress | None
    ) -> None:
        self._folder, self._guard, self._lane, self._progress = folder, guard, lane, progress
        self._asked: dict[str, list[tuple[int, str]]] = {}
        for path, line, quote in cited:
            self._asked.setdefault(path, []).append((line, quote))
        self._later = {path: len(asked) for path, asked in self._asked.items()}
        self._looks: dict[str, _Look] = {}
        self._files: OrderedDict[str, BinaryIO] = OrderedDict()
        self._all = len(cited)
        self._kept_bytes = self._done = self._bytes_read = 0

    def __enter__(self) -> "_CitedFiles":
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
        finder = QuoteFinder(self._asked.pop(path), self._lane.errors)
        check = self._lane.check()
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
