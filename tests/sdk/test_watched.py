"""That an audited run sees what the models really got, changes nothing, and tells nobody."""

import asyncio
import sys
from contextlib import closing

import pandas as pd
import pytest
from agents import (
    Agent,
    ModelProvider,
    ModelRetryAdvice,
    ModelRetrySettings,
    ModelSettings,
    RunConfig,
    Runner,
    SQLiteSession,
    UserError,
    function_tool,
    retry_policies,
)
from agents.run import ModelInputData
from agents.testing import ScriptedModel, assistant_message, function_call
from agents.tracing import TracingProcessor, get_trace_provider, set_trace_processors

from boundary_lab.rejected import Rejected
from boundary_lab.sdk.audit import RUN, SINKS, Audit
from boundary_lab.sdk.openai_agents import packet_filter
from boundary_lab.sdk.openai_agents.ticket import (
    CONTRACT,
    HISTORY,
    MARKERS,
    Ticket,
    contact,
    markers_in,
    only_the_packet,
)

PROFILE = {"contact": MARKERS[0]}
SAYS = [assistant_message("Yes?")]


def audited(agent, run_input="Hello", markers=MARKERS, **options):
    audit = Audit()
    for marker in markers:
        audit.plant(marker, marker)
    result = audit.run_sync(agent, run_input, **options)
    return audit, result


def arrived(audit, agent, sink):
    found = {finding.canary for finding in audit.findings if (finding.agent, finding.sink) == (agent, sink)}
    return [marker for marker in MARKERS if marker in found]


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("options", [{}, {"input_filter": only_the_packet()}, {"repeats": False}])
def test_the_audit_agrees_with_the_scripted_models(options, streamed):
    ticket = Ticket.new(**options)
    audit, _ = audited(ticket.triage, HISTORY, streamed=streamed)
    for agent, model in (("Triage", ticket.asked), ("Specialist", ticket.specialist)):
        assert arrived(audit, agent, "input") == markers_in([call.input for call in model.calls])
        assert arrived(audit, agent, "system text") == markers_in([call.system_instructions for call in model.calls])


def test_an_audited_run_is_the_same_run():
    plain, watched = Ticket.new(), Ticket.new()
    result = asyncio.run(plain.run())
    _, watched_result = audited(watched.triage, HISTORY)
    assert watched_result.final_output == result.final_output
    for one, other in ((plain.asked, watched.asked), (plain.specialist, watched.specialist)):
        assert [(call.system_instructions, call.input) for call in one.calls] == [
            (call.system_instructions, call.input) for call in other.calls
        ]


def test_a_call_that_fails_is_made_again_as_the_models_own_advice_says():
    class Busy(ScriptedModel):
        failed = 0

        async def get_response(self, *rest, **named):
            self.failed += 1
            if self.failed == 1:
                raise ConnectionError
            return await super().get_response(*rest, **named)

        def get_retry_advice(self, _):
            return ModelRetryAdvice(suggested=True, replay_safety="safe")

    again = ModelSettings(retry=ModelRetrySettings(max_retries=1, policy=retry_policies.provider_suggested()))
    agent = Agent(name="One", model=Busy([SAYS]), model_settings=again)
    audited(agent)
    assert agent.model.failed == 2


def test_every_sink_is_looked_at():
    ticket = Ticket.new(specialist={"tools": [contact]})
    with closing(SQLiteSession("all")) as session:
        audit, _ = audited(ticket.triage, "Hello", session=session, context=PROFILE)
    assert {sink for _, sink in audit._looked} == {*SINKS}
    assert arrived(audit, "Specialist", "trace") == [MARKERS[0]]
    assert arrived(audit, "Triage", "trace") == arrived(audit, "Triage", "raw responses")
    assert arrived(audit, RUN, "session store") == arrived(audit, RUN, "result as input list") != []


def test_the_arguments_of_a_tool_are_a_sink():
    @function_tool
    def note(text: str) -> str:  # noqa: ARG001  the model gives it
        return "noted"

    calls = [function_call("note", f'{{"text": "{MARKERS[1]}"}}', call_id="1")]
    audit, _ = audited(Agent(name="One", model=ScriptedModel([calls, SAYS]), tools=[note]))
    assert arrived(audit, "One", "tool arguments") == [MARKERS[1]]


class Named(ModelProvider):
    """Gives a model for each name."""

    def __init__(self, **models):
        self.models = models

    def get_model(self, model_name):
        return self.models[model_name or "default"]


@pytest.mark.parametrize(
    ("of_agent", "of_run", "answers"),
    [
        (None, None, "default"),
        ("own", None, "own"),
        ("own", "other", "other"),
        (ScriptedModel([SAYS]), "other", "other"),
    ],
)
def test_the_model_is_the_one_that_the_sdk_would_have_called(of_agent, of_run, answers):
    models = {name: ScriptedModel([SAYS]) for name in ("default", "own", "other")}
    config = RunConfig(model=of_run, model_provider=Named(**models), tracing_disabled=True)
    audited(Agent(name="One", model=of_agent), run_config=config)
    assert [name for name, model in models.items() if model.calls] == [answers]


def test_an_agent_that_is_used_as_a_tool_has_its_own_name():
    inner = Agent(name="Inner", model=ScriptedModel([SAYS]), instructions=MARKERS[2])
    asks = [function_call("ask", '{"input": "Hello"}', call_id="1")]
    outer = Agent(name="Outer", model=ScriptedModel([asks, SAYS]), tools=[inner.as_tool("ask", "asks")])
    audit, _ = audited(outer)
    assert arrived(audit, "Inner", "system text") == [MARKERS[2]]
    assert arrived(audit, "Outer", "system text") == []


@pytest.mark.parametrize("waits", [False, True])
def test_the_applications_own_filter_comes_first(waits):
    def emptied(_):
        return ModelInputData(input=[], instructions="kept")

    async def emptied_later(_):
        return emptied(_)

    model = ScriptedModel([SAYS])
    config = RunConfig(call_model_input_filter=emptied_later if waits else emptied, tracing_disabled=True)
    audit, _ = audited(Agent(name="One", model=model), HISTORY, run_config=config)
    assert arrived(audit, "One", "input") == []
    assert model.calls[0].system_instructions == "kept"


class Exporter(TracingProcessor):
    """Stands for what sends traces elsewhere."""

    def __init__(self):
        self.sent = []

    def on_trace_start(self, trace): ...

    def on_trace_end(self, trace):
        self.sent.append(trace)

    def on_span_start(self, span): ...

    def on_span_end(self, span):
        self.sent.append(span)

    def shutdown(self): ...

    def force_flush(self): ...


def test_nothing_of_an_audited_run_is_exported_and_the_next_run_is_again():
    exporter, before = Exporter(), get_trace_provider()
    set_trace_processors([exporter])
    audited(Ticket.new().triage, HISTORY)
    assert exporter.sent == []
    with pytest.raises(UserError):
        audited(Ticket.new(input_filter=only_the_packet()).triage, HISTORY, conversation_id="kept")
    assert get_trace_provider() is before
    asyncio.run(Runner.run(Agent(name="One", model=ScriptedModel([SAYS])), "Hello"))
    assert exporter.sent != []
    set_trace_processors([])


def test_of_a_run_that_fails_all_is_seen_that_came_before():
    audit = Audit()
    audit.plant(MARKERS[2], MARKERS[2])
    ticket = Ticket.new(input_filter=packet_filter(CONTRACT, lambda _: None))
    with closing(SQLiteSession("fails")) as session, pytest.raises(Rejected):
        audit.run_sync(ticket.triage, "Hello", session=session)
    assert arrived(audit, RUN, "session store") == arrived(audit, "Triage", "input") == [MARKERS[2]]
    with pytest.raises(AssertionError, match="nothing was seen of"):
        audit.assert_none_reach("Specialist")


def test_pandas_takes_the_records_as_they_are():
    audit, _ = audited(Ticket.new().triage, HISTORY)
    table = pd.DataFrame(audit.records())
    assert [*table.columns] == ["agent", "sink", "canary", "how"]
    assert set(table[table.agent == "Specialist"].canary) == {*MARKERS}


def test_without_the_sdk_it_says_what_to_install(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("boundary_lab.sdk.openai_agents")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "agents", None)
    with pytest.raises(Rejected, match="AGENTS_UNAVAILABLE") as refused:
        Audit().run_sync(None, "Hello")
    assert "pip install 'boundary-lab[agents]'" in str(refused.value.__cause__)


def test_the_plugin_gives_a_new_audit(canary):
    assert isinstance(canary, Audit)
    assert canary.findings == []
