"""A learner's copies and progress: nothing is overwritten, nothing is lost, and nothing that is damaged is believed."""

import csv
import io
import json
import multiprocessing
import re
import time
from pathlib import Path

import pytest

from boundary_lab.cli import main
from boundary_lab.learn import attempts, board, copies, plain, progress
from boundary_lab.learn.copies import NOTEBOOKS, reset, start
from boundary_lab.rejected import outcome
from rows import load, title

ROWS = load("lab/learn.json")
FIRST = "01_tool_row_dropping.ipynb"


@pytest.fixture
def work(tmp_path, monkeypatch):
    """A learner's folder, in which the command runs."""
    monkeypatch.chdir(tmp_path)
    start(tmp_path / "work", "Ada")
    return tmp_path / "work"


def state(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_copies_are_the_originals_and_a_second_start_adds_what_is_missing_alone(work):
    copied = {name: data for name, data in state(work).items() if name != progress.FILE}
    assert {*copied} == {
        path.relative_to(NOTEBOOKS).as_posix()
        for pattern in ("*.ipynb", "exercises/*.ipynb", "pictures/*.svg")
        for path in NOTEBOOKS.glob(pattern)
    }
    assert all(data == (NOTEBOOKS / name).read_bytes() for name, data in copied.items())
    (work / FIRST).write_text("mine")
    (work / "exercises" / FIRST).unlink()
    assert start(work) == [f"exercises/{FIRST}"]
    assert (work / FIRST).read_text() == "mine"
    assert progress.read(work / progress.FILE).learner == "Ada"


@pytest.mark.parametrize("lesson", ["1", "01", "01_tool_row_dropping", FIRST, None])
def test_reset_keeps_what_was_changed_and_nothing_else(work, lesson):
    fresh = state(work)
    (work / FIRST).write_text("mine")
    (work / "exercises" / FIRST).unlink()
    assert reset(work, lesson) == ["01_tool_row_dropping.kept-1.ipynb"]
    (work / FIRST).unlink()
    (work / FIRST).mkdir()
    assert reset(work, lesson) == ["01_tool_row_dropping.kept-2.ipynb"]
    assert reset(work, lesson) == []
    assert (work / "01_tool_row_dropping.kept-2.ipynb").is_dir()
    assert state(work) == fresh | {"01_tool_row_dropping.kept-1.ipynb": b"mine"}


@pytest.mark.parametrize("lesson", ["9", "", "../1", "*", "exercises", "0.", "1_"])
def test_there_is_no_such_lesson(work, lesson):
    before = state(work)
    assert outcome(reset, work, lesson) == "LESSON_UNKNOWN"
    assert state(work) == before


@pytest.mark.parametrize("name", ["", " ", "x" * 61, "a\nb", "\u202e", "\0"], ids=ascii)
def test_a_name_that_could_not_be_shown(tmp_path, name):
    assert outcome(start, tmp_path / "work", name) == "NAME_UNFIT"
    assert not (tmp_path / "work").exists()


def test_where_there_are_no_copies(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert outcome(reset, tmp_path, "1") == outcome(progress.read, tmp_path / progress.FILE) == "WORK_MISSING"
    monkeypatch.setattr(copies, "NOTEBOOKS", tmp_path)
    assert outcome(start, tmp_path / "work") == "NOTEBOOKS_MISSING"
    assert [*tmp_path.iterdir()] == []


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    assert outcome(start, tmp_path / "file" / "work") == "WRITE_FAILED"


def test_the_commands_say_what_they_did(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.chdir(tmp_path)
    assert main(["start"]) == main(["start", "Ada"]) == main(["progress"]) == 0
    first, again, *table = capsysbinary.readouterr().out.decode().splitlines()
    assert re.fullmatch(r"\d\d files copied to work; nothing that was there has changed", first)
    assert again == "nothing is missing in work; nothing that was there has changed"
    assert [*filter(re.compile(r"1\.spot +open").fullmatch, table)]
    assert progress.read(tmp_path / "work" / progress.FILE).learner == "Ada"
    (tmp_path / "work" / FIRST).write_text("mine")
    assert main(["reset"]) == main(["reset", "1"]) == 0
    kept = f"kept as {Path('work', FIRST).with_suffix('.kept-1.ipynb')}"
    assert capsysbinary.readouterr().out.decode().splitlines() == [kept, *["the copies are fresh"] * 2]


# The file.


def lines(work, *added):
    with (work / progress.FILE).open("ab") as file:
        file.writelines(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in added)


@pytest.mark.parametrize("case", ROWS["noted"], ids=title)
def test_what_is_noted(work, monkeypatch, case):
    monkeypatch.chdir(work / "exercises")
    for what in case["what"]:
        progress.note("1.fix", what)
    assert progress.read(work / progress.FILE).states["1.fix"].words() == case["gives"]


@pytest.mark.parametrize("case", ROWS["damaged"], ids=title)
def test_a_damaged_file_is_refused_and_left_as_it_is(work, monkeypatch, capsys, case):
    monkeypatch.chdir(work)
    path = work / progress.FILE
    progress.note("1.fix", "right")
    path.write_bytes(
        re.sub(
            case["was"].encode(), case["becomes"].encode("utf-8", "surrogateescape"), path.read_bytes(), flags=re.DOTALL
        )
    )
    before = path.read_bytes()
    assert outcome(progress.read, path) == outcome(progress.note, "1.fix", "right") == "PROGRESS_DAMAGED"
    assert outcome(start, work, "Bob") == "PROGRESS_DAMAGED"
    assert main(["progress"]) == 1
    assert capsys.readouterr().err.startswith("boundary-lab: PROGRESS_DAMAGED: ")
    assert path.read_bytes() == before


def test_a_line_with_a_sum_of_its_own_is_no_better_than_what_it_says(work):
    for what in ("hint x", "hint 0", "approved", "", "right\n"):
        path = work / progress.FILE
        before = path.read_bytes()
        path.write_bytes(before + progress._line({"exercise": "1.fix", "what": what}))
        assert outcome(progress.read, path) == "PROGRESS_DAMAGED"
        path.write_bytes(before)


def test_an_exercise_of_a_newer_lab_is_passed_over(work):
    with (work / progress.FILE).open("ab") as file:
        file.write(progress._line({"exercise": "9.fix", "what": "right"}))
    assert progress.read(work / progress.FILE).count("right") == 1
    assert "9.fix" not in board.own(progress.read(work / progress.FILE))


def _note(folder):
    for _ in range(50):
        progress.append(folder / progress.FILE, progress._line({"exercise": "1.fix", "what": "not yet"}))


def test_two_notebooks_at_once_lose_nothing(work):
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_note, args=(work,)) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert progress.read(work / progress.FILE).states["1.fix"].attempts == 100


# The tables.


@pytest.fixture
def room(tmp_path):
    """Files of several learners, one of them damaged, one with a name that means harm."""
    for name, learner, notes in ROWS["room"]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        progress.begin(path, learner)
        with path.open("ab") as file:
            file.writelines(progress._line({"exercise": key, "what": what}) for key, what in notes)
    (tmp_path / "damaged.jsonl").write_text("{}\n")
    return tmp_path


def test_the_table_as_text(room, capsys):
    assert main(["progress", "--all", str(room)]) == 1
    said = capsys.readouterr()
    assert said.err.startswith("boundary-lab: PROGRESS_DAMAGED: ")
    head, *lines, _ = said.out.splitlines()
    assert head.startswith("learner")
    assert [
        " ".join(line.split()[: len(given.split())]) for line, given in zip(lines, ROWS["text"], strict=True)
    ] == ROWS["text"]


def test_the_table_as_csv_holds_no_formula(room, capsys):
    assert main(["progress", "--all", str(room), "--csv"]) == 1
    table = [*csv.DictReader(io.StringIO(capsys.readouterr().out))]
    assert [[line["learner"], line["1.spot"], line["1.fix"]] for line in table] == ROWS["csv"]
    assert not any(word.startswith(("=", "+", "-", "@")) for line in table for word in line.values())


def test_the_page_escapes_and_renews_itself(room):
    page = room / "board.html"
    assert main(["progress", "--all", str(room), "--html", str(page)]) == 0
    html = page.read_text(encoding="utf-8")
    assert '<meta http-equiv="refresh" content="10">' in html
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert html.count("<tr>") == 1 + len(ROWS["text"])


def test_the_page_is_written_again_until_it_is_interrupted(work, monkeypatch):
    page, slept = work / "board.html", []

    def sleep(_):
        slept.append(page.read_text(encoding="utf-8"))
        page.unlink()
        if len(slept) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", sleep)
    assert main(["progress", "--all", str(work), "--html", str(page), "--every", "5"]) == 130
    assert slept[0] == slept[1]
    assert '<meta http-equiv="refresh" content="5">' in slept[0]


def test_a_table_without_damage(work):
    assert main(["progress", "--all", str(work)]) == main(["progress", "--all", str(work), "--csv"]) == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["--csv"],
        ["--html", "x"],
        ["--every", "1"],
        ["--all", ".", "--every", "1"],
        ["--all", ".", "--csv", "--html", "x"],
    ],
    ids=" ".join,
)
def test_usage(arguments):
    with pytest.raises(SystemExit, match="2"):
        main(["progress", *arguments])


# Attempts.


@pytest.mark.parametrize("case", ROWS["attempts"], ids=title)
def test_attempt(case):
    calls = attempts.run("\n".join(case["attempt"]), "f", [[1], [2]])
    assert [[call.kind, call.what] for call in calls] == case["gives"]


def test_a_frozen_file_that_an_attempt_removed_is_put_back():
    path = progress.fixture("lab/learn.json")
    before = path.read_bytes()
    source = "from pathlib import Path\ndef f(path):\n    Path(path).unlink()"
    assert attempts.run(source, "f", [[str(path)]]) == [attempts.Call("changed", "lab/learn.json")]
    assert path.read_bytes() == before


def test_arguments_and_answers_are_plain():
    value = {"a": [1, 2.5, None, True, "\ud800", b"\xff"], 1: {"bytes": "00", "pairs": []}, "n": -0.0}
    (call,) = attempts.run("def f(x):\n    return x", "f", [[value]])
    assert repr(call.what) == repr(value)


@pytest.mark.parametrize(
    "value",
    [{1, 2}, object(), 1j, [{"a": ()}, [len]]],
    ids=["a set", "an object", "a complex number", "a function within"],
)
def test_what_is_not_plain(value):
    with pytest.raises(plain.NotPlain):
        plain.to_text(value)


def test_no_process_is_left(tmp_path):
    left = tmp_path / "left"
    source = f"""
import subprocess, sys
def f(x):
    subprocess.Popen([sys.executable, "-c", "import time, pathlib; time.sleep(1); pathlib.Path({str(left)!r}).touch()"])
    return x
"""
    assert attempts.run(source, "f", [[1]]) == [attempts.Call("gave", 1)]
    time.sleep(2)
    assert not left.exists()
