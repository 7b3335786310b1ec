"""The independent checker: a candidate's notes against the manifest, and nothing of the model that wrote them.

What passes has the right shape and cites evidence of the right change. Whether a sentence is true is for a person.
"""

from boundary_lab.manifest import citations, read_release
from boundary_lab.rejected import Rejected
from boundary_lab.shapes import Shapes
from boundary_lab.strict_json import JSON

__all__ = ["CHECKS", "MAX_TEXT_UNITS", "STATUS", "verify"]

MAX_TEXT_UNITS = 500  # UTF-16 code units, so that every implementation counts alike
CHECKS = ("shape", "release", "coverage", "change-bound evidence")
STATUS = "needs_human"  # nothing in the lab ever says approved
_SHAPE = Shapes("SHAPE")


def verify(candidate: object, manifest: object) -> dict[str, JSON]:
    """The candidate itself, if it has exactly one note for each change of the manifest's JSON value.

    Refuses in this order: `SHAPE` of the whole, `RELEASE_MISMATCH`; each note: `SHAPE`, `UNKNOWN_CHANGE`,
    `DUPLICATE_CHANGE`, and each evidence: `EVIDENCE_SHAPE` (`SHAPE` for other keys), `UNBOUND_EVIDENCE`,
    `DUPLICATE_EVIDENCE`; `MISSING_CHANGE`. A manifest that is none is refused as by `read_release`.
    """
    expected = read_release(manifest)
    release, notes = _SHAPE.record(candidate, "release", "notes")
    _SHAPE.text(release)
    notes = _SHAPE.items(notes)
    if release != expected.release:
        raise Rejected("RELEASE_MISMATCH")
    noted: set[str] = set()
    for note in notes:
        change_id, text, evidence = _SHAPE.record(note, "changeId", "text", "evidence")
        change = _SHAPE.text(change_id)
        _SHAPE.require(len(_SHAPE.text(text).encode("utf-16-le", "surrogatepass")) // 2 <= MAX_TEXT_UNITS)
        cited = _SHAPE.items(evidence)
        if change not in expected.changes:
            raise Rejected("UNKNOWN_CHANGE")
        if change in noted:
            raise Rejected("DUPLICATE_CHANGE")
        noted.add(change)
        approved = set(expected.changes[change])
        for citation in citations(cited, _SHAPE, "DUPLICATE_EVIDENCE"):
            if citation not in approved:
                raise Rejected("UNBOUND_EVIDENCE")
    if noted != expected.changes.keys():
        raise Rejected("MISSING_CHANGE")
    return candidate  # type: ignore[return-value]  # _SHAPE.record saw an object
