"""What a fuzzer may throw at the public entries, and how each answer is told from a wrong one.

A target takes bytes. It fails for any exception but a `Rejected` with a documented code, and for an answer other
than that of a second reading: the texts by `rfc8259`, the contracts by the few lines here, the digests by formula.
"""

import asyncio
import json
from copy import deepcopy
from hashlib import sha256
from io import BytesIO

import fastjsonschema
import pytest

from boundary_lab import cited as cited_module
from boundary_lab import evidence as evidence_module
from boundary_lab.folders import DiskFolder, SyntheticFolder
from boundary_lab.manifest import load_manifest
from boundary_lab.notes import verify
from boundary_lab.packet import PacketContract
from boundary_lab.rejected import CODES, Rejected
from boundary_lab.review import ReviewBook
from boundary_lab.runs import MAX_CHECKPOINT_BYTES, MAX_EVENT_BYTES, EventFile
from boundary_lab.strict_json import Words, parse_bytes
from boundary_lab.turn import CANDIDATE_SCHEMA, Checkpoint, Recorder, ReplaySDK, generate, parse_candidate
from parsers import LIMITS, WORDS
from rfc8259 import judged, judged_bytes
from rows import fixture, load

CONTRACT = PacketContract.load(fixture("handoff/contract.json"))
BOOK = ReviewBook.load(fixture("review"))
PACKET, PACKETS, MANIFEST = (load(f"{name}.json") for name in ("handoff/packet", "review/packets", "release/manifest"))
fits_packet, fits_candidate = (
    fastjsonschema.compile(schema, use_default=False)
    for schema in (load("handoff/packet.schema.json"), CANDIDATE_SCHEMA)
)


def answer(call, *arguments):
    """(The documented code of a refusal or None, the value)."""
    try:
        return None, call(*arguments)
    except Rejected as refusal:
        code = refusal.code
    assert code in CODES
    return code, None


def texts(data):
    """The texts that bytes can be taken for; a byte that is no UTF-8 becomes an unpaired surrogate."""
    return {data.decode("utf-8", errors) for errors in ("surrogateescape", "replace")} | {data.decode("latin-1")}


def first_word(contract, faults):
    return next((WORDS[contract][fault] for fault in faults if WORDS[contract][fault]), None)


def typed(value):
    """A text that is the same for values of the same types and values only."""
    return json.dumps(value, sort_keys=True)


def fits(validate, value):
    try:
        validate(deepcopy(value))
    except fastjsonschema.JsonSchemaException:
        return False
    return True


# The packet: accepted if, and only if, it is the frozen one with its rows in any order.


def in_order(packet):
    if type(packet) is not dict:
        return typed(packet)
    return typed({key: sorted(map(typed, part)) if key in ("facts", "evidence") and type(part) is list else part
                  for key, part in packet.items()})  # fmt: skip


def packet(data):
    for text in texts(data):
        code, value = answer(CONTRACT.parse, text)
        faults, expected = judged(text, LIMITS["packet"])
        word = first_word("packet", faults)
        if word:
            assert code == word
            continue
        assert code not in WORDS["packet"].values()
        assert (code is None) == (in_order(expected) == in_order(PACKET))
        if code is None:
            assert fits(fits_packet, value)
            assert typed(value) == typed(expected)
        assert answer(CONTRACT.validate, expected)[0] == code


# The review: every step of the receiver has an answer of its own.


def received(value, current):
    if type(value) is not dict or sorted(value) != sorted(PACKETS["R1"]):
        return "bad_packet_fields"
    if value["review_revision"] != current:
        return "stale_review"
    return None if typed(value) == typed(PACKETS[current]) else "packet_mismatch"


def review(data):
    for text in texts(data):
        faults, value = judged(text, LIMITS["review"])
        word = first_word("review", faults)
        for current in PACKETS:
            code, said = answer(BOOK.receive, text, current)
            assert code == (word or received(value, current))
            assert code or said["review_revision"] == current


# The manifest, and the candidate that is checked against one.


def is_text(value):
    return type(value) is str and not all(character.isspace() or character == "\ufeff" for character in value)


def is_list(value, holds):
    return type(value) is list and value != [] and all(map(holds, value))


def has(value, **members):
    return type(value) is dict and value.keys() == members.keys() and all(members[key](value[key]) for key in members)


def is_evidence(value):
    return has(value, path=is_text, line=lambda line: type(line) is int and line >= 1, quote=is_text)


def is_cited(evidence):
    return is_list(evidence, is_evidence) and len(set(map(typed, evidence))) == len(evidence)


def is_change(value):
    return has(value, changeId=is_text, commit=is_text, summary=is_text, evidence=is_cited)


def is_release(value):
    if not has(value, release=is_text, changes=lambda changes: is_list(changes, is_change)):
        return False
    return len({change["changeId"] for change in value["changes"]}) == len(value["changes"])


SHAPES = {"SHAPE", "MANIFEST_SHAPE", "EVIDENCE_SHAPE", "DUPLICATE_INPUT", "DUPLICATE_INPUT_EVIDENCE"}


def manifest(data):
    """Nothing is in the folder but the manifest, so that one which is in order ends at its first citation."""
    code, _ = answer(load_manifest, SyntheticFolder("posix", "/", {"manifest.json": data}))
    faults, value = judged_bytes(data, LIMITS["manifest"])
    word = first_word("manifest", faults)
    if word:
        assert code == word
    else:
        assert (code in SHAPES) != is_release(value)
        assert code in SHAPES or code.startswith(("EVIDENCE_", "INPUT_"))


def is_note(note, changes):
    if not has(note, changeId=is_text, text=is_text, evidence=is_cited):
        return False
    known = map(typed, changes.get(note["changeId"], ()))
    return len(note["text"].encode("utf-16-le")) <= 1000 and set(map(typed, note["evidence"])) <= set(known)


def is_candidate(value, manifest):
    changes = {change["changeId"]: change["evidence"] for change in manifest["changes"]}
    if not has(value, release=is_text, notes=lambda notes: is_list(notes, lambda note: is_note(note, changes))):
        return False
    noted = [note["changeId"] for note in value["notes"]]
    return value["release"] == manifest["release"] and sorted(noted) == sorted(changes)


def candidate(data):
    code, value = answer(parse_candidate, data)
    faults, expected = judged_bytes(data, LIMITS["candidate"])
    assert code == first_word("candidate", faults)
    for text in texts(data):
        read, _ = answer(parse_candidate, text)
        assert read == first_word("candidate", judged(text, LIMITS["candidate"])[0])
    if code is None:
        assert typed(value) == typed(expected)
        refused, _ = answer(verify, value, MANIFEST)
        assert (refused is None) == is_candidate(expected, MANIFEST)
        assert refused or fits(fits_candidate, value)


# The loader: a manifest, NUL, and the bytes of every cited file; both flavours, both lanes, pieces of any size.

ROOTS = {"posix": ("/r", "/outside"), "windows": ("C:\\r", "C:\\outside")}
NAMES = ("a", "change.patch", "sub/b")
LINKS = {"link": "a", "loop": "loop"}


def folder(flavour, head, evidence):
    root, outside = ROOTS[flavour]
    files = {"manifest.json": head, f"{outside}/secret": evidence, **dict.fromkeys(NAMES, evidence)}
    return SyntheticFolder(flavour, root, files, LINKS | {"out": outside})


def walked(flavour, path):
    """Where a path leads from the folder `r`, name by name: its names below that folder, or None for outside."""
    if flavour == "windows":
        path = path.lower().replace("\\", "/")
        drive, path = (path[0], path[2:]) if path[1:2] == ":" else ("c", path)
    if path.startswith("/") or (flavour == "windows" and drive != "c"):
        return None
    names = ["r"]
    for name in path.split("/"):
        if name == "..":
            names = names[:-1]
        elif name not in ("", "."):
            names.append(name)
    return "/".join(names[1:]) if names[:1] == ["r"] else None


def is_quoted(citation, content, errors):
    """Whether a line, which ends at LF or CRLF, is the quote."""
    *ended, last = content.split(b"\n")
    lines = [*(line.removesuffix(b"\r") for line in ended), last]
    line = lines[citation["line"] - 1 : citation["line"]]
    return line != [] and line[0].decode("utf-8", errors) == citation["quote"]


def refusals(cited, flavour, files, errors):
    """The codes of which one must come out for the first citation that is not in order; none if all are."""
    for citation in cited:
        content = files.get(walked(flavour, citation["path"]))
        if content is None:
            return {"EVIDENCE_PATH", "EVIDENCE_UNREADABLE"}
        if errors == "strict" and not is_utf8(content):
            return {"EVIDENCE_UTF8"}
        if not is_quoted(citation, content, errors):
            return {"INPUT_QUOTE_MISMATCH"}
    return {None}


def is_utf8(data):
    return data.decode("utf-8", "ignore").encode() == data


def frame(data):
    return len(data).to_bytes(8, "big") + data


def by_formula(lane, head, cited):
    """The digest of a manifest and its (path, content), written out."""
    if lane == "repaired":
        frames = b"".join(frame(path.encode()) + frame(content) for path, content in cited)
        return sha256(b"release-input-v2\0" + frame(head) + frames).hexdigest()
    replaced = "".join(f"\0{path}\0{content.decode('utf-8', 'replace')}" for path, content in cited)
    return sha256((head.decode("utf-8", "replace") + replaced).encode()).hexdigest()


def plainly(head):
    try:
        return None, json.loads(head.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return "SyntaxError", None


def strictly(head):
    faults, value = judged_bytes(head, LIMITS["manifest"])
    return first_word("manifest", faults), value


LANES = {"repaired": (strictly, "strict"), "published": (plainly, "replace")}


def loaded(flavour, lane, head, evidence):
    read, errors = LANES[lane]
    code, found = answer(load_manifest, folder(flavour, head, evidence), lane)
    word, value = read(head)
    if word or not is_release(value):
        assert code == word if word else code in SHAPES
        return code, found
    cited = [citation for change in value["changes"] for citation in change["evidence"]]
    files = {"manifest.json": head, **dict.fromkeys((*NAMES, "link"), evidence)}
    assert code in refusals(cited, flavour, files, errors)
    if code is None:
        there = [(citation["path"], files[walked(flavour, citation["path"])]) for citation in cited]
        assert found.digest == by_formula(lane, head, there)
    return code, found


class NoThread:
    """An executor of a system that gives no thread: a thread for a few bytes takes longer than all the rest."""

    def __init__(self, max_workers):
        pass

    def submit(self, *_):
        raise RuntimeError

    def shutdown(self):
        pass


IN_PIECES = [
    (cited_module, "PIECE", 7),
    (cited_module, "SMALL", 3),
    (evidence_module, "PIECE", 7),
    (evidence_module, "_DECODED", 2),
    (evidence_module, "ThreadPoolExecutor", NoThread),
]


def loader(data):
    head, _, evidence = data.partition(b"\0")
    strict = {flavour: loaded(flavour, "repaired", head, evidence) for flavour in ROOTS}
    plain = {flavour: loaded(flavour, "published", head, evidence) for flavour in ROOTS}
    for flavour in ROOTS:
        assert strict[flavour][0] or typed(plain[flavour][1].manifest) == typed(strict[flavour][1].manifest)
    with pytest.MonkeyPatch.context() as patch:
        for module, name, value in IN_PIECES:
            patch.setattr(module, name, value)
        assert loaded("posix", "repaired", head, evidence) == strict["posix"]
        assert loaded("posix", "published", head, evidence) == plain["posix"]


# A recorded stream, for a new turn and for one that is taken up again; and the same bytes as a checkpoint.

RELEASE = load_manifest(DiskFolder(fixture("release")))
SAVED = Checkpoint(RELEASE.manifest["release"], RELEASE.digest, "fixture-thread-24")
LOOP = asyncio.new_event_loop()


class Lines(EventFile):
    """An event file that is not on the disk."""

    def __init__(self, data):
        self._file = BytesIO(data)


def is_event(value):
    if type(value) is not dict or not is_str(value.get("type")):
        return False
    return type(value.get("item", None if value["type"].startswith("item.") else {})) is dict


def turned(lines, thread):
    """The code with which a turn ends, and the last thing that was said in it."""
    started, completed, said = False, False, None
    for line in lines:
        faults, event = judged_bytes(line, MAX_EVENT_BYTES)
        if faults:
            return "EVENT_SHAPE", None
        if completed:
            return "EVENT_AFTER_COMPLETION", None
        if not is_event(event):
            return "EVENT_SHAPE", None
        kind = event["type"]
        if kind == "thread.started":
            name = event.get("thread_id")
            if type(name) is not str or name == "" or thread not in (None, name):
                return "THREAD_MISMATCH", None
            started, thread = True, name
        if kind in ("turn.failed", "error"):
            return "SDK_TURN_FAILED", None
        completed |= kind == "turn.completed"
        if kind == "item.completed" and event["item"].get("type") == "agent_message":
            said = event["item"].get("text")
    return (None, said) if started and completed and type(said) is str and said else ("INCOMPLETE_TURN", None)


def events(data):
    lines = data.removesuffix(b"\n").split(b"\n") if data else []
    for saved in (None, SAVED):
        turn = generate(ReplaySDK(Lines(data)), RELEASE, Recorder(), saved)
        code, value = answer(LOOP.run_until_complete, turn)
        expected, said = turned(lines, saved and saved.thread_id)
        faults, candidate = judged(said, LIMITS["candidate"]) if said else ([], None)
        assert code == (expected or first_word("candidate", faults))
        assert code or typed(value) == typed(candidate)
    checkpoint(data)


def checkpoint(data):
    faults, value = judged_bytes(data, MAX_CHECKPOINT_BYTES)
    whole = not faults and has(value, release=is_str, digest=is_str, threadId=is_str)
    code, read = answer(read_checkpoint_bytes, data)
    assert code == (None if whole else "CHECKPOINT_SHAPE")
    assert code or read.to_json() == value


def is_str(value):
    return type(value) is str


def read_checkpoint_bytes(data):
    return Checkpoint.from_json(parse_bytes(data, MAX_CHECKPOINT_BYTES, Words.only("CHECKPOINT_SHAPE")))


TARGETS = {target.__name__: target for target in (packet, review, manifest, candidate, loader, events)}
