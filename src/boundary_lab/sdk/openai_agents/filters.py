"""A handoff that carries one packet and nothing else, and a gate before every call of a model."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from agents import HandoffInputData
from agents.run import CallModelData, ModelInputData

from boundary_lab.canonical import canonical
from boundary_lab.packet import PacketContract
from boundary_lab.rejected import Rejected
from boundary_lab.sdk.audit import seen_in
from boundary_lab.strict_json import JSON

__all__ = ["last_gate", "packet_filter"]


def packet_filter(
    contract: PacketContract, build: Callable[[HandoffInputData], JSON]
) -> Callable[[HandoffInputData], HandoffInputData]:
    """An `input_filter` for `handoff()`: the next agent's input is one user item, the packet that `build` projects.

    `build` gets what the SDK would hand over. Its packet is validated, and a refusal of `PacketContract.validate`
    or of `build` ends the run before the next agent's model is called.

    It covers the input of that handoff, and not:

    - a `handoff_input_filter` of the run, which is ignored beside this one, nor a handoff without this filter;
    - what a session stores: all of the run, which the next run from it gets;
    - `result.to_input_list()` with the mode `preserve_all`; `normalized` begins with the packet;
    - what the agent's own instructions and tools take from the context, and what is traced;
    - input guardrails of the next agent: they do not run after a handoff;
    - history that a server keeps: together with it the SDK refuses any filter, after the first tools have run.
    """

    def only_the_packet(data: HandoffInputData) -> HandoffInputData:
        packet = build(data)
        contract.validate(packet)
        item: Any = {"role": "user", "content": canonical(packet)}
        return data.clone(input_history=(item,), pre_handoff_items=(), new_items=(), input_items=None)

    return only_the_packet


def last_gate(
    forbidden: Mapping[str, str] | Callable[[CallModelData[Any]], bool], *, before: Collection[str]
) -> Callable[[CallModelData[Any]], ModelInputData]:
    """A `call_model_input_filter` for `RunConfig`: looks at what the models of the agents named in `before` would get.

    `forbidden` is private values by name, which are looked for in all that `boundary_lab.sdk.audit.HOW` names, or a
    predicate that is true for what must not be sent. Then `GATE_CLOSED`, and the model is not called. An agent that
    is not named, such as the one that may know, is let through unread.

    It covers the system text and the input of every call of this run, wherever they come from, and not: what a server
    keeps, the arguments of tools, a tool that calls a model itself, the trace, what a session has stored by then.
    """
    matches = forbidden if callable(forbidden) else _any_of(forbidden)

    def gate(data: CallModelData[Any]) -> ModelInputData:
        if data.agent.name in before and matches(data):
            raise Rejected("GATE_CLOSED")
        return data.model_data

    return gate


def _any_of(values: Mapping[str, str]) -> Callable[[CallModelData[Any]], bool]:
    return lambda data: bool(seen_in([data.model_data.instructions, data.model_data.input], values))
