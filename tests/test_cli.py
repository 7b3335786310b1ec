"""The command as a person runs it: in another folder, piped, in a bare locale, from an installed wheel."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from boundary_lab import cli
from boundary_lab.cli import main
from boundary_lab.folders import DiskFolder
from boundary_lab.manifest import load_manifest
from boundary_lab.popular import POPULAR
from boundary_lab.rejected import CODES
from boundary_lab.turn import ReplaySDK, prompt
from releases import byte_case, manifest_of, on_disk
from rows import fixture, load

COMMAND = [sys.executable, "-m", "boundary_lab"]
TRANSCRIPTS = ("handoff", "review")
PIPES = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
LINE = "boundary-lab: output_failed: Not everything could be written to standard output. "


def run(*arguments, python=COMMAND, **options):
    return subprocess.run([*python, *arguments], check=False, timeout=60, **PIPES | options)


def module(name, *arguments, **options):
    subprocess.run([sys.executable, "-m", name, *arguments], check=True, timeout=120, capture_output=True, **options)


def transcript(lesson):
    return fixture(f"{lesson}/transcript.txt").read_bytes()


@pytest.mark.parametrize("lesson", TRANSCRIPTS)
@pytest.mark.parametrize("python", [[], ["-O"], ["-X", "utf8=0"], ["-I"]], ids=" ".join)
def test_demo_equals_the_transcript(lesson, python, tmp_path):
    bare = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG", "PYTHON"))}
    done = run(
        "demo", lesson, python=[sys.executable, *python, "-m", "boundary_lab"], cwd=tmp_path, env=bare | {"LC_ALL": "C"}
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, transcript(lesson), b"")


@pytest.mark.parametrize("lesson", TRANSCRIPTS)
def test_demo_under_another_encoding(lesson):
    done = run("demo", lesson, env=os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert (done.returncode, done.stdout) == (0, transcript(lesson))


def test_installed_wheel(tmp_path):
    """From the wheel alone, without this checkout: the fixtures travel inside it."""
    root = fixture(".").parent
    venv = tmp_path / "venv"
    module("hatchling", "build", "-t", "wheel", "-d", tmp_path / "dist", cwd=root)
    module("venv", "--without-pip", venv)
    module("uv", "pip", "install", "--offline", "--no-deps", "--python", venv, *(tmp_path / "dist").glob("*.whl"))
    scripts = venv / ("Scripts" if sys.platform == "win32" else "bin")
    for lesson in TRANSCRIPTS:
        for python in ([scripts / "boundary-lab"], [scripts / "python", "-O", "-m", "boundary_lab"]):
            done = run("demo", lesson, python=python, cwd=tmp_path)
            assert (done.returncode, done.stdout, done.stderr) == (0, transcript(lesson), b"")
    page = (root / "README.md").read_text(encoding="utf-8")
    example, printed = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", page, re.DOTALL).groups()
    assert run("-c", example, python=[scripts / "python"], cwd=tmp_path).stdout.decode() == printed
    where = run("-c", "from boundary_lab.fixtures import ROOT; print(ROOT)", python=[scripts / "python"], cwd=tmp_path)
    assert Path(where.stdout.decode().strip()).is_relative_to(tmp_path.resolve())


@pytest.mark.parametrize(
    "arguments", [[], ["demo"], ["demo", "none"], ["nothing"], ["demo", "handoff", "more"], ["--vers"]], ids=" ".join
)
def test_bad_usage(arguments):
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.startswith(b"usage: boundary-lab")


def test_version():
    done = run("--version")
    assert done.returncode == 0
    assert done.stdout.startswith(b"boundary-lab ")


def test_a_reader_that_goes_away_is_no_failure_of_ours():
    reading, writing = os.pipe()
    os.close(reading)
    done = run("demo", "review", stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def lies(content):
    return lambda path: path.write_bytes(content)


DAMAGE = {
    "missing": ("handoff/contract.json", lambda _: None),
    "cut off": ("review/snapshots.json", lies(b"{")),
    "valid, and of another shape": ("review/sources.json", lies(b"{}")),
    "binary": ("SHA256SUMS", lies(bytes(range(256)))),
    "a folder": ("review/packets.json", Path.mkdir),
}
if sys.platform != "win32":
    DAMAGE["a FIFO"] = ("review/questions.json", os.mkfifo)
    DAMAGE["a device without an end"] = ("review/answers.json", lambda path: path.symlink_to("/dev/zero"))


@pytest.mark.parametrize(("name", "put"), DAMAGE.values(), ids=DAMAGE)
def test_damaged_fixtures_give_one_line(name, put, copy_of_the_core):
    damaged = copy_of_the_core / "fixtures" / name
    damaged.unlink()
    put(damaged)
    done = run("demo", "review", env=os.environ | {"PYTHONPATH": str(copy_of_the_core / "src")})
    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.decode().startswith("boundary-lab: bad_fixture: ")
    assert done.stderr.count(b"\n") == 1


# generate and check.

RELEASE, EVENTS, CANDIDATE = (
    fixture(name) for name in ("release", "release/success.events.jsonl", "release/candidate.json")
)


def replay(folder, *options, events=EVENTS):
    return run("generate", RELEASE, folder, "--replay", events, *options)


def test_generate_then_check(tmp_path):
    done = replay(tmp_path / "run")
    assert (done.returncode, done.stderr) == (0, b"")
    assert load_json(tmp_path / "run" / "candidate.json") == load("release/candidate.json")
    done = run("check", RELEASE, tmp_path / "run" / "candidate.json", tmp_path / "report.json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"needs_human: ")
    assert load_json(tmp_path / "report.json") == load("release/report.json")


def load_json(path):
    return json.loads(path.read_bytes())


def test_resume(tmp_path):
    replay(tmp_path / "run")
    checkpoint = tmp_path / "run" / "checkpoint.json"
    assert replay(tmp_path / "again", "--resume", checkpoint).returncode == 0
    checkpoint.write_text(json.dumps(load_json(checkpoint) | {"digest": "0" * 64}))
    stale = replay(tmp_path / "stale", "--resume", checkpoint)
    assert stale.stderr.startswith(b"boundary-lab: STALE_CHECKPOINT: ")
    assert [path.name for path in (tmp_path / "stale").iterdir()] == ["events.jsonl"]


def test_recovery(tmp_path):
    """Refuse, repair, check again: from case invalid_ff to case recovered."""
    cases = {case["name"]: byte_case(case) for case in load("bytes/cases.json")}
    recovery = load("bytes/recovery.json")
    candidate, report = tmp_path / "candidate.json", tmp_path / "report.json"
    candidate.write_text(json.dumps(recovery["candidate"]))
    refused = run("check", on_disk(cases["invalid_ff"], tmp_path / "folder"), candidate, report)
    assert (refused.returncode, report.exists()) == (1, False)
    assert refused.stderr.startswith(b"boundary-lab: EVIDENCE_UTF8: ")
    accepted = run("check", on_disk(cases["recovered"], tmp_path / "folder"), candidate, report)
    assert accepted.returncode == 0
    assert load_json(report) == recovery


RESUME = ["generate", RELEASE, "run", "--replay", EVENTS, "--resume"]
REFUSALS = {  # test_hostile.py has a row for everything else that can lie there
    "a manifest as a candidate": (["check", RELEASE, RELEASE / "manifest.json", "report"], "SHAPE"),
    "events that are no events": (["generate", RELEASE, "run", "--replay", CANDIDATE], "EVENT_SHAPE"),
    "a checkpoint of another shape": ([*RESUME, CANDIDATE], "CHECKPOINT_SHAPE"),
    "the live entry": (["generate", RELEASE, "run", "--live"], "LIVE_UNAVAILABLE"),
}


@pytest.mark.parametrize(("arguments", "code"), REFUSALS.values(), ids=REFUSALS)
def test_refusal(arguments, code, tmp_path):
    meaning, advice = CODES[code]
    plain = run(*arguments, cwd=tmp_path)
    assert (plain.returncode, plain.stdout) == (1, b"")
    assert plain.stderr.decode() == f"boundary-lab: {code}: {meaning} {advice}\n"
    shutil.rmtree(tmp_path / "run", ignore_errors=True)
    as_json = run(*arguments, "--json", cwd=tmp_path)
    assert (as_json.returncode, as_json.stderr) == (1, b"")
    assert json.loads(as_json.stdout) == {"ok": False, "code": code, "meaning": meaning, "next": advice}


def test_success_as_json(tmp_path):
    facts = {"ok": True, "release": "2.4.0", "digest": load("release/digests.json")["bytes-v2"]}
    done = replay(tmp_path / "run", "--json")
    assert json.loads(done.stdout) == facts | {"run": str(tmp_path / "run")}
    done = run("check", RELEASE, CANDIDATE, tmp_path / "report", "--json")
    assert json.loads(done.stdout) == facts | {"status": "needs_human", "report": str(tmp_path / "report")}


@pytest.mark.parametrize(
    "arguments",
    [
        *(["run"], ["run", "--replay", "x", "--live"], ["run", "--replay"], ["--live"]),
        *(["run", "--replay", "x", *more] for more in (["--yes"], ["--model", "m"], ["--timeout", "9"])),
        *(["run", "--live", "--timeout", seconds] for seconds in ("0", "-1", "nan", "inf", "1e9", "soon")),
    ],
    ids=" ".join,
)
def test_bad_usage_of_generate(arguments):
    done = run("generate", RELEASE, *arguments)
    assert (done.returncode, done.stdout) == (2, b"")


# generate --live, up to the point where a model would be asked; the rest is in tests/live.

LOOPBACK = "http://127.0.0.1:1/v1"


class AskedModel(ReplaySDK):
    """In the place of the module that is not installed here: a model that says what was recorded."""

    def __init__(self, model, keep, recording=None):
        super().__init__([json.loads(line) for line in EVENTS.read_bytes().splitlines()])
        self.model, self.keep, self.recording = model, keep, recording

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.keep(repr((self.model, self.recording)).encode())


@pytest.fixture
def live(tmp_path, monkeypatch, capfd):
    """Runs `generate --live`: the exit status, or the code, and what was said before."""
    fake = SimpleNamespace(CodexSDK=AskedModel, Model=dict)
    monkeypatch.setitem(sys.modules, "boundary_lab.sdk.openai_codex", fake)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    def asked(*options, folder="run"):
        status = main(["generate", str(RELEASE), str(tmp_path / folder), "--live", "--json", *map(str, options)])
        out, err = capfd.readouterr()
        return (json.loads(out).get("code", status) if out else status), err

    return asked


def test_live_says_first_what_is_sent_and_where(live, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    status, said = live("--yes", "--model", "some-model")
    size = len(prompt(load_manifest(DiskFolder(RELEASE))).encode())
    assert status == 0
    for part in ("https://api.openai.com/v1", "some-model", f"{size} bytes", "2.4.0", "writes and not reads"):
        assert part in said
    assert "sk-secret" not in said
    model = {"endpoint": "https://api.openai.com/v1", "name": "some-model", "key": "OPENAI_API_KEY", "idle_s": 120}
    assert (tmp_path / "run" / "thread.jsonl").read_text() == repr((model, None))


def test_live_resumes_from_the_recording(live, tmp_path):
    checkpoint = tmp_path / "run" / "checkpoint.json"
    assert live("--yes", "--endpoint", LOOPBACK, "--timeout", "9")[0] == 0
    assert live("--yes", "--endpoint", LOOPBACK, "--resume", checkpoint, folder="again")[0] == 0
    recording = (tmp_path / "run" / "thread.jsonl").read_bytes()
    assert repr(recording) in (tmp_path / "again" / "thread.jsonl").read_text()
    (tmp_path / "run" / "thread.jsonl").unlink()
    assert live("--yes", "--endpoint", LOOPBACK, "--resume", checkpoint, folder="none")[0] == "THREAD_UNKNOWN"
    assert not (tmp_path / "none").exists()


class Typed(io.StringIO):
    isatty = lambda _: True  # noqa: E731


ANSWERS = {
    "yes": (Typed("yes\n"), 0),
    "no": (Typed("no\n"), "LIVE_NOT_CONFIRMED"),
    "a letter": (Typed("y\n"), "LIVE_NOT_CONFIRMED"),
    "nothing more": (Typed(""), "LIVE_NOT_CONFIRMED"),
    "yes through a pipe": (io.StringIO("yes\n"), "LIVE_NOT_CONFIRMED"),
    "no standard input": (None, "LIVE_NOT_CONFIRMED"),
    "an interrupt": (SimpleNamespace(isatty=lambda: True, readline=Mock(side_effect=KeyboardInterrupt)), 130),
}


@pytest.mark.parametrize(("stdin", "gives"), ANSWERS.values(), ids=ANSWERS)
def test_live_wants_a_yes(stdin, gives, live, tmp_path, monkeypatch):
    shown = Typed()
    monkeypatch.setattr(sys, "stdin", stdin)
    monkeypatch.setattr(sys, "stderr", shown)
    assert live("--endpoint", LOOPBACK)[0] == gives
    assert LOOPBACK in shown.getvalue()
    assert (tmp_path / "run").exists() == (gives == 0)


def test_live_wants_a_terminal_that_shows_what_is_asked(live, monkeypatch):
    monkeypatch.setattr(sys, "stdin", Typed("yes\n"))
    assert live("--endpoint", LOOPBACK)[0] == "LIVE_NOT_CONFIRMED"


ENDPOINTS = {
    "http://localhost:80/v1": (0, 0),
    "http://[::1]/v1": (0, 0),
    "https://127.0.0.1/v1": (0, 0),
    "https://example.org/v1": ("LIVE_KEY_MISSING", 0),
    "http://example.org/v1": ("LIVE_ENDPOINT",) * 2,
    "http://192.0.2.1/v1": ("LIVE_ENDPOINT",) * 2,
    "http://localhost.example.org/v1": ("LIVE_ENDPOINT",) * 2,
    "ftp://127.0.0.1/v1": ("LIVE_ENDPOINT",) * 2,
    "https://user:word@example.org/v1": ("LIVE_ENDPOINT",) * 2,
    "https://example.org/v1?a=b": ("LIVE_ENDPOINT",) * 2,
    "https://example.org/v1#a": ("LIVE_ENDPOINT",) * 2,
    "https://example.org:port/v1": ("LIVE_ENDPOINT",) * 2,
    "https:///v1": ("LIVE_ENDPOINT",) * 2,
    "no address": ("LIVE_ENDPOINT",) * 2,
}


@pytest.mark.parametrize(("endpoint", "gives"), ENDPOINTS.items(), ids=ENDPOINTS)
def test_live_endpoint(endpoint, gives, live, monkeypatch):
    assert live("--yes", "--endpoint", endpoint)[0] == gives[0]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    assert live("--yes", "--endpoint", endpoint, folder="with a key")[0] == gives[1]


def test_demo_of_the_byte_inputs_shows_the_frozen_digests():
    lines = {line.split()[0]: line.split()[1:] for line in run("demo", "bytes").stdout.decode().splitlines()[1:]}
    for row in load("bytes/results.json"):
        expected = [row[lane].get("digest", "")[:16] or row[lane]["error"] for lane in ("published", "repaired")]
        assert lines[row["name"]] == expected
    for pair in load("bytes/framing.json"):
        assert lines[pair["name"]] == [pair["text-v1"][:16], pair["bytes-v2"][:16]]


def test_demo_of_the_release():
    said = run("demo", "release").stdout.decode()
    assert load("release/digests.json")["bytes-v2"] in said
    assert "the frozen candidate: accepted; status: needs_human" in said
    assert said.count("INCOMPLETE_TURN") == 5


def slow_check(seconds, folder, monkeypatch):
    """The arguments of a check of another release, whose clock moves on each time that it is looked at."""
    names = ["a", "b", "c"]
    files = {"manifest.json": manifest_of(*((name, 1, name) for name in names)), **{n: n.encode() for n in names}}
    clock = count(step=seconds)
    monkeypatch.setattr(cli, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    return ["check", str(on_disk(files, folder)), str(CANDIDATE), str(folder / "report")]


def test_progress_on_a_terminal_that_hangs_up(tmp_path, monkeypatch, capfd):
    """What cannot be shown is no fault of the release."""
    hung_up = SimpleNamespace(isatty=lambda: True, write=Mock(side_effect=OSError(5, "Input/output error")))
    monkeypatch.setattr(sys, "stderr", hung_up)
    assert main([*slow_check(1, tmp_path, monkeypatch), "--json"]) == 1
    assert hung_up.write.called
    assert json.loads(capfd.readouterr().out)["code"] == "RELEASE_MISMATCH"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminal")
@pytest.mark.parametrize(("seconds", "shown"), [(1, True), (0.1, False)], ids=["slow", "quick"])
def test_progress_on_a_terminal(seconds, shown, tmp_path, monkeypatch):
    """Shown on a terminal, once the reading takes longer than a second; gone when the command ends."""
    checking = slow_check(seconds, tmp_path, monkeypatch)
    terminal, theirs = os.openpty()
    with os.fdopen(theirs, "w", encoding="utf-8") as stderr:
        monkeypatch.setattr(sys, "stderr", stderr)
        assert main(checking) == 1
        stderr.flush()
        said = ""
        while "\n" not in said:
            said += os.read(terminal, 1 << 16).decode()
    os.close(terminal)
    assert ("\rreading evidence: 1 of 3, 0 MiB" in said) == shown
    assert said.rsplit("\r\x1b[K", 1)[-1].startswith("boundary-lab: RELEASE_MISMATCH: ")


@pytest.mark.skipif(sys.platform == "win32", reason="descriptor limits are POSIX")
@pytest.mark.parametrize("limit", range(5, 12))
def test_no_descriptor_left(limit, tmp_path):
    """Whatever cannot be opened first, the answer begins with a documented code, and there is no candidate.

    An event loop that Python could not finish adds lines of Python's own behind it.
    """
    command = f'ulimit -n {limit}; exec \'{sys.executable}\' -m boundary_lab generate "$0" "$1" --replay "$2"'
    done = run(RELEASE, tmp_path / "run", EVENTS, python=["sh", "-c", command])
    if done.returncode:
        name, code, _ = done.stderr.decode().splitlines()[0].split(": ", 2)
        assert (done.returncode, name, code in CODES) == (1, "boundary-lab", True)
    assert (tmp_path / "run" / "candidate.json").exists() == (done.returncode == 0)


@pytest.mark.parametrize("width", [40, 80, 120])
def test_demo_of_the_paths_is_as_wide_as_the_terminal(width):
    lines = run("demo", "paths", env=os.environ | {"COLUMNS": str(width)}).stdout.decode().splitlines()
    table = lines[lines.index("") + 1 :]
    assert max(map(len, table)) <= max(width, 16 + 7 * len(POPULAR))
    assert len(table) == 1 + 25 + 1
    wrong = [len(guard["wrong"]) for guard in load("lab/popular-guards.json").values()]
    assert [int(number) for number in table[-1].split()[2:]] == wrong
    assert sum(line.count("raises") for line in table) == sum(
        list(guard["wrong"].values()).count("raises") for guard in load("lab/popular-guards.json").values()
    )


def test_demo_of_the_paths_as_json():
    rows = json.loads(run("demo", "paths", "--json").stdout)
    assert [row["case"] for row in rows] == [row["name"] for row in load("paths/results.json")]
    for guard, expected in load("lab/popular-guards.json").items():
        cells = {row["case"]: row["guards"][guard] for row in rows}
        assert {case: cell["does"] for case, cell in cells.items() if not cell["right"]} == expected["wrong"]


def test_json_of_another_demo_is_bad_usage():
    assert run("demo", "bytes", "--json").returncode == 2
