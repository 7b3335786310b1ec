"""Getters over untrusted JSON: each gives a value of the type that it names, or refuses with one code."""

from dataclasses import dataclass

from boundary_lab.canonical import canonical
from boundary_lab.rejected import Rejected
from boundary_lab.strict_json import JSON

__all__ = ["BLANK", "Shapes"]

# What Python or JavaScript trims from a text, so that both call the same texts blank.
BLANK = (
    "".join(map(chr, (*range(0x09, 0x0E), *range(0x1C, 0x21), 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B))))
    + "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


@dataclass(frozen=True, slots=True)
class Shapes:
    """Every getter takes an untrusted value and refuses what does not fit with `code`."""

    code: str
    keys: str = ""  # the code for an object with other keys, where that has one of its own

    def require(self, holds: bool) -> None:
        """Refuses unless the condition holds."""
        if not holds:
            raise Rejected(self.code)

    def json(self, value: object) -> object:
        """A value that has a canonical form, so that nothing below it can surprise."""
        try:
            canonical(value)
        except Rejected as fault:
            raise Rejected(self.code) from fault
        return value

    def scalar(self, value: JSON) -> JSON:
        """A text, a number, `true`, `false` or `null`."""
        self.require(not isinstance(value, list | dict))
        return value

    def members(self, value: object) -> dict[str, JSON]:
        """A JSON object with at least one member."""
        if type(value) is not dict or not value:
            raise Rejected(self.code)
        return value

    def record(self, value: object, *keys: str) -> list[JSON]:
        """The members of a JSON object that has exactly these keys, in their order."""
        if type(value) is not dict:
            raise Rejected(self.code)
        try:
            members = [value[key] for key in keys]
        except KeyError as fault:
            raise Rejected(self.keys or self.code) from fault
        if len(value) != len(keys):
            raise Rejected(self.keys or self.code)
        return members

    def items(self, value: object) -> list[JSON]:
        """A list with at least one item."""
        if type(value) is not list or not value:
            raise Rejected(self.code)
        return value

    def text(self, value: object) -> str:
        """A text that is not blank."""
        if type(value) is not str or not value.strip(BLANK):
            raise Rejected(self.code)
        return value

    def texts(self, value: object) -> tuple[str, ...]:
        """A list of different texts, none of them blank."""
        if type(value) is not list:
            raise Rejected(self.code)
        texts = tuple(self.text(item) for item in value)
        self.require(len(set(texts)) == len(texts))
        return texts

    def count(self, value: object) -> int:
        """An integer from 1; neither `true` nor `1.0` is one."""
        if type(value) is not int or value < 1:
            raise Rejected(self.code)
        return value
