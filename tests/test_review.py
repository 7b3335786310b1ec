"""Lesson 2's book: the frozen rows, the books that are refused, and what a receiver may hold."""

import json

import pytest

from boundary_lab.canonical import canonical
from boundary_lab.rejected import outcome
from boundary_lab.review import Receiver, ReviewBook, ReviewSnapshot
from rows import edited, fixture, load, patched, rows, title

BOOK = ReviewBook.load(fixture("review"))
SOURCES, PACKETS, ANSWERS = (load(f"review/{name}.json") for name in ("sources", "packets", "answers"))
ROWS = rows("review/cases.json")

ENTRIES = {
    "source": lambda row: (BOOK.project, patched(SOURCES[row["base"]], row)),
    "packet": lambda row: (BOOK.receive, json.dumps(patched(PACKETS[row["base"]], row))),
    "wire": lambda row: (BOOK.receive, edited(canonical(PACKETS[row["base"]]), row)),
}


def test_every_frozen_row_is_there():
    assert len(ROWS) == 56


@pytest.mark.parametrize("row", ROWS, ids=title)
def test_row(row):
    call, value = ENTRIES[row["on"]](row)
    assert outcome(call, value, row["current"]) == (row["code"] or "accepted")
    if row["code"] is None:
        assert call(value, row["current"]) == (PACKETS if row["on"] == "source" else ANSWERS)[row["current"]]


@pytest.mark.parametrize("row", [row for row in ROWS if row["on"] != "source"], ids=title)
def test_receiving_works_from_the_public_part_alone(row):
    receiver = Receiver.from_json(json.loads(json.dumps(BOOK.public())))
    _, text = ENTRIES[row["on"]](row)
    assert outcome(receiver.receive, text, row["current"]) == (row["code"] or "accepted")


def test_a_receiver_keeps_nothing_of_what_it_was_made_from():
    public = BOOK.public()
    receiver = Receiver.from_json(public)
    public["packets"]["R1"]["facts"]["device_model"] = "PX-9"
    public["packets"]["R1"]["unresolved"].clear()
    assert receiver.receive(canonical(PACKETS["R1"]), "R1") == ANSWERS["R1"]


@pytest.mark.parametrize(
    "facts",
    [{"a": object()}, {1: 1}, {"a": float("nan")}, {"\ud800": 1}],
    ids=["an object", "a number as a key", "NaN", "a surrogate"],
)
def test_a_snapshot_of_what_is_no_json_is_refused(facts):
    assert outcome(ReviewSnapshot.from_json, load("review/snapshots.json")["R1"] | {"facts": facts}) == "bad_review"


def test_the_book_keeps_every_question_that_it_was_given():
    assert BOOK.questions == load("review/questions.json")


def test_an_outdated_current_lets_the_outdated_packet_pass():
    """The limit that lesson 2 names: `current` is only as good as the application's own state."""
    assert BOOK.receive(canonical(PACKETS["R1"]), "R1") == ANSWERS["R1"]


@pytest.mark.parametrize("row", rows("lab/reviews.json"), ids=title)
def test_book(row, tmp_path):
    frozen = {"snapshots": load("review/snapshots.json"), "questions": load("review/questions.json")}
    for name, value in patched(frozen, row).items():
        (tmp_path / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    assert outcome(ReviewBook.load, tmp_path) == (row["code"] or "accepted")


def test_a_folder_without_questions_is_refused(tmp_path):
    (tmp_path / "snapshots.json").write_bytes(fixture("review/snapshots.json").read_bytes())
    assert outcome(ReviewBook.load, tmp_path) == "bad_review"


@pytest.mark.parametrize(("size", "code"), [(4096, "accepted"), (4097, "bad_review")])
def test_a_packet_over_the_wire_limit_is_refused_at_loading(size, code):
    snapshots, packet = load("review/snapshots.json"), PACKETS["R1"]
    packet = {**packet, "facts": packet["facts"] | {"error_code": ""}}
    snapshots["R1"]["facts"]["error_code"] = "E" * (size - len(canonical(packet)))
    assert outcome(ReviewBook.from_json, snapshots, load("review/questions.json")) == code


def test_nothing_that_leaves_the_sender_holds_text_hash_or_note():
    secrets = [
        record[key] for source in SOURCES.values() for record in source["records"] for key in ("text", "internal_note")
    ]
    secrets += [snapshot["text_hash"] for snapshot in load("review/snapshots.json").values()]
    leaving = canonical([BOOK.public(), *(BOOK.project(SOURCES[name], name) for name in SOURCES), ANSWERS])
    assert [secret for secret in secrets if secret in leaving] == []


def test_projection_never_aliases():
    packet = BOOK.project(SOURCES["R1"], "R1")
    public = BOOK.public()
    for value in (packet, public["packets"]["R1"]):
        value["facts"].clear()
        value["unresolved"].clear()
    public["questions"].clear()
    assert BOOK.project(SOURCES["R1"], "R1") == PACKETS["R1"]
    assert BOOK.public()["packets"] == PACKETS
    assert BOOK.receive(canonical(PACKETS["R1"]), "R1") == ANSWERS["R1"]
