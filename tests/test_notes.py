import pytest
from hypothesis import given

from boundary_lab.notes import verify
from boundary_lab.rejected import CODES, outcome
from json_values import changed, json_values
from rows import load, patched, rows, title

MANIFEST, CANDIDATE = load("release/manifest.json"), load("release/candidate.json")
ROWS = rows("release/candidate-cases.json")


def test_every_frozen_row_is_there():
    assert len(ROWS) == 25


@pytest.mark.parametrize("row", ROWS + rows("lab/candidate-cases.json"), ids=title)
def test_row(row):
    candidate = patched(CANDIDATE, row)
    assert outcome(verify, candidate, MANIFEST) == (row["code"] or "accepted")
    if row["code"] is None:
        assert verify(candidate, MANIFEST) is candidate


@given(candidate=json_values | changed(CANDIDATE))
def test_any_candidate_is_accepted_or_refused_with_a_documented_code(candidate):
    assert outcome(verify, candidate, MANIFEST) in {*CODES, "accepted"}


@given(manifest=json_values | changed(MANIFEST))
def test_any_manifest_is_accepted_or_refused_with_a_documented_code(manifest):
    assert outcome(verify, CANDIDATE, manifest) in {*CODES, "accepted"}
