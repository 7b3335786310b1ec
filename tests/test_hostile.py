"""Every argument of every command against what can lie there, and every stream against what can be done to it.

Each row has an exit status and a code. No row gives a traceback, more than one line, or anything half-made.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from boundary_lab.cli import main
from boundary_lab.rejected import CODES
from disks import small_disk
from releases import manifest_of, on_disk
from rows import fixture, load

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="FIFOs, links without rights, modes and signals are POSIX"
)

PIPES = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
COMMAND = [sys.executable, "-m", "boundary_lab"]
GENERATE = ["generate", "release", "run", "--replay", "events", "--resume", "checkpoint"]
CHECK = ["check", "release", "candidate", "report"]
COMMANDS = {"generate": GENERATE, "check": CHECK}
DONE = {"generate": ["run", "run/candidate.json", "run/checkpoint.json", "run/events.jsonl"], "check": ["report"]}
THREAD = {"release": "1.0", "digest": "", "threadId": "fixture-thread-24"}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with all that both commands need, by short names; the checkpoint belongs to the release."""
    monkeypatch.chdir(tmp_path)
    fill(tmp_path)
    return tmp_path


def fill(folder):
    shutil.copytree(fixture("release"), folder / "release")
    shutil.copy(fixture("release/success.events.jsonl"), folder / "events")
    shutil.copy(fixture("release/candidate.json"), folder / "candidate")
    digest = load("release/digests.json")["bytes-v2"]
    (folder / "checkpoint").write_text(json.dumps(THREAD | {"release": "2.4.0", "digest": digest}))


def run(*arguments, python=COMMAND, **options):
    return subprocess.run([*python, *arguments], check=False, timeout=60, **PIPES | options)


def there(folder="."):
    return sorted(path.relative_to(folder).as_posix() for path in Path(folder).rglob("*"))


def line(code):
    return f"boundary-lab: {code}: {' '.join(CODES[code])}\n"


# What lies where an argument leads.

ARGUMENTS = {
    "folder": "release",
    "manifest": "release/manifest.json",
    "evidence": "release/changes/C101.patch",
    "checkpoint": "checkpoint",
    "events": "events",
    "candidate": "candidate",
    "run folder": "run",
    "report": "report",
}
OF = {"generate": {"checkpoint", "events", "run folder"}, "check": {"candidate", "report"}}
THINGS = {
    "nothing": lambda _: None,
    "a folder": Path.mkdir,
    "an empty file": Path.touch,
    "a binary file": lambda path: path.write_bytes(bytes(range(256))),
    "1 GiB": lambda path: path.touch() or os.truncate(path, 1 << 30),
    "a FIFO": os.mkfifo,
    "a link to a device": lambda path: path.symlink_to("/dev/zero"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to nothing": lambda path: path.symlink_to("none"),
}
# The code for each thing in the order above; None is success.
GIVES = {
    "folder": ["MANIFEST_MISSING"] * 9,
    "manifest": ["MANIFEST_MISSING"] * 2 + ["MANIFEST_JSON", "MANIFEST_UTF8", "MANIFEST_SIZE"]
                + ["MANIFEST_MISSING"] * 4,
    "evidence": ["EVIDENCE_UNREADABLE"] * 2 + ["INPUT_QUOTE_MISMATCH", "EVIDENCE_UTF8", "INPUT_QUOTE_MISMATCH",
                 "EVIDENCE_UNREADABLE", "EVIDENCE_PATH"] + ["EVIDENCE_UNREADABLE"] * 2,
    "checkpoint": ["CHECKPOINT_MISSING"] * 2 + ["CHECKPOINT_SHAPE"] * 3 + ["CHECKPOINT_MISSING"] * 4,
    "events": ["EVENTS_MISSING"] * 2 + ["INCOMPLETE_TURN"] + ["EVENT_SHAPE"] * 2 + ["EVENTS_MISSING"] * 4,
    "candidate": ["CANDIDATE_MISSING"] * 2 + ["CANDIDATE_JSON", "CANDIDATE_UTF8", "CANDIDATE_SIZE"]
                 + ["CANDIDATE_MISSING"] * 4,
    "run folder": [None] + ["RUN_EXISTS"] * 8,
    "report": [None] + ["REPORT_EXISTS"] * 8,
}  # fmt: skip
LYING = [
    (command, argument, thing, code)
    for command in COMMANDS
    for argument, codes in GIVES.items()
    if argument in {"folder", "manifest", "evidence"} | OF[command]
    for thing, code in zip(THINGS, codes, strict=True)
    if (command, argument, thing) != ("generate", "evidence", "1 GiB")  # read to its end by the other command
]


def clear(path):
    shutil.rmtree(path, ignore_errors=True)
    path.unlink(missing_ok=True)


def answered(command, code, before, capfd, modes=((), ("--json",))):
    """Runs a command here: its code as one line, then as JSON; and nothing is there but what is whole."""
    begun = DONE["generate"][:1] + DONE["generate"][2:] if code in ("INCOMPLETE_TURN", "EVENT_SHAPE") else []
    left = DONE[command[0]] if code is None else begun
    for options in modes:
        status = main([*command, *options])
        said = capfd.readouterr()
        assert there() == sorted({*before, *left})
        assert status == (0 if code is None else 1)
        assert "" in said
        if code and not options:
            assert said.err == line(code)
        if options:
            assert json.loads(said.out).get("code") == code
        for name in left[:1]:
            clear(Path(name))


@pytest.mark.parametrize(("command", "argument", "thing", "code"), LYING, ids=str)
def test_what_lies_there(command, argument, thing, code, place, capfd):
    path = place / ARGUMENTS[argument]
    clear(path)
    THINGS[thing](path)
    modes = [()] if (argument, thing) == ("evidence", "1 GiB") else [(), ("--json",)]
    answered(COMMANDS[command], code, there(), capfd, modes)


# The names themselves.

NAMES = {
    "empty": "", "NUL": "a\0b", "an unpaired surrogate": "\ud800", "300 characters": "x" * 300, "too long": "a/" * 2100,
    "in a file": "events/x", "in a loop": "loop/x", "in nothing": "none/x", "in nothing that is UTF-8": "\udcff/x",
}  # fmt: skip
MISSING = {
    "folder": "MANIFEST_MISSING", "checkpoint": "CHECKPOINT_MISSING", "events": "EVENTS_MISSING",
    "candidate": "CANDIDATE_MISSING", "run folder": "WRITE_FAILED", "report": "WRITE_FAILED",
}  # fmt: skip
TAKEN = {("run folder", "empty"): "RUN_EXISTS", ("report", "empty"): "REPORT_EXISTS"}  # by the folder one stands in


def with_name(argument, name=None):
    """The command that has such an argument, which may be given another name."""
    command = GENERATE if argument in OF["generate"] else CHECK
    return command if name is None else [name if part == ARGUMENTS[argument] else part for part in command]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("argument", MISSING)
def test_name(argument, name, place, capfd):
    (place / "loop").symlink_to("loop")
    code = TAKEN.get((argument, name), MISSING[argument])
    answered(with_name(argument, NAMES[name]), code, there(), capfd)


NO_UTF_8 = pytest.mark.skipif(sys.platform == "darwin", reason="a name on macOS is UTF-8")


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    "name", ["line\nend", "\u00e9", pytest.param("no \udcff UTF-8", marks=NO_UTF_8), "-", "x" * 240], ids=ascii
)
def test_files_of_any_name(name):
    """What is there is read and written under whatever name it has."""
    for given in ("release", "events", "checkpoint", "candidate"):
        Path(given).rename(given[:2] + name)
    assert main(["generate", f"re{name}", name[1:] or "run", "--replay", f"ev{name}", "--resume", f"ch{name}"]) == 0
    assert main(["check", f"re{name}", f"ca{name}", "r" + name]) == 0
    assert json.loads(Path("r" + name).read_bytes()) == load("release/report.json")


# Rights, and room. Root gives its rights away, in a folder that others can reach.

SHEDDING = """
import encodings.utf_16_le, os, sys  # the interpreter's own files may be out of reach afterwards
from boundary_lab.cli import main
if os.geteuid() == 0:
    os.setgroups([]), os.setgid(65534), os.setuid(65534)
sys.exit(main(sys.argv[1:]))
"""
FORBIDDEN = MISSING | {"manifest": "MANIFEST_MISSING", "evidence": "EVIDENCE_UNREADABLE"}


@pytest.fixture(scope="module")
def forbidden():
    """A folder that anybody can read, below which nobody but the owner may write."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        yield folder
        folder.chmod(0o755)
        for path in folder.rglob("*"):
            path.chmod(0o755)


@pytest.mark.parametrize("argument", FORBIDDEN)
def test_no_permission(argument, forbidden):
    path, before = forbidden / ARGUMENTS[argument], there(forbidden)
    if path.exists():
        mode = path.stat().st_mode
        path.chmod(0)
    done = run(*with_name(argument), python=[sys.executable, "-c", SHEDDING], cwd=forbidden)
    if path.exists():
        path.chmod(mode)
    assert (done.returncode, done.stdout, done.stderr.decode()) == (1, b"", line(FORBIDDEN[argument]))
    assert there(forbidden) == before


@pytest.mark.parametrize(
    ("names", "left"), [(0, []), (1, []), (2, ["run", "run/events.jsonl"]), (9, ["run", "run/events.jsonl"])]
)
def test_full_disk(names, left, place, capfd):
    """No room for a name, for a second one, or for a byte of what is in it."""
    with small_disk(place / "disk", names) as disk:
        for command in ([*GENERATE[:2], "disk/run", *GENERATE[3:]], [*CHECK[:3], "disk/report"]):
            assert main(command) == 1
            assert capfd.readouterr() == ("", line("WRITE_FAILED"))
        assert there(disk) == ["full", *left]
        with (disk / "full").open("ab") as full:
            done = run("demo", "review", stdout=full)
    assert (done.returncode, done.stderr.decode()) == (1, line("output_failed"))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("size", [0, 1], ids=["nothing fits", "one block fits"])
def test_no_room_in_a_file(command, size, place):
    """A limit on the size of files stands in for a full disk where nothing can be mounted."""
    release = on_disk({"manifest.json": manifest_of(("a", 1, "a" * 3000)), "a": b"a" * 3000}, place / "long")
    note = {"changeId": "C1", "text": "a", "evidence": [{"path": "a", "line": 1, "quote": "a" * 3000}]}
    answer = json.dumps({"release": "1.0", "notes": [note]})
    Path("candidate").write_text(answer)
    item = {"type": "agent_message", "text": answer}
    kinds = [{"type": "thread.started", "thread_id": "t"}, {"type": "item.completed", "item": item}]
    Path("events").write_text("\n".join(map(json.dumps, [*kinds, {"type": "turn.completed"}])))
    arguments = {
        "generate": ["generate", release, "run", "--replay", "events"],
        "check": ["check", release, *CHECK[2:]],
    }
    limited = ["sh", "-c", f'ulimit -f {size} && exec "$@"', "sh"]
    done = run(*arguments[command], python=[*limited, *COMMAND])
    assert (done.returncode, done.stdout, done.stderr.decode()) == (1, b"", line("WRITE_FAILED"))
    assert not Path("report").exists()
    assert not Path("run/candidate.json").exists()
    assert not [name for name in there() if Path(name).name.startswith(".")]


# The streams.

STREAM_COMMANDS = {
    "--version": ["--version"], "--help": ["check", "--help"], "bad usage": ["demo"], "demo": ["demo", "review"],
    "generate": GENERATE, "check": CHECK, "refused": ["check", "none", "candidate", "report"],
    "refused as JSON": ["check", "none", "candidate", "report", "--json"],
}  # fmt: skip
STREAMS = {">&-": (False, True), "2>&-": (True, False), "<&- >&- 2>&-": (False, False)}
if Path("/dev/full").exists():
    STREAMS |= {">/dev/full": (False, True), "2>/dev/full": (True, False), ">/dev/full 2>/dev/full": (False, False)}


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("command", STREAM_COMMANDS)
def test_stream(command):
    """A closed or full standard output is status 1 and one line; without standard error, the status alone."""
    arguments = STREAM_COMMANDS[command]
    before = there()
    refused, usage = command.startswith("refused"), command == "bad usage"
    for stream, (out, err) in STREAMS.items():
        done = run(*arguments, python=["sh", "-c", f'exec "$@" {stream}', "sh", *COMMAND])
        lost = not out and not usage and command != "refused"
        assert done.returncode == (2 if usage else 1 if refused or lost else 0), stream
        assert bool(done.stdout) == (out and not usage and command != "refused"), stream
        if lost and err:
            assert done.stderr.decode() == line("output_failed")
        elif command == "refused" and err:
            assert done.stderr.decode() == line("MANIFEST_MISSING")
        else:
            assert bool(done.stderr) == (usage and err), stream
        made = DONE.get(command, [])
        assert there() == sorted([*before, *made])  # what was to be made is there all the same
        for name in made[:1]:
            clear(Path(name))


# The locale.

LOCALES = {
    "C": {"LC_ALL": "C"},
    "C, and nothing that Python makes of it": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "streams in ASCII": {"PYTHONIOENCODING": "ascii:strict"},
    "streams in UTF-16": {"PYTHONIOENCODING": "utf-16"},
}


@pytest.mark.parametrize("locale", LOCALES)
def test_locale(locale, place):
    """Names that are not ASCII, given and cited, straight and through a link, are the same files in every locale."""
    names = ["\u00e9/\u00fc", "l\u00efnk/\u00fc"]
    files = {"manifest.json": manifest_of(*((name, 1, "\u00e9") for name in names)), names[0]: "\u00e9\n".encode()}
    release = on_disk(files, place / "r\u00e9lease")
    (release / "l\u00efnk").symlink_to("\u00e9")
    evidence = [{"path": name, "line": 1, "quote": "\u00e9"} for name in names]
    note = {"changeId": "C1", "text": "\u00e9", "evidence": evidence}
    Path("c\u00e9").write_text(json.dumps({"release": "1.0", "notes": [note]}))
    bare = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG", "PYTHON"))}
    environment = bare | LOCALES[locale]
    done = run("check", release.name, "c\u00e9", "r\u00e9port", env=environment)
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, "needs_human: r\u00e9port\n", b"")
    assert json.loads(Path("r\u00e9port").read_bytes())["status"] == "needs_human"
    done = run("check", release.name, "c\u00e9", "r\u00e9port", "--json", env=environment)
    assert (done.returncode, json.loads(done.stdout)["code"], done.stderr) == (1, "REPORT_EXISTS", b"")
    done = run("demo", "n\u00e9", env=environment)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Traceback" not in done.stderr


# Interrupts: status 130, nothing said, nothing half-made.


@contextmanager
def interrupted(arguments, **options):
    """Interrupts a command when the block ends."""
    with subprocess.Popen([*COMMAND, *arguments], **PIPES, **options) as process:
        try:
            yield process
            process.send_signal(signal.SIGINT)
            assert process.communicate(timeout=60) == (b"", b"")
            assert process.returncode == 130
        finally:
            process.kill()


HOLD = """

def read_regular(*_):
    import time
    print("held", flush=True)
    time.sleep(30)
"""


@pytest.mark.usefixtures("place", "heeded")
@pytest.mark.parametrize("arguments", [["demo", "handoff"], CHECK, ["defects"]], ids=["demo", "check", "defects"])
def test_interrupt_before_a_file_is_read(arguments, copy_of_the_core):
    held = copy_of_the_core / "src" / "boundary_lab" / "files.py"
    held.write_text(held.read_text(encoding="utf-8") + HOLD, encoding="utf-8")
    before = there()
    with interrupted(arguments, env=os.environ | {"PYTHONPATH": str(copy_of_the_core / "src")}) as process:
        assert process.stdout.readline() == b"held\n"
    assert there() == before


@pytest.mark.usefixtures("place", "heeded")
def test_interrupt_of_a_stream():
    """In the middle of a long stream that ends well."""
    events = Path("events").read_bytes().splitlines(keepends=True)
    Path("events").write_bytes(b"".join([*events[:2], b'{"type":"x"}\n' * 300_000, *events[2:]]))
    with interrupted(GENERATE[:5]):
        while not Path("run/checkpoint.json").exists():
            time.sleep(0.001)
    assert not Path("run/candidate.json").exists()
    assert json.loads(Path("run/checkpoint.json").read_bytes())["threadId"] == THREAD["threadId"]


LATE = """
import os, signal, sys
from boundary_lab.__main__ import main
status = main()
os.kill(os.getpid(), signal.SIGINT)
sys.exit(status)
"""


@pytest.mark.usefixtures("place", "heeded")
def test_interrupt_after_all_is_done():
    done = run(*CHECK, python=[sys.executable, "-c", LATE])
    assert (done.returncode, done.stdout, done.stderr) == (0, b"needs_human: report\n", b"")


def opened(process):
    """What a process has open at the moment."""
    links = []
    for descriptor in Path(f"/proc/{process.pid}/fd").iterdir():
        with suppress(OSError):  # closed in between
            links.append(descriptor.readlink())
    return links


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="what a process has open is seen in Linux's /proc")
@pytest.mark.usefixtures("heeded")
@pytest.mark.parametrize("command", COMMANDS)
def test_interrupt_while_evidence_is_read(command, place):
    evidence = place / ARGUMENTS["evidence"]
    os.truncate(evidence, 64 << 30)
    before = there()
    with interrupted(COMMANDS[command]) as process:
        while evidence not in opened(process):
            time.sleep(0.001)
    assert there() == before
