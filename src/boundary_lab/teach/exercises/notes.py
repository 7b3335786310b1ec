"""Exercises of lesson 5: evidence of its own change, a check that looks at quotes alone, a manifest of one's own."""

import json
from typing import Any

from boundary_lab.canonical import canonical, same, sha256_hex
from boundary_lab.fixtures import load
from boundary_lab.folders import SyntheticFolder
from boundary_lab.manifest import load_manifest
from boundary_lab.notes import verify
from boundary_lab.rejected import CODES, Rejected, outcome
from boundary_lab.strict_json import JSON
from boundary_lab.teach.exercises import exercise
from boundary_lab.teach.exercises.exercise import Exercise, Said, not_yet, right, shown, texts

__all__ = ["attack", "spot", "yours"]

_RELEASE = load("lab/exercises/release.json")
MANIFEST, FILES = _RELEASE["manifest"], _RELEASE["files"]
OWN = {change["changeId"]: change["evidence"] for change in MANIFEST["changes"]}


def a(change: str, cited: JSON) -> bool:
    return canonical(cited) in [canonical(own) for own in OWN.get(change, ())]


def b(change: str, cited: JSON) -> bool:
    return any(same(cited, own) for own in OWN.get(change, ()))


def c(change: str, cited: JSON) -> bool:
    return change in OWN and any(same(cited, own) for evidence in OWN.values() for own in evidence)


def d(change: str, cited: JSON) -> bool:
    return sha256_hex(cited) in {sha256_hex(own) for own in OWN.get(change, ())}


def e(change: str, cited: JSON) -> bool:
    return sha256_hex([change, cited]) in {sha256_hex([name, own]) for name in OWN for own in OWN[name]}


_CHECKS = (a, b, c, d, e)
spot = Exercise("5.spot", exercise.spot(_CHECKS, "c", a, texts("5.spot")["why"], many=True), exercise.listing(_CHECKS))


def hasty(candidate: Any) -> None:
    for note in candidate["notes"]:
        for cited in note["evidence"]:
            line = FILES[cited["path"]].splitlines()[cited["line"] - 1]
            if line != cited["quote"] or not note["text"]:
                raise Rejected("UNBOUND_EVIDENCE")


def _verify(candidate: Any) -> object:
    return verify(candidate, MANIFEST)


attack = Exercise(
    "5.attack", exercise.attack(hasty, _verify, dict, texts("5.attack")["why"]), exercise.listing([hasty])
)


def _manifest(given: Any) -> Said:
    """Judges a manifest for the kettle's files: loadable, with the changes asked for, each on lines of its own."""
    asked, files = texts("5.yours"), load("lab/exercises/kettle.json")
    if type(given) is not dict or outcome(canonical, given) != "accepted":
        return not_yet(f"A manifest is a dict of JSON values; {shown(given)} is none.")
    disk = {name: text.encode() for name, text in files.items()} | {"manifest.json": json.dumps(given).encode()}
    code = outcome(load_manifest, SyntheticFolder("posix", "/kettle", disk))
    if code != "accepted":
        return not_yet(
            f"load_manifest refuses with {code}. {CODES[code].meaning} {_of_code(code, given, files)}".rstrip()
        )
    named = {
        change["changeId"]: {(cited["path"], cited["line"]) for cited in change["evidence"]}
        for change in given["changes"]
    }
    if given["release"] != asked["release"] or named.keys() != asked["lines"].keys():
        return not_yet(f"It is of {shown(given['release'])}, with {', '.join(named)}. {asked['why']['changes']}")
    for change, cited in named.items():
        own = {(path, line) for path, line in asked["lines"][change]}
        if other := sorted(cited - own):
            why = asked["why"].get(other[0][0], asked["why"]["lines"])
            return not_yet(f"{change} cites {other[0][0]}, line {other[0][1]}. {why}")
    return right(asked["right"])


def _of_code(code: str, given: dict[str, Any], files: dict[str, str]) -> str:
    """The first citation that a refusal is about, where it can be told."""
    for change in given.get("changes", ()) if code in ("INPUT_QUOTE_MISMATCH", "EVIDENCE_UNREADABLE") else ():
        for cited in change["evidence"]:
            if cited["path"] not in files:
                return f"{change['changeId']} cites {shown(cited['path'])}; there are {', '.join(files)}."
            if (line := dict(enumerate(files[cited["path"]].splitlines(), 1)).get(cited["line"])) != cited["quote"]:
                return f"{change['changeId']} quotes {shown(cited['quote'])}; its line, counted from 1, is {line!r}."
    return ""


yours = Exercise("5.yours", _manifest)
