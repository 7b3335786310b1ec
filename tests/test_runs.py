"""What lies on the disk after a run, and after one that was cut off at any of its steps."""

import json
import os
import stat
import subprocess
import sys
import threading
from io import BytesIO
from pathlib import Path

import pytest

from boundary_lab import runs, written
from boundary_lab.cli import main
from boundary_lab.rejected import outcome
from boundary_lab.runs import EventFile, RunFolder, read_candidate, read_checkpoint, read_thread, write_report
from boundary_lab.turn import Checkpoint
from rows import fixture, load

RELEASE = str(fixture("release"))
EVENTS = str(fixture("release/success.events.jsonl"))
CANDIDATE = str(fixture("release/candidate.json"))
WHOLE = {
    "checkpoint.json": lambda data: json.loads(data)["threadId"] == "fixture-thread-24",
    "candidate.json": lambda data: json.loads(data) == load("release/candidate.json"),
    "report.json": lambda data: json.loads(data) == load("release/report.json"),
    "events.jsonl": lambda data: (
        all("type" in json.loads(line) for line in data.splitlines()) and data[-1:] in (b"", b"\n")
    ),
}


def generate(folder):
    return main(["generate", RELEASE, str(folder), "--replay", EVENTS])


def check(report):
    return main(["check", RELEASE, CANDIDATE, str(report)])


def assert_whole(folder):
    """Every file of a run or a report is there as a whole, and there is nothing beside them."""
    for path in folder.iterdir():
        assert WHOLE[path.name](path.read_bytes()), path.name


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")
def test_files_and_modes(tmp_path):
    umask = os.umask(0)
    try:
        assert (generate(tmp_path / "run"), check(tmp_path / "report.json")) == (0, 0)
    finally:
        os.umask(umask)
    assert mode(tmp_path / "run") == 0o700
    assert {path.name: mode(path) for path in (tmp_path / "run").iterdir()} == dict.fromkeys(
        ("candidate.json", "checkpoint.json", "events.jsonl"), 0o600
    )
    assert mode(tmp_path / "report.json") == 0o600
    assert_whole(tmp_path / "run")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows opens no folder")
def test_a_file_is_on_the_disk_before_its_name_and_the_name_at_the_end(tmp_path, monkeypatch):
    flushed, fsync = [], os.fsync

    def note(descriptor):
        flushed.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    check(tmp_path / "report.json")
    assert flushed == ["file", "folder"]
    generate(tmp_path / "run")  # the checkpoint; the events, then the candidate
    assert flushed[2:] == ["file", "folder", "file", "file", "folder"]


def test_nothing_is_replaced(tmp_path, capfd):
    report = tmp_path / "report.json"
    report.write_text("mine")
    (tmp_path / "run").write_text("mine")
    assert (check(report), generate(tmp_path / "run")) == (1, 1)
    assert [line.split(": ")[1] for line in capfd.readouterr().err.splitlines()] == ["REPORT_EXISTS", "RUN_EXISTS"]
    assert report.read_text() == (tmp_path / "run").read_text() == "mine"
    (tmp_path / "loop").symlink_to("loop")
    assert outcome(write_report, tmp_path / "loop", {}) == "REPORT_EXISTS"


def test_of_twenty_reports_at_once_one_is_written(tmp_path):
    verdicts = []
    threads = [
        threading.Thread(target=lambda n=n: verdicts.append(outcome(write_report, tmp_path / "r", [n] * 9999)))
        for n in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(verdicts) == ["REPORT_EXISTS"] * 19 + ["accepted"]
    assert len(set(json.loads((tmp_path / "r").read_bytes()))) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["r"]


def test_a_newer_checkpoint_takes_the_place_of_the_older(tmp_path):
    with RunFolder(tmp_path / "run") as run:
        for thread in ("one", "two"):
            run.checkpoint(Checkpoint("1", "d", thread))
            assert read_checkpoint(tmp_path / "run" / "checkpoint.json").thread_id == thread


def test_a_recording_lies_beside_its_checkpoint(tmp_path, monkeypatch):
    checkpoint = tmp_path / "run" / "checkpoint.json"
    with RunFolder(tmp_path / "run") as run:
        assert outcome(read_thread, checkpoint) == "THREAD_UNKNOWN"
        for recording in (b"one", b"two"):
            run.thread(recording)
            assert read_thread(checkpoint) == recording
    monkeypatch.setattr(runs, "MAX_THREAD_BYTES", 3)
    assert read_thread(checkpoint) == b"two"
    monkeypatch.setattr(runs, "MAX_THREAD_BYTES", 2)
    assert outcome(read_thread, checkpoint) == "THREAD_UNKNOWN"


def test_a_candidate_is_not_replaced(tmp_path):
    with RunFolder(tmp_path / "run") as run:
        run.candidate(1)
        assert outcome(run.candidate, 2) == "WRITE_FAILED"
    assert json.loads((tmp_path / "run" / "candidate.json").read_bytes()) == 1


def test_a_report_that_appears_after_the_look_is_not_replaced(tmp_path, monkeypatch):
    (tmp_path / "report").write_text("mine")
    monkeypatch.setattr(os.path, "lexists", lambda _: False)
    assert outcome(write_report, tmp_path / "report", {}) == "REPORT_EXISTS"
    assert (tmp_path / "report").read_text() == "mine"


def test_a_run_folder_that_can_be_neither_used_nor_removed(tmp_path, monkeypatch):
    def fails(*_, **__):
        raise OSError

    monkeypatch.setattr(os, "open", fails)
    monkeypatch.setattr(Path, "rmdir", fails)
    assert outcome(RunFolder, tmp_path / "run") == "WRITE_FAILED"


def test_a_scratch_file_of_another_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(written, "token_hex", lambda _: "taken")
    with RunFolder(tmp_path / "run") as run:
        (tmp_path / "run" / ".checkpoint.json.taken").write_text("mine")
        assert outcome(run.checkpoint, Checkpoint("1", "d", "t")) == "WRITE_FAILED"
    assert (tmp_path / "run" / ".checkpoint.json.taken").read_text() == "mine"


def test_any_text_of_an_sdk_can_be_recorded(tmp_path):
    with RunFolder(tmp_path / "run") as run:
        run.event("\ud800\n", "\udfff")
        run.checkpoint(Checkpoint("1", "d", "\ud800"))
    (line,) = (tmp_path / "run" / "events.jsonl").read_bytes().splitlines()
    assert json.loads(line) == {"type": "\ud800\n", "item": "\udfff"}
    assert outcome(read_checkpoint, tmp_path / "run" / "checkpoint.json") == "CHECKPOINT_SHAPE"


def test_files_are_the_frozen_ones_to_the_byte(tmp_path):
    assert (generate(tmp_path / "run"), check(tmp_path / "report.json")) == (0, 0)
    assert (tmp_path / "report.json").read_bytes() == fixture("release/report.json").read_bytes()
    assert (tmp_path / "run" / "candidate.json").read_bytes() == fixture("release/candidate.json").read_bytes()


@pytest.mark.parametrize(
    "value", ["\ud800", float("nan"), {1: 1}, object()], ids=["a surrogate", "NaN", "a number as a key", "an object"]
)
def test_what_is_no_json_is_not_written(tmp_path, value):
    with RunFolder(tmp_path / "run") as run:
        assert outcome(run.candidate, value) == outcome(write_report, tmp_path / "report", value) == "bad_value"
    assert [path.name for path in tmp_path.rglob("*")] == ["run", "events.jsonl"]


@pytest.mark.parametrize("path", ["none/run", "a\0b", "x" * 300])
def test_places_where_nothing_can_be_made(tmp_path, path):
    assert outcome(RunFolder, tmp_path / path) == "WRITE_FAILED"
    assert outcome(write_report, tmp_path / path, {}) == "WRITE_FAILED"
    assert list(tmp_path.iterdir()) == []


# Every operation on the disk fails once.


class Failing:
    """A call of `os` that fails the n-th time; a close is carried out all the same."""

    def __init__(self, name, at):
        self.real, self.name, self.left = getattr(os, name), name, at

    def __call__(self, *arguments, **options):
        self.left -= 1
        if self.left == -1:
            if self.name == "close":
                self.real(*arguments)
            raise OSError(28, "No space left on device")
        return self.real(*arguments, **options)


class FailingOs:
    """The module `os` for what writes runs alone, with one call that fails."""

    def __init__(self, failing):
        self.failing = failing

    def __getattr__(self, name):
        return self.failing if name == self.failing.name else getattr(os, name)


THROUGH_PATHLIB = ("mkdir", "replace", "unlink")
OPERATIONS = ("open", "write", "fsync", "close", "link", *THROUGH_PATHLIB)
COMMANDS = {
    "generate": (generate, "run", "candidate.json"),
    "check": (check, "report.json", ""),
    "check, with named scratch files": (check, "report.json", ""),
    "check, with named files and plain links": (check, "report.json", ""),
}


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_write_fails_once(tmp_path, capfd, command, operation):
    call, name, result = COMMANDS[command]
    for at in range(40):
        folder = tmp_path / f"{at}"
        folder.mkdir()
        failing = Failing(operation, at)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(written, "_HAS_UNNAMED", written._HAS_UNNAMED and "named" not in command)
            patch.setattr(written, "_LINKS_AT_FOLDERS", written._LINKS_AT_FOLDERS and "plain" not in command)
            if operation in THROUGH_PATHLIB:
                patch.setattr(os, operation, failing)
            else:
                patch.setattr(runs, "os", FailingOs(failing))
                patch.setattr(written, "os", FailingOs(failing))
            status = call(folder / name)
        for left in (folder, folder / name):
            if left.is_dir() and (left.name == "run" or name == "report.json") and operation != "unlink":
                assert_whole(left)  # a scratch file that cannot be removed stays, under another name
        if status:
            assert capfd.readouterr().err.startswith("boundary-lab: WRITE_FAILED: ")
            assert not (folder / name / result).is_file()
            assert call(folder / f"again {name}") == 0
        if failing.left >= 0:
            assert status == 0
            return
    pytest.fail("the operation never stopped failing")


# Killed for real, anywhere.

KILLED = """
import os, sys, threading, time
from boundary_lab.cli import main
runs = 0

def kill():
    while runs < 8:
        time.sleep(0.0001)
    time.sleep(float(sys.argv[1]))
    os.kill(os.getpid(), 9)

threading.Thread(target=kill, daemon=True).start()
while True:
    folder = f"{sys.argv[2]}/{time.monotonic_ns()}"
    main(["generate", sys.argv[3], folder, "--replay", sys.argv[4]])
    main(["check", sys.argv[3], sys.argv[5], folder + "/report.json"])
    runs += 1
"""


@pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere a killed report leaves its scratch file, under another name"
)
def test_killed_anywhere_nothing_is_half_made(tmp_path):
    """Forty processes, each killed in the middle of a run after at least eight whole ones."""
    for number in range(40):
        after = number * 0.0002
        code = [sys.executable, "-c", KILLED, str(after), str(tmp_path), RELEASE, EVENTS, CANDIDATE]
        done = subprocess.run(code, check=False, stdout=subprocess.DEVNULL, timeout=60)
        assert done.returncode == -9
    folders = list(tmp_path.iterdir())
    assert len(folders) >= 320
    for folder in folders:
        for path in folder.iterdir():
            if not path.name.startswith(".checkpoint.json."):  # a checkpoint is renamed: its scratch file may stay
                assert WHOLE[path.name](path.read_bytes()), path
    assert generate(tmp_path / "next") == 0
    assert check(tmp_path / "next" / "report.json") == 0


# What is read back.

EVENT_FILES = {
    "as frozen": (fixture("release/success.events.jsonl").read_bytes(), None),
    "none": (None, "EVENTS_MISSING"),
    "empty": (b"", "INCOMPLETE_TURN"),
    "a blank line": (b"\n", "EVENT_SHAPE"),
    "not JSON": (b"{\n", "EVENT_SHAPE"),
    "not UTF-8": (b'"\xff"\n', "EVENT_SHAPE"),
    "a repeated key": (b'{"type":"a","type":"a"}\n', "EVENT_SHAPE"),
    "an array": (b"[]\n", "EVENT_SHAPE"),
    "a line of 16 MiB": (b'{"type":"' + b"x" * ((16 << 20) - 11) + b'"}\n', "INCOMPLETE_TURN"),
    "a line of 16 MiB and a byte": (b'{"type":"' + b"x" * ((16 << 20) - 10) + b'"}\n', "EVENT_SHAPE"),
}


@pytest.mark.parametrize(("content", "code"), EVENT_FILES.values(), ids=EVENT_FILES)
def test_event_file(tmp_path, capfd, content, code):
    path = tmp_path / "events.jsonl"
    if content is not None:
        path.write_bytes(content)
    status = main(["generate", RELEASE, str(tmp_path / "run"), "--replay", str(path)])
    assert (status, capfd.readouterr().err.split(": ")[1:2]) == ((1, [code]) if code else (0, []))
    assert (tmp_path / "run" / "candidate.json").exists() == (code is None)
    assert (tmp_path / "run").exists() == (code != "EVENTS_MISSING")


class Lines(BytesIO):
    """A file that knows the longest line that was taken from it."""

    longest = 0

    def readline(self, size=-1):
        line = super().readline(size)
        self.longest = max(self.longest, len(line))
        return line


def test_no_more_of_a_line_is_read_than_shows_that_it_is_too_long(monkeypatch):
    """The limit, its LF, and one byte."""
    file = Lines(b"1" * 99)
    monkeypatch.setattr(runs, "open_regular", lambda *_: file)
    monkeypatch.setattr(runs, "MAX_EVENT_BYTES", 10)
    with EventFile("") as events:
        assert outcome(list, events) == "EVENT_SHAPE"
    assert file.longest == 12


CHECKPOINTS = {
    "none": (None, "CHECKPOINT_MISSING"),
    "empty": (b"", "CHECKPOINT_SHAPE"),
    "a byte order mark": (b'\xef\xbb\xbf{"release":"r","digest":"d","threadId":"t"}', "CHECKPOINT_SHAPE"),
    "a field too many": (b'{"release":"r","digest":"d","threadId":"t","approved":true}', "CHECKPOINT_SHAPE"),
    "64 KiB": (b'{"release":"r","digest":"d","threadId":"t"}'.ljust(64 << 10), "accepted"),
    "64 KiB and a byte": (b'{"release":"r","digest":"d","threadId":"t"}'.ljust((64 << 10) + 1), "CHECKPOINT_SHAPE"),
}


@pytest.mark.parametrize(("content", "code"), CHECKPOINTS.values(), ids=CHECKPOINTS)
def test_checkpoint_file(tmp_path, content, code):
    path = tmp_path / "checkpoint.json"
    if content is not None:
        path.write_bytes(content)
    assert outcome(read_checkpoint, path) == code


def test_what_is_no_regular_file(tmp_path):
    for read, code in ((read_candidate, "CANDIDATE"), (read_checkpoint, "CHECKPOINT"), (EventFile, "EVENTS")):
        assert outcome(read, tmp_path) == outcome(read, tmp_path / "none") == f"{code}_MISSING"


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="a file whose first byte cannot be read is Linux's")
def test_a_file_that_breaks_while_it_is_read():
    assert outcome(read_candidate, "/proc/self/mem") == "CANDIDATE_MISSING"
    with EventFile("/proc/self/mem") as events:
        assert outcome(list, events) == "EVENTS_MISSING"


def test_a_refusal_without_a_standard_error(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert check(tmp_path) == 1
