"""Loading a release: the frozen rows, the lab's own, and one look at every file in bounded memory."""

import json
import os
from io import BytesIO
from operator import itemgetter
from threading import Event, get_ident

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boundary_lab import cited, evidence
from boundary_lab.folders import DiskFolder, SyntheticFolder
from boundary_lab.manifest import load_manifest, read_release
from boundary_lab.rejected import CODES, Rejected, outcome
from json_values import changed, json_values
from releases import byte_case, in_memory, manifest_of, on_disk, one_citation, release_copy
from rows import fixture, load, patched, rows, title
from test_digests import bytes_v2_by_hand, text_v1_by_hand


def result(folder, lane):
    try:
        return {"digest": load_manifest(folder, lane).digest}
    except Rejected as refusal:
        return {"error": refusal.code}


ROWS = rows("release/manifest-cases.json") + rows("lab/manifest-cases.json")


def test_every_frozen_row_is_there():
    counts = {
        name: len(load(name)) for name in ("release/manifest-cases.json", "bytes/cases.json", "bytes/framing.json")
    }
    assert list(counts.values()) == [11, 15, 2]


@pytest.mark.parametrize("row", ROWS, ids=title)
def test_row(row, tmp_path):
    folder, outside = release_copy(tmp_path / "release"), tmp_path / "outside"
    outside.write_text("outside")
    for name, content in row.get("files", {}).items():
        (folder / name).write_text(content)
    for name in row.get("links", {}):
        (folder / name).unlink()
        (folder / name).symlink_to(outside)
    changed_manifest = patched(load("release/manifest.json"), {"patch": row.get("patch", [])})
    (folder / "manifest.json").write_text(json.dumps(changed_manifest), encoding="utf-8")
    assert outcome(load_manifest, DiskFolder(folder)) == (row["code"] or "accepted")


def test_release_digests():
    folder = DiskFolder(fixture("release"))
    digests = {name: load_manifest(folder, lane).digest for name, lane in LANES.items()}
    assert digests == load("release/digests.json")
    assert load_manifest(folder).manifest == load("release/manifest.json")


LANES = {"text-v1": "published", "bytes-v2": "repaired"}
BYTE_CASES = {case["name"]: case for case in load("bytes/cases.json")}


@pytest.mark.parametrize("lane", LANES.values())
@pytest.mark.parametrize("row", load("bytes/results.json"), ids=itemgetter("name"))
def test_byte_input(row, lane, tmp_path):
    files = byte_case(BYTE_CASES[row["name"]])
    assert result(in_memory(files), lane) == row[lane]
    assert result(DiskFolder(on_disk(files, tmp_path)), lane) == row[lane]
    if "digest" in row[lane]:
        by_hand = text_v1_by_hand if lane == "published" else bytes_v2_by_hand
        digest = by_hand(files["manifest.json"], [("change.patch", files["change.patch"])])
        assert digest == row[lane]["digest"]


@pytest.mark.parametrize("row", load("bytes/framing.json") + load("lab/framing.json"), ids=itemgetter("name"))
def test_framing(row):
    files = {name: bytes.fromhex(content) for name, content in row["files_hex"].items()}
    changes = json.loads(files["manifest.json"])["changes"]
    taken = [(cited["path"], files[cited["path"]]) for change in changes for cited in change["evidence"]]
    for name, lane in LANES.items():
        by_hand = text_v1_by_hand if lane == "published" else bytes_v2_by_hand
        assert load_manifest(in_memory(files), lane).digest == row[name] == by_hand(files["manifest.json"], taken)


def test_framing_pair_collides_only_as_text():
    one, other = load("bytes/framing.json")
    assert one["text-v1"] == other["text-v1"]
    assert one["bytes-v2"] != other["bytes-v2"]


@pytest.mark.parametrize("row", rows("lab/lines.json"), ids=title)
def test_line(row):
    def verdict(quote):
        files = {"manifest.json": one_citation("a", quote, row["line"]), "a": row["text"].encode()}
        return outcome(load_manifest, in_memory(files))

    assert verdict(row["holds"]) == "accepted"
    assert verdict(row["holds"] + "x") == verdict("x" + row["holds"]) == "INPUT_QUOTE_MISMATCH"


MANIFESTS = {
    "none": (None, "MANIFEST_MISSING"),
    "empty": (b"", "MANIFEST_JSON"),
    "not UTF-8": (b'{"release":"\xff"}', "MANIFEST_UTF8"),
    "a byte order mark": (b"\xef\xbb\xbf{}", "MANIFEST_BOM"),
    "UTF-16": ("{}".encode("utf-16"), "MANIFEST_UTF8"),
    "a repeated key": (b'{"release":"1","release":"1"}', "MANIFEST_JSON"),
    "NaN": (b'{"release":NaN}', "MANIFEST_JSON"),
    "an unpaired surrogate": (rb'{"release":"\ud800"}', "MANIFEST_JSON"),
    "101 levels": (b"[" * 101 + b"]" * 101, "MANIFEST_JSON"),
    "4,301 digits": (b"9" * 4301, "MANIFEST_JSON"),
    "a scalar": (b"1", "MANIFEST_SHAPE"),
    "64 MiB": (b" " * (64 << 20), "MANIFEST_JSON"),
    "64 MiB and a byte": (b" " * ((64 << 20) + 1), "MANIFEST_SIZE"),
}


@pytest.mark.parametrize(("content", "code"), MANIFESTS.values(), ids=MANIFESTS)
def test_manifest_bytes(content, code):
    files = {} if content is None else {"manifest.json": content}
    assert outcome(load_manifest, in_memory(files)) == code


def test_published_lane_has_one_word_for_broken_json():
    for content in (b"", b"\xef\xbb\xbf{}", b"[" * 200_000, b"9" * 5000):
        assert outcome(load_manifest, in_memory({"manifest.json": content}), "published") == "SyntaxError"


@pytest.mark.parametrize("name", ["none", [], None, 1])
def test_names_that_do_not_exist(name):
    assert outcome(load_manifest, in_memory({}), name) == "UNKNOWN_LANE"
    assert outcome(load_manifest, in_memory({}), "repaired", name) == "UNKNOWN_LANE"


@given(value=json_values | changed(load("release/manifest.json")))
def test_any_value_is_read_or_refused_with_a_documented_code(value):
    assert outcome(read_release, value) in {*CODES, "accepted"}


@given(content=st.binary() | changed(load("release/manifest.json")).map(lambda value: json.dumps(value).encode()))
@pytest.mark.parametrize("lane", LANES.values())
def test_any_manifest_is_loaded_or_refused_with_a_documented_code(content, lane):
    assert outcome(load_manifest, in_memory({"manifest.json": content, "a": b"x"}), lane) in {*CODES, "accepted"}


# One pass over pieces: where they end changes nothing.


def reference(content, line, quote):
    """Read all, decode, split: the plain way."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return "EVIDENCE_UTF8"
    *ended, last = text.split("\n")
    lines = [*(text.removesuffix("\r") for text in ended), last]
    return "accepted" if line <= len(lines) and lines[line - 1] == quote else "INPUT_QUOTE_MISMATCH"


@given(
    content=st.binary(max_size=40) | st.text("aé语😀\r\n\ufeff", max_size=20).map(str.encode),
    line=st.integers(1, 4),
    quote=st.text("aé语😀\r\ufeff", min_size=1, max_size=4),
    size=st.integers(1, 12),
)
def test_any_size_of_piece_gives_the_same(content, line, quote, size):
    files = {"manifest.json": one_citation("a", quote, line), "a": content}
    expected = reference(content, line, quote) if quote.strip("\r\ufeff") else "EVIDENCE_SHAPE"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cited, "SMALL", 1)
        patch.setattr(evidence, "PIECE", size)
        patch.setattr(evidence, "_DECODED", max(1, size // 2))
        verdict = outcome(load_manifest, in_memory(files))
        assert verdict == expected
        if verdict == "accepted":
            assert load_manifest(in_memory(files)).digest == bytes_v2_by_hand(files["manifest.json"], [("a", content)])


def test_a_wrong_byte_is_found_wherever_a_piece_ends(monkeypatch):
    content = "a语é😀b\n".encode() * 3
    monkeypatch.setattr(cited, "SMALL", 1)
    for size in range(1, len(content) + 2):
        monkeypatch.setattr(evidence, "PIECE", size)
        for place in range(len(content)):
            wrong = content[:place] + b"\xff" + content[place + 1 :]
            files = {"manifest.json": one_citation("a", "a语é😀b"), "a": wrong}
            assert outcome(load_manifest, in_memory(files)) == "EVIDENCE_UTF8"


# One look at each file, and bounded means.


class Watched(SyntheticFolder):
    """A folder in memory that counts what is opened and keeps track of what is open."""

    def __init__(self, files, reads=None):
        super().__init__("posix", "/release", files)
        self.opened = []
        self.handles = []
        self.most = 0
        self.reads = reads or {}

    def open(self, path, *guard):
        content = super().open(path, *guard).read()
        turn = self.opened.count(path)
        self.opened.append(path)
        self.handles.append(BytesIO(self.reads.get((path, turn), content)))
        self.most = max(self.most, sum(not handle.closed for handle in self.handles))
        return self.handles[-1]


def large(text):
    return (text + "\n").encode() * (cited.PIECE // len(text))


def repeated(paths, times):
    """Citations of all paths, one round after another."""
    return manifest_of(*((path, line, path) for line in range(1, times + 1) for path in paths))


def test_a_file_is_opened_once_however_often_it_is_cited():
    files = {"a": b"a\n" * 9, "b": large("b")}
    folder = Watched({"manifest.json": repeated(files, 3), **files})
    taken = [(path, files[path]) for _ in range(3) for path in files]
    assert load_manifest(folder).digest == bytes_v2_by_hand(repeated(files, 3), taken)
    assert folder.opened == ["a", "b"]
    assert all(handle.closed for handle in folder.handles)


@pytest.mark.parametrize(("kept_bytes", "size"), [(cited._KEPT_BYTES, 0), (10, 20)])
def test_open_files_and_kept_bytes_are_bounded(monkeypatch, kept_bytes, size):
    """Forty files, each cited three times in turn: more than may stay open, or than may stay in memory."""
    monkeypatch.setattr(cited, "_KEPT_BYTES", kept_bytes)
    content = (lambda name: f"{name}\n".encode() * size) if size else large
    files = {f"f{number}": content(f"f{number}") for number in range(40)}
    folder = Watched({"manifest.json": repeated(files, 3), **files})
    taken = [(path, files[path]) for _ in range(3) for path in files]
    assert load_manifest(folder).digest == bytes_v2_by_hand(repeated(files, 3), taken)
    assert folder.most <= cited._KEPT_FILES + 1
    assert all(handle.closed for handle in folder.handles)


@pytest.fixture
def tiny(monkeypatch):
    """What counts as large, and as a piece, in a few bytes."""
    for module, name, value in ((cited, "SMALL", 1), (cited, "PIECE", 4), (evidence, "PIECE", 4)):
        monkeypatch.setattr(module, name, value)


def cited_in_turn(order, sizes):
    """A folder whose manifest cites the next line of each path in this order."""
    citations = [(path, order[:place].count(path) + 1, path) for place, path in enumerate(order)]
    files = {path: (f"{path}\n" * (size // 2)).encode() for path, size in sizes.items()}
    return Watched({"manifest.json": manifest_of(*citations), **files})


# The order of the citations → what is opened, and how many are open at once. Two may stay open.
OPENED = {"ababab": ("ab", 2), "abcbca": ("abca", 3), "aabbcc": ("abc", 1), "abc": ("abc", 1)}


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("order", OPENED)
def test_the_file_that_waited_longest_is_closed(monkeypatch, order):
    monkeypatch.setattr(cited, "_KEPT_FILES", 2)
    folder = cited_in_turn(order, dict.fromkeys(order, 6))
    assert outcome(load_manifest, folder) == "accepted"
    assert ("".join(folder.opened), folder.most) == OPENED[order]


# The order of the citations → what is opened, where twenty bytes of content may stay in memory.
SIZES = {"a": 8, "b": 12, "c": 16, "d": 4, "e": 8}
KEPT = {"abdabd": "abdd", "acbacb": "acbc", "abaedbed": "abedd", "cdcd": "cd"}


@pytest.mark.parametrize("order", KEPT)
def test_what_stays_in_memory_is_not_opened_again(monkeypatch, order):
    monkeypatch.setattr(cited, "_KEPT_BYTES", 20)
    folder = cited_in_turn(order, {path: SIZES[path] for path in order})
    assert outcome(load_manifest, folder) == "accepted"
    assert "".join(folder.opened) == KEPT[order]


def test_a_file_that_is_cited_again_is_kept_whole_up_to_a_piece(monkeypatch):
    monkeypatch.setattr(cited, "SMALL", 1)
    monkeypatch.setattr(cited, "_KEPT_FILES", 0)
    folder = cited_in_turn("aa", {"a": 6})
    assert outcome(load_manifest, folder) == "accepted"
    assert folder.opened == ["a"]


@pytest.mark.usefixtures("tiny")
def test_a_file_is_opened_again_with_the_same_guard(monkeypatch):
    monkeypatch.setattr(cited, "_KEPT_FILES", 0)
    path = "..\\outside"  # what the published guard lets through
    files = {"manifest.json": manifest_of((path, 1, "a"), (path, 2, "a")), "C:\\outside": b"a\n" * 9}
    folder = SyntheticFolder("windows", "C:\\release", files)
    assert outcome(load_manifest, folder, "repaired", "published") == "accepted"


class Piece(bytes):
    """Bytes that know how many of them are in memory, and the longest."""

    alive = most = longest = 0

    def __init__(self, _):
        Piece.alive += 1
        Piece.most, Piece.longest = max(Piece.most, Piece.alive), max(Piece.longest, len(self))

    def __del__(self):
        Piece.alive -= 1


class Counting(BytesIO):
    def read(self, size=-1):
        return Piece(super().read(size))


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("times", [1, 2])
def test_no_more_pieces_are_kept_than_wait_for_the_hash(monkeypatch, times):
    """Also when a file is read again."""
    folder = in_memory({"manifest.json": repeated("a", times)})
    monkeypatch.setattr(folder, "open", lambda *_: Counting(b"a\n" * 999))
    monkeypatch.setattr(Piece, "most", 0)
    assert outcome(load_manifest, folder) == "accepted"
    assert Piece.most <= evidence._AHEAD + 4
    assert Piece.longest == evidence.PIECE


CHANGES = {
    "other bytes": lambda content: content[:-2] + b"x\n",
    "a byte more": lambda content: content + b"x",
    "a byte fewer": lambda content: content[:-1],
    "nothing": lambda _: b"",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_file_that_differs_when_it_is_read_again(monkeypatch, change):
    monkeypatch.setattr(cited, "_KEPT_FILES", 0)
    content = large("a")
    folder = Watched({"manifest.json": repeated("a", 2), "a": content}, {("a", 1): change(content)})
    assert outcome(load_manifest, folder) == "EVIDENCE_CHANGED"
    assert all(handle.closed for handle in folder.handles)


def loading(file, monkeypatch):
    """How loading ends where a cited file turns out to be `file`."""
    folder = in_memory({"manifest.json": one_citation("a", "a")})
    monkeypatch.setattr(folder, "open", lambda *_: file)
    return outcome(load_manifest, folder)


class Resized(BytesIO):
    """A file that grows or shrinks after its size was asked for."""

    def seek(self, offset, whence=os.SEEK_SET):
        position = super().seek(offset, whence)
        return position + self.by if whence == os.SEEK_END else position


@pytest.mark.parametrize("by", [1, -1])
def test_a_file_that_is_resized_while_it_is_read(monkeypatch, by):
    file = Resized(large("a"))
    file.by = by
    assert loading(file, monkeypatch) == "EVIDENCE_CHANGED"
    assert file.closed


class Broken(BytesIO):
    """A file whose disk fails at one of its reads."""

    def read(self, size=-1):
        self.good -= 1
        if self.good < 0:
            raise OSError
        return super().read(size)


@pytest.mark.parametrize("good", range(3))
def test_a_disk_that_fails_while_it_is_read(monkeypatch, good):
    file = Broken(large("a"))
    file.good = good
    assert loading(file, monkeypatch) == "EVIDENCE_UNREADABLE"
    assert file.closed


class Slow(BytesIO):
    """A file that gives no more than seven bytes at a time, as a system may."""

    def read(self, size=-1):
        return super().read(min(size, 7))


def test_a_file_that_gives_fewer_bytes_than_asked_for(monkeypatch):
    monkeypatch.setattr(evidence, "PIECE", 1 << 10)
    for content in (b"a\n" * 9, b"a\n" * cited.SMALL):
        files = {"manifest.json": one_citation("a", "a", 9), "a": content}
        folder = in_memory(files)
        monkeypatch.setattr(folder, "open", lambda *_, content=content: Slow(content))
        monkeypatch.setattr(folder, "open_manifest", lambda files=files: Slow(files["manifest.json"]))
        assert load_manifest(folder).digest == bytes_v2_by_hand(files["manifest.json"], [("a", content)])


def test_no_more_is_read_than_was_asked_for():
    assert evidence.read(Slow(b"0123456789abcdef"), 10) == b"0123456789"


class Unseekable(BytesIO):
    def seek(self, *_):
        raise OSError


def test_a_file_that_does_not_say_how_large_it_is(monkeypatch):
    assert loading(Unseekable(large("a")), monkeypatch) == "EVIDENCE_UNREADABLE"


def test_without_a_second_thread(monkeypatch):
    def refuse(*_):
        raise RuntimeError("can't start new thread")

    content = large("a") * 3
    files = {"manifest.json": one_citation("a", "a", 9), "a": content}
    monkeypatch.setattr(evidence.ThreadPoolExecutor, "submit", refuse)
    expected = bytes_v2_by_hand(files["manifest.json"], [("a", content)])
    assert load_manifest(in_memory(files)).digest == expected


def test_the_hash_takes_one_piece_after_another_in_a_thread_of_its_own():
    """The first waits for the second, which cannot come before it."""
    second, taken = Event(), []

    def update(piece):
        second.wait(0.05) if piece == b"1" else second.set()
        taken.append((piece, get_ident() == here))

    here = get_ident()
    with evidence.Hashing(update) as hashing:
        hashing.feed(b"1")
        hashing.feed(b"2")
    assert taken == [(b"1", False), (b"2", False)]


def test_what_goes_wrong_in_the_second_thread_goes_on_in_the_first():
    """Unless something went wrong there before."""

    def load(*faults):
        with evidence.Hashing({}.__getitem__) as hashing:
            hashing.feed(b"a")
            for fault in faults:
                raise fault

    with pytest.raises(KeyError):
        load()
    with pytest.raises(ArithmeticError):
        load(ArithmeticError)


def test_a_line_longer_than_its_quote_is_not_kept(monkeypatch):
    """Neither a long line under a short quote nor a quote that ends one byte before the line does."""
    monkeypatch.setattr(cited, "SMALL", 1)
    monkeypatch.setattr(evidence, "PIECE", 8)
    for content, quote, code in (
        (b"x" * 99, "x" * 98, "INPUT_QUOTE_MISMATCH"),
        (b"x" * 99 + b"\r\n", "x" * 99, "accepted"),
    ):
        files = {"manifest.json": one_citation("a", quote), "a": content}
        assert outcome(load_manifest, in_memory(files)) == code


def test_no_more_of_a_long_line_is_kept_than_its_quote_takes():
    finder = evidence.QuoteFinder([(1, "ab")], "strict")
    for _ in range(99):
        finder.feed(b"xx", 0)
    assert sum(map(len, finder._begun)) <= 3


@pytest.mark.parametrize("size", range(1, 10))
def test_a_line_behind_others_in_pieces(monkeypatch, size):
    monkeypatch.setattr(cited, "SMALL", 1)
    monkeypatch.setattr(evidence, "PIECE", size)
    files = {"manifest.json": manifest_of(("a", 3, "b"), ("a", 2, "\u8bed")), "a": "\xe9\n\u8bed\nb\n".encode()}
    assert outcome(load_manifest, in_memory(files)) == "accepted"


@pytest.mark.parametrize(("lane", "code"), [("published", "accepted"), ("repaired", "EVIDENCE_UTF8")])
def test_a_quote_of_what_does_not_decode(lane, code):
    files = {"manifest.json": one_citation("a", "x\ufffd"), "a": b"x\xff\n"}
    assert outcome(load_manifest, in_memory(files), lane) == code


def test_progress_is_told():
    seen = []
    files = {"manifest.json": repeated("ab", 2), "a": b"a\n" * 5, "b": large("b")}
    load_manifest(in_memory(files), progress=lambda *step: seen.append(step))
    done, of, read = seen[-1]
    assert (done, of) == (3, 4)
    assert read == len(files["a"]) + 2 * len(files["b"])
