"""The guards, against the figures of the original program, and a definition of containment written down here."""

import ntpath
import posixpath
from operator import itemgetter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boundary_lab.containment import GUARDS, is_absolute, join, relative, steps
from boundary_lab.folders import SyntheticFolder
from boundary_lab.manifest import load_manifest
from boundary_lab.rejected import outcome
from releases import one_citation
from rows import load

CASES = {case["name"]: case for case in load("paths/cases.json")}


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("row", load("paths/results.json"), ids=itemgetter("name"))
def test_row(row, guard):
    """Verdict, and the calls made by then."""
    case = CASES[row["name"]]
    flavour, root, path = case["flavour"], case["root"], case["path"]
    target = join(flavour, root, path)
    files = {"manifest.json": one_citation(path, "x"), case["resolves_to"] or target: b"x\n"}
    links = {target: case["resolves_to"]} if case["resolves_to"] else {}
    folder = SyntheticFolder(flavour, root, files, links)
    assert {"result": outcome(load_manifest, folder, "repaired", guard), "touched": folder.touched} == row[guard]


def test_every_frozen_row_is_there():
    assert len(CASES) == 25
    assert set(GUARDS) == set(load("paths/results.json")[0]) - {"name"}


def inside_by_hand(flavour, root, path):
    """Independent of the core: no path that begins at a root, and after every step resolved, still below ours."""
    separator, anchor = "/", 0  # how many parts have no parent: none, a drive, a server with its share
    if flavour == "windows":
        path, root, separator = path.replace("/", "\\").lower(), root.lower(), "\\"
        anchor = 2 if root.startswith("\\\\") else 1
        drive = path[:2] if path[1:2] == ":" else ""
        path = path[len(drive) :]
        if drive not in ("", root[:2]):
            return False
    if path.startswith(separator):
        return False
    start = [part for part in root.split(separator) if part]
    parts = list(start)
    for part in path.split(separator):
        if part == "..":
            del parts[max(len(parts) - 1, anchor) :]
        elif part not in ("", "."):
            parts.append(part)
    return parts[: len(start)] == start


NAMES = st.sampled_from(["a", "b", "..", ".", "..cache", "...", "fixtures", "fixtures-old", "demo", "A", "", "a b"])
FOLDERS = st.lists(st.sampled_from(["a", "b", "..cache", "fixtures", "fixtures-old", "demo", "a b"]), max_size=3)
PREFIXES = {"posix": ["", "", "", "/"], "windows": ["", "", "", "\\", "C:", "c:", "D:", "C:\\", "\\\\server\\share\\"]}
ROOTS = {"posix": ["/"], "windows": ["C:\\", "D:\\", "\\\\server\\share\\fixtures\\"]}


@st.composite
def cited(draw):
    """A flavour, a root of it, and a path that is cited below."""
    flavour = draw(st.sampled_from(["posix", "windows"]))
    separators = ["/"] if flavour == "posix" else ["/", "\\"]
    path = "".join(name + draw(st.sampled_from(separators)) for name in draw(st.lists(NAMES, max_size=6)))
    module = posixpath if flavour == "posix" else ntpath
    root = module.normpath(draw(st.sampled_from(ROOTS[flavour])) + separators[-1].join(draw(FOLDERS)))
    return flavour, root, draw(st.sampled_from(PREFIXES[flavour])) + path + draw(NAMES)


@settings(max_examples=5 * settings().max_examples)
@given(cited())
def test_the_corrected_guard_accepts_what_the_definition_accepts(case):
    flavour, root, path = case
    assert GUARDS["corrected"].lexical(flavour, root, path) == inside_by_hand(flavour, root, path)


@settings(max_examples=5 * settings().max_examples)
@given(cited())
def test_no_accepted_path_resolves_outside(case):
    flavour, root, path = case
    if GUARDS["corrected"].lexical(flavour, root, path):
        module = posixpath if flavour == "posix" else ntpath
        target = module.normcase(join(flavour, root, path))
        assert module.commonpath([target, module.normcase(root)]) == module.normcase(root)
        assert GUARDS["corrected"].physical(flavour, root, join(flavour, root, path))


ABSOLUTE = {
    ("posix", "/a"): True, ("posix", "a"): False, ("posix", "\\a"): False, ("posix", ""): False,
    ("windows", "\\a"): True, ("windows", "/a"): True, ("windows", "C:\\a"): True, ("windows", "C:/a"): True,
    ("windows", "C:a"): False, ("windows", "C:"): False, ("windows", "a"): False, ("windows", ""): False,
    ("windows", "\\\\server\\share\\a"): True, ("windows", "\\\\server\\share"): True,
    ("windows", "//server/share"): True,
}  # fmt: skip


@pytest.mark.parametrize(("flavour", "path"), ABSOLUTE)
def test_is_absolute(flavour, path):
    """As Node's `isAbsolute` documents it."""
    assert is_absolute(flavour, path) == ABSOLUTE[flavour, path]


# From Node's documentation of `path.relative`, and from lesson 4's cases.
RELATIVE = [
    ("posix", "/data/orandea/test/aaa", "/data/orandea/impl/bbb", "../../impl/bbb"),
    ("windows", "C:\\orandea\\test\\aaa", "C:\\orandea\\impl\\bbb", "..\\..\\impl\\bbb"),
    ("posix", "/a", "/a", ""),
    ("posix", "/", "/a/b", "a/b"),
    ("posix", "/a", "/A/b", "../A/b"),
    ("windows", "C:\\a", "c:\\A\\b", "b"),
    ("windows", "C:\\a", "D:\\a", "D:\\a"),
    ("windows", "C:\\a", "\\\\server\\share\\a", "\\\\server\\share\\a"),
    ("windows", "\\\\server\\share\\fixtures", "\\\\server\\other\\a", "..\\..\\other\\a"),
    ("windows", "C:\\foo", "C:\\foobar", "..\\foobar"),
    ("windows", "C:\\ss", "C:\\ß", "..\\ß"),  # compared in lower case
]


@pytest.mark.parametrize(("flavour", "root", "target", "way"), RELATIVE)
def test_relative(flavour, root, target, way):
    assert relative(flavour, root, target) == way


JOINED = [
    ("posix", "/r", "a/../b", "/r/b"),
    ("posix", "/r", "/a", "/a"),
    ("windows", "C:\\r", "a/../b", "C:\\r\\b"),
    ("windows", "\\r", "a", "\\r\\a"),
    ("windows", "C:", "a", "C:\\a"),
    ("windows", "\\\\server\\share", "a", "\\\\server\\share\\a"),
]


@pytest.mark.parametrize(("flavour", "root", "path", "target"), JOINED)
def test_join(flavour, root, path, target):
    assert join(flavour, root, path) == target


@pytest.mark.parametrize("name", ["\\a", "\\..", "..\\a", "C:\\.."])
def test_a_backslash_is_part_of_a_posix_name(name):
    guard = GUARDS["corrected"]
    assert guard.lexical("posix", "/r", name)
    assert guard.physical("posix", "/r", f"/r/{name}")


STEPS = [
    ("posix", "/r", ".", []),
    ("posix", "/r", "a/./b//c", ["a", "b", "c"]),
    ("posix", "/r", "x/../a b/c", ["a b", "c"]),
    ("posix", "/r", "x/../a\\b", ["a\\b"]),
    ("posix", "/r", "/r/a/b", ["a", "b"]),
    ("windows", "C:\\r", "a/b", ["a", "b"]),
    ("windows", "C:\\r", "a\\..\\b\\c", ["b", "c"]),
]


@pytest.mark.parametrize(("flavour", "root", "path", "names"), STEPS)
def test_steps(flavour, root, path, names):
    assert steps(flavour, root, path) == names
