"""Lesson 3: bytes decoded in two ways, both digests, and other bytes with the same text."""

from collections.abc import Iterator

from boundary_lab.fixtures import load
from boundary_lab.folders import SyntheticFolder
from boundary_lab.manifest import load_manifest
from boundary_lab.rejected import Rejected
from boundary_lab.teach.explorers.explorer import Explorer, Invalid, typed
from boundary_lab.teach.figures import Lane, Picture
from boundary_lab.teach.shown import Stack
from boundary_lab.teach.tables import Table

__all__ = ["both_ways", "explorer"]

_MANIFEST = bytes.fromhex(load("bytes/cases.json")[0]["manifest_hex"])
_BEFORE, _AFTER = b"+changed\nnote=", b"\n"
_MOST = 32  # bytes
_DIGITS = 16
_REPLACEMENT = "\ufffd"


def both_ways(note: str = "ff") -> Stack:
    """The bytes after `note=` in lesson 3's file, in hex; what is no hex, or more than 32 bytes, is `Invalid`.

    If other bytes have the same text, they are shown beside: those that are its UTF-8, or with `ff` for U+FFFD.
    """
    data = _bytes(note)
    partner = _partner(data)
    columns = {"these bytes": data} | ({"other bytes, same text": partner} if partner is not None else {})
    facts = {name: _facts(each) for name, each in columns.items()}
    return Stack(
        Picture(
            "What the two digests see",
            "in the file",
            "the digest, 16 digits",
            [lane for each in columns.values() for lane in _lanes(each)],
            looks="it looks at",
        ),
        Table(
            "The same bytes, decoded twice" + ("" if partner is not None else "; no other bytes have this text"),
            {fact: {name: facts[name][fact] for name in columns} for fact in facts["these bytes"]},
        ),
    )


def _bytes(note: str) -> bytes:
    try:
        data = bytes.fromhex(note)
    except ValueError as fault:
        raise Invalid("note", "hex is pairs of the digits 0 to 9 and a to f, such as c3 a9") from fault
    if len(data) > _MOST:
        raise Invalid("note", f"at most {_MOST} bytes, please")
    return data


def _partner(data: bytes) -> bytes | None:
    text = data.decode("utf-8", "replace")
    if text.encode() != data:
        return text.encode()
    return text.encode().replace(_REPLACEMENT.encode(), b"\xff") if _REPLACEMENT in text else None


def _lanes(data: bytes) -> Iterator[Lane]:
    points = " ".join(f"U+{ord(character):04X}" for character in data.decode("utf-8", "replace"))
    for digest, lane, seen in (("text-v1", "published", points or "nothing"), ("bytes-v2", "repaired", _hex(data))):
        crosses, digits = _digest(data, lane)
        yield Lane(f"{_hex(data)}, for {digest}", seen, crosses, digits)


def _facts(data: bytes) -> dict[str, str]:
    return {
        "hex": _hex(data),
        "decoded strictly": _strictly(data),
        "decoded with replacement": ascii(data.decode("utf-8", "replace")),
        "lines of the file": str((_BEFORE + data + _AFTER).count(b"\n")),
        "text-v1": _digest(data, "published")[1],
        "bytes-v2": _digest(data, "repaired")[1],
    }


def _hex(data: bytes) -> str:
    return data.hex(" ") or "nothing"


def _strictly(data: bytes) -> str:
    try:
        return ascii(data.decode())
    except UnicodeDecodeError as fault:
        return f"refused: byte {fault.start + 1} begins no character"


def _digest(data: bytes, lane: str) -> tuple[bool, str]:
    """Whether a folder with these bytes is loaded, and the first digits of its digest or the code."""
    folder = SyntheticFolder("posix", "/release", {"manifest.json": _MANIFEST, "change.patch": _BEFORE + data + _AFTER})
    try:
        return True, load_manifest(folder, lane).digest[:_DIGITS]
    except Rejected as refusal:
        return False, refusal.code


def explorer() -> Explorer:
    """A line of hex."""
    hint = "Hex. Try fe, ef bf bd, c3 a9 and 65 cc 81, 0d 0a, ef bb bf, and f0 9f (half a character)."
    return Explorer(both_ways, {"note": typed("Bytes after note=", hint, "ff")})
