"""What reaches the specialist of lesson 7's ticket in each set-up, measured on the SDK that is installed.

`python -m boundary_lab.sdk.openai_agents.measured` says what has moved since `fixtures/lab/real-sdk.json` was
written; with `--write` it writes that file again, on purpose.
"""

import asyncio
import datetime as dt
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from importlib.metadata import version
from typing import Any

from agents import (
    Agent,
    GuardrailFunctionOutput,
    InputGuardrail,
    RunConfig,
    Runner,
    SQLiteSession,
    UserError,
)
from agents.extensions.handoff_filters import nest_handoff_history, remove_all_tools
from agents.testing import ScriptedModel, assistant_message
from pydantic import BaseModel

from boundary_lab.canonical import canonical
from boundary_lab.fixtures import fixture
from boundary_lab.rejected import Rejected
from boundary_lab.sdk.audit import Audit
from boundary_lab.sdk.openai_agents.filters import last_gate
from boundary_lab.sdk.openai_agents.ticket import (
    CONTRACT,
    HISTORY,
    MARKERS,
    QUIET,
    RECORD,
    Ticket,
    contact,
    markers_in,
    only_the_packet,
)

__all__ = ["SETUPS", "main", "measure"]

_SDK = "openai-agents"
_ELSE = ({"role": "user", "content": "Something else."},)
_PROFILE = RECORD["private_profile"]


class Reason(BaseModel):
    """The arguments of a handoff that has some."""

    reason: str


def _handoff(streamed: bool = False, run: dict[str, Any] | None = None, **options: Any) -> Callable[[], Awaitable[Any]]:
    """How many markers reach the specialist by a handoff with these options, in a run with those."""

    async def count() -> int:
        ticket = Ticket.new(**options)
        config = RunConfig(tracing_disabled=True, **(run or {}))
        if streamed:
            async for _ in Runner.run_streamed(ticket.triage, HISTORY, run_config=config).stream_events():
                pass
        else:
            await ticket.run(run_config=config)
        return len(ticket.reached())

    return count


async def _fresh_run() -> int:
    model = ScriptedModel([[assistant_message("What does the indicator show?")]])
    await Runner.run(Agent(name="Specialist", model=model), canonical(CONTRACT.project(RECORD)), run_config=QUIET)
    return len(markers_in([call.input for call in model.calls]))


@asynccontextmanager
async def _stored() -> AsyncIterator[SQLiteSession]:
    with closing(SQLiteSession("ticket")) as session:
        await session.add_items(HISTORY)
        await Ticket.new(input_filter=only_the_packet()).run("It does not start.", session=session)
        yield session


async def _in_the_store() -> int:
    async with _stored() as session:
        return len(markers_in(await session.get_items()))


async def _in_the_next_run() -> int:
    model = ScriptedModel([[assistant_message("Yes?")]])
    async with _stored() as session:
        await Runner.run(Agent(name="Next", model=model), "And?", session=session, run_config=QUIET)
    return len(markers_in([call.input for call in model.calls]))


def _result(mode: str) -> Callable[[], Awaitable[int]]:
    async def count() -> int:
        result = await Ticket.new(input_filter=only_the_packet()).run()
        return len(markers_in(result.to_input_list(mode=mode)))

    return count


def _from_context(**specialist: Any) -> Callable[[], Awaitable[int]]:
    async def count() -> int:
        ticket = Ticket.new(specialist=specialist, input_filter=only_the_packet())
        await ticket.run(context=_PROFILE)
        return len(ticket.reached())

    return count


def _traced(sensitive: bool) -> Callable[[], Awaitable[int]]:
    async def count() -> int:
        audit, ticket = Audit(), Ticket.new(specialist={"tools": [contact]}, input_filter=only_the_packet())
        for marker in MARKERS:
            audit.plant(marker, marker)
        config = RunConfig(trace_include_sensitive_data=sensitive)
        await audit.run(ticket.triage, HISTORY, context=_PROFILE, run_config=config)
        return len({finding.canary for finding in audit.findings if finding.sink == "trace"})

    return count


async def _guardrail_runs() -> int:
    runs = 0

    def look(*_: object) -> GuardrailFunctionOutput:
        nonlocal runs
        runs += 1
        return GuardrailFunctionOutput(output_info=None, tripwire_triggered=False)

    await Ticket.new(specialist={"input_guardrails": [InputGuardrail(look)]}).run()
    return runs


def _server_keeps(**kept: Any) -> Callable[[], Awaitable[str]]:
    """What the SDK says to history on the server together with a filter on the handoff."""

    async def say() -> str:
        return await _said(Ticket.new(input_filter=only_the_packet()).run(**kept))

    return say


async def _said(run: Awaitable[Any]) -> str:
    try:
        await run
    except (UserError, Rejected) as refusal:
        return refusal.code if isinstance(refusal, Rejected) else type(refusal).__name__
    return "finished"


async def _tool_outputs_by_then() -> int:
    """Each call of triage's model after the first one had the tool's output before it."""
    ticket = Ticket.new(input_filter=only_the_packet())
    await _said(ticket.run(conversation_id="kept"))
    return len(ticket.asked.calls) - 1


async def _kept_and_not_seen() -> int:
    ticket = Ticket.new()
    await ticket.run(conversation_id="kept")
    return len(markers_in([call.input for call in ticket.specialist.calls]))


async def _gated() -> tuple[str, Ticket]:
    ticket = Ticket.new()
    gate = last_gate({marker: marker for marker in MARKERS}, before=["Specialist"])
    said = await _said(ticket.run(run_config=RunConfig(tracing_disabled=True, call_model_input_filter=gate)))
    return said, ticket


async def _gate() -> str:
    return (await _gated())[0]


async def _calls_behind_the_gate() -> int:
    return len((await _gated())[1].specialist.calls)


SETUPS: dict[str, Callable[[], Awaitable[Any]]] = {
    "a handoff as it comes": _handoff(),
    "a handoff as it comes, streamed": _handoff(streamed=True),
    "remove_all_tools": _handoff(input_filter=remove_all_tools),
    "remove_all_tools, and triage repeats nothing": _handoff(input_filter=remove_all_tools, repeats=False),
    "nest_handoff_history": _handoff(run={"nest_handoff_history": True}),
    "nest_handoff_history, and triage repeats nothing": _handoff(run={"nest_handoff_history": True}, repeats=False),
    "remove_all_tools after nesting": _handoff(input_filter=lambda data: remove_all_tools(nest_handoff_history(data))),
    "nesting after remove_all_tools, and triage repeats nothing": _handoff(
        input_filter=lambda data: nest_handoff_history(remove_all_tools(data)), repeats=False
    ),
    "a packet filter": _handoff(input_filter=only_the_packet()),
    "a packet filter, streamed": _handoff(streamed=True, input_filter=only_the_packet()),
    "a run of its own with the packet": _fresh_run,
    "wrong repair: only input_history is replaced": _handoff(input_filter=lambda data: data.clone(input_history=_ELSE)),
    "wrong repair: pre_handoff_items are forgotten": _handoff(
        input_filter=lambda data: data.clone(input_history=_ELSE, new_items=())
    ),
    "the same, with tool and handoff in one response": _handoff(
        input_filter=lambda data: data.clone(input_history=_ELSE, new_items=()), together=True
    ),
    "wrong repair: new_items are forgotten": _handoff(
        input_filter=lambda data: data.clone(input_history=_ELSE, pre_handoff_items=())
    ),
    "wrong repair: only input_items are emptied": _handoff(input_filter=lambda data: data.clone(input_items=())),
    "a packet filter of the run alone": _handoff(run={"handoff_input_filter": only_the_packet()}),
    "a packet filter of the run, beside another of the handoff": _handoff(
        run={"handoff_input_filter": only_the_packet()}, input_filter=lambda data: data
    ),
    "input_type on the handoff": _handoff(input_type=Reason, on_handoff=lambda _context, _reason: None),
    "in a session's store after a packet filter": _in_the_store,
    "in the next run from that session": _in_the_next_run,
    "in to_input_list() after a packet filter": _result("preserve_all"),
    "in to_input_list(mode='normalized') after a packet filter": _result("normalized"),
    "a packet filter, and instructions made from the context": _from_context(
        instructions=lambda context, _: f"Write to {context.context['contact']}."
    ),
    "a packet filter, and a tool of the specialist that reads the context": _from_context(tools=[contact]),
    "in the trace of that run": _traced(sensitive=True),
    "in the trace of that run without sensitive data": _traced(sensitive=False),
    "how often the specialist's input guardrail runs after a handoff": _guardrail_runs,
    "a packet filter, and conversation_id": _server_keeps(conversation_id="kept"),
    "a packet filter, and previous_response_id": _server_keeps(previous_response_id="kept"),
    "a packet filter, and auto_previous_response_id": _server_keeps(auto_previous_response_id=True),
    "how often triage's tool has run by then": _tool_outputs_by_then,
    "no filter, and conversation_id: what the client sees": _kept_and_not_seen,
    "no filter, and a last gate": _gate,
    "how often the specialist's model is called behind it": _calls_behind_the_gate,
}
"""By what is set up: the number of markers that reach the specialist's model, or what is said instead."""


async def measure() -> dict[str, Any]:
    """Every set-up, one after the other."""
    return {name: await count() for name, count in SETUPS.items()}


def _table(gives: dict[str, Any]) -> dict[str, Any]:
    rows = [{"is": name, "gives": given} for name, given in gives.items()]
    measured = dt.datetime.now(dt.UTC).date().isoformat()
    return {"sdk": _SDK, "version": version(_SDK), "measured": measured, "rows": rows}


def main(*arguments: str) -> int:
    """Says what moved, or writes the table; gives the exit status."""
    path = fixture("lab/real-sdk.json")
    now = _table(asyncio.run(measure()))
    if arguments == ("--write",):
        lines = ",\n".join(f"    {json.dumps(row)}" for row in now.pop("rows"))
        head = json.dumps(now)[1:-1]
        path.write_text(f'{{\n  {head},\n  "rows": [\n{lines}\n  ]\n}}\n', encoding="utf-8")
        return 0
    before = json.loads(path.read_text("utf-8"))
    was = {row["is"]: row["gives"] for row in before["rows"]}
    moved = [row for row in now["rows"] if was.get(row["is"]) != row["gives"]]
    print(f"{_SDK} {before['version']} then, {now['version']} now: {len(moved)} of {len(now['rows'])} moved")
    for row in moved:
        print(f"{row['is']}: {was.get(row['is'])} then, {row['gives']} now")
    return int(bool(moved))


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
