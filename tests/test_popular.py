import pytest

from boundary_lab.popular import POPULAR, answers, cases
from rows import load

WRONG = load("lab/popular-guards.json")


@pytest.mark.parametrize("guard", POPULAR)
def test_wrong_answers(guard):
    given = {case: row[guard].does for case, row in answers().items() if not row[guard].right}
    assert given == WRONG[guard]["wrong"]


def test_what_is_right_is_the_frozen_verdict():
    verdicts = {row["name"]: row["corrected"]["result"] == "accepted" for row in load("paths/results.json")}
    assert {case.name: case.may_read for case in cases()} == verdicts
