"""The figures of lesson 7 on the SDK that is installed, and what the two filters do to a handoff."""

import asyncio
import socket
from importlib.metadata import version

import openai
import pytest
from agents import Agent, RunConfig, Runner
from agents.testing import ScriptedModel, assistant_message

from boundary_lab.rejected import Rejected
from boundary_lab.sdk.openai_agents import last_gate, measured, packet_filter
from boundary_lab.sdk.openai_agents.ticket import CONTRACT, HISTORY, MARKERS, QUIET, RECORD, Ticket, only_the_packet
from rows import load, title

TABLE = load("lab/real-sdk.json")


@pytest.mark.parametrize("row", TABLE["rows"], ids=title)
def test_measured(row):
    assert asyncio.run(measured.SETUPS[row["is"]]()) == row["gives"]


def test_the_table_is_whole_and_of_this_sdk():
    assert [row["is"] for row in TABLE["rows"]] == [*measured.SETUPS]
    assert (TABLE["sdk"], TABLE["version"]) == ("openai-agents", version("openai-agents"))


def test_the_command_says_what_moved(monkeypatch, capsys, tmp_path):
    async def now():
        return {row["is"]: row["gives"] for row in TABLE["rows"]} | {"remove_all_tools": 7}

    monkeypatch.setattr(measured, "measure", now)
    assert measured.main() == 1
    assert capsys.readouterr().out.splitlines() == [
        f"openai-agents {TABLE['version']} then, {TABLE['version']} now: 1 of {len(TABLE['rows'])} moved",
        "remove_all_tools: 3 then, 7 now",
    ]
    monkeypatch.setattr(measured, "fixture", lambda _: tmp_path / "written.json")
    assert measured.main("--write") == 0
    assert measured.main() == 0
    assert capsys.readouterr().out.endswith(f": 0 of {len(TABLE['rows'])} moved\n")


def test_one_user_item_is_left_and_the_receiver_can_read_it():
    ticket = Ticket.new(input_filter=only_the_packet())
    asyncio.run(ticket.run())
    (call,) = ticket.specialist.calls
    (item,) = call.input
    assert item.keys() == {"role", "content"}
    assert item["role"] == "user"
    assert CONTRACT.parse(item["content"]) == CONTRACT.project(RECORD)


PACKET = CONTRACT.project(RECORD)
BUILT = {
    "another task": (PACKET | {"task_id": "CASE-1"}, "wrong_task"),
    "one more key": (PACKET | {"history": HISTORY}, "bad_packet_keys"),
    "no packet at all": (None, "bad_packet_keys"),
    "the ticket itself": (RECORD, "bad_packet_keys"),
}


@pytest.mark.parametrize(("built", "code"), BUILT.values(), ids=BUILT)
def test_a_packet_that_the_contract_refuses_reaches_nobody(built, code):
    ticket = Ticket.new(input_filter=packet_filter(CONTRACT, lambda _: built))
    with pytest.raises(Rejected) as refused:
        asyncio.run(ticket.run())
    assert (refused.value.code, ticket.specialist.calls) == (code, ())


def gated(forbidden, before, **options):
    ticket = Ticket.new(**options)
    gate = last_gate(forbidden, before=before)
    config = RunConfig(tracing_disabled=True, call_model_input_filter=gate)
    try:
        asyncio.run(ticket.run(run_config=config))
    except Rejected as refusal:
        return refusal.code
    return f"{len(ticket.specialist.calls)} calls"


TOKEN = {"token": MARKERS[-1]}
HIDDEN = {"specialist": {"instructions": "between ourselves"}, "input_filter": only_the_packet()}
GATES = {
    "values before the specialist": (TOKEN, ["Specialist"], {}, "GATE_CLOSED"),
    "the same behind a packet filter": (TOKEN, ["Specialist"], {"input_filter": only_the_packet()}, "1 calls"),
    "nobody is named": (TOKEN, [], {}, "1 calls"),
    "another agent is named": (TOKEN, ["specialist"], {}, "1 calls"),
    "triage is named": (TOKEN, ["Triage"], {}, "GATE_CLOSED"),
    "a value that is not there": ({"none": "12345678"}, ["Specialist"], {}, "1 calls"),
    "a predicate that holds": (lambda _: True, ["Specialist"], {}, "GATE_CLOSED"),
    "a predicate that does not": (lambda _: False, ["Specialist"], {}, "1 calls"),
    "in the system text": ({"word": "between ourselves"}, ["Specialist"], HIDDEN, "GATE_CLOSED"),
}


@pytest.mark.parametrize(("forbidden", "before", "options", "said"), GATES.values(), ids=GATES)
def test_gate(forbidden, before, options, said):
    assert gated(forbidden, before, **options) == said


def test_a_gate_that_opens_changes_nothing():
    def run(config):
        model = ScriptedModel([[assistant_message("Yes?")]])
        asyncio.run(Runner.run(Agent(name="One", model=model, instructions="Be brief."), HISTORY, run_config=config))
        return [(call.system_instructions, call.input) for call in model.calls]

    gate = last_gate({"none": "12345678"}, before=["One"])
    assert run(QUIET) == run(RunConfig(tracing_disabled=True, call_model_input_filter=gate))


def test_these_tests_cannot_leave_this_machine(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "opens nothing")
    with pytest.raises(OSError, match="not in these tests"):
        socket.create_connection(("192.0.2.1", 443), timeout=1)
    with pytest.raises(openai.APIConnectionError):
        asyncio.run(Runner.run(Agent(name="Real", model="gpt-5"), "Hello", run_config=QUIET))
