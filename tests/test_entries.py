"""Everything that the core exports, against Python objects that are no JSON, and texts and bytes that lead nowhere.

Each name is in one of the tables, or in the list of those that take nothing from outside.
"""

import asyncio
import importlib
import inspect
import json
import sys
from copy import deepcopy
from io import BytesIO
from pathlib import Path

import pytest

from boundary_lab import containment, fixtures
from boundary_lab.canonical import canonical, same, sha256_hex
from boundary_lab.cli import main
from boundary_lab.digests import bytes_v2, text_v1
from boundary_lab.evidence import AnyBytes, QuoteFinder, Utf8Check, pieces, read, size_of
from boundary_lab.files import open_regular, read_json, read_regular
from boundary_lab.folders import DiskFolder, SyntheticFolder
from boundary_lab.history import drop_tool_rows, flatten_as_summary, markers_in
from boundary_lab.live import key_for
from boundary_lab.manifest import citations, load_manifest, read_release
from boundary_lab.notes import verify
from boundary_lab.packet import PacketContract
from boundary_lab.rejected import CODES, outcome
from boundary_lab.review import Receiver, ReviewBook, ReviewSnapshot
from boundary_lab.runs import EventFile, RunFolder, read_candidate, read_checkpoint, read_thread, write_report
from boundary_lab.shapes import Shapes
from boundary_lab.strict_json import Words, parse, parse_bytes
from boundary_lab.turn import Checkpoint, Recorder, ReplaySDK, generate, parse_candidate
from boundary_lab.written import append, create, put
from json_values import places
from releases import manifest_of
from rows import fixture, load

CONTRACT = PacketContract.load(fixture("handoff/contract.json"))
BOOK = ReviewBook.load(fixture("review"))
RELEASE = load_manifest(DiskFolder(fixture("release")))
MANIFEST, CANDIDATE = load("release/manifest.json"), load("release/candidate.json")
EVENTS = [json.loads(line) for line in fixture("release/success.events.jsonl").read_text(encoding="utf-8").splitlines()]
SHAPES = Shapes("SHAPE")
WORDS = Words.only("bad_json")
MEMORY = SyntheticFolder("posix", "/r", {"a": b""}, {"loop": "loop"})
WINDOWS = SyntheticFolder("windows", "C:\\r", {"a": b""}, {"loop": "loop"})


class Raises:
    """Cannot be compared, hashed, measured or shown."""

    def fails(self, *_):
        raise ZeroDivisionError

    __eq__ = __ne__ = __hash__ = __len__ = __bool__ = __str__ = __repr__ = __iter__ = __getitem__ = __index__ = fails


class Agrees(str):
    """Another text that says it equals everything."""

    __slots__ = ()

    def __eq__(self, _):
        return True

    def __ne__(self, _):
        return False

    __hash__ = str.__hash__


class Text(str):
    __slots__ = ()


class Number(int):
    pass


class Object(dict):
    pass


class Array(list):
    pass


def deep(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


LOOP = []
LOOP.append(LOOP)
OBJECTS = {
    "None": None, "bytes": b"{}", "bytearray": bytearray(b"{}"), "NaN": float("nan"), "infinity": float("inf"),
    "5,000 digits": 10**5000, "minus 5,000 digits": -(10**5000), "101 levels": deep(101),
    "100,000 levels": deep(100_000), "a list in itself": LOOP, "a tuple": ("a",), "a set": {"a"},
    "an object": object(), "a class": dict, "raises": Raises(),
    "a list of what raises": [Raises()], "an object of what raises": {"a": Raises()}, "keys that are numbers": {1: 1},
    "agrees": Agrees("no"), "a list that agrees": [Agrees("no")], "a text of a subclass": Text("2.4.0"),
    "a number of a subclass": Number(1), "an object of a subclass": Object(), "an array of a subclass": Array(),
    "an unpaired surrogate": "\ud800", "an object of one": {"\ud800": "\ud800"}, "an iterator": iter([]), "complex": 1j,
}  # fmt: skip


def turn(value):
    asyncio.run(generate(ReplaySDK(value), RELEASE, Recorder()))


def listed(value):
    return list(citations(value, SHAPES, "DUPLICATE_EVIDENCE"))


# Entry → (what takes any object at all, an example of which every part is replaced).
VALUES = {
    "canonical.canonical": (canonical, CANDIDATE),
    "canonical.sha256_hex": (sha256_hex, CANDIDATE),
    "canonical.same": (lambda value: same(value, CANDIDATE), CANDIDATE),
    "history.drop_tool_rows": (drop_tool_rows, load("handoff/source-record.json")),
    "history.flatten_as_summary": (flatten_as_summary, load("handoff/source-record.json")),
    "history.markers_in": (lambda value: markers_in(value, ["a"]), CANDIDATE),
    "history.markers_in, a marker": (lambda value: markers_in({}, [value]), "a"),
    "manifest.citations": (listed, MANIFEST["changes"][2]["evidence"]),
    "manifest.read_release": (read_release, MANIFEST),
    "manifest.load_manifest, the lane": (lambda value: load_manifest(MEMORY, value), "repaired"),
    "manifest.load_manifest, the guard": (lambda value: load_manifest(MEMORY, guard=value), "corrected"),
    "notes.verify": (lambda value: verify(value, MANIFEST), CANDIDATE),
    "notes.verify, the manifest": (lambda value: verify(CANDIDATE, value), MANIFEST),
    "packet.PacketContract.from_json": (PacketContract.from_json, load("handoff/contract.json")),
    "packet.PacketContract.project": (CONTRACT.project, load("handoff/source-record.json")),
    "packet.PacketContract.evidence": (CONTRACT.evidence, "EV-01"),
    "packet.PacketContract.validate": (CONTRACT.validate, load("handoff/packet.json")),
    "packet.PacketContract.parse": (CONTRACT.parse, ""),
    "packet.PacketContract.receive": (CONTRACT.receive, ""),
    "review.Receiver.from_json": (Receiver.from_json, BOOK.public()),
    "review.Receiver.receive": (lambda value: BOOK.receiver.receive(value, "R1"), ""),
    "review.Receiver.receive, current": (lambda value: BOOK.receiver.receive("{}", value), "R1"),
    "review.ReviewBook.from_json": (lambda value: ReviewBook.from_json(value, {}), load("review/snapshots.json")),
    "review.ReviewBook.from_json, questions": (
        lambda value: ReviewBook.from_json(load("review/snapshots.json"), value), load("review/questions.json"),
    ),
    "review.ReviewBook.project": (lambda value: BOOK.project(value, "R1"), load("review/sources.json")["R1"]),
    "review.ReviewBook.project, current": (lambda value: BOOK.project({}, value), "R1"),
    "review.ReviewBook.receive": (lambda value: BOOK.receive(value, "R1"), ""),
    "review.ReviewBook.receive, current": (lambda value: BOOK.receive("{}", value), "R1"),
    "review.ReviewSnapshot.from_json": (ReviewSnapshot.from_json, load("review/snapshots.json")["R1"]),
    "review.ReviewSnapshot.covers_text": (BOOK.snapshots["R1"].covers_text, ""),
    "runs.write_report": (lambda value: write_report("report", value), CANDIDATE),
    "runs.RunFolder.candidate": (lambda value: recorded("candidate", value), {"a": [1]}),
    **{f"shapes.Shapes.{name}": (getattr(SHAPES, name), ["a"]) for name in ("json", "items", "text", "texts", "count")},
    "shapes.Shapes.members": (SHAPES.members, {"a": 1}),
    "shapes.Shapes.record": (lambda value: SHAPES.record(value, "a"), {"a": 1}),
    "shapes.Shapes.scalar": (SHAPES.scalar, 1),
    "strict_json.parse": (lambda value: parse(value, 9, WORDS), ""),
    "strict_json.parse_bytes": (lambda value: parse_bytes(value, 9, WORDS), ""),
    "turn.Checkpoint.from_json": (Checkpoint.from_json, Checkpoint("2.4.0", "d", "t").to_json()),
    "turn.generate": (turn, EVENTS),
    "turn.parse_candidate": (parse_candidate, ""),
}  # fmt: skip


def replaced(value, path, part):
    """A copy of a value with one part replaced."""
    if not path:
        return part
    copy = deepcopy(value)
    *parents, last = path
    parent = copy
    for key in parents:
        parent = parent[key]
    parent[last] = part
    return copy


@pytest.mark.parametrize("entry", VALUES)
def test_any_object_is_answered_or_refused(entry, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call, example = VALUES[entry]
    for path in places(example):
        for name, part in OBJECTS.items():
            assert outcome(call, replaced(example, path, part)) in {*CODES, "accepted"}, (path, name)


def test_what_only_says_that_it_is_equal_is_refused():
    """What is accepted is plain JSON, and the contract's own text at that."""
    packet = load("handoff/packet.json")
    for path in places(packet):
        for part in (Agrees("no"), [Agrees("no")], Text("no")):
            assert outcome(CONTRACT.validate, replaced(packet, path, part)) != "accepted", path


# Texts: paths, lanes and names.

TEXTS = [
    *("", " ", ".", "..", "/", "\\", "//", "a", "../r/a", "loop", "loop/a", "none", "~", "$HOME", "%s", "{}"),
    *("x" * 300, "a/" * 3000, "../" * 3000, "\0", "a\0b", "\ud800", "a/\udcff", "\ufeff", "\n", "<script>"),
    *("C:", "C:a", "c:\\r\\a", "\\\\?\\C:\\r", "\\\\s\\h", "NUL", "a:b", "a.", "repaired", "corrected", "\u00e9"),
]  # fmt: skip
ON_PATHS = {
    name: (getattr(containment, name), paths)
    for name, paths in {"is_absolute": 1, "join": 2, "relative": 2, "steps": 2}.items()
}
BY_TEXT = {
    "cli.main": lambda text: main(["check", text, text, text]),
    "files.open_regular": lambda text: open_regular(text, "bad_fixture").close(),
    "files.read_json": lambda text: read_json(text, WORDS),
    "files.read_regular": lambda text: read_regular(text, 9, "bad_fixture"),
    "fixtures.fixture": fixtures.fixture,
    "fixtures.load": fixtures.load,
    "fixtures.changed": lambda text: fixtures.changed(Path(text)),
    "folders.DiskFolder": DiskFolder,
    "folders.DiskFolder.open": lambda text: DiskFolder(".").open(text).close(),
    "folders.DiskFolder.open_manifest": lambda text: DiskFolder(text).open_manifest().close(),
    "folders.DiskFolder.realpath": lambda text: DiskFolder(".").realpath(text),
    "folders.SyntheticFolder": lambda text: SyntheticFolder("posix", text, {}),
    "folders.SyntheticFolder.open": MEMORY.open,
    "folders.SyntheticFolder.open, Windows": WINDOWS.open,
    "folders.SyntheticFolder.open_manifest": lambda text: SyntheticFolder("windows", text, {}).open_manifest(),
    "folders.SyntheticFolder.realpath": MEMORY.realpath,
    "folders.SyntheticFolder.realpath, Windows": WINDOWS.realpath,
    "live.key_for": key_for,
    "manifest.load_manifest": lambda text: load_manifest(release(manifest_of((text, 1, text)))),
    "packet.PacketContract.load": PacketContract.load,
    "review.ReviewBook.load": ReviewBook.load,
    "runs.EventFile": lambda text: EventFile(text).__exit__(),
    "runs.RunFolder": lambda text: RunFolder(text).__exit__(None, None, None),
    "runs.RunFolder.checkpoint": lambda text: recorded("checkpoint", Checkpoint(text, text, text)),
    "runs.RunFolder.event": lambda text: recorded("event", text, text),
    "runs.read_candidate": read_candidate,
    "runs.read_checkpoint": read_checkpoint,
    "runs.read_thread": read_thread,
    "runs.write_report": lambda text: write_report(text, {}),
    "written.append": lambda text: append(Path(text), b""),
    "written.create": lambda text: create(Path(text), b"", "RUN_EXISTS"),
    "written.put": lambda text: put(Path(text), b""),
    **{f"containment.{name}": lambda text, name=name: cited(name, text) for name in ON_PATHS},
    **{f"containment.GUARDS, {name}": lambda text, name=name: guarded(name, text) for name in containment.GUARDS},
    "digests.bytes_v2": lambda text: bytes_v2(b"", [(text, b"")]),
    "digests.text_v1": lambda text: text_v1(b"", [(text, b"")]),
    "evidence.QuoteFinder": lambda text: found(text, b"a\r\n"),
}  # fmt: skip


def release(manifest, evidence=b"a"):
    return SyntheticFolder("windows", "C:\\", {"manifest.json": manifest, "a": evidence})


def recorded(method, *arguments):
    with RunFolder(f"run {len(list(Path().iterdir()))}") as run:
        getattr(run, method)(*arguments)


def cited(name, text):
    call, paths = ON_PATHS[name]
    for flavour, root in (("posix", "/r"), ("windows", "C:\\r")):
        call(flavour, *[root] * (paths - 1), text)


def guarded(name, text):
    for flavour, root in (("posix", "/r"), ("windows", "C:\\r")):
        containment.GUARDS[name].lexical(flavour, root, text)
        containment.GUARDS[name].physical(flavour, root, text)


def found(quote, data, errors="replace"):
    finder = QuoteFinder([(1, quote), (2, quote)], errors)
    finder.feed(data, data.count(b"\n"))
    finder.end()


@pytest.mark.parametrize("entry", BY_TEXT)
def test_any_text_is_answered_or_refused(entry, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if sys.platform != "win32":
        (tmp_path / "loop").symlink_to("loop")
    for text in TEXTS:
        assert outcome(BY_TEXT[entry], text) in {*CODES, "accepted"}, ascii(text[:20])


# Bytes.

BYTES = [
    *(b"", b"\0", b"\n", b"\r\n\r", b"\xff", b"\xc3", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xff\xfe"),
    *(b"{}", b"[" * 5000, b"9" * 5000, b'"\\ud800"', bytes(range(256)), b"\x80" * 70_000, b"a\n" * 70_000),
]  # fmt: skip
BY_BYTES = {
    "strict_json.parse_bytes": lambda data: parse_bytes(data, 9999, WORDS),
    "turn.parse_candidate": parse_candidate,
    "manifest.load_manifest": lambda data: load_manifest(release(data)),
    "manifest.load_manifest, published": lambda data: load_manifest(release(data), "published"),
    "manifest.load_manifest, evidence": lambda data: load_manifest(release(manifest_of(("a", 1, "a")), data)),
    "digests.BytesV2": lambda data: bytes_v2(data, [("a", data)]),
    "digests.TextV1": lambda data: text_v1(data, [("a", data)]),
    "evidence.QuoteFinder": lambda data: found("a", data),
    "evidence.Utf8Check": lambda data: checked(Utf8Check(), data),
    "evidence.AnyBytes": lambda data: checked(AnyBytes(), data),
    "evidence.pieces": lambda data: list(pieces(BytesIO(data), 2)),
    "evidence.read": lambda data: read(BytesIO(data), 2),
    "evidence.size_of": lambda data: size_of(BytesIO(data)),
}  # fmt: skip


def checked(check, data):
    check.feed(data)
    check.end()


@pytest.mark.parametrize("entry", BY_BYTES)
def test_any_bytes_are_answered_or_refused(entry):
    for data in BYTES:
        assert outcome(BY_BYTES[entry], data) in {*CODES, "accepted"}, data[:20]


# Nothing is left out.

TAKES_NOTHING_FROM_OUTSIDE = {  # or what it is given was checked before
    "__main__.main": "reads the arguments of the process: tests/test_hostile.py",
    "cited.CitedFiles": "is given a checked manifest by load_manifest",
    "containment.Guard": "two functions",
    "defects.defects": "is given names by the command: tests/net/test_defects.py",
    "defects.hunt": "is given defects of the table",
    "defects.put_in": "is given a defect of the table",
    "defects.table": "is given what hunt found",
    "demos.paths_json": "no argument",
    "digests.Digest": "a protocol",
    "evidence.Hashing": "is given functions, and bytes that it passes on",
    "folders.Folder": "a protocol",
    "live.confirm": "is given a bool",
    "live.find_sdk": "no argument",
    "live.notice": "is given what was loaded, and an endpoint that was checked",
    "nets.LabCopy": "runs the lab's own tests",
    "nets.copy_of_the_lab": "no argument",
    "packet.PacketContract.json_schema": "no argument",
    "popular.answers": "no argument",
    "popular.cases": "no argument",
    "rejected.in_words": "is given a code of ours",
    "rejected.outcome": "is given a function",
    "review.ReviewBook.public": "no argument",
    "review.ReviewSnapshot.packet": "no argument",
    "runs.report": "is given what was loaded and verified",
    "shapes.Shapes.require": "is given a bool",
    "strict_json.Words": "names codes",
    "turn.Checkpoint.to_json": "no argument",
    "turn.prompt": "is given what was loaded",
    "turn.Recorder": "keeps what a turn has checked",
    "turn.ReplaySDK": "hands on what it was given: turn.generate",
    **dict.fromkeys(("written.add", "written.open_log"), "what the system says goes to the block of written.writing"),
    "written.writing": "names a code",
    **dict.fromkeys(("turn.SDK", "turn.Sink", "turn.Thread"), "a protocol"),
}
RECORDS = {"Answer", "Case", "Citation", "Defect", "Finding", "Loaded", "Observation", "Refusal", "Rejected", "Release"}
RECORDS |= {"Run", "TurnOptions"}


def exported():
    """Every function of the core, and every public method of its classes."""
    for path in sorted(Path(inspect.getfile(containment)).parent.glob("[a-z_]*.py")):
        if path.stem != "__init__":
            module = importlib.import_module(f"boundary_lab.{path.stem}")
            for name in set(module.__all__) - RECORDS:
                yield from named(f"{path.stem}.{name}", getattr(module, name))


def named(name, value):
    if inspect.isfunction(value):
        yield name
    elif inspect.isclass(value):
        methods = [key for key, method in vars(value).items() if key[0] != "_" and hasattr(method, "__get__")]
        yield from (f"{name}.{key}" for key in methods if inspect.isroutine(getattr(value, key)))


def test_every_name_is_in_a_table():
    tabled = {entry.split(",")[0] for table in (VALUES, BY_TEXT, BY_BYTES) for entry in table} | {
        *TAKES_NOTHING_FROM_OUTSIDE
    }
    assert {name for name in exported() if name not in tabled and name.rsplit(".", 1)[0] not in tabled} == set()
