"""Releases for the tests: manifests with few words, folders in memory, folders on the disk."""

import json
import shutil

from boundary_lab.folders import SyntheticFolder
from rows import fixture


def manifest_of(*citations):
    """The bytes of a manifest with one change that cites (path, line, quote)."""
    evidence = [{"path": path, "line": line, "quote": quote} for path, line, quote in citations]
    change = {"changeId": "C1", "commit": "c1", "summary": "a change", "evidence": evidence}
    return json.dumps({"release": "1.0", "changes": [change]}, ensure_ascii=False).encode("utf-8", "surrogatepass")


def one_citation(path, quote, line=1):
    return manifest_of((path, line, quote))


def in_memory(files):
    return SyntheticFolder("posix", "/release", files)


def byte_case(case):
    """The folder of a row of bytes/cases.json."""
    manifest, evidence = (bytes.fromhex(case[key]) for key in ("manifest_hex", "evidence_hex"))
    return {"manifest.json": manifest, "change.patch": evidence}


def on_disk(files, folder):
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def release_copy(folder):
    return shutil.copytree(fixture("release"), folder)
