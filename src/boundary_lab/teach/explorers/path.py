"""Lesson 4: a cited path below a root, and what every guard does with it."""

from boundary_lab.containment import GUARDS, Flavour, is_absolute, join, relative
from boundary_lab.popular import POPULAR, Answer, Case, answers
from boundary_lab.teach.explorers.explorer import Explorer, Invalid, choice, typed
from boundary_lab.teach.figures import Lane, Picture
from boundary_lab.teach.paths import calls
from boundary_lab.teach.shown import Stack
from boundary_lab.teach.tables import Table

__all__ = ["ROOTS", "explorer", "verdicts"]

_MOST = 200  # characters of a path
ROOTS: dict[Flavour, str] = {"windows": "C:\\demo\\fixtures", "posix": "/demo/fixtures"}


def verdicts(flavour: Flavour = "windows", path: str = "..\\outside.patch", link: str = "", root: str = "") -> Stack:
    """What each guard does with a path below a root, by default that of `ROOTS`.

    `link` is the absolute path that the cited one resolves to, if a link leads elsewhere. `Invalid`: no path at all,
    the manifest's own, one with a NUL or of over 200 characters; a root or a link that is not absolute.
    """
    case = _case(flavour, path, link, root)
    way = relative(flavour, case.root, join(flavour, case.root, path))
    led = relative(flavour, case.root, case.resolved)
    loader = {guard: calls(case, guard) for guard in GUARDS}
    lanes = [
        Lane(name, way if way == led else f"{way}, then {led}", *_at(does, case)) for name, (does, _) in loader.items()
    ]
    rows = {
        name: _row(Answer(does, (does == "reads") == case.may_read), str(made)) for name, (does, made) in loader.items()
    }
    popular = {name: _row(said, "") for name, said in answers([case])[case.name].items() if name != "corrected"}
    return Stack(
        Picture("What each guard of the loader does", "the guard", "the file", lanes, looks="the way it looks at"),
        Table("Every guard, and how many calls the disk saw", rows | popular),
    )


def _case(flavour: Flavour, path: str, link: str, root: str) -> Case:
    for control, text in (("path", path), ("link", link), ("root", root)):
        if len(text) > _MOST or "\0" in text:
            raise Invalid(control, f"at most {_MOST} characters, please, and no NUL")
        if control != "path" and text and not is_absolute(flavour, text):
            raise Invalid(control, f"an absolute path, please, such as {ROOTS[flavour]}, or nothing")
    root = join(flavour, root or ROOTS[flavour], "")
    case = Case("typed", flavour, root, path, join(flavour, root, link or path), may_read=False)
    if not path or case.resolved == join(flavour, root, "manifest.json"):
        raise Invalid("path", "name a file beside the manifest, such as changes/a.patch")
    return case._replace(may_read=POPULAR["corrected"](case))


def _at(does: str, case: Case) -> tuple[bool, str]:
    return does == "reads", f"{does} {case.resolved}"


def _row(said: Answer, made: str) -> dict[str, str | Answer]:
    return {"what it does": said, "calls": made}


def explorer() -> Explorer:
    """Flavour, path, link and root."""
    return Explorer(
        verdicts,
        {
            "flavour": choice("Kind of system", "Which slash separates, and whether there are drives.", [*ROOTS]),
            "path": typed(
                "Cited path", "As the manifest cites it. Try ../outside.patch and D:a.patch.", "..\\outside.patch"
            ),
            "link": typed("A link leads to", "An absolute path; empty: the path is no link.", ""),
            "root": typed("Folder", f"An absolute path; empty: {' or '.join(ROOTS.values())}.", ""),
        },
    )
