"""Every command on a reader's page runs, as it stands there, in a copy of the lab.

A row says how it is kept short, and what it says then; or which part of the build runs it.
"""

import os
import re
import signal

import pytest

from boundary_lab.nets import CHECKOUT
from rows import load, title
from shell import needs_make

pytestmark = needs_make

KIT = CHECKOUT / "notebooks" / "instructor"
# A larger room was not run here, and its page says so.
PAGES = [
    *(CHECKOUT / name for name in ("README.md", "CONTRIBUTING.md", "tests/bench/README.md")),
    *sorted((CHECKOUT / "docs").glob("*.md")),
    *(path for path in sorted(KIT.glob("*.md")) if path.name != "larger-room.md"),
]
ROWS = load("lab/commands.json")
RUN, ELSEWHERE = ([row for row in ROWS if ("run_by" in row) == elsewhere] for elsewhere in (False, True))
OFFLINE = re.compile(r"dns|connect|offline|resolve|Setting up failed", re.IGNORECASE)
COMMAND = re.compile(r"make|(?:make|boundary-lab|pip|python3?|pytest|\.) .+")


def commands(page):
    """Lines of its blocks for the shell, without comments, and commands in its sentences."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^ *```sh\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)
    lines = [re.sub(r"\s+#\s.*", "", line).strip() for block in blocks for line in block.splitlines()]
    spans = re.findall(r"`([^`]+)`", re.sub(r"^ *```.*?```", "", text, flags=re.MULTILINE | re.DOTALL))
    return {*filter(None, lines), *filter(COMMAND.fullmatch, spans)}


def test_every_command_of_a_page_has_a_row():
    on_pages = set().union(*map(commands, PAGES))
    assert on_pages == {command for row in ROWS for command in row["commands"]}


@pytest.mark.parametrize("case", RUN, ids=title)
def test_commands(lab, case):
    if "adds" in case and not os.environ.get("CI"):
        pytest.skip("on a build server only: it adds packages to the environment")
    more = case.get("more", "")
    script = [case.get("first", ""), *(f"{command} {more}" for command in case["commands"]), case.get("last", "")]
    (lab.home / "bin").mkdir()
    with lab.running("\n".join(script), **case.get("with", {})) as running:
        if "until" in case:
            ended = running.until(
                running.address if case["until"] == "address" else (lab.folder / case["until"]).exists
            )
            assert ended is None, running.said()
            assert case["until"] != "address" or running.answers()
            assert running.interrupt() in (0, -signal.SIGINT, 128 + signal.SIGINT)
            return
        status = running.until(lambda: False)
    said = "\n".join(running.lines())
    if status and "needs" in case and not os.environ.get("CI") and OFFLINE.search(said):
        pytest.skip("no package index within reach")
    assert status == case.get("status", 0), said
    assert re.search(case["says"], said), said


@pytest.mark.parametrize("case", ELSEWHERE, ids=lambda row: row["run_by"])
def test_what_the_build_runs(case):
    """Each is there as it stands, and no longer one in its place."""
    there = (CHECKOUT / case["run_by"]).read_text(encoding="utf-8")
    assert [command for command in case["commands"] if not re.search(rf"{re.escape(command)}(?![\w-])", there)] == []
