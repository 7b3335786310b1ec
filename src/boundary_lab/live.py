"""Before a model is asked: where it is, what would be sent there, and whether a person wants that.

- Nothing here is sent, and nothing is made.
- The SDK is looked for only when it is wanted.
"""

import os
import sys
from ipaddress import ip_address
from types import ModuleType
from urllib.parse import SplitResult, urlsplit

from boundary_lab.manifest import Loaded
from boundary_lab.rejected import Rejected
from boundary_lab.turn import prompt

__all__ = ["ENDPOINT", "KEY", "confirm", "find_sdk", "key_for", "notice"]

ENDPOINT = "https://api.openai.com/v1"
"""The base URL of the provider's own Responses API."""
KEY = "OPENAI_API_KEY"
"""The environment variable that holds the provider's key."""


def find_sdk() -> ModuleType:
    """The module that talks to a model; `LIVE_UNAVAILABLE` without the extra `codex`."""
    try:
        from boundary_lab.sdk import openai_codex
    except ImportError as fault:
        raise Rejected("LIVE_UNAVAILABLE") from fault
    return openai_codex


def key_for(endpoint: str) -> str | None:
    """The name of the variable with the key for an endpoint, None if there is none and none is needed: on loopback.

    `LIVE_ENDPOINT` unless it is https, or http on loopback, without user, query and fragment; `LIVE_KEY_MISSING`.
    """
    try:
        on_loopback = _checked(urlsplit(endpoint))
    except ValueError as fault:  # such as a port that is no number
        raise Rejected("LIVE_ENDPOINT") from fault
    if os.environ.get(KEY):
        return KEY
    if not on_loopback:
        raise Rejected("LIVE_KEY_MISSING")
    return None


def _checked(url: SplitResult) -> bool:
    """Whether the endpoint is on loopback."""
    on_loopback = url.hostname == "localhost" or _is_loopback(url.hostname or "")
    known = url.scheme == "https" or (url.scheme == "http" and on_loopback)
    if not (known and url.hostname and url.port != 0) or url.query or url.fragment or "@" in url.netloc:
        raise Rejected("LIVE_ENDPOINT")
    return on_loopback


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def notice(loaded: Loaded, endpoint: str, model: str | None, key: str | None) -> str:
    """What would be sent, where, and what the one who receives it could make the program do."""
    size = len(prompt(loaded).encode())
    return (
        f"to {endpoint}, model {model or 'of the program’s choice'}, {f'with the key in {key}' if key else 'no key'}:\n"
        f"{size} bytes: the task, and all of manifest.json of release {ascii(loaded.manifest['release'])[1:-1]}; on a\n"
        "resumed thread, what was said in it before. The program adds its own instructions, the name of its empty\n"
        "folder, the date and the time zone. A model may have it run commands in a read-only sandbox, which restricts\n"
        "writes and not reads: every file that you can read can reach the model.\n"
    )


def confirm(yes: bool) -> None:
    """Passes with `yes`, or when a person at a terminal types the word; else `LIVE_NOT_CONFIRMED`."""
    if yes:
        return
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr)):
        raise Rejected("LIVE_NOT_CONFIRMED")
    print("Type yes to send this: ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip() != "yes":
        raise Rejected("LIVE_NOT_CONFIRMED")
