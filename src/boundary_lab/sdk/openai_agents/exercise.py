"""Lesson 7's exercise: a reader's filter around a real handoff, run in the process of the attempt."""

from collections.abc import Callable
from typing import Any

from agents import HandoffInputData, RunConfig, Runner

from boundary_lab.sdk.openai_agents.ticket import HISTORY, QUIET, Ticket

__all__ = ["crossing"]


async def crossing(attempt: Callable[..., Any], packet: str, repeats: bool, together: bool, streamed: bool) -> Any:
    """What the specialist's model gets: for each item its role, or its type without one, and its text or none.

    The attempt is a filter of the handoff that is given the packet as well. The four ways are those in which a
    conversation reaches a handoff: triage repeats the token or not, its tool and the handoff are in one response or
    in two, and the run is streamed or not.
    """

    def input_filter(data: HandoffInputData) -> HandoffInputData:
        filtered: HandoffInputData = attempt(data, packet)
        return filtered

    ticket = Ticket.new(repeats=repeats, together=together, input_filter=input_filter)
    config: RunConfig = QUIET
    if streamed:
        async for _ in Runner.run_streamed(ticket.triage, HISTORY, run_config=config).stream_events():
            pass
    else:
        await ticket.run()
    (call,) = ticket.specialist.calls
    return [[item.get("role") or item.get("type"), item.get("content")] for item in call.input]
