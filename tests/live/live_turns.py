"""The whole way but for the model: command, SDK, program, HTTP, events, candidate, checkpoint, check."""

import asyncio
import errno
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from responses import serving

from boundary_lab.cli import main
from boundary_lab.fixtures import fixture, load
from boundary_lab.rejected import outcome
from boundary_lab.sdk.openai_codex import CodexSDK, Model
from boundary_lab.turn import TurnOptions

pytestmark = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # the SDK's pipes to its program

COMMAND = [sys.executable, "-m", "boundary_lab"]
KEY = "sk-only-for-the-tests-of-the-lab"
CANDIDATE = fixture("release/candidate.json").read_text(encoding="utf-8")
ANSWER = [["created"], ["message", CANDIDATE], ["completed"]]
# Where the system does not cut us off, a proxy that is not there.
DEAD = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:1") | {"no_proxy": "127.0.0.1"}
NO_PROXY = DEAD | {name.upper(): value for name, value in DEAD.items()}
LEFT = {"checkpoint.json", "events.jsonl", "thread.jsonl"}
CASES = load("lab/live.json")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A release between instructions that nobody reviewed, where temporary files and the user's home lie too."""
    folder = shutil.copytree(fixture("release"), tmp_path / "release")
    home, scratch = folder / "home", folder / "scratch"
    for path in (scratch, home / ".codex", folder / ".git"):
        path.mkdir(parents=True)
    for path in (folder, scratch, home, home / ".codex"):
        (path / "AGENTS.md").write_text("PLANTED INSTRUCTION")
    for name in (".bashrc", ".profile", ".zshenv"):
        (home / name).write_text(f"export OPENAI_API_KEY={KEY}\n")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(tempfile, "tempdir", None)  # or the last test's would be remembered
    for name, value in {"OPENAI_API_KEY": KEY, "HOME": str(home), "TMPDIR": str(scratch), **NO_PROXY}.items():
        monkeypatch.setenv(name, value)
    return SimpleNamespace(release=folder, scratch=scratch, runs=tmp_path)


@pytest.fixture
def live(place, capfdbinary):
    """Runs the command in this process, where the SDK, which takes seconds, is loaded once."""

    def run(url, name, *options):
        main(arguments(place, url, name, *options))
        assert_nothing_left(place)
        return json.loads(capfdbinary.readouterr().out)

    return run


def arguments(place, url, name, *options):
    asking = ("--live", "--yes", "--json", "--endpoint", url, "--model", "scripted", *options)
    return ["generate", str(place.release), str(place.runs / name), *map(str, asking)]


def begun(place, url):
    command = [*COMMAND, *arguments(place, url, "run")]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


def assert_nothing_left(place):
    """No file of the program's, and no process that works in a folder of its."""
    assert [path.name for path in place.scratch.iterdir()] == ["AGENTS.md"]
    assert working_in(place.scratch) == []


def working_in(folder):
    return [process for process in Path("/proc").glob("[0-9]*") if str(where(process)).startswith(str(folder))]


def where(process):
    try:
        return (process / "cwd").readlink()
    except OSError:
        return None


def names(folder):
    return {path.name for path in folder.iterdir()}


def thread_of(folder):
    return json.loads((folder / "checkpoint.json").read_bytes())["threadId"]


def filled(script):
    return [[CANDIDATE if part == "@candidate" else part for part in step] for step in script]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["is"].replace(" ", "-"))
def test_case(case, place, live):
    with serving([filled(case["script"])]) as (url, server):
        said = live(url, "run", *case.get("options", ()))
    assert said.get("code") == case["code"]
    assert len(server.asked) == case["asked"]
    assert names(place.runs / "run") == LEFT | ({"candidate.json"} if said["ok"] else set())
    assert thread_of(place.runs / "run").encode() in (place.runs / "run" / "thread.jsonl").read_bytes()
    assert CANDIDATE.encode() not in (place.runs / "run" / "events.jsonl").read_bytes()


def test_time_is_up_while_the_program_starts(place, live):
    with serving([ANSWER]) as (url, server):
        assert live(url, "run", "--timeout", "0.02")["code"] == "SDK_TIMEOUT"
    assert server.asked == []
    assert names(place.runs / "run") == {"events.jsonl"}


def test_as_a_process_then_check(place):
    with serving([ANSWER]) as (url, _):
        process = begun(place, url)
        assert (json.loads(process.communicate(timeout=60)[0])["ok"], process.returncode) == (True, 0)
    assert_nothing_left(place)
    assert main(["check", str(place.release), str(place.runs / "run" / "candidate.json"), "new-report.json"]) == 0
    assert json.loads(Path("new-report.json").read_bytes()) == load("release/report.json")


def test_what_is_sent(place, live):
    """The manifest and the schema, the key as it must be; no instruction that lay about, and no room to move."""
    with serving([ANSWER]) as (url, server):
        live(url, "run")
        live(url, "again", "--resume", place.runs / "run" / "checkpoint.json")
    for request in server.asked:
        sent = json.dumps(request.body)
        assert request.path == "/v1/responses"
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert request.body["model"] == "scripted"
        assert request.body["text"]["format"]["schema"]["required"] == ["release", "notes"]
        assert "changes/C101.patch" in sent
        assert "PLANTED INSTRUCTION" not in sent
        assert KEY not in sent
        assert "`sandbox_mode` is `read-only`" in sent
        assert "Network access is restricted" in sent
        assert "Approval policy is currently never" in sent
        assert [tool.get("name") for tool in request.body["tools"] if "search" in str(tool)] == []


# Commands that the model wants run.


@pytest.fixture
def output_of(live):
    def run(command):
        with serving([[["created"], ["run", command], ["completed"]], ANSWER]) as (url, server):
            assert live(url, "run")["ok"]
        return server.asked[1].body["input"][-1]["output"]

    return run


def test_a_command_inherits_no_key(output_of):
    said = output_of("env; cat ~/.bashrc ~/.profile")
    assert "PATH=" in said
    assert KEY not in said


def test_a_command_finds_no_key_in_other_processes(output_of):
    assert KEY not in output_of("cat /proc/[0-9]*/environ | tr '\\0' '\\n'")


def test_a_command_may_read_and_not_write(place, output_of):
    said = output_of(f"cat {place.release}/AGENTS.md; touch {place.release}/new {place.scratch}/new new")
    assert "PLANTED INSTRUCTION" in said
    assert said.count("Read-only file system") == 3


# Resuming.


def test_resume(place, live):
    """In another process, with another home, after a success and after a failure: the same thread, and what it said."""
    with serving([ANSWER, [["status", 500]], ANSWER]) as (url, server):
        for name, before, ok in (("one", None, True), ("two", "one", False), ("three", "two", True)):
            options = ("--resume", place.runs / before / "checkpoint.json") if before else ()
            assert live(url, name, *options)["ok"] == ok
    assert len({thread_of(place.runs / name) for name in ("one", "two", "three")}) == 1
    assert [json.dumps(request.body).count("Draft release notes for") for request in server.asked] == [1, 2, 3]


def test_a_recording_cannot_lift_the_limits(place, live):
    """It is not signed, so somebody may have written into it what the thread was allowed."""
    target = place.release / "new"
    with serving([ANSWER, [["created"], ["run", f"touch {target}"], ["completed"]], ANSWER]) as (url, server):
        live(url, "run")
        recording = place.runs / "run" / "thread.jsonl"
        text = recording.read_text(encoding="utf-8")
        assert '"approval_policy":"never"' in text
        freed = text.replace('"approval_policy":"never"', '"approval_policy":"on-request"')
        recording.write_text(freed.replace("read-only", "danger-full-access"), encoding="utf-8")
        assert live(url, "again", "--resume", recording.with_name("checkpoint.json"))["ok"]
    assert "Read-only file system" in server.asked[2].body["input"][-1]["output"]
    assert not target.exists()


ANOTHER = "0199a213-81c0-7800-8aa1-bbab2a035a53"
NOT_RESUMED = {
    "the recording is of another thread": (ANOTHER, None, "THREAD_MISMATCH"),
    "the recording is empty": (ANOTHER, b"", "THREAD_UNKNOWN"),
    "the recording is none": (ANOTHER, b"{}\n", "THREAD_UNKNOWN"),
    "the id is a path": ("../../run", None, "THREAD_UNKNOWN"),
}


@pytest.mark.parametrize(("thread", "recording", "code"), NOT_RESUMED.values(), ids=NOT_RESUMED)
def test_not_resumed(thread, recording, code, place, live):
    checkpoint = place.runs / "run" / "checkpoint.json"
    with serving([ANSWER]) as (url, server):
        live(url, "run")
        checkpoint.write_text(json.dumps(json.loads(checkpoint.read_bytes()) | {"threadId": thread}))
        if recording is not None:
            checkpoint.with_name("thread.jsonl").write_bytes(recording)
        assert live(url, "again", "--resume", checkpoint)["code"] == code
    assert names(place.runs / "again") - LEFT == set()
    assert thread_of(place.runs / "again") == thread
    assert len(server.asked) == 1


@pytest.mark.usefixtures("place")
def test_the_program_knows_no_thread_without_its_recording():
    with serving([ANSWER]) as (url, server), CodexSDK(Model(endpoint=url), pytest.fail) as sdk:
        assert outcome(asyncio.run, sdk.resume(ANOTHER, TurnOptions())) == "THREAD_UNKNOWN"
    assert server.asked == []


# Interrupts.


LATE = [["created"], ["message", CANDIDATE], ["wait"]]


INTERRUPTS = {
    "in silence": ([["wait"]], os.kill, 1),
    "twice": (LATE, os.kill, 2),
    "as a terminal does, the program too": (LATE, os.killpg, 1),
}


@pytest.mark.parametrize(("script", "send", "times"), INTERRUPTS.values(), ids=INTERRUPTS)
def test_interrupt(script, send, times, place):
    with serving([script]) as (url, server):
        process = begun(place, url)
        assert server.waiting.wait(30)
        interrupt(process, send, times)
    assert_nothing_left(place)
    assert names(place.runs / "run") - LEFT == set()
    assert times > 1 or names(place.runs / "run") == LEFT


def test_interrupt_while_a_command_runs(place):
    with serving([[["created"], ["run", "sleep 97"], ["completed"]], ANSWER]) as (url, _):
        process = begun(place, url)
        wait_for(lambda: any("sleep\0" + "97" in command_of(one) for one in working_in(place.scratch)))
        interrupt(process, os.kill, 1)
    assert_nothing_left(place)
    assert names(place.runs / "run") == LEFT


def interrupt(process, send, times):
    for _ in range(times):
        send(process.pid, signal.SIGINT)
        time.sleep(0.01)
    assert (process.communicate(timeout=30)[0], process.returncode) == (b"", 130)


def command_of(process):
    try:
        return (process / "cmdline").read_text()
    except OSError:
        return ""


def wait_for(condition):
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_the_program_is_killed(place):
    with serving([[["wait"]]]) as (url, server):
        process = begun(place, url)
        assert server.waiting.wait(30)
        for program in working_in(place.scratch):
            os.kill(int(program.name), signal.SIGKILL)
        said = json.loads(process.communicate(timeout=30)[0])
    assert said["code"] == "SDK_TRANSPORT"
    assert_nothing_left(place)
    assert names(place.runs / "run") == LEFT


def test_nothing_beyond_loopback_is_reached(cut_off):
    if not cut_off:
        pytest.skip("this system gives no network of one's own; a proxy that is not there has to do")
    with socket.socket() as anywhere:
        assert anywhere.connect_ex(("192.0.2.1", 443)) == errno.ENETUNREACH
