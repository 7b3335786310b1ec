"""What `boundary-lab defects` says of what was found; the hunt itself is in tests/net/test_defects.py."""

import json
import os
import sys

import pytest

from boundary_lab import cli
from boundary_lab.defects import NETS, Defect, Finding, defects, table
from boundary_lab.nets import Run
from boundary_lab.rejected import CODES, outcome

BOTH, UNIT, NEITHER = NETS, ("unit",), ()


def run(differ=0, crashed=0):
    return Run(
        passed=1, differ=dict.fromkeys(map(str, range(differ)), ""), crashed=dict.fromkeys(map(str, range(crashed)), "")
    )


def finding(caught_by, unit, notebook):
    made = Defect(name="made", breaks="it", lesson=5, file="x.py", old="a", new="b", caught_by=caught_by)
    return Finding(defect=made, runs={"unit": unit, "notebook": notebook})


# What each net found, and the line that says so; written by hand after the docstrings of the module.
FOUND = {
    "both": (finding(BOTH, run(2), run(3, 1)), "2         3  killed", True),
    "one of two": (finding(BOTH, run(2), run()), "2         0  NOT AS EXPECTED: unit and notebook", False),
    "crashed": (
        finding(BOTH, run(1), run(crashed=4)),
        "1         0  NOT AS EXPECTED: unit and notebook; it crashed, which is no kill",
        False,
    ),
    "one, as it must be": (finding(UNIT, run(1), run()), "1         0  as expected: unit alone", True),
    "one too many": (finding(UNIT, run(1), run(1)), "1         1  NOT AS EXPECTED: unit alone", False),
    "neither, as it must be": (
        finding(NEITHER, run(crashed=1), run()),
        "0         0  as expected: neither net; it crashed, which is no kill",
        True,
    ),
}


@pytest.mark.parametrize(("found", "words", "expected"), FOUND.values(), ids=FOUND)
def test_line(found, words, expected):
    heading, line, *_ = table([found])
    assert heading == "defect  lesson      unit  notebook"
    assert line == f"made         5         {words}"
    assert found.as_expected == expected


def test_the_last_line_counts_those_that_both_nets_must_catch():
    assert [*table([FOUND["both"][0], FOUND["crashed"][0]])][-1] == "killed by unit and by notebook: 1 of 2"
    assert len([*table([FOUND["one too many"][0]])]) == 2


def test_green_is_to_have_looked():
    assert run().green
    assert not Run(passed=0, differ={}, crashed={}).green
    assert not run(1).green
    assert not run(crashed=1).green


def test_names_choose_in_the_order_of_the_table():
    names = list(defects())
    assert list(defects([names[3], names[1]])) == [names[1], names[3]]
    assert outcome(defects, ["none"]) == "UNKNOWN_DEFECT"


def hunting(found):
    """A hunt that finds this, and says how far it is."""

    def hunt(*arguments):
        *_, progress = arguments
        for done, last in enumerate(["control", "control · unit", "made · unit"]):
            progress(done, 2, last)
        return [found]

    return hunt


@pytest.mark.parametrize("case", FOUND)
def test_the_command(case, monkeypatch, capfd):
    found, words, expected = FOUND[case]
    monkeypatch.setattr(cli, "hunt", hunting(found))
    assert cli.main(["defects"]) == (not expected)
    out, err = capfd.readouterr()
    assert f"made         5         {words}\n" in out
    assert err == ("" if expected else f"boundary-lab: DEFECT_SURVIVED: {' '.join(CODES['DEFECT_SURVIVED'])}\n")
    assert cli.main(["defects", "--json"]) == (not expected)
    said = json.loads(capfd.readouterr().out)
    assert (said["ok"], said.get("code")) == ((True, None) if expected else (False, "DEFECT_SURVIVED"))
    assert said["defects"][0]["killed_by"] == list(found.killed_by)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminal")
def test_progress_on_a_terminal(monkeypatch):
    monkeypatch.setattr(cli, "hunt", hunting(FOUND["both"][0]))
    terminal, theirs = os.openpty()
    with os.fdopen(theirs, "w", encoding="utf-8") as stderr:
        monkeypatch.setattr(sys, "stderr", stderr)
        assert cli.main(["defects"]) == 0
        said = ""
        while not said.endswith("\r\x1b[K"):
            said += os.read(terminal, 1 << 16).decode()
    os.close(terminal)
    shown = [(0, "control"), (15, "control · unit"), (30, "made · unit")]
    bars = [f"\r[{'#' * full:.<30}] {done} of 2 runs  {last}\x1b[K" for done, (full, last) in enumerate(shown)]
    assert said == "".join(bars) + "\r\x1b[K"
