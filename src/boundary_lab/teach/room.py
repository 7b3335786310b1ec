"""A room on one machine, with JupyterHub: `python -m boundary_lab.teach.room [--people N] [--address URL]`.

- Each person is a user of this system, with a home below `/srv/boundary-lab-room` that nobody else can read, and a
  password that is written to `passwords.txt` there, for root alone.
- The instructor finds the table of everybody's progress in `board.html` at home; it is written every few seconds.
- Ctrl-C ends the hub and every server. Users and their work stay; `--remove` removes the users, and keeps the homes.

It needs root, on Linux.
"""

import argparse
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from pwd import getpwnam

from boundary_lab.learn import board
from boundary_lab.nets import CHECKOUT
from boundary_lab.teach.lab import JUPYTER, before

__all__ = ["add_people", "environment", "main", "names", "remove_people"]

_ROOM = Path("/srv/boundary-lab-room")
_CONFIG = CHECKOUT / "binder" / "jupyterhub_config.py"
_SECONDS = 5  # between two boards
_INSTRUCTOR = "instructor"


def names(people: int, prefix: str = "lab") -> list[str]:
    """The instructor, and so many attendees."""
    return [f"{prefix}-{_INSTRUCTOR}", *(f"{prefix}{number:02}" for number in range(1, people + 1))]


def add_people(room: Path, people: list[str]) -> dict[str, str]:
    """Makes the users that are not there yet; gives the new passwords of all."""
    (room / "hub").mkdir(parents=True, exist_ok=True, mode=0o755)
    (room / "hub").chmod(0o700)
    for name in people:
        home = room / name
        if not _is_user(name):
            _run("useradd", "--create-home", "--home-dir", str(home), "--shell", "/bin/bash", name)
        home.mkdir(exist_ok=True, mode=0o700)
        home.chmod(0o700)
        if home.stat().st_uid != getpwnam(name).pw_uid:  # made just now, or kept from a user who was removed
            _run("chown", "--recursive", "--no-dereference", f"{name}:{name}", str(home))
    passwords = {name: secrets.token_urlsafe(9) for name in people}
    _run("chpasswd", text="".join(f"{name}:{password}\n" for name, password in passwords.items()))
    return passwords


def remove_people(people: list[str]) -> None:
    """Removes the users; what they wrote stays in their homes."""
    for name in filter(_is_user, people):
        _run("userdel", "--force", name)


def _is_user(name: str) -> bool:
    try:
        getpwnam(name)
    except KeyError:
        return False
    return True


def _run(*command: str, text: str = "") -> None:
    subprocess.run(command, input=text, text=True, check=True, capture_output=True)


def environment(room: Path, people: list[str], address: str) -> dict[str, str]:
    """What `binder/jupyterhub_config.py` reads."""
    before("JUPYTER_CONFIG_PATH", JUPYTER)
    return os.environ | {
        "BOUNDARY_LAB_ROOM": str(room),
        "BOUNDARY_LAB_PEOPLE": " ".join(people),
        "BOUNDARY_LAB_ADDRESS": address,
    }


def _in_the_way() -> Iterator[str]:
    """What keeps a room from being opened here."""
    if sys.platform != "linux" or os.geteuid() != 0:
        yield "A room makes users of this system, so it needs Linux and root."
    for path in (Path(sys.executable).resolve(), CHECKOUT / "src", JUPYTER):
        if any(not above.stat().st_mode & 0o001 for above in path.parents):
            yield f"Nobody but root can reach {path}: use an interpreter of the system, PYTHON=/usr/bin/python3, and"
            yield "a checkout where everybody can read it, such as /srv."
            return


def _board(room: Path, instructor: str) -> None:
    """Writes the board again and again, for the instructor alone."""
    page, scratch = room / instructor / "board.html", room / "hub" / "board.html"
    while True:
        scratch.write_text(board.to_html(board.lines(room), _SECONDS), encoding="utf-8")
        scratch.chmod(0o400)
        os.chown(scratch, (room / instructor).stat().st_uid, -1)
        scratch.replace(page)
        time.sleep(_SECONDS)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make room", description="A room on one machine.", allow_abbrev=False)
    parser.add_argument("--people", type=int, default=20, choices=range(1, 51), metavar="N", help="attendees (20)")
    parser.add_argument("--address", default="http://127.0.0.1:8000", help="where the hub listens (%(default)s)")
    parser.add_argument("--remove", action="store_true", help="remove the users, and keep what they wrote")
    return parser.parse_args()


def main() -> None:
    """Opens a room until it is interrupted."""
    if sys.argv[1:2] == ["board"]:
        with suppress(KeyboardInterrupt):  # the hub, and with it this, is interrupted
            _board(Path(sys.argv[2]), sys.argv[3])
        return
    options = _options()
    if faults := " ".join(_in_the_way()):
        sys.exit(faults)
    people = names(options.people)
    if options.remove:
        remove_people(people)
        print(f"The users are removed; what they wrote is in {_ROOM}.")
        return
    passwords = add_people(_ROOM, people)
    written = _ROOM / "hub" / "passwords.txt"
    written.write_text("".join(f"{name} {password}\n" for name, password in passwords.items()), encoding="ascii")
    print(f"{options.address}: {len(people) - 1} attendees and {people[0]}; their passwords are in {written}")
    hub = [sys.executable, "-P", "-m", "jupyterhub", "-f", str(_CONFIG)]
    try:
        subprocess.run(hub, cwd=_ROOM / "hub", env=environment(_ROOM, people, options.address), check=False)
    except KeyboardInterrupt:
        print("The room is closed; what everybody wrote is kept.")


if __name__ == "__main__":
    main()
