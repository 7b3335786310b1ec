"""Lesson 3's byte inputs: one as a folder in memory, and which of them share a digest."""

import re
from collections.abc import Mapping
from itertools import chain

from boundary_lab.fixtures import load
from boundary_lab.folders import SyntheticFolder
from boundary_lab.popular import Answer

__all__ = ["byte_folder", "collisions"]

_DIGEST = re.compile("[0-9a-f]{16}")


def byte_folder(name: str) -> SyntheticFolder:
    """The folder of the case of `bytes/cases.json` with this name."""
    case = next(row for row in load("bytes/cases.json") if row["name"] == name)
    files = {"manifest.json": bytes.fromhex(case["manifest_hex"]), "change.patch": bytes.fromhex(case["evidence_hex"])}
    return SyntheticFolder("posix", "/release", files)


def collisions(results: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str | Answer]]:
    """Input → lane → digest or code, each digest wrong that another input has too; a last column names those inputs."""
    rows: dict[str, dict[str, str | Answer]] = {}
    for name, lanes in results.items():
        others = {lane: _sharing(results, name, lane) for lane in lanes}
        marked = {lane: Answer(said, right=not others[lane]) for lane, said in lanes.items()}
        rows[name] = {**marked, "the same digest as": ", ".join(sorted({*chain(*others.values())}))}
    return rows


def _sharing(results: Mapping[str, Mapping[str, str]], name: str, lane: str) -> list[str]:
    said = results[name][lane]
    return [other for other in results if _DIGEST.fullmatch(said) and other != name and results[other][lane] == said]
