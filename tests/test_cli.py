"""The command as a person runs it: in another folder, piped, in a bare locale, from an installed wheel."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from boundary_lab.demos import DEMOS
from rows import fixture

COMMAND = [sys.executable, "-m", "boundary_lab"]
LINE = "boundary-lab: output_failed: Not everything could be written to standard output. "


def run(*arguments, python=COMMAND, **options):
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.run([*python, *arguments], check=False, timeout=60, **options)


def module(name, *arguments, **options):
    subprocess.run([sys.executable, "-m", name, *arguments], check=True, timeout=120, capture_output=True, **options)


def transcript(lesson):
    return fixture(f"{lesson}/transcript.txt").read_bytes()


@pytest.mark.parametrize("lesson", DEMOS)
@pytest.mark.parametrize("python", [[], ["-O"], ["-X", "utf8=0"], ["-I"]], ids=" ".join)
def test_demo_equals_the_transcript(lesson, python, tmp_path):
    bare = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG", "PYTHON"))}
    done = run(
        "demo", lesson, python=[sys.executable, *python, "-m", "boundary_lab"], cwd=tmp_path, env=bare | {"LC_ALL": "C"}
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, transcript(lesson), b"")


@pytest.mark.parametrize("lesson", DEMOS)
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
    for lesson in DEMOS:
        for python in ([scripts / "boundary-lab"], [scripts / "python", "-O", "-m", "boundary_lab"]):
            done = run("demo", lesson, python=python, cwd=tmp_path)
            assert (done.returncode, done.stdout, done.stderr) == (0, transcript(lesson), b"")
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


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_full_disk():
    with Path("/dev/full").open("wb") as full:
        done = run("demo", "review", stdout=full)
    assert done.returncode == 1
    assert done.stderr.decode().startswith(LINE)
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="closing a descriptor before exec is POSIX")
def test_no_standard_output():
    done = run(python=["sh", "-c", f"exec '{sys.executable}' -m boundary_lab demo review >&-"])
    assert done.returncode == 1
    assert done.stderr.decode().startswith(LINE)


DAMAGE = {
    "missing": ("handoff/contract.json", None),
    "cut off": ("review/snapshots.json", b"{"),
    "valid, and of another shape": ("review/sources.json", b"{}"),
}


@pytest.mark.parametrize(("name", "content"), DAMAGE.values(), ids=DAMAGE)
def test_damaged_fixtures_give_one_line(name, content, copy_of_the_core):
    damaged = copy_of_the_core / "fixtures" / name
    damaged.unlink() if content is None else damaged.write_bytes(content)
    done = run("demo", "review", env=os.environ | {"PYTHONPATH": str(copy_of_the_core / "src")})
    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.decode().startswith("boundary-lab: bad_fixture: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT to another process is POSIX")
def test_interrupt(copy_of_the_core):
    """Held up where it reads the contract, the command is interrupted: status 130, and nothing said."""
    held = copy_of_the_core / "src" / "boundary_lab" / "files.py"
    held.write_text(held.read_text(encoding="utf-8") + HOLD, encoding="utf-8")
    process = subprocess.Popen(
        [*COMMAND, "demo", "handoff"],
        env=os.environ | {"PYTHONPATH": str(copy_of_the_core / "src")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout.readline() == b"held\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30) == (b"", b"")
    assert process.returncode == 130


HOLD = """

def _read(path):
    import time
    print("held", flush=True)
    time.sleep(30)
"""
