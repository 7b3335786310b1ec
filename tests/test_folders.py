"""The real disk: every kind of thing that can lie at a cited path, and links that appear while one looks."""

import os
import socket
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from boundary_lab import folders
from boundary_lab.containment import GUARDS
from boundary_lab.folders import DiskFolder, SyntheticFolder
from boundary_lab.manifest import load_manifest
from boundary_lab.rejected import Rejected, outcome
from boundary_lab.teach.race import race
from releases import one_citation

WALKS = [True, False] if folders._CAN_WALK else [False]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="making links, FIFOs and sockets is POSIX")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """`root` with one of everything, and what lies outside it."""
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    root = tmp_path / "root"
    (root / "inner" / "deep").mkdir(parents=True)
    (tmp_path / "root-old").mkdir()
    for path in ("root/a", "root/inner/deep/b", "root/..cache", "root/b\\c", "outside", "root-old/a"):
        Path(path).write_text(path)
    links = {
        "link": "a", "deep link": "inner/deep/b", "absolute link": root / "a", "folder link": "inner",
        "link to link": "link", "there and back": "../root/a", "to root": ".", "to nowhere": "a/x",
        "out": "../outside", "absolute out": tmp_path / "outside", "folder out": "..", "inner/up": "../..",
        "sibling": "../root-old/a", "dangling": "none", "dangling out": "../none",
        "loop": "loop", "long loop": "inner/back", "inner/back": "../long loop",
    }  # fmt: skip
    for name, target in links.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "fifo")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("root/socket")
        yield root


# What lies at a path → the content, or the code.
PATHS = {
    "a": "root/a",
    "./a": "root/a",
    "inner/../a": "root/a",
    "inner//deep/./b": "root/inner/deep/b",
    "..cache": "root/..cache",
    "b\\c": "root/b\\c",
    "b\\..\\a": "EVIDENCE_UNREADABLE",
    "inner/../b\\c": "root/b\\c",
    "link": "root/a",
    "deep link": "root/inner/deep/b",
    "absolute link": "root/a",
    "folder link/deep/b": "root/inner/deep/b",
    "link to link": "root/a",
    "there and back": "root/a",
    "to root/a": "root/a",
    "to root/to root/inner/deep/b": "root/inner/deep/b",
    "out": "EVIDENCE_PATH",
    "absolute out": "EVIDENCE_PATH",
    "folder out/outside": "EVIDENCE_PATH",
    "folder out/root/a": "root/a",
    "inner/up/outside": "EVIDENCE_PATH",
    "sibling": "EVIDENCE_PATH",
    "dangling": "EVIDENCE_UNREADABLE",
    "dangling out": "EVIDENCE_PATH",
    "loop": "EVIDENCE_UNREADABLE",
    "long loop": "EVIDENCE_UNREADABLE",
    "to nowhere": "EVIDENCE_UNREADABLE",
    "to root": "EVIDENCE_UNREADABLE",
    "inner": "EVIDENCE_UNREADABLE",
    "folder link": "EVIDENCE_UNREADABLE",
    ".": "EVIDENCE_UNREADABLE",
    "a/": "root/a",
    "a/x": "EVIDENCE_UNREADABLE",
    "none": "EVIDENCE_UNREADABLE",
    "none/none": "EVIDENCE_UNREADABLE",
    "fifo": "EVIDENCE_UNREADABLE",
    "socket": "EVIDENCE_UNREADABLE",
    "x" * 300: "EVIDENCE_UNREADABLE",
    "x/" * 3000: "EVIDENCE_UNREADABLE",
    "..": "EVIDENCE_PATH",
    "../outside": "EVIDENCE_PATH",
    "../root-old/a": "EVIDENCE_PATH",
    "../root/a": "root/a",
    "inner/../../outside": "EVIDENCE_PATH",
    "/etc/passwd": "EVIDENCE_PATH",
    "a\0": "EVIDENCE_PATH",
    "\ud800": "EVIDENCE_PATH",
}


def opened(folder, path, *guard):
    try:
        with folder.open(path, *guard) as file:
            return file.read().decode()
    except Rejected as refusal:
        return refusal.code


@pytest.mark.parametrize("walk", WALKS)
# Without backslashes, which pytest doubles in an id each time that it collects: mutmut has it collect often.
@pytest.mark.parametrize("path", PATHS, ids=lambda path: ascii(path[:40]).replace("\\", "%"))
def test_path(place, path, walk):
    assert opened(DiskFolder(place, walk=walk), path) == PATHS[path]


@pytest.mark.parametrize("path", ["a", "link", "out", "none", "fifo", ".."])
def test_check_then_open_answers_alike_while_nothing_moves(place, path):
    assert opened(DiskFolder(place), path, GUARDS["published"]) == PATHS[path]


@pytest.mark.parametrize("walk", WALKS)
def test_a_device(walk):
    folder = DiskFolder("/dev", walk=walk)
    assert opened(folder, "null") == opened(folder, "zero") == "EVIDENCE_UNREADABLE"


@pytest.fixture
def without_rights():
    """A folder that everybody may enter, and a moment in which this process is nobody."""
    with TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        yield Path(place)
        os.seteuid(0)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can give its rights away")
@pytest.mark.parametrize("walk", WALKS)
def test_without_permission(without_rights, walk):
    for path, mode in (("open", 0o644), ("closed", 0o000), ("locked/a", 0o644)):
        (without_rights / path).parent.mkdir(exist_ok=True)
        (without_rights / path).write_text(path)
        (without_rights / path).chmod(mode)
    (without_rights / "link").symlink_to("closed")
    (without_rights / "locked").chmod(0o000)
    os.seteuid(65534)
    folder = DiskFolder(without_rights, walk=walk)
    assert opened(folder, "open") == "open"
    assert {opened(folder, path) for path in ("closed", "locked/a", "link")} == {"EVIDENCE_UNREADABLE"}


@pytest.mark.parametrize("walk", WALKS)
def test_ten_thousand_refusals_leave_no_descriptor(place, walk):
    folder = DiskFolder(place, walk=walk)
    refused = [path for path, code in PATHS.items() if code.startswith("EVIDENCE") and len(path) < 1000]
    for path in refused:
        outcome(folder.open, path)  # the root's own descriptor is open from here on
    before = _descriptors()
    for number in range(10_000):
        assert outcome(folder.open, refused[number % len(refused)]) != "accepted"
    assert _descriptors() == before
    del folder
    assert _descriptors() <= before


@pytest.mark.parametrize("walk", WALKS)
def test_a_folder_leaves_no_descriptor(place, walk):
    before = _descriptors()
    folder = DiskFolder(place, walk=walk)
    assert [opened(folder, path) for path in ("a", "inner/deep/b", "a")] == ["root/a", "root/inner/deep/b", "root/a"]
    del folder
    assert _descriptors() == before


def _descriptors():
    here = Path("/proc/self/fd" if Path("/proc/self/fd").exists() else "/dev/fd")
    return len(list(here.iterdir()))


def test_a_link_that_is_put_there_after_the_check(place, monkeypatch):
    """The moment between resolving and walking, made long: the second walk meets a link and follows none."""
    folder = DiskFolder(place)
    resolve = folder._resolved

    def swapped(path, guard):
        resolved = resolve(path, guard)
        (place / "a").unlink()
        (place / "a").symlink_to(place.parent / "outside")
        return resolved

    monkeypatch.setattr(folder, "_resolved", swapped)
    assert opened(folder, "link") == "EVIDENCE_CHANGED"


def test_a_link_that_is_no_longer_there_when_one_looks(place, monkeypatch):
    """The system met a link; what lies there a moment later is a file."""
    look = os.stat

    def late(path, **options):
        if path == "link":
            (place / path).unlink()
            (place / path).write_text("root/a")
        return look(path, **options)

    monkeypatch.setattr(os, "stat", late)
    assert opened(DiskFolder(place), "link") == "EVIDENCE_CHANGED"


def test_a_path_that_leads_elsewhere_when_it_is_resolved_again(place, monkeypatch):
    resolve = os.path.realpath
    monkeypatch.setattr(
        os.path, "realpath", lambda path, **options: resolve(place / "..cache" if options else path, **options)
    )
    assert opened(DiskFolder(place, walk=False), "a") == "EVIDENCE_CHANGED"


def test_another_file_than_the_one_that_was_checked(place, monkeypatch):
    """Without dir_fd: the opened file is compared with the one that was checked."""
    lstat, other = os.lstat, (place / "..cache").stat()
    monkeypatch.setattr(os, "lstat", lambda path: other if path == str(place / "a") else lstat(path))
    assert opened(DiskFolder(place, walk=False), "a") == "EVIDENCE_CHANGED"


def test_a_process_that_stands_in_no_folder(tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert outcome(DiskFolder, ".") == "MANIFEST_MISSING"


@pytest.mark.parametrize("path", ["a\0", "\ud800", "x/" * 3000])
def test_what_can_be_no_path_is_not_resolved(tmp_path, path):
    code = "EVIDENCE_UNREADABLE" if len(path) > 4096 else "EVIDENCE_PATH"
    for folder in (DiskFolder(tmp_path), SyntheticFolder("posix", "/", {})):
        assert outcome(folder.realpath, path) == outcome(folder.open, path) == code


@pytest.mark.parametrize("root", ["none", "a\0b", "file"])
def test_a_root_that_is_no_folder(tmp_path, root):
    (tmp_path / "file").write_text("x")
    assert outcome(lambda: load_manifest(DiskFolder(tmp_path / root))) == "MANIFEST_MISSING"


def test_a_folder_without_a_manifest(tmp_path):
    for folder in (DiskFolder(tmp_path), SyntheticFolder("posix", "/", {})):
        assert outcome(folder.open_manifest) == "MANIFEST_MISSING"


@pytest.mark.parametrize("walk", WALKS)
def test_a_manifest_behind_a_link(tmp_path, walk):
    """A link inside is followed; one that leads outside is no manifest."""
    (tmp_path / "root").mkdir()
    for path in ("root/real.json", "outside.json"):
        (tmp_path / path).write_bytes(one_citation("a", "a"))
    (tmp_path / "root" / "a").write_text("a")
    (tmp_path / "root" / "manifest.json").symlink_to("real.json")
    assert outcome(load_manifest, DiskFolder(tmp_path / "root", walk=walk)) == "accepted"
    (tmp_path / "root" / "manifest.json").unlink()
    (tmp_path / "root" / "manifest.json").symlink_to("../outside.json")
    assert outcome(load_manifest, DiskFolder(tmp_path / "root", walk=walk)) == "MANIFEST_MISSING"


LOADS = 20_000


@pytest.mark.skipif(not folders._CAN_WALK, reason="the walk needs dir_fd")
def test_race(record_property, capsys):
    """Foreign bytes seen in 20,000 loads: none; by the reader that checks and then opens: reported."""
    hardened = race(DiskFolder.open, LOADS)
    naive = race(lambda folder, path: folder.open(path, GUARDS["published"]), LOADS)
    record_property("check-then-open, foreign", naive["outside"])
    with capsys.disabled():
        print(f"\nrace, {LOADS} loads each: hardened {dict(hardened)}; check-then-open {dict(naive)}")
    assert hardened["outside"] == 0
    assert hardened["inside"] > 0
    assert hardened["EVIDENCE_PATH"] > 0


def test_links_in_memory():
    files = {"a": b"a", "store/b": b"b", "/outside": b"o"}
    links = {"link": "a", "folder": "store", "out": "/outside", "up": "..", "loop": "loop", "chain": "link"}
    folder = SyntheticFolder("posix", "/release", files, links)
    expected = {
        "a": "a", "link": "a", "chain": "a", "folder/b": "b", "out": "EVIDENCE_PATH", "up/outside": "EVIDENCE_PATH",
        "loop": "EVIDENCE_UNREADABLE", "none": "EVIDENCE_UNREADABLE", "../outside": "EVIDENCE_PATH",
    }  # fmt: skip
    assert {path: opened(folder, path) for path in expected} == expected


def test_windows_names_differ_in_case_only():
    folder = SyntheticFolder("windows", "C:\\release", {"Changes\\A.patch": b"a"})
    assert opened(folder, "changes/a.PATCH") == "a"


def test_posix_names_differ_in_case_and_hold_backslashes():
    folder = SyntheticFolder("posix", "/release", {"A": b"a"})
    assert [opened(folder, path) for path in ("A", "a", "b\\..\\A")] == ["a", *["EVIDENCE_UNREADABLE"] * 2]


@pytest.mark.parametrize(("length", "verdict"), [(4096, "accepted"), (4097, "EVIDENCE_UNREADABLE")])
def test_the_longest_path(length, verdict):
    """On a disk in memory, where no system is in the way."""
    name = "a" * length
    assert outcome(SyntheticFolder("posix", "/", {name: b""}).open, name) == verdict
