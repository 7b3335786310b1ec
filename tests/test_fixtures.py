from hashlib import sha256

import pytest

from boundary_lab.fixtures import changed, fixture, load
from boundary_lab.rejected import outcome

SUMS = dict(reversed(line.split("  ")) for line in fixture("SHA256SUMS").read_text(encoding="ascii").splitlines())


@pytest.mark.parametrize("name", SUMS)
def test_a_frozen_file_is_unchanged(name):
    same = sha256(fixture(name).read_bytes()).hexdigest() == SUMS[name]
    assert same, "an oracle is never edited; put it back: git checkout -- fixtures"


def test_every_frozen_file_has_a_sum():
    """Beside the lab's own tables and the page that explains them, every file is an oracle."""
    files = {path.relative_to(fixture(".")).as_posix() for path in fixture(".").rglob("*") if path.is_file()}
    own = {name for name in files if name.startswith("lab/")} | {"README.md", "SHA256SUMS"}
    assert files - own == set(SUMS)
    assert len(SUMS) == 35


def test_changed_names_what_is_not_frozen(copy_of_the_core):
    root = copy_of_the_core / "fixtures"
    assert changed(root) == []
    (root / "handoff/packet.json").write_bytes((root / "handoff/packet.json").read_bytes() + b"\n")
    (root / "review/answers.json").unlink()
    assert sorted(changed(root)) == ["handoff/packet.json", "review/answers.json"]
    (root / "SHA256SUMS").unlink()
    assert changed(root) == ["SHA256SUMS"]


EMPTY = sha256(b"").hexdigest()
# A list of sums in the format of sha256sum, beside two empty files → what has changed.
LISTS = {
    "a file": (f"{EMPTY}  a\n", []),
    "a name with two blanks": (f"{EMPTY}  two  blanks\n", []),
    "another sum": (f"{EMPTY[::-1]}  two  blanks\n", ["two  blanks"]),
    "one blank between": (f"{EMPTY} a\n", [f"{EMPTY} a"]),
    "no sum": ("damaged\n", ["damaged"]),
    "a byte that is no ASCII": ("\xff\n", ["\ufffd"]),
    "a name with NUL": (f"{EMPTY[::-1]}  \0\n", ["\0"]),
    "nothing": ("", ["SHA256SUMS"]),
}


@pytest.mark.parametrize(("content", "names"), LISTS.values(), ids=LISTS)
def test_changed_by_any_list(tmp_path, content, names):
    for name, data in (("a", ""), ("two  blanks", ""), ("SHA256SUMS", content)):
        (tmp_path / name).write_bytes(data.encode("latin-1"))
    assert changed(tmp_path) == names


def test_a_name_gives_its_value():
    assert load("review/correction.json")["record"] == "MSG-04"


@pytest.mark.parametrize(
    "name", ["handoff/none.json", "../pyproject.toml", "/etc/passwd", "a\0b", "handoff/packet.json/x"]
)
def test_any_other_name_is_refused(name):
    assert outcome(fixture, name) == outcome(load, name) == "bad_fixture"
