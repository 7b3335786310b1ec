"""The one exception of the lab, and every code that it can carry.

A code is stable, is the whole message, and never quotes the input.
"""

from collections.abc import Callable
from typing import NamedTuple

__all__ = ["CODES", "Refusal", "Rejected", "in_words", "outcome"]


class Rejected(ValueError):
    """A refusal. `code` is the whole message; the cause, if any, is chained for a debugger."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Refusal(NamedTuple):
    """What a code means, and what the person who meets it does next."""

    meaning: str
    next: str


def in_words(code: str) -> str:
    """One line: the code, what it means, and what to do next."""
    return " ".join([f"{code}:", *CODES[code]])


def outcome(call: Callable[..., object], /, *args: object) -> str:
    """`'accepted'`, or the code with which `call(*args)` was refused."""
    try:
        call(*args)
    except Rejected as refusal:
        return refusal.code
    return "accepted"


_REBUILD = "Have the sender build the packet again with `project`; do not edit it by hand."
_POLICY = "Stop: the sender works from another policy. Compare its contract with yours."
_RECORD = "Repair the record at its source, then project again."
_REVIEW = "Send the source back to a reviewer; the new review gets a revision of its own."
_RESEND = "Ask the sender for the text exactly as it was written; do not repair it here."

_FOLDER = "Give the folder that holds manifest.json, and look at the permissions."
_REWRITE = "Write the manifest again as plain UTF-8 JSON; do not repair it by replacing what does not decode."
_FIELDS = "Compare it with fixtures/release/manifest.json or candidate.json, field by field."
_DRAFT = "Have the notes drafted again from this manifest; do not edit the draft until it passes."
_TURN = "Nothing was accepted. Look at the run's events.jsonl, then decide whether to resume or to start anew."

CODES = {
    # A value or a file of the lab's own.
    "bad_value": Refusal(
        "A value has no canonical JSON form: not JSON, not finite, not UTF-8, too deep or too long.",
        "Pass plain JSON values: at most 100 levels deep, integers of at most 4,300 digits.",
    ),
    "bad_fixture": Refusal(
        "A file of fixtures/ is missing or damaged, or there is none of that name.",
        "In a checkout: git checkout -- fixtures. Elsewhere, install the package again.",
    ),
    "output_failed": Refusal(
        "Not everything could be written to standard output.",
        "Check that it is open and has room. What the command was to write to a file is there all the same.",
    ),
    "SYSTEM_REFUSED": Refusal(
        "The system refused something that the command needs, such as a file descriptor.",
        "Look at the limits of this process (ulimit -a), then run the command again.",
    ),
    # Lesson 6: the named defects.
    "NETS_UNAVAILABLE": Refusal(
        "This needs a checkout of the lab, with its tests and notebooks, and pytest, nbval and ipykernel.",
        "In a checkout, run make test once, then the command of the environment that it made in .venv.",
    ),
    "UNKNOWN_DEFECT": Refusal("There is no defect of that name.", "The names are in fixtures/lab/defects.json."),
    "DEFECT_MISFIT": Refusal(
        "The old text of a defect is not in its file exactly once.",
        "The core has changed: bring the row in fixtures/lab/defects.json up to date.",
    ),
    "CONTROL_FAILED": Refusal(
        "The unchanged core does not pass, so that a failure would say nothing.",
        "Run make test, and repair what it finds first.",
    ),
    "DEFECT_SURVIVED": Refusal(
        "A net did not do what the table of defects expects of it.",
        "Look at the lines that say so; add the row or the beat of the lesson that notices the defect.",
    ),
    # Packet: the contract.
    "bad_contract": Refusal(
        "The contract file is missing, not strict JSON, of the wrong shape, or contradicts itself.",
        "Compare it with fixtures/handoff/contract.json and with the docstring of PacketContract.",
    ),
    # Packet: the wire.
    "bad_wire_size": Refusal("The wire is not text, or is over the contract's size limit.", _RESEND),
    "bad_json": Refusal("The wire is not strict JSON.", _RESEND),
    "duplicate_json_key": Refusal("An object of the wire repeats a key.", _RESEND),
    # Packet: its content.
    "bad_packet_keys": Refusal("The packet is not an object with exactly the seven fields.", _REBUILD),
    "bad_version": Refusal("The packet's schema version is not the contract's.", _POLICY),
    "wrong_task": Refusal("The packet or the source belongs to another task.", _POLICY),
    "wrong_target": Refusal("The packet is addressed to another receiver.", _POLICY),
    "wrong_objective": Refusal("The packet asks for another objective.", _POLICY),
    "bad_fact_count": Refusal("The packet does not hold exactly one fact for each approved observation.", _REBUILD),
    "bad_evidence_count": Refusal("The packet does not hold exactly one evidence row for each observation.", _REBUILD),
    "bad_evidence_keys": Refusal("An evidence row is not an object with exactly its five fields.", _REBUILD),
    "unknown_evidence": Refusal(
        "The reference names no approved observation.", "Ask only for references of the contract's catalog."
    ),
    "duplicate_evidence": Refusal("Two evidence rows carry the same reference.", _REBUILD),
    "evidence_mismatch": Refusal("An evidence row differs from the approved observation.", _REBUILD),
    "bad_fact_keys": Refusal("A fact is not an object with exactly its three fields.", _REBUILD),
    "duplicate_fact": Refusal("Two facts carry the same reference.", _REBUILD),
    "fact_mismatch": Refusal("A fact differs from its evidence in type or value.", _REBUILD),
    "bad_unresolved": Refusal("The open questions are not the contract's, in its order.", _REBUILD),
    # Packet: the source record.
    "bad_records": Refusal("The source's records are not a list.", _RECORD),
    "bad_record": Refusal("A record is not an object, or lacks one of its text fields.", _RECORD),
    "duplicate_source": Refusal("Two records carry the same id.", _RECORD),
    "missing_source": Refusal("A record that was approved as a source is not there.", _RECORD),
    "missing_fact": Refusal("An approved record no longer states its fact.", _RECORD),
    "unreviewed_fact": Refusal(
        "A fact of the record differs from the approved observation in type or value.",
        "Have the new value approved in the contract's catalog before it crosses.",
    ),
    "unreviewed_question": Refusal(
        "The record's open questions are not the contract's.",
        "Have the new questions approved in the contract before they cross.",
    ),
    # Review.
    "bad_review": Refusal(
        "The snapshots or the questions are missing, not strict JSON, or of the wrong shape.",
        "Compare them with fixtures/review/snapshots.json and with the docstring of ReviewBook.",
    ),
    "unknown_review": Refusal(
        "The current review is not one of the book's.",
        "Look up the current revision in your own trusted state, never in the candidate.",
    ),
    "bad_source": Refusal("A record of the source is not an object, or has no text id.", _RECORD),
    "source_revision_changed": Refusal(
        "The source has another revision than the one that was reviewed.",
        "Read the source again; if it really moved on, have it reviewed.",
    ),
    "source_text_changed": Refusal("The source's text is not the exact text that was reviewed.", _REVIEW),
    "unreviewed_facts": Refusal("The source's facts are not the exact facts that were reviewed.", _REVIEW),
    "bad_wire": Refusal("The wire is not text, not encodable as UTF-8, or over 4,096 bytes.", _RESEND),
    "duplicate_key": Refusal("An object of the wire repeats a key.", _RESEND),
    "bad_packet_fields": Refusal("The packet is not an object with exactly the seven fields.", _REBUILD),
    "stale_review": Refusal(
        "The packet belongs to another review than the current one.",
        "Throw it away and build a new one from the current review; a new label is not a recovery.",
    ),
    "packet_mismatch": Refusal(
        "The packet differs from the current review's packet.",
        "Ask which of fact, evidence and question did not move together; sending it again changes nothing.",
    ),
    # Release: the manifest and its evidence.
    "MANIFEST_MISSING": Refusal("The folder has no readable file manifest.json.", _FOLDER),
    "MANIFEST_SIZE": Refusal("The manifest is over 64 MiB.", "Split the release, or cite less."),
    "MANIFEST_UTF8": Refusal("The manifest is not UTF-8.", _REWRITE),
    "MANIFEST_BOM": Refusal("The manifest begins with a byte order mark.", "Save it as UTF-8 without one."),
    "MANIFEST_JSON": Refusal("The manifest is not strict JSON, or repeats a key.", _REWRITE),
    "SyntaxError": Refusal("The manifest does not parse as JSON (lane published).", _REWRITE),
    "SHAPE": Refusal("An object has other fields than it must, or the candidate is of another shape.", _FIELDS),
    "MANIFEST_SHAPE": Refusal("A part of the manifest is blank, empty or of the wrong type.", _FIELDS),
    "EVIDENCE_SHAPE": Refusal("A piece of evidence is not a path, a line from 1 and a quote.", _FIELDS),
    "DUPLICATE_INPUT": Refusal("The manifest lists a change id twice.", "List each change once."),
    "DUPLICATE_INPUT_EVIDENCE": Refusal("A change lists the same evidence twice.", "List each piece once."),
    "EVIDENCE_PATH": Refusal(
        "A cited path leads out of the folder, itself or through a link.",
        "Copy the file into the folder and cite it there; do not move the boundary.",
    ),
    "EVIDENCE_UNREADABLE": Refusal(
        "A cited file is missing, not a regular file, or may not be read.",
        "Look for the cited path below the folder, and at its permissions.",
    ),
    "EVIDENCE_CHANGED": Refusal(
        "A cited file changed while it was read.", "Wait until nobody writes to the folder, then run it again."
    ),
    "EVIDENCE_UTF8": Refusal(
        "A cited file is not UTF-8.", "Repair the file at its source; replacing the bytes hides what differs."
    ),
    "INPUT_QUOTE_MISMATCH": Refusal(
        "A cited line is not exactly the quote.", "Compare the quote with the line as it is now, to the last space."
    ),
    "UNKNOWN_LANE": Refusal(
        "There is no lane or guard of that name.", "The lanes are repaired and published; see containment.GUARDS."
    ),
    # Release: the candidate.
    "CANDIDATE_MISSING": Refusal("The candidate is not a readable file.", "Look at the path that was given."),
    "CANDIDATE_SIZE": Refusal("The candidate is not text, or over 64 MiB.", _DRAFT),
    "CANDIDATE_UTF8": Refusal("The candidate is not UTF-8.", _DRAFT),
    "CANDIDATE_JSON": Refusal("The candidate is not strict JSON, or repeats a key.", _DRAFT),
    "RELEASE_MISMATCH": Refusal("The candidate is for another release.", _DRAFT),
    "UNKNOWN_CHANGE": Refusal("A note is about a change that the manifest does not list.", _DRAFT),
    "DUPLICATE_CHANGE": Refusal("Two notes are about the same change.", _DRAFT),
    "UNBOUND_EVIDENCE": Refusal("A note cites what is not evidence of its own change, to the letter.", _DRAFT),
    "DUPLICATE_EVIDENCE": Refusal("A note cites the same evidence twice.", _DRAFT),
    "MISSING_CHANGE": Refusal("A change of the manifest has no note.", _DRAFT),
    # Release: the turn.
    "STALE_CHECKPOINT": Refusal(
        "The checkpoint belongs to another release or to other bytes.",
        "Start a new run without it; writing the new digest into it would prove nothing.",
    ),
    "CHECKPOINT_MISSING": Refusal("The checkpoint is not a readable file.", "Look at the path that was given."),
    "CHECKPOINT_SHAPE": Refusal(
        "The checkpoint is not strict JSON with exactly release, digest and threadId.", "Start a new run without it."
    ),
    "EVENTS_MISSING": Refusal("The event file is not a readable file.", "Look at the path that was given."),
    "EVENT_SHAPE": Refusal(
        "An event is not a JSON object with a type, or a line of the event file is broken or over 16 MiB.", _TURN
    ),
    "THREAD_MISMATCH": Refusal("Another thread answered than the one that was asked for.", _TURN),
    "SDK_TURN_FAILED": Refusal("The SDK says that the turn failed.", _TURN),
    "EVENT_AFTER_COMPLETION": Refusal("An event came after the turn was completed.", _TURN),
    "INCOMPLETE_TURN": Refusal("The stream ended without a thread, a completion or an answer.", _TURN),
    "SDK_TIMEOUT": Refusal("The turn took too long and was stopped.", _TURN),
    "SDK_TRANSPORT": Refusal("The SDK failed on its way to the model.", _TURN),
    "PIPE_CLOSED": Refusal("The transport broke before the stream ended.", _TURN),
    # Release: a real model.
    "LIVE_UNAVAILABLE": Refusal(
        "The live entry needs the extra codex, which is not installed.",
        "In a checkout of the lab: pip install '.[codex]' (some 400 MB).",
    ),
    "LIVE_ENDPOINT": Refusal(
        "The endpoint is not an https address, or http on loopback, without user, query and fragment.",
        "Give the base URL of a Responses API, such as https://api.openai.com/v1.",
    ),
    "LIVE_KEY_MISSING": Refusal(
        "There is no key for the endpoint.", "Put it into the environment variable OPENAI_API_KEY."
    ),
    "LIVE_NOT_CONFIRMED": Refusal(
        "Nobody agreed to what would be sent, so nothing was.",
        "Read the lines above, then type yes at a terminal or run the command again with --yes.",
    ),
    "LIVE_KEY_REFUSED": Refusal(
        "The endpoint does not accept the key, or wants one.", "Look at OPENAI_API_KEY and at what its key may do."
    ),
    "THREAD_UNKNOWN": Refusal(
        "There is no recording of the checkpoint's thread beside it, or it is of another thread.",
        "Resume from the run folder that the checkpoint was written in, or start a new run without it.",
    ),
    # Release: the disk.
    "RUN_EXISTS": Refusal("There is something where the run folder should be made.", "Name a new folder."),
    "REPORT_EXISTS": Refusal(
        "There is something where the report should be written.", "Name a new file; a report is never replaced."
    ),
    "WRITE_FAILED": Refusal(
        "Nothing could be written there, and nothing half-written was left.",
        "Look whether the folder exists, at its permissions and the room on its disk, then run the command again.",
    ),
    # A learner's copies and progress.
    "NOTEBOOKS_MISSING": Refusal(
        "The lab's own notebooks are missing or damaged.",
        "In a checkout: git checkout -- notebooks. Elsewhere, install the package again.",
    ),
    "LESSON_UNKNOWN": Refusal("There is no lesson of that number or name.", "Give a number from 0 to 7."),
    "WORK_MISSING": Refusal(
        "There are no copies of the lessons there, or they have no progress.jsonl.",
        "Make them with boundary-lab start; name another folder than work with --into.",
    ),
    "NAME_UNFIT": Refusal("The name is empty, too long or not printable.", "Give 1 to 60 printable characters."),
    "PROGRESS_DAMAGED": Refusal(
        "A progress file is not as the lab wrote it; it was left as it is, and nothing is noted in it.",
        "Move it aside, and make a new one with boundary-lab start; what was right must be checked again.",
    ),
    # Lesson 7: agents on a real SDK.
    "AGENTS_UNAVAILABLE": Refusal(
        "This needs the SDK openai-agents, which is not installed.",
        "Install it with pip: 'boundary-lab[agents]', or '.[agents]' in a checkout.",
    ),
    "CANARY_UNFIT": Refusal(
        "A canary is too short to be told from chance, or its name has another value already.",
        "Plant at least eight characters, and each value under a name of its own.",
    ),
    "GATE_CLOSED": Refusal(
        "What must not reach this agent was in what its model was about to get; the model was not called.",
        "Find out how it came there: the handoff, a session, the instructions or a tool. Do not widen the gate.",
    ),
}
