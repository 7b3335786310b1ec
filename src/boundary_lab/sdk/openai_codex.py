"""A turn of a real model, over OpenAI's Python SDK for Codex and the program that comes with it.

- The program gets a home and a working folder of its own, both empty and private, removed afterwards.
- Sandbox and approvals go with every start, resume and turn; whatever it asks for all the same is declined.
- One request and no second try; no plugins, no skills, no search, no statistics, no look for updates.
- The commands that a model runs inherit nothing of the environment, so not the key either.
- When the context is left, the program has ended.
"""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import current_thread, main_thread
from typing import Any
from uuid import UUID

from openai_codex import CodexConfig, JsonRpcError
from openai_codex.client import CodexClient
from openai_codex.generated.v2_all import (
    ErrorNotification,
    HttpConnectionFailedCodexErrorInfo,
    TurnCompletedNotification,
    TurnError,
    TurnStatus,
)
from openai_codex.models import Notification

from boundary_lab.rejected import Rejected
from boundary_lab.strict_json import JSON
from boundary_lab.turn import TurnOptions

__all__ = ["CodexSDK", "Model"]

_PROVIDER = "boundary-lab"
_RECORDING = "sessions/2000/01/01/rollout-2000-01-01T00-00-00-{}.jsonl"  # the program looks for the id at the end
_OFF = (
    "features.plugins",  # it would look for the network, and wait
    "features.unbounded_connection_retries",  # it would never give up a port that refuses
    *(f"features.{name}" for name in ("apps", "goals", "hooks", "image_generation", "memories", "multi_agent")),
    "skills.bundled.enabled",
    "analytics.enabled",
    "check_for_update_on_startup",
    "allow_login_shell",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Model:
    """Which model is asked, and where.

    `name` None lets the program choose; `endpoint` is the base URL of a Responses API; `key` names the environment
    variable that holds the key, None if none is sent; a stream that is silent for `idle_s` seconds is given up.
    """

    endpoint: str
    name: str | None = None
    key: str | None = None
    idle_s: float = 120


class CodexSDK:
    """The port to a real model: a context that lasts as long as the program.

    `recording` is the thread of an earlier run, to resume from; `keep` gets the recording of this one when the context
    is left, whatever the end. `LIVE_UNAVAILABLE` if the program is not there.
    """

    def __init__(self, model: Model, keep: Callable[[bytes], object], recording: bytes | None = None) -> None:
        self._model, self._keep, self._recording = model, keep, recording
        self._thread_id = ""
        self._recorded: bytes | None = None

    def __enter__(self) -> "CodexSDK":
        self._scratch = TemporaryDirectory(prefix="boundary-lab-", ignore_cleanup_errors=True)
        self._home, self._work = (Path(self._scratch.name).resolve() / name for name in ("home", "work"))
        for folder in (self._home, self._work):
            folder.mkdir(mode=0o700)
        self._client = CodexClient(_config(self._model, self._home, self._work), approval_handler=_declined)
        try:
            self._client.start()
        except OSError as fault:
            self._scratch.cleanup()
            raise Rejected("LIVE_UNAVAILABLE") from fault
        return self

    def __exit__(self, *_: object) -> None:
        try:
            with _undisturbed():
                self._end()
        except KeyboardInterrupt:  # one that came before they were held off
            with _undisturbed():
                self._end()
            raise
        if self._recorded is not None:
            self._keep(self._recorded)

    def _end(self) -> None:
        with suppress(OSError):
            self._client.close()
        with suppress(OSError, StopIteration):
            self._recorded = next(self._home.glob(f"sessions/**/rollout-*-{self._thread_id}.jsonl")).read_bytes()
        self._scratch.cleanup()

    async def start(self, options: TurnOptions) -> "_Thread":
        """A new thread."""
        return await self._open(self._client.thread_start, options)

    async def resume(self, thread_id: str, options: TurnOptions) -> "_Thread":
        """The thread of the recording; `THREAD_UNKNOWN` if there is none, or if it is of another thread."""
        try:
            self._put(str(UUID(thread_id)))
            return await self._open(partial(self._client.thread_resume, thread_id), options)
        except (ValueError, JsonRpcError) as fault:
            raise Rejected("THREAD_UNKNOWN") from fault

    def _put(self, thread_id: str) -> None:
        if self._recording is None:
            return  # and the program says that it knows no such thread
        path = self._home / _RECORDING.format(thread_id)
        path.parent.mkdir(parents=True)
        path.write_bytes(self._recording)
        self._thread_id = thread_id

    async def _open(self, opening: Callable[[dict[str, Any]], Any], options: TurnOptions) -> "_Thread":
        await asyncio.to_thread(self._client.initialize)
        opened = await asyncio.to_thread(opening, _params(self._model, options, self._work))
        self._thread_id = opened.thread.id
        return _Thread(self._client, opened.thread.id, options)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Holds interrupts off for the seconds that an end takes; they reach the main thread alone."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class _Thread:
    """A conversation. The calls of the SDK wait for the program, so they run in threads."""

    def __init__(self, client: CodexClient, thread_id: str, options: TurnOptions) -> None:
        self._client, self._id, self._options = client, thread_id, options

    async def run(self, prompt: str, schema: dict[str, JSON]) -> AsyncIterator[dict[str, JSON]]:
        """The events of one turn, to its completion; `SDK_TRANSPORT`, `LIVE_KEY_REFUSED`."""
        yield {"type": "thread.started", "thread_id": self._id}
        params = {**_limits(self._options), "outputSchema": schema}
        started = await asyncio.to_thread(self._client.turn_start, self._id, prompt, params)
        ended = False
        while not ended:
            notification = await asyncio.to_thread(self._client.next_turn_notification, started.turn.id)
            ended = isinstance(notification.payload, TurnCompletedNotification)
            if event := _event(notification):
                yield event


def _config(model: Model, home: Path, work: Path) -> CodexConfig:
    """What the program is started with. Its arguments are seen by every user of the machine: no key among them."""
    settings = {**dict.fromkeys(_OFF, False), **_provider(model), **_commands(work)}
    return CodexConfig(
        config_overrides=tuple(f"{name}={json.dumps(value)}" for name, value in settings.items()),
        cwd=str(work),
        env={"CODEX_HOME": str(home), "CODEX_SQLITE_HOME": str(home), "HOME": str(home)},
    )


def _provider(model: Model) -> dict[str, JSON]:
    about: dict[str, JSON] = {
        "name": _PROVIDER,
        "base_url": model.endpoint,
        "wire_api": "responses",
        "requires_openai_auth": False,  # the key comes from the environment, and no login is looked for
        "supports_websockets": False,
        "request_max_retries": 0,
        "stream_max_retries": 0,
        "stream_idle_timeout_ms": int(model.idle_s * 1000),
        **({"env_key": model.key} if model.key else {}),
    }
    return {"model_provider": _PROVIDER, **{f"model_providers.{_PROVIDER}.{name}": of for name, of in about.items()}}


def _commands(work: Path) -> dict[str, JSON]:
    """What commands, and the search for instructions, may see. With another HOME no shell reads its start-up files."""
    return {
        "shell_environment_policy.inherit": "none",
        "shell_environment_policy.set.HOME": str(work),
        "shell_environment_policy.set.PATH": os.defpath,
        "project_doc_max_bytes": 0,
        "project_root_markers": [],
    }


def _params(model: Model, options: TurnOptions, work: Path) -> dict[str, Any]:
    """What a thread is started and resumed with."""
    return {
        "approvalPolicy": options.approvals,
        "sandbox": options.sandbox,
        "config": {"web_search": "live" if options.web_search else "disabled"},
        "cwd": str(work),
        "modelProvider": _PROVIDER,
        **({"model": model.name} if model.name else {}),
    }


_POLICIES = {"read-only": "readOnly"}  # no other sandbox is offered


def _limits(options: TurnOptions) -> dict[str, Any]:
    policy = {"type": _POLICIES[options.sandbox], "networkAccess": options.network}
    return {"approvalPolicy": options.approvals, "sandboxPolicy": policy}


def _declined(method: str, params: object) -> dict[str, Any]:  # noqa: ARG001  whatever is asked for
    return {"decision": "decline"}


_NOTED = {"turn/started": "turn.started", "item/started": "item.started", "item/completed": "item.completed"}


def _event(notification: Notification) -> dict[str, JSON] | None:
    """A notification as an event; None for what only says how far the turn is."""
    payload = notification.payload
    if isinstance(payload, ErrorNotification):
        return _error(payload)
    if isinstance(payload, TurnCompletedNotification):
        done = payload.turn.status is TurnStatus.completed and payload.turn.error is None
        return {"type": "turn.completed" if done else "turn.failed"}
    kind = _NOTED.get(notification.method)
    return {"type": kind, "item": _item(payload)} if kind else None


def _item(payload: Any) -> dict[str, JSON]:
    item = getattr(getattr(payload, "item", None), "root", None)
    kind = getattr(item, "type", "")
    text = getattr(item, "text", None)
    return {"id": getattr(item, "id", None), "type": "agent_message" if kind == "agentMessage" else kind, "text": text}


def _error(payload: ErrorNotification) -> dict[str, JSON]:
    """An error that the program gets over is an item like another; one that it does not ends the turn."""
    if payload.will_retry:
        return {"type": "item.completed", "item": {"id": None, "type": "error"}}
    if code := _code(payload.error):
        raise Rejected(code)
    return {"type": "error"}


def _code(error: TurnError) -> str | None:
    info = getattr(error.codex_error_info, "root", None)
    if not isinstance(info, HttpConnectionFailedCodexErrorInfo):
        return None
    status = info.http_connection_failed.http_status_code
    return "SDK_TRANSPORT" if status is None else "LIVE_KEY_REFUSED" if status in (401, 403) else None
