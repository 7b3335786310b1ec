"""The command `boundary-lab`.

Exit status 0; 1 with one line on standard error, which gives the code, its meaning and what to do next;
2 for bad usage; 130 when interrupted; 141 when the reader of a pipe went away. With `--json`, what happened is
one JSON object on standard output instead. Output is UTF-8 with LF line ends, whatever the locale and the system.
"""

import argparse
import asyncio
import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout, suppress
from pathlib import Path

from boundary_lab import __version__, live
from boundary_lab.defects import NETS, defects, hunt, table
from boundary_lab.demos import DEMOS, paths_json
from boundary_lab.fixtures import changed
from boundary_lab.folders import DiskFolder
from boundary_lab.learn import board, copies, progress
from boundary_lab.manifest import Loaded, load_manifest
from boundary_lab.notes import STATUS, verify
from boundary_lab.rejected import CODES, Rejected, in_words
from boundary_lab.runs import EventFile, RunFolder, read_candidate, read_checkpoint, read_thread, report, write_report
from boundary_lab.strict_json import JSON
from boundary_lab.turn import SDK, ReplaySDK, generate
from boundary_lab.written import put

__all__ = ["main"]

_Connect = Callable[[RunFolder], AbstractContextManager[SDK]]
_SECONDS, _SHORTEST, _LONGEST = 120, 0.001, 86400  # for a turn
_WORK = "work"
_RENEWS = 10  # seconds
_LIVE_ONLY = ("yes", "model", "endpoint", "timeout")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="boundary-lab", description="What crosses a boundary between two programs.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_generate(commands.add_parser("generate", help="draft release notes for a folder, in a new run folder"))
    _add_check(commands.add_parser("check", help="check a candidate against a folder, and write a report"))
    demo = commands.add_parser("demo", help="print the run of a lesson, the same every time")
    demo.add_argument("lesson", choices=DEMOS, help="which run")
    demo.add_argument("--json", action="store_true", help="the table of the lesson on paths as JSON")
    demo.set_defaults(run=_demo, usage=demo)
    _add_defects(commands.add_parser("defects", help="break a copy of the core, and see whether the tests notice"))
    _add_learning(commands)
    return parser


def _add_generate(parser: argparse.ArgumentParser) -> None:
    _add_folder(parser, _generate)
    parser.add_argument("run_folder", metavar="NEW_RUN_DIR", help="made by the command; must not exist")
    parser.add_argument("--resume", metavar="CHECKPOINT", help="the checkpoint.json of an earlier run")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--replay", metavar="EVENTS.jsonl", help="replay recorded events, one JSON object a line")
    source.add_argument("--live", action="store_true", help="ask a model; needs the extra codex")
    asking = parser.add_argument_group("with --live")
    asking.add_argument("--yes", action="store_true", default=None, help="send without asking first")
    asking.add_argument("--model", metavar="NAME", help="which model; else the program chooses")
    asking.add_argument("--endpoint", metavar="URL", help=f"base URL of a Responses API ({live.ENDPOINT})")
    asking.add_argument("--timeout", metavar="SECONDS", type=_seconds, help=f"give up after this time ({_SECONDS})")
    parser.set_defaults(usage=parser)


def _seconds(text: str) -> float:
    """A time from a thousandth of a second to 24 hours; for anything else argparse says that it is invalid."""
    seconds = float(text)
    if not _SHORTEST <= seconds <= _LONGEST:
        raise ValueError
    return seconds


def _add_check(parser: argparse.ArgumentParser) -> None:
    _add_folder(parser, _check)
    parser.add_argument("candidate", metavar="CANDIDATE", help="the candidate.json of a run")
    parser.add_argument("report", metavar="REPORT", help="a new file")


def _add_defects(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", metavar="NAME", nargs="*", help="a defect of fixtures/lab/defects.json; else all")
    nets = parser.add_mutually_exclusive_group()
    nets.add_argument("--unit", dest="nets", action="store_const", const=NETS[:1], help="the unit rows alone")
    nets.add_argument("--notebooks", dest="nets", action="store_const", const=NETS[1:], help="the notebooks alone")
    nets.add_argument("--both", dest="nets", action="store_const", const=NETS, help="both, as without this option")
    parser.add_argument("--jobs", type=int, choices=range(1, 17), default=2, metavar="N", help="runs at a time (2)")
    parser.add_argument("--json", action="store_true", help="say what happened as one JSON object")
    parser.set_defaults(run=_defects, nets=NETS)


def _add_learning(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    start = commands.add_parser(
        "start", help="copy lessons and exercises into a folder of your own, or what is new of them"
    )
    start.add_argument(
        "name", metavar="NAME", nargs="?", help="yours, or one that you like; kept in the folder, sent nowhere"
    )
    reset = commands.add_parser("reset", help="fresh copies; those that you changed are kept beside them")
    reset.add_argument(
        "lesson", metavar="LESSON", nargs="?", help="of this one, by number or name, and its exercises; else of all"
    )
    for parser, run in ((start, _start), (reset, _reset)):
        parser.add_argument("--into", metavar="FOLDER", type=Path, default=Path(_WORK), help=f"the folder ({_WORK})")
        parser.set_defaults(run=run, json=False)
    progress = commands.add_parser("progress", help="which exercises are right, tried or open")
    progress.add_argument(
        "--all", metavar="DIR", type=Path, help="a table of all learners whose files lie in the folder"
    )
    progress.add_argument("--csv", action="store_true", help="with --all: as CSV")
    progress.add_argument("--html", metavar="FILE", type=Path, help="with --all: as a page that renews itself")
    progress.add_argument(
        "--every", metavar="SECONDS", type=int, choices=range(1, 3601), help="with --html: again and again"
    )
    progress.set_defaults(run=_progress, json=False, usage=progress)


def _add_folder(parser: argparse.ArgumentParser, run: object) -> None:
    parser.add_argument("folder", metavar="FOLDER", help="holds manifest.json and the files that it cites")
    parser.add_argument("--json", action="store_true", help="say what happened as one JSON object")
    parser.set_defaults(run=run)


def _demo(options: argparse.Namespace) -> None:
    if options.json and options.lesson != "paths":
        options.usage.error("--json goes with paths only")
    if changed():
        raise Rejected("bad_fixture")
    if options.json:
        _print_json(paths_json())
        return
    _print("".join(f"{line}\n" for line in DEMOS[options.lesson]()))


def _generate(options: argparse.Namespace) -> None:
    given = [name for name in _LIVE_ONLY if getattr(options, name) is not None]
    if given and not options.live:
        options.usage.error(f"--{given[0]} goes with --live only")
    loaded = _load(options.folder)
    saved = None if options.resume is None else read_checkpoint(options.resume)
    with (_live if options.live else _replayed)(options, loaded) as connect, asyncio.Runner() as runner:
        runner.get_loop()  # before there is anything that would be left behind without one
        with RunFolder(options.run_folder) as run:
            with connect(run) as sdk:
                candidate = runner.run(generate(sdk, loaded, run, saved, options.timeout or _SECONDS))
            run.candidate(candidate)
    line = f"candidate written to {options.run_folder}; check it before anybody reads it as notes"
    _say(options, loaded, line, {"run": options.run_folder})


@contextmanager
def _replayed(options: argparse.Namespace, _: Loaded) -> Iterator[_Connect]:
    with EventFile(options.replay) as events:
        yield lambda _: nullcontext(ReplaySDK(events))


@contextmanager
def _live(options: argparse.Namespace, loaded: Loaded) -> Iterator[_Connect]:
    """Says what would be sent, and goes on only when somebody agrees."""
    codex = live.find_sdk()
    endpoint = options.endpoint or live.ENDPOINT
    key = live.key_for(endpoint)
    recording = options.resume and read_thread(options.resume)
    _say_aside(live.notice(loaded, endpoint, options.model, key))
    live.confirm(bool(options.yes))
    model = codex.Model(endpoint=endpoint, name=options.model, key=key, idle_s=options.timeout or _SECONDS)
    yield lambda run: codex.CodexSDK(model, run.thread, recording)


def _check(options: argparse.Namespace) -> None:
    loaded = _load(options.folder)
    candidate = verify(read_candidate(options.candidate), loaded.manifest)
    write_report(options.report, report(loaded, candidate))
    line = f"{STATUS}: {options.report}"
    _say(options, loaded, line, {"status": STATUS, "report": options.report})


def _defects(options: argparse.Namespace) -> int:
    with _Bar() as bar:
        findings = hunt(defects(options.names), options.nets, options.jobs, bar.hunting)
    survived = not all(finding.as_expected for finding in findings)
    if options.json:
        verdict = _refused("DEFECT_SURVIVED") if survived else {"ok": True}
        _print_json(verdict | {"defects": [finding.to_json() for finding in findings]})
        return int(survived)
    _print("".join(f"{line}\n" for line in table(findings)))
    if survived:
        raise Rejected("DEFECT_SURVIVED")
    return 0


def _start(options: argparse.Namespace) -> None:
    added = copies.start(options.into, options.name)
    says = f"{len(added)} files copied to {options.into}" if added else f"nothing is missing in {options.into}"
    _print(f"{says}; nothing that was there has changed\n")


def _reset(options: argparse.Namespace) -> None:
    kept = copies.reset(options.into, options.lesson)
    _print("".join(f"kept as {options.into / name}\n" for name in kept) + "the copies are fresh\n")


def _progress(options: argparse.Namespace) -> int:
    astray = (options.csv or options.html) and options.all is None
    if astray or (options.every and options.html is None) or (options.csv and options.html):
        options.usage.error("--csv or --html goes with --all, and --every with --html")
    if options.all is None:
        _print(board.own(progress.read(_own_progress())) + "\n")
        return 0
    if options.html is None:
        lines = board.lines(options.all)
        _print(board.to_csv(lines) if options.csv else board.to_text(lines) + "\n")
        if any(line.code for line in lines):
            raise Rejected("PROGRESS_DAMAGED")
        return 0
    while True:
        put(options.html, board.to_html(board.lines(options.all), options.every or _RENEWS).encode())
        if options.every is None:
            return 0
        time.sleep(options.every)


def _own_progress() -> Path:
    return progress.find(Path.cwd()) or progress.find(Path.cwd() / _WORK) or Path(_WORK) / progress.FILE


def _load(folder: str) -> Loaded:
    with _Bar() as bar:
        return load_manifest(DiskFolder(folder), progress=bar.reading)


def _say(options: argparse.Namespace, loaded: Loaded, line: str, facts: dict[str, JSON]) -> None:
    if options.json:
        _print_json({"ok": True, "release": loaded.manifest["release"], "digest": loaded.digest, **facts})
    else:
        _print(f"{line}\n")


def _say_aside(text: str) -> None:
    """Writes to standard error; where that is closed or full, the exit status says it alone."""
    with suppress(OSError):
        if sys.stderr is not None:
            print(text, end="", file=sys.stderr, flush=True)


_WIDTH = 30  # characters


class _Bar:
    """A line on standard error that says how far the work is: on a terminal only."""

    def __init__(self) -> None:
        self._next = time.monotonic() + 1
        self._wanted = sys.stderr is not None and sys.stderr.isatty()
        self._shown = False

    def __enter__(self) -> "_Bar":
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            _say_aside("\r\033[K")

    def reading(self, done: int, of: int, read: int) -> None:
        """How far the reading is: after a second, and at most ten times a second."""
        if self._wanted and (now := time.monotonic()) >= self._next:
            self._next = now + 0.1
            self._show(f"reading evidence: {done} of {of}, {read >> 20} MiB")

    def hunting(self, done: int, of: int, last: str) -> None:
        """How many runs are done, as a bar."""
        if self._wanted:
            filled = _WIDTH * done // of
            self._show(f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {done} of {of} runs  {last}")

    def _show(self, text: str) -> None:
        self._shown = True
        _say_aside(f"\r{text}\033[K")


def _print_json(value: JSON) -> None:
    _print(json.dumps(value) + "\n")


def _print(text: str) -> None:
    """Writes all of the text, or refuses with `output_failed`."""
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _abandon_output()
        raise
    except (OSError, AttributeError) as fault:  # AttributeError: started without a standard output
        _abandon_output()
        raise Rejected("output_failed") from fault


def _abandon_output() -> None:
    """Lets the interpreter's own last flush succeed, so that it adds no message."""
    if sys.stdout is not None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _refused(code: str) -> dict[str, JSON]:
    meaning, advice = CODES[code]
    return {"ok": False, "code": code, "meaning": meaning, "next": advice}


def _guarded(options: argparse.Namespace) -> int:
    try:
        return options.run(options) or 0
    except BrokenPipeError:
        raise
    except OSError as fault:  # such as no descriptor left for an event loop
        raise Rejected("SYSTEM_REFUSED") from fault


def _run(options: argparse.Namespace) -> int:
    try:
        return _guarded(options)
    except Rejected as refusal:
        if not options.json or refusal.code == "output_failed":
            raise
        _print_json(_refused(refusal.code))
        return 1


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options of a command; help and the version are printed as every other answer is."""
    said = io.StringIO()
    try:
        with redirect_stdout(said):
            return _parser().parse_args(arguments)
    except SystemExit as ended:
        if ended.code == 0:
            _print(said.getvalue())
        raise


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and gives its exit status."""
    try:
        return _run(_options(arguments))
    except Rejected as refusal:
        _say_aside(f"boundary-lab: {in_words(refusal.code)}\n")
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 141
