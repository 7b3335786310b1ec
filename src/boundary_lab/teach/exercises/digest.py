"""Exercises of lesson 3: a framing that collides, a digest over bytes, two files of one text."""

import random
import struct
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

from boundary_lab.digests import text_v1
from boundary_lab.learn.attempts import Call
from boundary_lab.teach.exercises import exercise
from boundary_lab.teach.exercises.exercise import Exercise, Row, Said, not_yet, right, shown, texts

__all__ = ["attack", "fix", "spot"]


def a(parts: list[bytes]) -> bytes:
    return b"".join(len(part).to_bytes(8, "big") + part for part in parts)


def b(parts: list[bytes]) -> bytes:
    return b"".join(b"%d:%s" % (len(part), part) for part in parts)


def c(parts: list[bytes]) -> bytes:
    return b"".join(b"%d%s" % (len(part), part) for part in parts)


def d(parts: list[bytes]) -> bytes:
    return b"".join(sha256(part).digest() for part in parts)


def e(parts: list[bytes]) -> bytes:
    return b"".join(part.hex().encode() + b"\n" for part in parts)


_FRAMINGS = (a, b, c, d, e)


def _apart(framing: Callable[[list[bytes]], bytes]) -> Callable[..., bool]:
    """Whether a framing tells two lists of bytes apart."""

    def apart(one: list[bytes], other: list[bytes]) -> bool:
        return framing(one) != framing(other)

    apart.__name__ = framing.__name__
    return apart


def _differ(one: list[bytes], other: list[bytes]) -> bool:
    if not all(type(part) is bytes for part in (*one, *other)):
        raise TypeError
    return one != other


spot = Exercise(
    "3.spot",
    exercise.spot([*map(_apart, _FRAMINGS)], "c", _differ, texts("3.spot")["why"], many=True),
    exercise.listing(_FRAMINGS),
)


def _parts() -> Iterator[Row]:
    """Made-up parts; the digest that is right is put together by `struct`."""
    made = random.Random("3.fix")
    for number in range(30):
        parts = [(f"n{made.randrange(3)}", made.randbytes(made.randrange(20))) for _ in range(made.randrange(5))]
        framed = b"".join(_frame(name.encode()) + _frame(data) for name, data in parts)
        gives = Call("gave", sha256(b"parts-v1\0" + framed).hexdigest())
        yield Row(f"made-up parts {number + 1}, {shown(parts)}", [parts], gives, texts("3.fix")["made up"])


def _frame(data: bytes) -> bytes:
    return struct.pack(">Q", len(data)) + data


fix = Exercise("3.fix", exercise.function("digest", [*exercise.rows("3.fix"), *_parts()], texts("3.fix")["right"]))

_LESSONS = (b"\xff", b"\xfe")


def _collision(given: Any) -> Said:
    """Judges a pair of bytes: one text_v1, two contents, and neither byte of the lesson's."""
    why = texts("3.attack")["why"]
    if type(given) is not tuple or [*map(type, given)] != [bytes, bytes]:
        return not_yet(f"Give a pair of bytes, such as (b'one', b'other'); {shown(given)} is something else.")
    if any(byte in data for data in given for byte in _LESSONS):
        return not_yet(f"On {shown(given)}: {why['lesson']}")
    one, other = (text_v1(b"{}", [("note.txt", data)]) for data in given)
    if given[0] == given[1]:
        return not_yet(f"On {shown(given)}: {why['same']}")
    if one != other:
        read = " and ".join(ascii(data.decode("utf-8", "replace")) for data in given)
        return not_yet(f"On {shown(given)}: text_v1 tells them apart, it reads {read}. {why['apart']}")
    return right(
        f"On {shown(given)}: one text, {given[0].decode('utf-8', 'replace')!a}, and one digest. {why['right']}"
    )


attack = Exercise("3.attack", _collision)
