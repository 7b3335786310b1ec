"""The commands on the page about the room: it opens, Ctrl-C closes it, and the users can be removed."""

import os
import re
import shutil
import sys
from pathlib import Path
from pwd import getpwall

import pytest

from boundary_lab.nets import CHECKOUT
from boundary_lab.teach.room import names, remove_people
from hub import answers, free_port
from shell import Running, surroundings

PAGE = (CHECKOUT / "notebooks" / "instructor" / "room.md").read_text(encoding="utf-8")
OPENING = ["make room", "make room PYTHON=/usr/bin/python3"]
REMOVING = "make room ARGS=--remove"
KEPT = Path("/srv/boundary-lab-room")

if (sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("useradd")) and not os.environ.get("CI"):
    pytest.skip("a room makes users of this system: it needs Linux and root", allow_module_level=True)


@pytest.fixture(scope="module", autouse=True)
def nobodys():
    """A room that somebody has here stays as it is."""
    if KEPT.exists() or users():
        pytest.skip(f"there is a room in {KEPT}, which is left alone")
    yield
    remove_people(names(2))
    shutil.rmtree(KEPT, ignore_errors=True)


def users():
    """Who is of a room, and not one of the other tests'."""
    return {user.pw_name for user in getpwall()} & {*names(2)}


def test_these_are_the_commands():
    assert {*re.findall(r"`(make room[^`]*)`", PAGE)} == {*OPENING, REMOVING}


@pytest.mark.parametrize("command", OPENING)
def test_opens_and_closes(command, tmp_path):
    """The second time, homes are there that were kept."""
    address = f"http://127.0.0.1:{free_port()}"
    small = surroundings() | {"ARGS": f"--people 2 --address {address}"}
    opened = Running(command, CHECKOUT, tmp_path / "said", small)
    try:
        assert opened.until(lambda: answers(address)) is None, opened.said()
        assert {(KEPT / name).owner() for name in names(2)} == {*names(2)} == users()
        opened.interrupt()
    finally:
        opened.kill()
    first, *rest = opened.lines()
    assert first == f"{address}: 2 attendees and lab-instructor; their passwords are in {KEPT}/hub/passwords.txt"
    assert rest[-1] == "The room is closed; what everybody wrote is kept."
    removed = Running(REMOVING, CHECKOUT, tmp_path / "said", surroundings())
    assert removed.process.wait() == 0
    assert removed.lines() == [f"The users are removed; what they wrote is in {KEPT}."]
    assert (KEPT / "lab01").is_dir()
    assert not users()
