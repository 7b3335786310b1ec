"""Rows of the frozen tables, and the two ways in which a row changes what it starts from."""

import copy
import json

import jsonpatch

from boundary_lab.fixtures import fixture


def load(name):
    return json.loads(fixture(name).read_text(encoding="utf-8"))


def rows(name, **where):
    """The rows of a table as pytest parameters: `@given_rows` of the tests."""
    return [row for row in load(name) if all(row[key] == value for key, value in where.items())]


def title(row):
    return ascii(row["is"])[1:-1].replace("\\", "%")


def patched(value, row):
    return jsonpatch.apply_patch(copy.deepcopy(value), row["patch"])


_EDITS = {
    "text": lambda _, whole: whole,
    "replace": lambda text, old, new: text.replace(old, new),
    "repeat": lambda _, character, times: character * times,
    "append": lambda text, tail: text + tail,
    "replace_repeat": lambda text, old, head, character, times: text.replace(old, head + character * times),
    "nest": lambda _, opened, closed, times: opened * times + ("0" if ":" in opened else "") + closed * times,
    "wide": lambda _, item, times: f"[{','.join([item] * times)}]",
    "quoted": lambda _, part, times: f'"{part * times}"',
    "quoted_parts": lambda _, *parts: f'"{"".join(parts)}"',
    "joined": lambda _, *parts: "".join(part * times for part, times in parts),
    "bytes": lambda _, hexadecimal: bytes.fromhex(hexadecimal).decode("utf-8", "surrogateescape"),
    "digits": lambda _, sign, times: str(sign)[:-1] + "9" * times,
}


def edited(text, row):
    """`text` after the one edit of a row; fixtures/README.md says what each does."""
    ((kind, arguments),) = row["edit"].items()
    return _EDITS[kind](text, *([arguments] if isinstance(arguments, str) else arguments))


def edited_bytes(row):
    """The row's text as bytes: UTF-8, where an unpaired surrogate is three bytes; or just what the row gives."""
    given = row["edit"].get("bytes")
    return edited("", row).encode("utf-8", "surrogatepass") if given is None else bytes.fromhex(given)
