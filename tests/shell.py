"""A copy of the lab in which commands run as a person types them, with nothing from the `make` around the tests."""

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

from boundary_lab.nets import CHECKOUT

TAG = "{}.{}".format(*sys.version_info)
OURS = Path(sys.prefix)
SECONDS = 300
NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv", "build", "dist", "work", "my-*", "__pycache__", ".ipynb_checkpoints", ".*_cache", ".hypothesis"
)
# What would change what make, Jupyter or pytest does; no browser is opened.
FOREIGN = re.compile(
    r"MAKE|MFLAGS|GIT_|JUPYTER|IPYTHON|PYTEST|XDG_|VIRTUAL_ENV|.*proxy\Z"
    r"|(?:DISPLAY|WAYLAND_DISPLAY|BROWSER|CI|VENV|PYTHON|ARGS|TARGET|SECONDS)\Z",
    re.IGNORECASE,
)
ADDRESS = re.compile(r"http://(?:127\.0\.0\.1|localhost):\d+/\S*")

needs_make = pytest.mark.skipif(
    sys.platform == "win32" or not shutil.which("make"), reason="there is no make, or a system without signals"
)


def make_with(venv, python):
    """What `make` does in a script; in an environment that is given nothing is set up, whatever is newer."""
    old = " ".join(f"--old-file={name}" for name in ("requirements.lock", "pyproject.toml", f"{venv}/ready"))
    given = "" if venv is None else f"VENV={venv} {old}"
    return f'make() {{ command make PYTHON={python} {given} "$@"; }}\n'


def surroundings():
    """This process's environment, without what is foreign to a person's."""
    return {name: value for name, value in os.environ.items() if not FOREIGN.match(name)}


class Copy:
    """A folder with all of the lab, and an empty home outside of it."""

    def __init__(self, place):
        self.home = place / "home"
        self.folder = place / "lab"
        self.home.mkdir()
        shutil.copytree(CHECKOUT, self.folder, ignore=NOT_COPIED)

    def commit(self):
        """Makes a checkout of Git's out of it."""
        git = ["git", "-C", self.folder, "-c", "user.name=a", "-c", "user.email=a@example.org"]
        for words in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message=All"]):
            subprocess.run([*git, *words], check=True, capture_output=True)

    def environment(self, **more):
        """The lab that is imported is that of the copy, and its command is at hand."""
        path = os.pathsep.join([str(self.home / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])
        return surroundings() | {"HOME": str(self.home), "PATH": path, "PYTHONPATH": str(self.folder / "src")} | more

    @contextmanager
    def running(self, script, venv=OURS, python=sys.executable, **more):
        """What a shell does with a script, until the block has ended; `more` goes into its environment."""
        running = Running(make_with(venv, python) + script, self.folder, self.home / "said", self.environment(**more))
        try:
            yield running
        finally:
            running.kill()

    def run(self, script, **how):
        """Status, and the lines that were said."""
        with self.running(script, **how) as running:
            return running.process.wait(SECONDS), running.lines()


class Running:
    """What was said, whether there is a server and where, and how it ends."""

    def __init__(self, script, folder, log, env):
        self.log = log
        with log.open("wb") as said:
            self.process = subprocess.Popen(
                ["sh", "-ec", script], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                start_new_session=True,
            )  # fmt: skip

    def said(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def lines(self):
        """What was said before an address, without what make adds."""
        said = re.split(r"^.*ServerApp\]", self.said(), maxsplit=1, flags=re.MULTILINE)[0]
        kept = [line for line in said.splitlines() if not line.startswith("make: ***")]
        return [re.sub(r"\AMakefile:\d+: \*\*\* (.*)\.  Stop\.\Z", r"\1", line) for line in kept]

    def until(self, there):
        """Its status, or `None` as soon as what is waited for is there."""
        deadline = time.monotonic() + SECONDS
        while not (found := there()) and self.process.poll() is None:
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.05)
        return None if found else self.process.wait()

    def address(self):
        found = ADDRESS.search(self.said())
        return found and found[0]

    def answers(self):
        """Whether the first page is there, for whoever has the address."""
        with build_opener(ProxyHandler({})).open(self.address(), timeout=SECONDS) as answer:
            return answer.status == 200

    def interrupt(self):
        """As Ctrl-C does: everything that was started there is told. Gives the status."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(SECONDS)

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
