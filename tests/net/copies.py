"""Copies of the core and the notebooks in a temporary folder, and nbval run on them as in the suite."""

import os
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

from boundary_lab.fixtures import fixture

ROOT = fixture(".").parent
NOTEBOOKS = ROOT / "notebooks"
_NO_CACHES = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")


def copy_core(folder):
    """`src` and `fixtures` side by side; `src` goes on PYTHONPATH and wins over an installed core."""
    for name in ("src", "fixtures"):
        shutil.copytree(ROOT / name, folder / name, ignore=_NO_CACHES)
    return folder


@dataclass
class Run:
    """What nbval said of one notebook: cells by verdict, and the text of what failed."""

    cells: Counter = field(default_factory=Counter)
    text: str = ""


def nbval(folder, core=None):
    """Every notebook of a folder in one process under the suite's own settings: file name → `Run`.

    The core is the installed one, or a copy of it.
    """
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"} | ({"PYTHONPATH": str(core / "src")} if core else {})
    report = folder / "report.xml"
    options = ["-c", ROOT / "pyproject.toml", "--rootdir", folder, "-p", "no:cacheprovider", f"--junitxml={report}"]
    subprocess.run(
        [sys.executable, "-m", "pytest", *options, folder],
        env=environment, cwd=folder, capture_output=True, check=False, timeout=300,
    )  # fmt: skip
    runs = defaultdict(Run)
    for case in ET.parse(report).iter("testcase"):  # noqa: S314  our own report
        run = runs[Path(case.attrib["classname"]).name]
        run.cells["passed" if len(case) == 0 else case[0].tag] += 1
        run.text += "".join(child.text or "" for child in case)
    return runs
