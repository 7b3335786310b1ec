"""One of lesson 4's cases put before the loader, on a disk in memory."""

import json

from boundary_lab.containment import join
from boundary_lab.folders import SyntheticFolder
from boundary_lab.manifest import load_manifest
from boundary_lab.popular import Answer, Case
from boundary_lab.rejected import outcome

__all__ = ["answered", "calls", "citing"]


def citing(case: Case) -> SyntheticFolder:
    """A folder of the case's flavour whose manifest cites the case's path, with the file where it leads."""
    evidence = [{"path": case.path, "line": 1, "quote": "x"}]
    change = {"changeId": "C1", "commit": "c1", "summary": "a change", "evidence": evidence}
    manifest = json.dumps({"release": "1.0", "changes": [change]}).encode()
    target = join(case.flavour, case.root, case.path)
    links = {} if case.resolved == target else {target: case.resolved}
    return SyntheticFolder(case.flavour, case.root, {"manifest.json": manifest, case.resolved: b"x\n"}, links)


def calls(case: Case, guard: str) -> tuple[str, int]:
    """What a guard of the loader does, `reads` or `stops`, and how many calls the disk had seen by then."""
    folder = citing(case)
    verdict = outcome(load_manifest, folder, "repaired", guard)
    return "reads" if verdict == "accepted" else "stops", len(folder.touched)


def answered(case: Case, guard: str) -> Answer:
    """The same in words, and whether the file was to be read."""
    does, made = calls(case, guard)
    return Answer(f"{does} {made}", right=(does == "reads") == case.may_read)
