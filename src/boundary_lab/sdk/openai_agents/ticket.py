"""Lesson 1's ticket as an application on openai-agents: two agents, and models that say what a script says.

Triage has the ticket's old messages before it, asks a tool, repeats what the tool said, and hands over to the
specialist. Nothing leaves this machine, and every model keeps what it was given.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agents import Agent, HandoffInputData, RunConfig, RunContextWrapper, Runner, function_tool, handoff
from agents.testing import ScriptedModel, assistant_message, function_call

from boundary_lab.fixtures import fixture, load
from boundary_lab.packet import PacketContract
from boundary_lab.sdk.audit import texts
from boundary_lab.sdk.openai_agents.filters import packet_filter

__all__ = ["CONTRACT", "HISTORY", "MARKERS", "QUIET", "RECORD", "Ticket", "markers_in", "only_the_packet"]

RECORD = load("handoff/source-record.json")
CONTRACT = PacketContract.load(fixture("handoff/contract.json"))
MARKERS: list[str] = load("handoff/contract.json")["forbidden_markers"]
QUIET = RunConfig(tracing_disabled=True)

_TEXTS = {row["id"]: row["text"] for row in RECORD["records"]}
_FIRST, _SECOND, _TOOL, _REPEATED, _ = _TEXTS.values()
HISTORY: list[Any] = [{"role": "user", "content": text} for text in (_FIRST, _SECOND)]


def markers_in(*values: object) -> list[str]:
    """The markers that occur in any text of the values."""
    read = "\n".join(texts(values))
    return [marker for marker in MARKERS if marker in read]


def only_the_packet() -> Callable[[HandoffInputData], HandoffInputData]:
    """The repair: the packet that lesson 1's contract builds from the record."""
    return packet_filter(CONTRACT, lambda _: CONTRACT.project(RECORD))


@function_tool
def diagnose() -> str:
    """What the ticket's tool said."""
    return str(_TOOL)


@function_tool
def contact(context: RunContextWrapper[Any]) -> str:
    """The private profile that the application keeps in its context."""
    return str(context.context["contact"])


@dataclass(frozen=True, slots=True)
class Ticket:
    """The two agents' models, and the agent to begin with."""

    triage: Agent[Any]
    asked: ScriptedModel
    specialist: ScriptedModel

    @classmethod
    def new(
        cls, *, repeats: bool = True, together: bool = False, specialist: dict[str, Any] | None = None, **options: Any
    ) -> "Ticket":
        """A ticket whose handoff has these options.

        Triage `repeats` the token or does not, and calls its tool and hands over in one response if `together`.
        `specialist` is further fields of that agent; one with tools calls the first of them.
        """
        model = ScriptedModel(_answers(specialist or {}))
        to_specialist = handoff(Agent(name="Specialist", model=model, **(specialist or {})), **options)
        asks = function_call("diagnose", "{}", call_id="asks")
        arguments = '{"reason": "for the next question"}' if "input_type" in options else "{}"
        hands_over = function_call(to_specialist.tool_name, arguments, call_id="hands over")
        then = [assistant_message(_REPEATED), hands_over] if repeats else [hands_over]
        asked = ScriptedModel([[asks, *then]] if together else [[asks], then])
        return cls(Agent(name="Triage", model=asked, tools=[diagnose], handoffs=[to_specialist]), asked, model)

    async def run(self, run_input: Any = None, **options: Any) -> Any:
        """Runs it with the old messages, or with another input; gives the run's result."""
        return await Runner.run(
            self.triage, HISTORY if run_input is None else run_input, **({"run_config": QUIET} | options)
        )

    def reached(self) -> list[str]:
        """The markers in all that the specialist's model got, system text included."""
        return markers_in([(call.system_instructions, call.input) for call in self.specialist.calls])


def _answers(specialist: dict[str, Any]) -> list[Any]:
    calls = [[function_call(tool.name, "{}", call_id="looks")] for tool in specialist.get("tools", [])[:1]]
    return [*calls, [assistant_message("What does the indicator show?")]]
