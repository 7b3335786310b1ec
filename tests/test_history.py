import pytest

from boundary_lab import history
from boundary_lab.history import drop_tool_rows, flatten_as_summary, markers_in
from boundary_lab.packet import PacketContract
from boundary_lab.rejected import outcome
from rows import fixture, load, rows, title


@pytest.mark.parametrize("row", rows("lab/history.json"), ids=title)
def test_shortcut(row):
    call = getattr(history, row["call"])
    if "code" in row:
        assert outcome(call, row["value"]) == row["code"]
    else:
        assert call(row["value"]) == row["gives"]


@pytest.mark.parametrize("row", rows("lab/markers.json"), ids=title)
def test_markers(row):
    assert markers_in(row["value"], row["markers"]) == row["found"]


@pytest.mark.parametrize("markers", [[1], [None], ["\ud800"]])
def test_a_marker_that_is_no_text(markers):
    assert outcome(markers_in, "", markers) == "bad_value"


def test_frozen_counts():
    contract = PacketContract.load(fixture("handoff/contract.json"))
    source = load("handoff/source-record.json")
    crossing = {
        "full_history": source,
        "without_tool_rows": drop_tool_rows(source),
        "summary_of_all_rows": flatten_as_summary(source["records"]),
        "minimal_packet": contract.project(source),
    }
    counts = {name: len(markers_in(value, contract.forbidden_markers)) for name, value in crossing.items()}
    assert counts == load("handoff/marker-counts.json")
