"""Two nets over a copy of the lab: the rows of the unit tests, and nbval on a notebook.

- A copy holds all that a run needs, so that nothing of the checkout is touched, and nothing of it is read later.
- A failure counts only where something was compared and differed; a crash is told apart from it.
- A run goes on in a process of its own, which does not outlive the call.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from threading import Event
from xml.etree import ElementTree as ET

from boundary_lab.fixtures import ROOT
from boundary_lab.rejected import Rejected

__all__ = ["CHECKOUT", "LabCopy", "Run", "copy_of_the_lab"]

CHECKOUT = ROOT.parent
_NEEDED = (
    "src",
    "fixtures",
    "tests",
    "notebooks",
    "docs",
    "binder",
    "environment.yml",
    "requirements.lock",
    "pyproject.toml",
    "README.md",
)
_TOOLS = ("pytest", "nbval", "ipykernel")
# Of the core no bytecode may be older than a defect; the tests stay as they are.
_NO_CACHES = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
_SECONDS = 300  # for one run; nbval gives up a cell after 60
_POLL_SECONDS = 0.02
_ENDING_SECONDS = 10

# Only the plugin that a net needs is loaded: the others take as long as the rows.
_ROWS = ("tests", "--ignore=tests/net", "--ignore=tests/browser", "-m", "rows", "--continue-on-collection-errors")
_NO_OPTIONS = ("-o", "addopts=--import-mode=importlib")
_OF_PYTEST = re.compile(r"PYTEST_|(?:CI|BUILD_NUMBER)\Z")  # with the last two it prints longer differences
# What pytest says first of a row that differs, and nbval of a cell.
_DIFFERS = re.compile(r"\A(?:AssertionError\b|assert )|Cell outputs differ")
_COLOUR = re.compile(r"(?:\x1b|#x1B)\[[0-9;]*m")  # the second as XML spells the first


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """What one net said of one copy: how many cases passed, and by name what is said of the others.

    `differ`: something was compared and was not what was frozen; `crashed`: anything else.
    """

    passed: int
    differ: dict[str, str]
    crashed: dict[str, str]

    @property
    def green(self) -> bool:
        """Whether there was something to look at, and all of it passed."""
        return bool(self.passed) and not self.differ and not self.crashed


class LabCopy:
    """A folder with all that the nets need. Runs may go on side by side."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stopped = Event()

    def rows(self, *, sdk: bool = True) -> Run:
        """The rows of the unit tests alone, on the core of this copy; those on an SDK take as long as the others."""
        return self._pytest(*_ROWS, *(() if sdk else ("--ignore=tests/sdk",)), *_NO_OPTIONS)

    def nbval(self, *notebooks: str | Path, options: Sequence[str] = ()) -> Run:
        """Notebooks of this copy (all, if none is named) under nbval, each in one kernel, on the core of the copy."""
        return self._pytest("-p", "nbval.plugin", *(notebooks or ("notebooks",)), *options)

    def stop(self) -> None:
        """Ends what runs here in other threads, and every later run at its start."""
        self._stopped.set()

    def _pytest(self, *arguments: str | Path) -> Run:
        report = self.folder / f"report-{token_hex(8)}.xml"
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--junitxml={report}", *arguments]
        with subprocess.Popen(  # noqa: S603  this interpreter, and paths of the copy
            command,
            cwd=self.folder,
            env=_environment(self.folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # an interrupt reaches it through us alone
        ) as process:
            try:
                self._wait(process)
            finally:
                _end(process)
        return _read(report)

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + _SECONDS
        while process.poll() is None and time.monotonic() < deadline and not self._stopped.wait(_POLL_SECONDS):
            pass


@contextmanager
def copy_of_the_lab() -> Iterator[LabCopy]:
    """A temporary copy of this checkout; `NETS_UNAVAILABLE` outside of one, or without pytest, nbval and ipykernel."""
    if not all((CHECKOUT / name).exists() for name in _NEEDED) or not all(map(find_spec, _TOOLS)):
        raise Rejected("NETS_UNAVAILABLE")
    with TemporaryDirectory(prefix="boundary-lab-") as folder:
        for name in _NEEDED:
            _copy(CHECKOUT / name, Path(folder, name))
        yield LabCopy(Path(folder).resolve())


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=None if source.name == "tests" else _NO_CACHES)
    else:
        shutil.copy(source, target)


def _environment(copy: Path) -> dict[str, str]:
    """This process's, less what would change pytest's ways; the copy's core wins over an installed one."""
    own = {name: value for name, value in os.environ.items() if not _OF_PYTEST.match(name)}
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return own | alone | {"PYTHONPATH": str(copy / "src")}


def _end(process: subprocess.Popen[bytes]) -> None:
    """Lets pytest shut its kernel down; a kernel that is left without it ends by itself."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGINT)
        try:
            process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()


def _read(report: Path) -> Run:
    if not report.exists():
        return Run(passed=0, differ={}, crashed={"pytest": "it did not run to its end"})
    passed = 0
    differ: dict[str, str] = {}
    crashed: dict[str, str] = {}
    for case in ET.parse(report).iter("testcase"):  # noqa: S314  written by our own run
        said = [child for child in case if child.tag in ("failure", "error")]
        if not said:
            passed += not len(case)  # a skipped case has a child as well
            continue
        message = said[0].get("message", "")
        differs = said[0].tag == "failure" and _DIFFERS.search(message)
        (differ if differs else crashed)[_name(case)] = _COLOUR.sub("", said[0].text or message)
    return Run(passed=passed, differ=differ, crashed=crashed)


def _name(case: ET.Element) -> str:
    """`module::test[row]`, or `notebook In [n]` as the reader of the notebook counts."""
    where = case.get("classname", "").removesuffix(".ipynb").rpartition(".")[2]
    cell = re.fullmatch(r"Cell (\d+)", case.get("name", ""))
    return f"{where} In [{int(cell[1]) + 1}]" if cell else f"{where}::{case.get('name')}"
