"""Getters over untrusted JSON: each gives a value of the type that it names, or refuses with one code."""

from dataclasses import dataclass

from boundary_lab.canonical import canonical
from boundary_lab.rejected import Rejected
from boundary_lab.strict_json import JSON

__all__ = ["Shapes"]


@dataclass(frozen=True, slots=True)
class Shapes:
    """Every getter takes an untrusted value and refuses what does not fit with `code`."""

    code: str

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
        record = self.members(value)
        self.require(record.keys() == set(keys))
        return [record[key] for key in keys]

    def text(self, value: object) -> str:
        """A text that is not blank."""
        if type(value) is not str or not value.strip():
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
