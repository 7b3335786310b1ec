"""One turn: the frozen streams, the lab's own, and everything that an SDK or a sink can do wrong."""

import asyncio
import contextlib
import json
import unicodedata

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boundary_lab import turn
from boundary_lab.folders import DiskFolder
from boundary_lab.manifest import Loaded, load_manifest
from boundary_lab.rejected import CODES, Rejected, outcome
from boundary_lab.turn import CANDIDATE_SCHEMA, Checkpoint, Recorder, ReplaySDK, TurnOptions, generate, parse_candidate
from json_values import changed, json_values
from releases import byte_case, in_memory
from rows import fixture, load, patched, rows, title

LOADED = load_manifest(DiskFolder(fixture("release")))
CANDIDATE = load("release/candidate.json")
EVENTS = [json.loads(line) for line in fixture("release/success.events.jsonl").read_text("utf-8").splitlines()]
THREAD = EVENTS[0]["thread_id"]
ROWS = rows("release/stream-cases.json")


def run(sdk, sink=None, saved=None, **options):
    return asyncio.run(generate(sdk, LOADED, sink or Recorder(), saved, **options))


def with_digest(checkpoint):
    return checkpoint and {**checkpoint, "digest": checkpoint["digest"].replace("@digest", LOADED.digest)}


def test_every_frozen_row_is_there():
    assert len(ROWS) == 17


@pytest.mark.parametrize("row", ROWS, ids=title)
def test_frozen_row(row):
    sdk, sink = ReplaySDK(patched(EVENTS, row), row["transport_breaks"]), Recorder()
    saved = row["saved"] and Checkpoint.from_json(with_digest(row["saved"]))
    assert outcome(run, sdk, sink, saved) == (row["code"] or "accepted")
    assert sdk.calls == row["calls"]
    assert [checkpoint.to_json() for checkpoint in sink.checkpoints] == [
        with_digest(checkpoint) for checkpoint in row["checkpoints"]
    ]
    if row["code"] is None:
        assert run(ReplaySDK(patched(EVENTS, row)), Recorder(), saved) == CANDIDATE


@pytest.mark.parametrize("row", rows("lab/stream-cases.json"), ids=title)
def test_row(row):
    saved = row["saved"] and Checkpoint("2.4.0", LOADED.digest, row["saved"])
    assert outcome(run, ReplaySDK(patched(EVENTS, row)), Recorder(), saved) == (row["code"] or "accepted")


def test_the_event_log_holds_type_and_id_and_no_text():
    sink = Recorder()
    run(ReplaySDK(EVENTS), sink)
    assert sink.events == [(event["type"], event.get("item", {}).get("id")) for event in EVENTS]


def test_an_id_that_is_no_text_is_not_recorded():
    sink = Recorder()
    run(
        ReplaySDK(patched(EVENTS, {"patch": [{"op": "replace", "path": "/3/item/id", "value": {"text": "secret"}}]})),
        sink,
    )
    assert sink.events[3] == ("item.completed", None)


@given(events=st.lists(json_values | st.sampled_from(EVENTS).flatmap(changed), max_size=6))
def test_any_events_give_a_value_or_a_documented_code(events):
    assert outcome(run, ReplaySDK(events)) in {*CODES, "accepted"}


# What crosses to the SDK.


class Recording(ReplaySDK):
    def __init__(self):
        super().__init__(EVENTS)
        self.options, self.prompts, self.schemas, self.threads = [], [], [], []

    async def start(self, options):
        self.options.append(options)
        return await super().start(options)

    async def resume(self, thread_id, options):
        self.options.append(options)
        self.threads.append(thread_id)
        return await super().resume(thread_id, options)

    def run(self, prompt, schema):
        self.prompts.append(prompt)
        self.schemas.append(schema)
        return super().run(prompt, schema)


@pytest.mark.parametrize("saved", [None, Checkpoint("2.4.0", LOADED.digest, THREAD)], ids=["start", "resume"])
def test_what_the_sdk_gets(saved):
    sdk = Recording()
    run(sdk, Recorder(), saved)
    assert sdk.options == [TurnOptions(sandbox="read-only", approvals="never", network=False, web_search=False)]
    assert json.loads(sdk.prompts[0][sdk.prompts[0].index("{") :]) == LOADED.manifest
    assert sdk.schemas == [CANDIDATE_SCHEMA]
    assert sdk.threads == ([THREAD] if saved else [])
    sdk.schemas[0].clear()
    assert CANDIDATE_SCHEMA["required"] == ["release", "notes"]


NO_CANDIDATES = {
    "": 1, "/release": 1, "/notes": {}, "/notes/0": 1, "/notes/0/text": None, "/notes/0/evidence": {},
    "/notes/0/evidence/0": 1, "/notes/0/evidence/0/line": "1", "/more": 1, "/notes/0/more": 1,
}  # fmt: skip


@pytest.mark.parametrize("path", NO_CANDIDATES)
def test_the_schema_tells_a_candidate_from_what_is_none(path):
    accepts = jsonschema.Draft202012Validator(CANDIDATE_SCHEMA).is_valid
    other = patched(CANDIDATE, {"patch": [{"op": "add", "path": path, "value": NO_CANDIDATES[path]}]})
    assert (accepts(CANDIDATE), accepts(other)) == (True, False)


@pytest.mark.parametrize("path", ["/release", "/notes", "/notes/0/changeId", "/notes/0/evidence/0/quote"])
def test_the_schema_lets_no_field_be_left_out(path):
    other = patched(CANDIDATE, {"patch": [{"op": "remove", "path": path}]})
    assert not jsonschema.Draft202012Validator(CANDIDATE_SCHEMA).is_valid(other)


# What an SDK can do wrong.


class Stream:
    """An iterator that does one thing wrong at an event, and notes whether it was closed."""

    def __init__(self, fault, at):
        self.fault, self.at, self.closed = fault, at, 0

    def __aiter__(self):
        return self

    async def __anext__(self):
        self.at -= 1
        if self.at < 0:
            await self.fault()
        return EVENTS[1]

    async def aclose(self):
        self.closed += 1


class Faulty:
    def __init__(self, stream, where=None):
        self.stream, self.where = stream, where

    async def start(self, _options):
        if self.where == "start":
            await self.stream.fault()
        return self

    def run(self, _prompt, _schema):
        if self.where == "run":
            raise OSError("the secret")
        return self.stream


def raising(exception):
    async def fault():
        raise exception

    return fault


async def forever():
    await asyncio.sleep(3600)


FAULTS = [OSError("the secret"), RuntimeError(), KeyError("x"), TimeoutError(), AssertionError(), UnicodeError()]


@pytest.mark.parametrize("at", [0, 2])
@pytest.mark.parametrize("exception", FAULTS, ids=repr)
def test_any_exception_of_the_stream(exception, at):
    stream = Stream(raising(exception), at)
    with pytest.raises(Rejected) as caught:
        run(Faulty(stream))
    assert caught.value.code == "SDK_TRANSPORT"
    assert caught.value.__cause__ is exception
    assert stream.closed == 1


@pytest.mark.parametrize(
    "sdk", [Faulty(Stream(raising(OSError()), 0), "start"), Faulty(None, "run"), Faulty(None), object()]
)
def test_an_sdk_that_gives_no_stream(sdk):
    assert outcome(run, sdk) == "SDK_TRANSPORT"


def test_a_refusal_of_the_sdk_passes_through():
    stream = Stream(raising(Rejected("PIPE_CLOSED")), 1)
    assert outcome(run, Faulty(stream)) == "PIPE_CLOSED"
    assert stream.closed == 1


@pytest.mark.parametrize("where", [None, "start"])
def test_timeout(where):
    stream = Stream(forever, 1)
    with pytest.raises(Rejected) as caught:
        run(Faulty(stream, where), timeout_s=0.05)
    assert caught.value.code == "SDK_TIMEOUT"
    assert stream.closed == (where is None)


async def swallows_cancellation():
    try:
        await forever()
    except asyncio.CancelledError:
        raise StopAsyncIteration from None


class Blocking(ReplaySDK):
    """An SDK that never waits, and goes on for ever."""

    async def run(self, _prompt, _schema):
        while True:
            yield EVENTS[1]


@pytest.mark.parametrize("seconds", [0.05, 0, -1, float("nan")])
def test_timeout_of_an_sdk_that_never_waits(seconds):
    assert outcome(lambda: run(Blocking([]), timeout_s=seconds)) == "SDK_TIMEOUT"


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_no_time_at_all(seconds):
    assert outcome(lambda: run(ReplaySDK(EVENTS), timeout_s=seconds)) == "SDK_TIMEOUT"


def test_no_event_is_waited_with(monkeypatch):
    waited = []

    async def note(seconds):
        waited.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", note)
    run(ReplaySDK(EVENTS))
    assert waited == [0] * len(EVENTS)


def test_timeout_that_an_sdk_swallows():
    """The stream ends as if nothing had happened, and after a whole turn at that."""

    class Swallowing(ReplaySDK):
        async def run(self, _prompt, _schema):
            for event in EVENTS:
                yield event
            with contextlib.suppress(asyncio.CancelledError):
                await forever()

    assert outcome(lambda: run(Swallowing([]), timeout_s=0.05)) == "SDK_TIMEOUT"


@pytest.mark.parametrize("seconds", [10**400, float("inf"), 1e308])
def test_no_timeout(seconds):
    assert run(ReplaySDK(EVENTS), timeout_s=seconds) == CANDIDATE


async def refuses_to_be_cancelled():
    try:
        await forever()
    except asyncio.CancelledError:
        raise OSError from None


def test_timeout_of_an_sdk_that_turns_cancellation_into_an_error():
    stream = Stream(refuses_to_be_cancelled, 0)
    with pytest.raises(Rejected) as caught:
        run(Faulty(stream), timeout_s=0.05)
    assert caught.value.code == "SDK_TIMEOUT"
    assert stream.closed == 1


@pytest.mark.parametrize("fault", [forever, refuses_to_be_cancelled, swallows_cancellation])
def test_cancellation_passes_through_and_closes_the_stream(fault):
    async def cancelled(stream):
        task = asyncio.create_task(generate(Faulty(stream), LOADED, Recorder()))
        await asyncio.sleep(0.05)
        task.cancel()
        await task

    stream = Stream(fault, 1)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled(stream))
    assert stream.closed == 1


def test_a_cancellation_that_was_dealt_with_before_is_no_matter():
    async def after_a_cancellation():
        asyncio.current_task().cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await forever()
        return await generate(ReplaySDK(EVENTS), LOADED, Recorder())

    assert asyncio.run(after_a_cancellation()) == CANDIDATE


def test_cancellation_between_two_events_is_not_lost():
    def events():
        asyncio.current_task().cancel()
        yield from EVENTS

    with pytest.raises(asyncio.CancelledError):
        run(ReplaySDK(events()))


@pytest.mark.parametrize("closing", [raising(OSError()), forever], ids=["fails", "hangs"])
def test_a_stream_that_cannot_be_closed(closing, monkeypatch):
    monkeypatch.setattr(turn, "_CLOSING_SECONDS", 0.05)
    stream = Stream(raising(Rejected("PIPE_CLOSED")), 0)
    stream.aclose = closing
    assert outcome(run, Faulty(stream)) == "PIPE_CLOSED"


@pytest.mark.parametrize("method", ["checkpoint", "event"])
def test_a_refusal_of_the_sink_ends_the_turn(method):
    def refuse(*_):
        raise Rejected("WRITE_FAILED")

    sink = Recorder()
    setattr(sink, method, refuse)
    assert outcome(run, ReplaySDK(EVENTS), sink) == "WRITE_FAILED"


# Checkpoints and candidates.


@pytest.mark.parametrize("thread_id", ["", "t", "\u8bbe"])
def test_checkpoint_round_trip(thread_id):
    checkpoint = Checkpoint("2.4.0", "d", thread_id)
    assert checkpoint.to_json() == {"release": "2.4.0", "digest": "d", "threadId": thread_id}
    assert Checkpoint.from_json(checkpoint.to_json()) == checkpoint


@given(value=json_values | changed(Checkpoint("2.4.0", "d", "t").to_json()))
def test_any_checkpoint_is_read_or_refused(value):
    if outcome(Checkpoint.from_json, value) == "accepted":
        assert Checkpoint.from_json(value).to_json() == value
    else:
        assert outcome(Checkpoint.from_json, value) == "CHECKPOINT_SHAPE"


CANDIDATES = {
    "text": ("{}", "accepted"),
    "bytes": (b"{}", "accepted"),
    "neither": (None, "CANDIDATE_SIZE"),
    "a byte too many": (b" " * ((64 << 20) + 1), "CANDIDATE_SIZE"),
    "not UTF-8": (b'"\xff"', "CANDIDATE_UTF8"),
    "an unpaired surrogate": ('"\ud800"', "CANDIDATE_UTF8"),
    "an escaped unpaired surrogate": (r'"\ud800"', "CANDIDATE_JSON"),
    "a byte order mark": (b"\xef\xbb\xbf{}", "CANDIDATE_JSON"),
    "a repeated key": ('{"a":1,"a":1}', "CANDIDATE_JSON"),
    "Infinity": ("[Infinity]", "CANDIDATE_JSON"),
    "1e400": ("[1e400]", "CANDIDATE_JSON"),
    "101 levels": ("[" * 101 + "]" * 101, "CANDIDATE_JSON"),
    "4,301 digits": ("9" * 4301, "CANDIDATE_JSON"),
}


@pytest.mark.parametrize(("candidate", "code"), CANDIDATES.values(), ids=CANDIDATES)
def test_candidate(candidate, code):
    assert outcome(parse_candidate, candidate) == code


# The ten relations of bytes/controls.json.

CASES = {case["name"]: byte_case(case) for case in load("bytes/cases.json")}


def digest(name, lane="repaired"):
    return load_manifest(in_memory(CASES[name]), lane).digest


def evidence(name):
    return CASES[name]["change.patch"]


def text(name):
    return evidence(name).decode("utf-8", "replace")


def resumed(lane):
    """What a checkpoint with the digest of a lane gives on case `ascii`, and how often the SDK was called."""
    loaded: Loaded = load_manifest(in_memory(CASES["ascii"]))
    note = {"changeId": "C1", "text": "x", "evidence": loaded.manifest["changes"][0]["evidence"]}
    answer = json.dumps({"release": loaded.manifest["release"], "notes": [note]})
    sdk = ReplaySDK(patched(EVENTS, {"patch": [{"op": "replace", "path": "/3/item/text", "value": answer}]}))
    saved = Checkpoint(loaded.manifest["release"], digest("ascii", lane), THREAD)
    verdict = outcome(lambda: asyncio.run(generate(sdk, loaded, Recorder(), saved)))
    return verdict, len(sdk.calls)


def test_controls():
    controls = load("bytes/controls.json")
    same_published = {digest(name, "published") for name in ("invalid_ff", "invalid_fe")}
    relations = {
        "different_invalid_bytes": evidence("invalid_ff") != evidence("invalid_fe"),
        "same_replacement_text": text("invalid_ff") == text("invalid_fe"),
        "same_published_digest": len(same_published) == 1,
        "literal_replacement_same_published_digest": same_published == {digest("literal_replacement", "published")},
        "wellformed_nfc_equal": _nfc("nfc") == _nfc("nfd"),
        "wellformed_repaired_digests_differ": digest("nfc") != digest("nfd"),
        "line_endings_repaired_digests_differ": digest("ascii") != digest("crlf"),
        "manifest_invalid_pair_same_published_digest": digest("manifest_ff", "published")
        == digest("manifest_fe", "published"),
    }
    assert relations == {name: controls[name] for name in relations}
    assert resumed("published") == (controls["legacy_checkpoint"]["error"], controls["legacy_checkpoint"]["sdk_calls"])
    assert resumed("repaired") == ("accepted", controls["new_checkpoint"]["sdk_calls"])
    assert len(relations) + 2 == len(controls) == 10


def _nfc(name):
    return unicodedata.normalize("NFC", text(name))
