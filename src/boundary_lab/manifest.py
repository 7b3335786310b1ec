"""The manifest of a release: its changes, each with evidence that is there, and one digest of it all.

- All shapes and repeated entries are checked first; then, evidence by evidence in manifest order, the path,
  the opening, the UTF-8 of the whole file and the quote.
- The lane `repaired` is strict; `published` keeps the defects of the first version and must be named.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from boundary_lab.cited import Citation, CitedFiles, Progress
from boundary_lab.containment import GUARDS
from boundary_lab.digests import BytesV2, Digest, TextV1
from boundary_lab.evidence import AnyBytes, Utf8Check, read
from boundary_lab.folders import Folder
from boundary_lab.rejected import Rejected
from boundary_lab.shapes import Shapes
from boundary_lab.strict_json import JSON, Words, parse_bytes

__all__ = ["MAX_MANIFEST_BYTES", "Citation", "Loaded", "Release", "citations", "load_manifest", "read_release"]

MAX_MANIFEST_BYTES = 64 << 20

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
    if type(lane) is not str or type(guard) is not str or lane not in _LANES or guard not in GUARDS:
        raise Rejected("UNKNOWN_LANE")
    rules = _LANES[lane]
    raw = _read_manifest(folder)
    manifest = rules.parse(raw)
    cited = [citation for change in read_release(manifest).changes.values() for citation in change]
    digest = rules.digest(raw)
    files = CitedFiles(folder, GUARDS[guard], cited, check=rules.check, errors=rules.errors, progress=progress)
    with files:
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
