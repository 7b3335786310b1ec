"""Where a fuzzer begins: the frozen files and the lab's tables, and the words that they are made of."""

import json
import re
from contextlib import suppress

from boundary_lab.fixtures import ROOT
from releases import manifest_of
from rows import edited_bytes, load

_TOKENS = [
    *'{}[]:,"\\',
    *("true", "false", "null", "NaN", "-0", "1.0", "1e400", "\\u0000", "\\ud83d", "\\ude00", "[[", "]]"),
]


def texts():
    """The torture table, but for its long rows."""
    for row in load("lab/strict-json.json"):
        text = edited_bytes(row)
        if len(text) <= 512:
            yield text


def files(*folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.json*")):
            if path.stat().st_size <= 2048:
                yield path.read_bytes()


def keys(value):
    """Every key and every short text of a value."""
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from keys(item)
    elif isinstance(value, str) and len(value) <= 40:
        yield value


def dictionary(seeds):
    """A dictionary in libFuzzer's format."""
    words = set(_TOKENS)
    for part in (part for seed in seeds for part in (seed, *re.split(b"[\\0\\n]", seed))):
        with suppress(ValueError):
            words.update(keys(json.loads(part)))
    tokens = (word.encode("utf-8", "surrogatepass") for word in sorted(words) if word)
    return "".join('"' + "".join(f"\\x{byte:02X}" for byte in token) + '"\n' for token in tokens)


def packets():
    """Both contracts' packets as they travel."""
    values = [load("handoff/packet.json"), *load("review/packets.json").values()]
    return [json.dumps(value, ensure_ascii=False).encode() for value in values]


def releases():
    """A manifest, NUL, and what is in every cited file."""
    for case in load("bytes/cases.json"):
        yield bytes.fromhex(case["manifest_hex"]) + b"\0" + bytes.fromhex(case["evidence_hex"])
    for path in (
        "a",
        "sub/../a",
        "../r/a",
        "link",
        "out/secret",
        "loop",
        "C:A",
        "sub\\b",
        "..\\outside\\secret",
        "manifest.json",
    ):
        yield (
            manifest_of((path, 2, "b"), ("sub/b", 1, "\ufeffaaaaaaa"), ("a", 3, "é\r"))
            + "\0\ufeffaaaaaaa\r\nb\né\r".encode()
        )


def streams():
    """A whole turn, in few words."""
    item = {"type": "agent_message", "text": "[1]"}
    kinds = [{"type": "thread.started", "thread_id": "fixture-thread-24"}, {"type": "item.completed", "item": item},
             {"type": "turn.completed"}]  # fmt: skip
    for extra in ({"type": "error"}, {"type": "turn.failed"}, {"type": "item.x"}, {"type": "x", "item": 1}, kinds[0]):
        for whole in (kinds, [extra, *kinds], [*kinds, extra]):
            yield "\n".join(map(json.dumps, whole)).encode()
    yield json.dumps({"release": "2.4.0", "digest": "d", "threadId": "t"}).encode()


SEEDS = {
    "packet": lambda: [*texts(), *packets()],
    "review": lambda: [*texts(), *packets()],
    "manifest": lambda: [*texts(), *files("release", "lab/own-release")],
    "candidate": lambda: [*texts(), *files("release", "bytes")],
    "loader": lambda: [*texts(), *files("lab/own-release"), *releases()],
    "events": lambda: [*texts(), *files("release"), *streams()],
}
