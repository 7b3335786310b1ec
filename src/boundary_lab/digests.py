"""Two digests of a release input: the manifest's bytes, then each cited file in manifest order.

A file cited n times is taken n times: no sorting, no de-duplication. Both can be fed in pieces.
"""

from codecs import getincrementaldecoder
from collections.abc import Iterable
from hashlib import sha256
from typing import Protocol

__all__ = ["BytesV2", "Digest", "TextV1", "bytes_v2", "text_v1"]

_REPLACING = getincrementaldecoder("utf-8")
Evidence = Iterable[tuple[str, bytes]]


class Digest(Protocol):
    """A digest that is being computed: the manifest, then for each evidence `begin` and its bytes."""

    def __init__(self, manifest: bytes) -> None:
        """Begins with the manifest's raw bytes."""

    def begin(self, path: str, size: int) -> None:
        """Begins the next file, of `size` bytes."""

    def update(self, piece: bytes) -> None:
        """Takes the next bytes of that file."""

    def hexdigest(self) -> str:
        """The digest in lower-case hex; nothing may be fed after that."""


class BytesV2(Digest):
    """SHA-256 over `release-input-v2`, NUL, and frames: an 8-byte big-endian length in bytes, then the bytes.

    The frames are the manifest, and for each evidence its path's UTF-8 bytes and its raw bytes.
    """

    def __init__(self, manifest: bytes) -> None:
        self._hash = sha256(b"release-input-v2\0" + _length(len(manifest)))
        self._hash.update(manifest)

    def begin(self, path: str, size: int) -> None:
        """Two frames begin: the path is one, the file's length opens the other."""
        name = path.encode("utf-8", "surrogatepass")
        self._hash.update(_length(len(name)) + name + _length(size))

    def update(self, piece: bytes) -> None:
        """The bytes as they are."""
        self._hash.update(piece)

    def hexdigest(self) -> str:
        """The digest in hex."""
        return self._hash.hexdigest()


def _length(size: int) -> bytes:
    return size.to_bytes(8, "big")


class TextV1(Digest):
    """The counterexample: SHA-256 over texts, decoded with replacement, NUL before and after each path.

    Different bytes can have one text, and a NUL inside a file can pose as the separator.
    """

    def __init__(self, manifest: bytes) -> None:
        self._hash = sha256(_replaced(manifest))
        self._decoder = _REPLACING("replace")

    def begin(self, path: str, size: int) -> None:  # noqa: ARG002  text-v1 knows no length
        """A separator that a file can hold as well."""
        self._end()
        self._hash.update(f"\0{path}\0".encode("utf-8", "surrogatepass"))

    def update(self, piece: bytes) -> None:
        """The text of the bytes, each fault replaced by U+FFFD."""
        self._hash.update(self._decoder.decode(piece).encode())

    def hexdigest(self) -> str:
        """The digest in hex."""
        self._end()
        return self._hash.hexdigest()

    def _end(self) -> None:
        self._hash.update(self._decoder.decode(b"", final=True).encode())
        self._decoder.reset()


def _replaced(data: bytes) -> bytes:
    return data.decode("utf-8", "replace").encode()


def _digest(digest: Digest, evidence: Evidence) -> str:
    for path, data in evidence:
        digest.begin(path, len(data))
        digest.update(data)
    return digest.hexdigest()


def bytes_v2(manifest: bytes, evidence: Evidence) -> str:
    """The digest `bytes-v2` in hex; `evidence` is (path, bytes) in manifest order."""
    return _digest(BytesV2(manifest), evidence)


def text_v1(manifest: bytes, evidence: Evidence) -> str:
    """The digest `text-v1` in hex, kept as the counterexample; `evidence` is (path, bytes) in manifest order."""
    return _digest(TextV1(manifest), evidence)
