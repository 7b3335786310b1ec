"""Runs an application's agents as they are, and shows each sink what it received.

- A model stands before the application's own and passes everything on; each call is put down to the agent that made
  it, agents that are used as tools included.
- Traces go to the audit alone for as long as the run takes: nothing of it is exported.
- Settings that the SDK derives from the name of a model are left out; those that the application set are passed on.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from inspect import isawaitable
from typing import Any

from agents import Model, RunConfig, Runner
from agents.run import CallModelData, ModelInputData
from agents.tracing import Span, TracingProcessor, get_trace_provider, set_trace_provider
from agents.tracing.provider import DefaultTraceProvider

from boundary_lab.sdk.audit import RUN

__all__ = ["watched_run"]

Saw = Callable[[str, str, object], None]


async def watched_run(
    saw: Saw,
    agent: Any,
    run_input: Any,
    *,
    run_config: RunConfig | None = None,
    streamed: bool = False,
    **options: Any,
) -> Any:
    """`Runner.run` or, read to its end, `Runner.run_streamed`; `saw(agent, sink, value)` for all that goes by."""
    config = run_config or RunConfig()
    watched = _WatchedModel(saw, config)
    options["run_config"] = replace(config, model=watched, call_model_input_filter=watched.filter)
    try:
        with _traced(saw):
            result = await _run(agent, run_input, streamed, options)
    finally:  # a run that fails has stored what came before
        if session := options.get("session"):
            saw(RUN, "session store", await session.get_items())
    saw(RUN, "result as input list", result.to_input_list())
    return result


async def _run(agent: Any, run_input: Any, streamed: bool, options: dict[str, Any]) -> Any:
    if not streamed:
        return await Runner.run(agent, run_input, **options)
    result = Runner.run_streamed(agent, run_input, **options)
    async for _ in result.stream_events():
        pass
    return result


class _WatchedModel(Model):
    """Stands in for every model of a run."""

    def __init__(self, saw: Saw, config: RunConfig) -> None:
        self._saw, self._config = saw, config
        self._agent: ContextVar[Any] = ContextVar("agent")

    async def filter(self, data: CallModelData[Any]) -> ModelInputData:
        """The application's own filter; from it on the agent of the next call is known."""
        self._agent.set(data.agent)
        given = self._config.call_model_input_filter
        passed = given(data) if given else data.model_data
        return await passed if isawaitable(passed) else passed

    def _own(self) -> Model:
        """The model that the SDK would have called."""
        chosen = self._agent.get().model if self._config.model is None else self._config.model
        return chosen if isinstance(chosen, Model) else self._config.model_provider.get_model(chosen)

    def _called(self, system_instructions: str | None, run_input: object) -> None:
        self._saw(self._agent.get().name, "system text", system_instructions)
        self._saw(self._agent.get().name, "input", run_input)

    def _answered(self, response: Any) -> None:
        name = self._agent.get().name
        self._saw(name, "raw responses", response)
        for item in response.output:
            if getattr(item, "type", "") == "function_call":
                self._saw(name, "tool arguments", item.arguments)

    def get_retry_advice(self, request: Any) -> Any:
        """What the application's own model says of a call that failed."""
        return self._own().get_retry_advice(request)

    async def get_response(self, system_instructions: Any, input: Any, *rest: Any, **named: Any) -> Any:  # noqa: A002  as the SDK
        """Passes the call on and the response back."""
        self._called(system_instructions, input)
        response = await self._own().get_response(system_instructions, input, *rest, **named)
        self._answered(response)
        return response

    async def stream_response(
        self,
        system_instructions: Any,
        input: Any,  # noqa: A002  the name that the SDK passes it by
        *rest: Any,
        **named: Any,
    ) -> AsyncIterator[Any]:
        """Passes the call on and every event back."""
        self._called(system_instructions, input)
        async for event in self._own().stream_response(system_instructions, input, *rest, **named):
            if event.type == "response.completed":
                self._answered(event.response)
            yield event


@contextmanager
def _traced(saw: Saw) -> Iterator[None]:
    """Sends the spans of a run to `saw` and nowhere else."""
    before, ours = get_trace_provider(), DefaultTraceProvider()
    ours.set_processors([_Spans(saw)])
    set_trace_provider(ours)
    try:
        yield
    finally:
        set_trace_provider(before)


class _Spans(TracingProcessor):
    """Puts each span down to the agent that it is a part of."""

    def __init__(self, saw: Saw) -> None:
        self._saw = saw
        self._agents: dict[str | None, str] = {}

    def on_trace_start(self, trace: Any) -> None: ...

    def on_trace_end(self, trace: Any) -> None:
        self._saw(RUN, "trace", trace.export())

    def on_span_start(self, span: Span[Any]) -> None:
        own = span.span_data.name if span.span_data.type == "agent" else None
        self._agents[span.span_id] = own or self._agents.get(span.parent_id, RUN)

    def on_span_end(self, span: Span[Any]) -> None:
        self._saw(self._agents[span.span_id], "trace", [span.export(), span.span_data.__dict__])

    def shutdown(self) -> None: ...

    def force_flush(self) -> None: ...
