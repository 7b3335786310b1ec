"""From nothing, and again, to the first output of lesson 1 in a browser: by make, and by the three plain commands.

From nothing: an empty home, no cache, no environment. The packages come from the index that pip is set to.
"""

import pytest

from browser.conftest import chromium  # noqa: F401  a fixture
from browser.pages import MILLISECONDS
from rows import load
from shell import Copy, needs_make

pytestmark = needs_make

(PLAIN,) = (row["commands"] for row in load("lab/commands.json") if row.get("is") == "a newcomer without make")
WAYS = {
    "make": ("make lab", "make lab"),
    "pip": ("\n".join(PLAIN), PLAIN[-1]),
}
IDLE = '.jp-Notebook-ExecutionIndicator[data-status="idle"]'
# The one with stored output; what it showed is taken away, so that what comes is new.
SHOWS = ".jp-CodeCell:has(.jp-OutputArea-output)"
EMPTY = "cell => { cell.id = 'shows'; cell.querySelector('.jp-OutputArea-child').remove(); }"


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    return {way: Copy(tmp_path_factory.mktemp(way)) for way in WAYS}


def until_the_first_output(copy, script, browser):
    with copy.running(script, venv=None, PYTHONPATH="") as running:
        assert running.until(running.address) is None, running.said()
        page = browser.new_page()
        page.goto(running.address().replace("00_start_here", "01_tool_row_dropping"))
        page.locator(IDLE).wait_for(state="attached", timeout=MILLISECONDS)
        page.locator(SHOWS).first.evaluate(EMPTY)
        page.locator(".jp-CodeCell .cm-content").first.click()
        while not page.locator("#shows.jp-mod-active").count():  # from the imports to the cell that shows something
            page.keyboard.press("Shift+Enter")
        page.keyboard.press("Shift+Enter")
        page.locator("#shows .jp-OutputArea-output").first.wait_for(state="attached", timeout=MILLISECONDS)
        page.close()
        running.interrupt()


@pytest.mark.benchmark(group="to the first output of lesson 1")
@pytest.mark.parametrize("time", ["from nothing", "again"])
@pytest.mark.parametrize("way", WAYS)
def test_begin(benchmark, copies, chromium, way, time):  # noqa: F811
    script = WAYS[way][time == "again"]
    benchmark.pedantic(
        until_the_first_output, (copies[way], script, chromium), rounds=1 if time == "from nothing" else 3
    )
