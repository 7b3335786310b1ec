"""Lesson 1's contract: the frozen rows, a second task's rows, and the schema that says the same."""

import copy
import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boundary_lab.canonical import canonical
from boundary_lab.packet import PacketContract
from boundary_lab.rejected import outcome
from json_values import changed, json_values, without_integral_floats
from rows import edited, fixture, load, patched, rows, title

TASKS = ("handoff", "lab/room")
CONTRACTS = {task: PacketContract.load(fixture(f"{task}/contract.json")) for task in TASKS}
SOURCES = {task: load(f"{task}/source-record.json") for task in TASKS}
PACKETS = {task: load(f"{task}/packet.json") for task in TASKS}
ROWS = [pytest.param(task, row, id=f"{task}: {title(row)}") for task in TASKS for row in rows(f"{task}/cases.json")]

ENTRIES = {
    "packet": lambda task, row: (CONTRACTS[task].validate, patched(PACKETS[task], row)),
    "source": lambda task, row: (CONTRACTS[task].project, patched(SOURCES[task], row)),
    "wire": lambda task, row: (CONTRACTS[task].parse, edited(canonical(PACKETS[task]), row)),
    "evidence": lambda task, row: (CONTRACTS[task].evidence, row["ref"]),
}


@pytest.mark.parametrize(("task", "row"), ROWS)
def test_row(task, row):
    call, value = ENTRIES[row["on"]](task, row)
    assert outcome(call, value) == (row["code"] or "accepted")
    if row["on"] == "source" and row["code"] is None:
        assert call(value) == PACKETS[task]


def test_every_frozen_row_is_there():
    assert len(rows("handoff/cases.json")) == 52


@pytest.mark.parametrize("task", TASKS)
def test_packet_receipt_and_evidence(task):
    contract, packet = CONTRACTS[task], PACKETS[task]
    assert contract.project(SOURCES[task]) == packet
    assert contract.parse(json.dumps(packet)) == packet
    assert contract.receive(canonical(packet)) == load(f"{task}/receipt.json")
    assert [contract.evidence(row["ref"]) for row in packet["evidence"]] == packet["evidence"]


def test_receipt_keeps_the_order_of_the_packet():
    packet = PACKETS["handoff"] | {"evidence": PACKETS["handoff"]["evidence"][::-1]}
    receipt = CONTRACTS["handoff"].receive(canonical(packet))
    assert receipt["evidence_refs"] == load("handoff/receipt.json")["evidence_refs"][::-1]


@pytest.mark.parametrize("row", rows("lab/contracts.json"), ids=title)
def test_contract(row, tmp_path):
    path = tmp_path / "contract.json"
    path.write_text(json.dumps(patched(load("handoff/contract.json"), row)), encoding="utf-8")
    assert outcome(PacketContract.load, path) == (row["code"] or "accepted")


@pytest.mark.parametrize("text", [None, "", "{", "\ufeff{}"])
def test_a_file_that_is_no_contract(tmp_path, text):
    if text is not None:
        (tmp_path / "contract.json").write_text(text, encoding="utf-8")
    assert outcome(PacketContract.load, tmp_path / "contract.json") == "bad_contract"


def test_projection_never_aliases():
    contract, source = CONTRACTS["handoff"], copy.deepcopy(SOURCES["handoff"])
    packet, evidence = contract.project(source), contract.evidence("EV-01")
    schema = contract.json_schema()
    for value in (packet, evidence, schema):
        _ruin(value)
    assert source == SOURCES["handoff"]
    assert contract.project(source) == PACKETS["handoff"]
    assert contract.evidence("EV-01") == PACKETS["handoff"]["evidence"][0]
    assert contract.json_schema() == load("handoff/packet.schema.json")


def _ruin(value):
    for item in list(value.values() if isinstance(value, dict) else value):
        if isinstance(item, dict | list):
            _ruin(item)
    value.clear()


def test_schema_is_the_frozen_one():
    assert CONTRACTS["handoff"].json_schema() == load("handoff/packet.schema.json")


def _schema_accepts(task, packet):
    return jsonschema.Draft202012Validator(CONTRACTS[task].json_schema()).is_valid(packet)


# JSON Schema compares numbers by value, so it cannot see that 1.0 stands in for 1.
UNSEEN_BY_SCHEMA = {"1.0 stands in for the version", "12.0 stands in for 12"}


@pytest.mark.parametrize(("task", "row"), [param for param in ROWS if param.values[1]["on"] == "packet"])
def test_schema_agrees_with_validate_on_rows(task, row):
    assert _schema_accepts(task, patched(PACKETS[task], row)) == (row["code"] is None or row["is"] in UNSEEN_BY_SCHEMA)


@pytest.mark.parametrize("task", TASKS)
@given(data=st.data())
def test_schema_agrees_with_validate(task, data):
    packet = data.draw(changed(PACKETS[task]))
    accepted = outcome(CONTRACTS[task].validate, without_integral_floats(packet)) == "accepted"
    assert _schema_accepts(task, packet) == accepted


@given(source=json_values | changed(SOURCES["handoff"]))
def test_private_text_has_no_way_in(source):
    """Whatever the record holds, a packet that crosses is the approved one."""
    if outcome(CONTRACTS["handoff"].project, source) == "accepted":
        assert CONTRACTS["handoff"].project(source) == PACKETS["handoff"]


def test_nothing_of_one_case_is_in_the_code():
    """Every name of the frozen tasks stands in `fixtures/` only."""
    names = {
        text
        for task in TASKS
        for observation in CONTRACTS[task].catalog.values()
        for text in (observation.source_id, observation.field, str(observation.value))
        if text not in {"True", "12"}
    } | {contract.task_id for contract in CONTRACTS.values()}
    source = fixture(".").parent / "src" / "boundary_lab"
    code = "".join(path.read_text(encoding="utf-8") for path in source.rglob("*.py"))
    assert {name for name in names if name in code} == set()
