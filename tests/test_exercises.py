"""Each exercise in its three states: untouched, solved, and attempted in ways that people attempt it.

The attempts and what is said of each are rows of `fixtures/lab/exercises/N.attempts.json`.
"""

from collections import Counter

import nbformat
import pytest

from boundary_lab.fixtures import changed, fixture
from boundary_lab.learn import progress
from boundary_lab.learn.copies import NOTEBOOKS
from boundary_lab.learn.progress import keys
from boundary_lab.teach.exercises.generate import exercise
from cells import answer, asked, checked, starter
from rows import load

ATTEMPTS = [row for path in sorted(fixture("lab/exercises").glob("*.attempts.json")) for row in load(path)]
SOLUTIONS = sorted((NOTEBOOKS / "solutions").glob("*.ipynb"))


@pytest.mark.parametrize("case", ATTEMPTS, ids=lambda case: f"{case['exercise']}: {case['is']}")
def test_attempt(case):
    said = checked(case["exercise"], "\n".join(case["attempt"]))
    assert (said.outcome, said.text()) == (case["outcome"], case["says"])
    assert changed() == []


@pytest.mark.parametrize("key", keys())
def test_every_exercise_explains_three_wrong_attempts_in_three_ways(key):
    says = [row["says"] for row in ATTEMPTS if (row["exercise"], row["outcome"]) == (key, "not yet")]
    assert len(says) >= 3
    assert len({*says}) == len(says)


def test_no_text_of_a_wrong_attempt_is_that_of_another():
    says = Counter(row["says"] for row in ATTEMPTS if row["outcome"] == "not yet")
    assert [text for text, times in says.items() if times > 1] == []


@pytest.mark.parametrize("key", keys())
def test_reference_answer(key):
    assert checked(key, answer(key)).outcome == "right"


@pytest.mark.parametrize("key", keys())
def test_untouched(key):
    assert checked(key, starter(key)).outcome == "not attempted"
    assert asked(key).check().outcome == "not attempted"


@pytest.mark.parametrize("key", keys())
def test_hints_come_one_after_another_and_the_solution_is_the_answer(key):
    one = asked(key)
    hints = [one.hint().text() for _ in range(4)]
    of = int(hints[0].split()[3].strip("."))
    assert 2 <= of <= 3
    assert [hint.split(".")[0] for hint in hints] == [f"Hint {min(place, of)} of {of}" for place in range(1, 5)]
    assert one.solution().text() == answer(key)


@pytest.mark.parametrize("case", ATTEMPTS, ids=lambda case: f"{case['exercise']}: {case['is']}")
def test_nothing_of_the_lab_s_own_code_is_shown(case):
    assert "Traceback" not in case["says"]
    assert ".py" not in case["says"]


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.stem)
def test_the_exercises_are_those_of_the_solutions(path):
    def sources(notebook):
        return [(cell.id, cell.cell_type, cell.source, cell.metadata) for cell in notebook.cells]

    stored = nbformat.read(NOTEBOOKS / "exercises" / path.name, as_version=4)
    assert sources(stored) == sources(exercise(nbformat.read(path, as_version=4))), "run: make exercises"


def test_what_became_of_an_attempt_is_noted_where_a_learner_s_copies_are(tmp_path, monkeypatch):
    progress.begin(tmp_path / progress.FILE, "Ada")
    (tmp_path / "exercises").mkdir()
    monkeypatch.chdir(tmp_path / "exercises")
    one = asked("1.spot")
    for attempt in (..., ("a", {}), ("c", {}), ("c", {"PRIVATE_DOOR_6W": 1})):
        one.check(attempt)
    hint = one.hint().text()
    one.solution()
    state = progress.read(tmp_path / progress.FILE).states["1.spot"]
    assert (state.outcome, state.attempts, state.hints, state.solution) == ("right", 3, int(hint.split()[1]), True)


def test_a_damaged_file_is_named_and_left_alone(tmp_path, monkeypatch):
    (tmp_path / progress.FILE).write_text("{}\n")
    monkeypatch.chdir(tmp_path)
    said = asked("1.spot").check(("a", {}))
    assert said.outcome == "not yet"
    assert "Not noted: PROGRESS_DAMAGED" in said.text()
    assert (tmp_path / progress.FILE).read_text() == "{}\n"
