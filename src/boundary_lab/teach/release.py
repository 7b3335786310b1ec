"""One of lesson 3's byte inputs as a folder in memory."""

from boundary_lab.fixtures import load
from boundary_lab.folders import SyntheticFolder

__all__ = ["byte_folder"]


def byte_folder(name: str) -> SyntheticFolder:
    """The folder of the case of `bytes/cases.json` with this name."""
    case = next(row for row in load("bytes/cases.json") if row["name"] == name)
    files = {"manifest.json": bytes.fromhex(case["manifest_hex"]), "change.patch": bytes.fromhex(case["evidence_hex"])}
    return SyntheticFolder("posix", "/release", files)
