"""What a reader is told, in one plain line each, when something stands in the way of `make lab`.

The rows say the lines; here is only how each comes about: what `make` is called with.
"""

import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from tempfile import gettempdir

import pytest

from boundary_lab.learn.copies import NOTEBOOKS
from disks import read_only, small_disk
from rows import load, title
from shell import OURS, TAG, needs_make

pytestmark = needs_make

FIRST = "01_tool_row_dropping.ipynb"
NOWHERE = dict.fromkeys(("HTTPS_PROXY", "http_proxy"), "http://127.0.0.1:9")
WITHOUT_KERNEL = """
import sys
class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "ipykernel":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Gone())
"""


@contextmanager
def well(_):
    yield {}


@contextmanager
def taken(_):
    """Somebody listens where Jupyter would; if that is another lab on this machine, just as well."""
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):
            other.bind(("127.0.0.1", 8888))
            other.listen()
        yield {}


@contextmanager
def edited(lab):
    lab.commit()
    (lab.folder / "notebooks" / FIRST).write_text("mine", encoding="utf-8")
    yield {}


@contextmanager
def without_kernel(lab):
    """An environment that has everything of this one but the kernel."""
    venv = lab.home / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    (site,) = venv.glob("lib/python*/site-packages")
    packages = [path for path in sys.path if path.endswith("site-packages")]
    (site / "here.pth").write_text("\n".join([*packages, "import without_kernel\n"]), encoding="utf-8")
    (site / "without_kernel.py").write_text(WITHOUT_KERNEL, encoding="utf-8")
    yield {"venv": venv}


@contextmanager
def frozen(lab, venv=OURS):
    with read_only(lab.folder):
        yield {"venv": venv}


@contextmanager
def full_home(lab):
    with small_disk(lab.home / "disk", 0) as disk:
        yield {"HOME": str(disk)}


@contextmanager
def cut_off(_, venv=OURS):
    yield {"venv": venv, **NOWHERE}


@contextmanager
def other_python(lab, script):
    """A script in the place of Python; `$real` is this one."""
    python = lab.home / "python"
    python.write_text(f"#!/bin/sh\nreal={sys.executable}\n{script}\n", encoding="utf-8")
    python.chmod(0o755)
    yield {"venv": None, "python": python}


COMES_ABOUT = {
    "all is well": well,
    "a port in use": taken,
    "a port in use that was asked for": taken,
    "a changed notebook": edited,
    "a missing kernel": without_kernel,
    "a read-only checkout": frozen,
    "a read-only checkout without an environment": lambda lab: frozen(lab, venv=None),
    "a home without space": full_home,
    "a proxy that points nowhere": lambda lab: cut_off(lab, venv=None),
    "a proxy that points nowhere, and nothing to set up": cut_off,
    "a Python without venv": lambda lab: other_python(lab, 'case $2 in venv) exit 1;; esac; exec $real "$@"'),
    "a Python that is too old": lambda lab: other_python(lab, "echo"),
    "a Python that is not there": lambda lab: other_python(lab, "exit 127"),
}


TAKEN = "Port 8888 is in use, perhaps by another lab; this one is on @port."


def as_in_the_row(running, lab, says):
    """The lines, without what differs from one machine or run to the next; another lab may be open here."""
    lines = [_line(said, lab.home) for said in running.lines()]
    return lines if TAKEN in says else [line for line in lines if line != TAKEN]


def _line(said, home):
    said = said.replace(str(home), "@home")
    said = re.sub(re.escape(gettempdir()) + r"/boundary-lab-\w+", "@folder", said)
    return re.sub(r"this one is on \d+", "this one is on @port", said).replace(f".venv/{TAG}", ".venv/@tag")


@pytest.mark.parametrize("case", load("lab/recovery.json"), ids=title)
def test_one_line(lab, case):
    with COMES_ABOUT[case["is"]](lab) as how, lab.running(f"make lab {case['asks']}", **how) as running:
        ended = running.until(running.address)
        assert (ended or 0) == case.get("status", 0)
        if ended is None:
            assert running.answers()
            assert running.interrupt() in (0, -signal.SIGINT, 128 + signal.SIGINT)
    assert as_in_the_row(running, lab, case["says"]) == case["says"]


def test_a_half_made_environment_is_made_anew(lab):
    """From nothing, that is, but for what was left behind; the second time there is nothing to say."""
    left = lab.folder / ".venv" / TAG
    (left / "bin").mkdir(parents=True)
    (left / "bin" / "python").symlink_to("/nonexistent/python")
    (left / "ready").touch()
    for said in (["Setting up .venv/@tag …"], []):
        with lab.running("make lab", venv=None, PYTHONPATH="") as running:
            ended = running.until(running.address)
            if ended and "Setting up failed" in running.said() and not os.environ.get("CI"):
                pytest.skip("no package index within reach")
            assert ended is None, running.said()
            assert running.answers()
            running.interrupt()
        assert as_in_the_row(running, lab, said) == said


KEPT = ["work/01_tool_row_dropping.kept-1.ipynb", "work/01_tool_row_dropping.kept-2.ipynb"]
FRESH = "the notebooks are as they were"


def test_reset_keeps_what_was_changed(lab):
    """In the lab's own notebooks and in the copies; a second time there is nothing to keep."""
    lab.commit()
    assert lab.run("make reset") == (0, [FRESH])
    for folder in ("notebooks", "work"):
        (lab.folder / folder / FIRST).write_text(f"mine in {folder}", encoding="utf-8")
    (lab.folder / "notebooks" / "exercises" / FIRST).unlink()
    assert lab.run("make reset") == (0, [*(f"kept as {name}" for name in KEPT), FRESH])
    assert [(lab.folder / name).read_text("utf-8") for name in KEPT] == ["mine in notebooks", "mine in work"]
    for name in (FIRST, f"exercises/{FIRST}"):
        for folder in ("notebooks", "work"):
            assert (lab.folder / folder / name).read_bytes() == (NOTEBOOKS / name).read_bytes()
    assert lab.run("make reset") == (0, [FRESH])


def test_reset_where_git_knows_nothing(lab):
    (lab.folder / "notebooks" / FIRST).write_text("mine", encoding="utf-8")
    status, (said,) = lab.run("make reset")
    assert status == 2
    assert said.startswith("Your copies are fresh. What the lab's own notebooks were only Git knows")
    assert (lab.folder / "notebooks" / FIRST).read_text("utf-8") == "mine"
