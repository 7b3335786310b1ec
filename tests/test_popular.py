import pytest

from boundary_lab.popular import POPULAR, Case, answers, cases
from rows import load

WRONG = load("lab/popular-guards.json")


@pytest.mark.parametrize("guard", POPULAR)
def test_wrong_answers(guard):
    given = {case: row[guard].does for case, row in answers().items() if not row[guard].right}
    assert given == WRONG[guard]["wrong"]


def test_what_is_right_is_the_frozen_verdict():
    verdicts = {row["name"]: row["corrected"]["result"] == "accepted" for row in load("paths/results.json")}
    assert {case.name: case.may_read for case in cases()} == verdicts


@pytest.mark.parametrize("flavour", ["posix", "windows"])
def test_names_that_differ_in_case_only_are_one_on_windows(flavour):
    case = Case("", flavour, "/r", "a", "/R/a", may_read=flavour == "windows")
    assert POPULAR["resolved.is_relative_to(root)"](case) == case.may_read


def test_right_is_true_or_false():
    assert {type(answer.right) for row in answers().values() for answer in row.values()} == {bool}


def test_those_that_are_asked_about():
    asked = [*cases()][:2]
    assert answers(asked) == {case.name: answers()[case.name] for case in asked}
    assert answers([]) == {}
