"""Each defect of a lesson is killed by both nets, and what is no kill is not called one."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from boundary_lab import nets
from boundary_lab.defects import NETS, Defect, defects, hunt, put_in, table
from boundary_lab.nets import copy_of_the_lab
from boundary_lab.rejected import CODES, Rejected

COMMAND = [sys.executable, "-m", "boundary_lab", "defects"]
ALL = defects()
# The twelve that the lab was planned with; two more at least for each of lessons 1 to 5 stand beside them.
NAMED = {
    "text-binding": 2,
    "candidate-current": 2,
    "replacement-decode": 3,
    "strip-evidence-bom": 3,
    "normalize-hash-input": 3,
    "omit-evidence-hash": 3,
    "wrong-length-endianness": 3,
    "wrong-digest-domain": 3,
    "ignore-checkpoint-digest": 5,
    "lexical-forward-slash": 4,
    "physical-forward-slash": 4,
    "no-absolute-relative": 4,
}
# One for each lesson goes through both nets in every run of the tests; `make defects` takes them all.
SAMPLE = ["type-blind", "text-binding", "replacement-decode", "lexical-forward-slash", "any-change"]


def made(**changes):
    """A defect of the tests' own, which changes nothing that anybody could notice."""
    harmless = {
        "file": "notes.py",
        "old": 'STATUS = "needs_human"  # nothing',
        "new": 'STATUS = "needs_human"  # Nothing',
    }
    return Defect(**{"name": "made", "breaks": "nothing", "lesson": 5, "caught_by": NETS} | harmless | changes)


def test_the_table_has_the_named_defects_and_two_more_for_each_lesson():
    counted = {name: defect.lesson for name, defect in ALL.items() if defect.counts}
    assert counted.items() >= NAMED.items()
    more = Counter(lesson for name, lesson in counted.items() if name not in NAMED)
    assert all(more[lesson] >= 2 for lesson in range(1, 6)), more


@pytest.fixture(scope="module")
def copy():
    with copy_of_the_lab() as copied:
        yield copied


@pytest.mark.parametrize("name", ALL)
def test_a_defect_fits_and_is_python(name, copy):
    defect = ALL[name]
    module = copy.folder / "src" / "boundary_lab" / defect.file
    before = module.read_bytes()
    with put_in(defect, copy):
        assert module.read_bytes() != before
        compile(module.read_bytes(), defect.file, "exec")
    assert module.read_bytes() == before


def test_one_defect_of_each_lesson():
    told = []
    found = hunt({name: ALL[name] for name in SAMPLE}, progress=lambda *progress: told.append(progress))
    assert [progress[:2] for progress in told] == [(done, 12) for done in range(13)]
    assert [finding.killed_by for finding in found] == [NETS] * len(SAMPLE), list(table(found))


@pytest.mark.parametrize("net", NETS)
def test_what_nobody_notices_is_no_kill(net):
    (finding,) = hunt({"made": made()}, [net])
    assert finding.runs[net].green
    assert (finding.killed_by, finding.as_expected) == ((), False)


@pytest.mark.parametrize("new", ["STATUS = nowhere", "STATUS ="], ids=["NameError", "SyntaxError"])
def test_a_crash_is_no_kill(new):
    (finding,) = hunt({"made": made(old='STATUS = "needs_human"', new=new)}, ["notebook"])
    assert finding.runs["notebook"].crashed
    assert (finding.killed_by, finding.as_expected) == ((), False)


def test_a_control_that_is_not_green(monkeypatch, copy):
    with put_in(ALL["text-binding"], copy):
        monkeypatch.setattr(nets, "CHECKOUT", copy.folder)
        with pytest.raises(Rejected, match="CONTROL_FAILED"):
            hunt({"made": made(lesson=2)}, ["notebook"])


MISFITS = {
    "not there": {"old": "not there"},
    "there more than once": {"old": "change"},
    "no such file": {"file": "none.py"},
    "a folder": {"file": "teach"},
}


@pytest.mark.parametrize("changes", MISFITS.values(), ids=MISFITS)
def test_a_defect_that_does_not_fit(changes, copy):
    with pytest.raises(Rejected, match="DEFECT_MISFIT"), put_in(made(**changes), copy):
        pass


# The command.


def run(*arguments, **options):
    return subprocess.run([*COMMAND, *arguments], check=False, timeout=300, capture_output=True, **options)


def with_core(folder):
    return os.environ | {"PYTHONPATH": str(folder / "src")}


def table_of(folder):
    return folder / "fixtures" / "lab" / "defects.json"


ROW = {name: getattr(made(), name) for name in ("name", "lesson", "file", "old", "new", "caught_by")} | {
    "is": "nothing"
}


def line(code):
    return f"boundary-lab: {code}: {' '.join(CODES[code])}\n"


def test_killed_in_optimised_mode_too():
    done = run("wrong-digest-domain", "--notebooks", "--json", env=os.environ | {"PYTHONOPTIMIZE": "1"})
    said = json.loads(done.stdout)
    assert (done.returncode, done.stderr, said["ok"]) == (0, b"", True)
    (finding,) = said["defects"]
    assert finding["killed_by"] == ["notebook"]
    assert finding["notebook"]["differ"]


def test_a_survivor_gives_status_1(copy_of_the_core):
    table_of(copy_of_the_core).write_text(json.dumps([ROW]), encoding="utf-8")
    plain = run("--notebooks", env=with_core(copy_of_the_core))
    assert plain.returncode == 1
    assert plain.stderr.decode() == line("DEFECT_SURVIVED")
    assert "made         5         0  NOT AS EXPECTED" in plain.stdout.decode()
    assert plain.stdout.decode().endswith("killed by notebook: 0 of 1\n")
    as_json = run("--notebooks", "--json", env=with_core(copy_of_the_core))
    said = json.loads(as_json.stdout)
    assert (as_json.returncode, as_json.stderr) == (1, b"")
    assert (said["ok"], said["code"], said["defects"][0]["killed_by"]) == (False, "DEFECT_SURVIVED", [])


@pytest.mark.parametrize("gone", ["tests", "notebooks", "pyproject.toml"])
def test_outside_a_checkout(gone, copy_of_the_core):
    (copy_of_the_core / gone).rename(copy_of_the_core / "elsewhere")
    done = run("text-binding", env=with_core(copy_of_the_core))
    assert (done.returncode, done.stdout, done.stderr.decode()) == (1, b"", line("NETS_UNAVAILABLE"))


def test_without_the_tools(monkeypatch):
    monkeypatch.setattr(nets, "_TOOLS", (*nets._TOOLS, "none_of_this_name"))
    with pytest.raises(Rejected, match="NETS_UNAVAILABLE"), copy_of_the_lab():
        pass


def test_a_name_that_is_none():
    done = run("text-binding", "none")
    assert (done.returncode, done.stdout, done.stderr.decode()) == (1, b"", line("UNKNOWN_DEFECT"))


DAMAGE = {
    "no JSON": "[",
    "no list": "{}",
    "no defect": "[]",
    "a row that is none": "[1]",
    "a member too many": json.dumps([ROW | {"why": "x"}]),
    "a member missing": json.dumps([{name: value for name, value in ROW.items() if name != "old"}]),
    "a lesson that is no number": json.dumps([ROW | {"lesson": "5"}]),
}


@pytest.mark.parametrize("text", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_table(text, copy_of_the_core):
    table_of(copy_of_the_core).write_text(text, encoding="utf-8")
    done = run("made", env=with_core(copy_of_the_core))
    assert (done.returncode, done.stdout, done.stderr.decode()) == (1, b"", line("bad_fixture"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_full_disk():
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, "text-binding", "--notebooks"], check=False, timeout=300, stdout=full, stderr=subprocess.PIPE
        )
    assert (done.returncode, done.stderr.decode()) == (1, line("output_failed"))


@pytest.mark.parametrize("arguments", [["--unit", "--both"], ["--jobs", "0"], ["--jobs", "x"]], ids=" ".join)
def test_bad_usage(arguments):
    assert run(*arguments).returncode == 2


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT to another process is POSIX")
@pytest.mark.usefixtures("heeded")
@pytest.mark.parametrize("seconds", [0.5, 3])
def test_interrupt(seconds, tmp_path):
    """Early or late in the control: status 130, nothing said, no folder and no process left."""
    with subprocess.Popen(
        [*COMMAND, "text-binding"],
        env=os.environ | {"TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        while len(list(tmp_path.glob("boundary-lab-*"))) < 2:
            time.sleep(0.01)
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60) == (b"", b"")
        assert process.returncode == 130
    assert list(tmp_path.glob("boundary-lab-*")) == []
    if Path("/proc").is_dir():
        for _ in range(1000):  # a kernel whose pytest is gone ends by itself, a second later
            if not standing_in(tmp_path):
                break
            time.sleep(0.01)
        assert standing_in(tmp_path) == []


def standing_in(folder):
    """The processes that work in a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink().is_relative_to(folder):
                found.append(process.name)
        except OSError:
            continue
    return found
