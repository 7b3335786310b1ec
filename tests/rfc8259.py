"""A second reading of RFC 8259 and of the lab's limits, written from the ABNF; it shares nothing with the core.

`judged` names the faults in the lab's order, and gives the value.
"""

import re
from math import isfinite

LEVELS = 100
DIGITS = 4300

_SPACE = re.compile(r"[\x20\x09\x0A\x0D]*")  # §2 ws
_LITERAL = re.compile(r"false|null|true")  # §3
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")  # §6
_ESCAPED = r'\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})'
_STRING = re.compile(rf'"((?:[\x20-\x21\x23-\x5B\x5D-\U0010FFFF]|{_ESCAPED})*)"')  # §7
_ESCAPE = re.compile(_ESCAPED)
_LITERALS = {"false": False, "null": None, "true": True}
_SHORT = dict(zip('"\\/bfnrt', '"\\/\b\f\n\r\t', strict=True))


class BrokenError(Exception):
    """The text is no JSON text, or is beyond a limit."""


def _unescaped(match):
    escape = match[0][1:]
    return chr(int(escape[1:], 16)) if escape[0] == "u" else _SHORT[escape]


def _encodes(text):
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def within(value, limit):
    if not limit(value):
        raise BrokenError
    return value


class _Reader:
    def __init__(self, text):
        self.text, self.at = text, 0
        self.repeats = self.unpaired = False

    def take(self, pattern):
        match = pattern.match(self.text, self.at)
        if match is None:
            raise BrokenError
        self.at = match.end()
        return match

    def sees(self, character):
        """Takes one structural character with the white space around it, if it comes next."""
        self.take(_SPACE)
        if not self.text.startswith(character, self.at):
            return False
        self.at += 1
        self.take(_SPACE)
        return True

    def needs(self, character):
        if not self.sees(character):
            raise BrokenError

    def document(self):
        self.take(_SPACE)
        value = self.value(0)
        self.take(_SPACE)
        if self.at != len(self.text):
            raise BrokenError
        return value

    def value(self, depth):
        if self.sees("{"):
            return self.object(depth + 1)
        if self.sees("["):
            return self.array(depth + 1)
        if self.text.startswith('"', self.at):
            return self.string()
        if self.text[self.at : self.at + 1] in tuple("fnt"):
            return _LITERALS[self.take(_LITERAL)[0]]
        return self.number()

    def object(self, depth):
        within(depth, lambda depth: depth <= LEVELS)
        members = []
        while not self.sees("}"):
            if members:
                self.needs(",")
            name = self.string()
            self.needs(":")
            members.append((name, self.value(depth)))
        self.repeats |= len(dict(members)) < len(members)
        return dict(members)

    def array(self, depth):
        within(depth, lambda depth: depth <= LEVELS)
        items = []
        while not self.sees("]"):
            if items:
                self.needs(",")
            items.append(self.value(depth))
        return items

    def string(self):
        units = _ESCAPE.sub(_unescaped, self.take(_STRING)[1])
        text = units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")  # joins pairs
        self.unpaired |= not _encodes(text)
        return text

    def number(self):
        match = self.take(_NUMBER)
        _, fraction, exponent = match.groups()
        if fraction or exponent:
            return within(float(match[0]), isfinite)
        return int(within(match, lambda match: len(match[1]) <= DIGITS)[0])


def judged(text, limit):
    """(The rules that a text breaks, the first one first; its value, if it is JSON)."""
    if len(text.encode("utf-8", "surrogatepass")) > limit:
        return ["size"], None
    if not _encodes(text):
        return ["encoding"], None
    if text[:1] == "\ufeff":
        return ["bom"], None
    reader = _Reader(text)
    try:
        value = reader.document()
    except BrokenError:
        return ["syntax"], None
    return ["surrogate"] * reader.unpaired + ["repeated_key"] * reader.repeats, value


def judged_bytes(data, limit):
    """As `judged`, for bytes."""
    if len(data) > limit:
        return ["size"], None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ["encoding"], None
    return judged(text, limit)
