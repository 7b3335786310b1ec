"""`make` as a person calls it: in a copy of the lab, with a home of its own and nothing from the `make` around it."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

import pytest

TAG = "{}.{}".format(*sys.version_info)
OURS = Path(sys.prefix)
# What would change what make, Jupyter or pytest does; a browser is opened nowhere.
FOREIGN = re.compile(
    r"MAKE|MFLAGS|GIT_|JUPYTER|IPYTHON|PYTEST|XDG_|(?:DISPLAY|WAYLAND_DISPLAY|BROWSER|CI|VENV|PYTHON|ARGS)\Z|.*proxy\Z",
    re.IGNORECASE,
)
SECONDS = 120
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)\S*")

needs_make = pytest.mark.skipif(
    sys.platform == "win32" or not shutil.which("make"),
    reason="make is not on this machine, or the system has no signals",
)


class Checkout:
    """A copy of the lab in which `make` works, and an empty home outside of it."""

    def __init__(self, folder, home):
        self.folder, self.home = folder, home

    def commit(self):
        """Makes a checkout of Git's out of it."""
        git = ["git", "-C", self.folder, "-c", "user.name=a", "-c", "user.email=a@example.org"]
        for words in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message=All"]):
            subprocess.run([*git, *words], check=True, capture_output=True)

    def environment(self, **more):
        """The lab that is imported is that of the copy."""
        own = {name: value for name, value in os.environ.items() if not FOREIGN.match(name)}
        return own | {"HOME": str(self.home), "PYTHONPATH": str(self.folder / "src")} | more

    def make(self, *arguments, **how):
        """Status, and the lines that were said."""
        with self.serving(*arguments, **how) as command:
            return command.process.wait(SECONDS), command.lines()

    @contextmanager
    def serving(self, *arguments, venv=OURS, python=sys.executable, **more):
        """What `make` starts, until the block has ended; `more` goes into its environment."""
        words = [*words_of(venv), f"PYTHON={python}", *arguments]
        served = Served(words, self.folder, self.home / "said", self.environment(**more))
        try:
            yield served
        finally:
            if served.process.poll() is None:
                os.killpg(served.process.pid, signal.SIGKILL)
                served.process.wait()


def words_of(venv):
    """A call of make; with an environment that is given nothing is set up, whatever is newer."""
    if venv is None:
        return ["make"]
    old = [f"--old-file={name}" for name in ("requirements.lock", "pyproject.toml", f"{venv}/ready")]
    return ["make", f"VENV={venv}", *old]


class Served:
    """What a server said, where it is, and how it ends."""

    def __init__(self, words, folder, log, env):
        self.log = log
        with log.open("wb") as said:
            self.process = subprocess.Popen(
                words, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True
            )

    def said(self):
        return self.log.read_text(encoding="utf-8")

    def ends_or_serves(self):
        """Its status, or that it has an address."""
        deadline = time.monotonic() + SECONDS
        while self.process.poll() is None and not ADDRESS.search(self.said()):
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.05)
        return self.process.poll()

    def answers(self):
        """Whether the first page is there, for whoever has the address."""
        with build_opener(ProxyHandler({})).open(ADDRESS.search(self.said())[0], timeout=SECONDS) as answer:
            return answer.status == 200

    def lines(self):
        """What was said before the address, and not by make itself."""
        said = re.split(r"^.*ServerApp\]", self.said(), maxsplit=1, flags=re.MULTILINE)[0]
        kept = [line for line in said.splitlines() if not line.startswith("make: ***")]
        return [re.sub(r"\AMakefile:\d+: \*\*\* (.*)\.  Stop\.\Z", r"\1", line) for line in kept]

    def interrupt(self):
        """As Ctrl-C does: everything that was started there is told. Gives the status."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(SECONDS)
