"""Loading a release against what must be done at the least, and checking notes: ratios of one run.

The long files have their only cited line at the end, so that every line has to be counted.
"""

import gc
import hashlib
import json
import subprocess
import sys

import pytest

from boundary_lab.folders import DiskFolder
from boundary_lab.manifest import load_manifest
from boundary_lab.notes import verify
from releases import manifest_of, on_disk, one_citation

LONG = 256 << 20
LINES = {
    "ASCII, 80 bytes a line": "x" * 79,
    "mixed, 103 bytes a line": "修复 export 名称，déjà vu. " * 3,
    "Chinese, 193 bytes a line": "导出文件名中的冒号替换为连字符。" * 4,
}


def rounds(benchmark, call):
    benchmark.pedantic(call, rounds=5, warmup_rounds=1)


@pytest.fixture(scope="module", params=LINES)
def long_file(request, tmp_path_factory):
    """A folder with one file of 256 MiB, and the file's bytes."""
    line = LINES[request.param]
    data = f"{line}\n".encode() * (LONG // len(f"{line}\n".encode()))
    folder = tmp_path_factory.mktemp("long")
    yield on_disk({"manifest.json": one_citation("a", line, data.count(b"\n")), "a": data}, folder), data
    (folder / "a").unlink()


def plainly(folder):
    """Read all, decode, split, hash."""
    cited = json.loads((folder / "manifest.json").read_text("utf-8"))["changes"][0]["evidence"][0]
    data = (folder / cited["path"]).read_bytes()
    assert data.decode().replace("\r\n", "\n").split("\n")[cited["line"] - 1] == cited["quote"]
    return hashlib.sha256(data).hexdigest()


LOADERS = {
    "load_manifest": lambda folder, _: load_manifest(DiskFolder(folder)),
    "hashlib.sha256 of bytes in memory": lambda _, data: hashlib.sha256(data).hexdigest(),
    "read all, decode, split, hash": lambda folder, _: plainly(folder),
}


@pytest.mark.benchmark(group="one file of 256 MiB")
@pytest.mark.parametrize("loader", LOADERS)
def test_long_file(benchmark, long_file, loader):
    folder, data = long_file
    rounds(benchmark, lambda: LOADERS[loader](folder, data))


PEAK = r"""
import re, sys
from pathlib import Path
from boundary_lab.folders import DiskFolder
from boundary_lab.manifest import load_manifest
load_manifest(DiskFolder(sys.argv[1]))
print(int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) >> 10)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's own count of the peak")
def test_peak_memory(tmp_path, capsys):
    """Over an interpreter that loads an empty file; printed in MiB."""
    peaks = {}
    for size in (0, 16 << 20, 1 << 30):
        line = "导出文件名中的冒号替换为连字符。" * 4
        count = size // len(f"{line}\n".encode()) + 1
        with (tmp_path / "a").open("wb") as file:
            for _ in range(count // 1000 + 1):
                file.write(f"{line}\n".encode() * min(count, 1000))
        (tmp_path / "manifest.json").write_bytes(one_citation("a", line))
        done = subprocess.run([sys.executable, "-c", PEAK, tmp_path], check=True, capture_output=True, text=True)
        peaks[size] = int(done.stdout)
    base, *loaded = peaks.values()
    with capsys.disabled():
        print(f"\npeak memory over the interpreter: {loaded[0] - base} MiB at 16 MiB, {loaded[1] - base} MiB at 1 GiB")


@pytest.fixture(scope="module")
def many_files(tmp_path_factory):
    """20,000 files of 2 KiB in one flat folder, each cited once."""
    folder = tmp_path_factory.mktemp("many")
    names = [f"f{number}" for number in range(20_000)]
    gc.freeze()  # what this process held before is nobody's garbage
    files = {name: (name + "\n" + ("y" * 60 + "\n") * 33)[:2047].encode() + b"\n" for name in names}
    return on_disk({"manifest.json": manifest_of(*((name, 1, name) for name in names)), **files}, folder), names


def bare(folder, names):
    digest = hashlib.sha256()
    for name in names:
        with open(f"{folder}/{name}", "rb") as file:  # noqa: PTH123  the barest way
            digest.update(file.read())


FLAT = {"load_manifest": lambda folder, _: load_manifest(DiskFolder(folder)), "bare open, read, hash": bare}


@pytest.mark.benchmark(group="20,000 files of 2 KiB")
@pytest.mark.parametrize("loader", FLAT)
def test_many_files(benchmark, many_files, loader):
    rounds(benchmark, lambda: FLAT[loader](*many_files))


@pytest.mark.benchmark(group="evidences in one file of 20,000 lines, beside the hashing of the same bytes")
@pytest.mark.parametrize("count", [5_000, 10_000, 20_000])
@pytest.mark.parametrize("what", ["load_manifest", "hashlib.sha256"])
def test_many_evidences(benchmark, tmp_path, what, count):
    data = b"".join(b"%d\n" % number for number in range(1, 20_001))
    manifest = manifest_of(*(("a", number, str(number)) for number in range(1, count + 1)))
    folder = DiskFolder(on_disk({"manifest.json": manifest, "a": data}, tmp_path))

    def hashed():
        digest = hashlib.sha256(manifest)
        for _ in range(count):
            digest.update(data)

    call = hashed if what == "hashlib.sha256" else lambda: load_manifest(folder)
    benchmark.pedantic(call, rounds=3)


@pytest.mark.benchmark(group="verify, notes")
@pytest.mark.parametrize("count", [5_000, 10_000, 20_000])
def test_many_notes(benchmark, count):
    evidence = [{"path": "a", "line": 1, "quote": "a"}]
    ids = [f"C{number}" for number in range(count)]
    changes = [{"changeId": name, "commit": "c", "summary": "s", "evidence": evidence} for name in ids]
    notes = [{"changeId": name, "text": "t", "evidence": evidence} for name in ids]
    rounds(benchmark, lambda: verify({"release": "1", "notes": notes}, {"release": "1", "changes": changes}))
