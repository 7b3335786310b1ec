"""The instructor's pages say what is there: cells, codes, files, commands, minutes that add up."""

import re
from itertools import pairwise

import pytest

from boundary_lab.cli import _parser
from boundary_lab.nets import CHECKOUT
from boundary_lab.rejected import CODES
from net.checks import read

KIT = CHECKOUT / "notebooks" / "instructor"
PAGES = {path.name: path.read_text(encoding="utf-8") for path in sorted(KIT.glob("*.md"))}
LESSONS = {path.name[1]: read(path) for path in sorted(KIT.parent.glob("0[1-9]_*.ipynb"))}
SECTIONS = dict(re.findall(r"^## Lesson (\d)[^\n]*\n(.*?)(?=^## )", PAGES["guide.md"], re.MULTILINE | re.DOTALL))
SCHEDULES = re.findall(r"^## ([^\n:]+):[^\n]*\n(.*?)(?=^## |\Z)", PAGES["schedules.md"], re.MULTILINE | re.DOTALL)
MINUTES = {"45 minutes": 45, "Two hours": 120, "A day": 420}


def minutes(text):
    return sum(map(int, re.findall(r"^\| (\d+) \|", text, re.MULTILINE)))


def stated(lesson):
    return int(re.search(r"About (\d+) minutes", lesson.cells[0].source)[1])


@pytest.mark.parametrize("number", LESSONS)
def test_a_lesson_of_the_guide(number):
    section, lesson = SECTIONS[number], LESSONS[number]
    (exercises,) = KIT.parent.glob(f"exercises/0{number}_*.ipynb")
    assert minutes(section) == stated(lesson)
    assert section.strip().startswith(f"{stated(lesson)} minutes, and {stated(read(exercises))} for its exercises.")
    for part in ("**Aim.**", "**Expect.**", "**Ask.**", "**Cut.**", "**If it breaks.**"):
        assert part in section


@pytest.mark.parametrize("number", LESSONS)
def test_its_cells_are_there_and_in_order(number):
    """The first column of the beats names cells; what is to be cut is one, too."""
    ids = [cell.id for cell in LESSONS[number].cells]
    beats = re.findall(r"^\| \d+ \| ([^|]*) \|", SECTIONS[number], re.MULTILINE)
    named = [re.findall(r"`([^`]+)`", beat) for beat in beats]
    assert [name for names in named for name in names if name not in ids] == []
    places = [ids.index(name) for names in named for name in names]
    assert all(before < after for before, after in pairwise(places))
    cut = re.findall(r"`([a-z-]+)`", re.search(r"\*\*Cut\.\*\*(.*?)\*\*If", SECTIONS[number], re.DOTALL)[1])
    assert [name for name in cut if name not in ids] == []


@pytest.mark.parametrize(("name", "text"), SCHEDULES, ids=[name for name, _ in SCHEDULES])
def test_a_schedule_adds_up(name, text):
    assert minutes(text) == MINUTES[name]


def test_there_are_three_schedules():
    assert {name for name, _ in SCHEDULES} == {*MINUTES}


def test_the_quiz_has_twelve_questions_with_answers_and_why():
    questions = re.split(r"^## \d+\. ", PAGES["quiz.md"], flags=re.MULTILINE)[1:]
    assert len(questions) == 12
    for question in questions:
        assert question.splitlines()[0].endswith("?")
        assert question.count("**Answer.**") == question.count("**Why.**") == 1


@pytest.mark.parametrize("name", PAGES)
def test_what_a_page_names_is_there(name):
    text = PAGES[name]
    for target in re.findall(r"\]\(([^)]+)\)", text):
        assert target.startswith("https://") or (KIT / target).is_file(), target
    for code in re.findall(r"`([A-Z]+_[A-Z_]+|[a-z]+_[a-z]+)`", text):
        assert code in CODES or code in {"needs_human", "tool_result"} | {
            path.stem for path in KIT.parent.glob("0*")
        }, code
    commands = _parser()._subparsers._group_actions[0].choices
    assert set(re.findall(r"boundary-lab (\w+)", text)) <= {*commands}
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(f"^{goal}:", makefile, re.MULTILINE) for goal in re.findall(r"`make ([a-z-]+)", text))


@pytest.mark.parametrize("name", PAGES)
def test_headings_are_in_order(name):
    levels = [len(marks) for marks in re.findall(r"^(#+) ", PAGES[name], re.MULTILINE)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(below - above <= 1 for above, below in pairwise(levels))
