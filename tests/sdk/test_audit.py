"""What the audit finds, and what it says where there was nothing to find."""

import base64
import dataclasses
import json
import urllib.parse

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from boundary_lab.rejected import outcome
from boundary_lab.sdk.audit import Audit, Finding, seen_in, texts
from rows import load, title

CANARY = "PRIVATE 地址 8Q"
CANARIES = st.text(min_size=8, max_size=40).filter(lambda text: text == text.strip() and text.isprintable())
VALUES = st.recursive(
    st.text() | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)
AROUND = st.text(max_size=20)
ENCODED = {
    "JSON": json.dumps,
    "JSON in JSON": lambda text: json.dumps(json.dumps(text)),
    "URL": lambda text: urllib.parse.quote(text, safe=""),
    "form": urllib.parse.quote_plus,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64, - and _": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
}


@pytest.mark.parametrize("row", load("lab/audit.json"), ids=title)
def test_how_a_canary_is_written(row):
    assert seen_in(row["value"], {"it": CANARY}) == ({("it", row["how"])} if row["how"] else set())


@pytest.mark.parametrize("encode", ENCODED.values(), ids=ENCODED)
@given(canary=CANARIES, before=AROUND, after=AROUND)
def test_any_canary_is_found_when_encoded(encode, canary, before, after):
    assert seen_in({"x": encode(before + canary + after)}, {"it": canary})


@given(canary=CANARIES, data=st.data())
def test_any_canary_is_found_when_split(canary, data):
    cut = data.draw(st.integers(3, len(canary) - 3))
    assert seen_in(["x" + canary[:cut], {"role": "user"}, canary[cut:] + "x"], {"it": canary})


@given(
    st.recursive(
        st.text() | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_any_value_is_read(value):
    assert seen_in(value, {"it": "\0" * 8}) == set()
    assert all(isinstance(text, str) for text in texts(value))


class Model(BaseModel):
    held: str


@dataclasses.dataclass
class Plain:
    held: object


SELF = [CANARY]
SELF.append(SELF)


@pytest.mark.parametrize(
    "value",
    [Model(held=CANARY), Plain({1: CANARY}), (CANARY,), {CANARY}, CANARY.encode(), SELF, iter([CANARY])],
    ids=str,
)
def test_every_kind_of_value_is_read(value):
    assert seen_in(value, {"it": CANARY}) == {("it", "as it is")}


def test_table():
    """Written by hand after the docstrings."""
    audit = Audit()
    address, token = audit.plant("address"), audit.plant("token", "t0ken-8Q")
    audit.saw("Triage", "input", [address, base64.b64encode(token.encode())])
    audit.saw("Specialist", "input", "nothing")
    audit.saw("Specialist", "input", token)
    audit.saw("Specialist", "system text", None)
    assert audit.text().splitlines() == [
        "Triage      input        address (as it is), token (base64)",
        "Specialist  input        token (as it is)",
        "Specialist  system text  none",
    ]
    assert audit.findings[-1] == Finding("Specialist", "input", "token", "as it is")
    assert json.loads(json.dumps(audit.records()))[1] == {
        "agent": "Triage", "sink": "input", "canary": "token", "how": "base64",
    }  # fmt: skip
    audit.assert_none_reach("Specialist", sink="system text")
    for where in ({"agent": "Specialist"}, {"agent": "Triage", "sink": "input"}):
        with pytest.raises(AssertionError, match="was reached by"):
            audit.assert_none_reach(**where)


@pytest.mark.parametrize("where", [("Specialst",), ("specialist",), ("Specialist", "inputs"), ("Specialist", "trace")])
def test_what_nobody_looked_at_proves_nothing(where):
    audit = Audit()
    audit.plant("address")
    audit.saw("Specialist", "input", "nothing")
    with pytest.raises(AssertionError, match="nothing was seen of"):
        audit.assert_none_reach(*where)


def test_an_empty_audit_has_an_empty_table():
    assert (Audit().text(), Audit().records()) == ("", [])


@pytest.mark.parametrize(
    ("plants", "code"),
    [
        ([("name", "1234567")], "CANARY_UNFIT"),
        ([("name", "12345678")], "accepted"),
        ([("name", "12345678"), ("name", "12345678")], "accepted"),
        ([("name", "12345678"), ("name", "123456789")], "CANARY_UNFIT"),
        ([("name",), ("other",)], "accepted"),
    ],
)
def test_canaries(plants, code):
    audit = Audit()
    assert [outcome(audit.plant, *plant) for plant in plants][-1] == code


def test_a_planted_value_is_the_same_in_every_run_and_names_what_it_is():
    assert Audit().plant("address") == Audit().plant("address") != Audit().plant("addresses")
    assert "address" in Audit().plant("address")
