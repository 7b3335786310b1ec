"""The nbval run of the notebooks against executing the same ones with nothing compared, start-up included.

Lesson 6 is left out: it spends its time in suites of its own.
"""

import subprocess
import sys

import pytest

from boundary_lab.nets import CHECKOUT

EXECUTE = """
import sys
from pathlib import Path
import nbformat
from boundary_lab.teach.notebooks import execute
for path in map(Path, sys.argv[1:]):
    execute(nbformat.read(path, as_version=4), path.parent)
"""
NOTEBOOKS = sorted((CHECKOUT / "notebooks").glob("0[0-5]_*.ipynb"))
COMMANDS = {"pytest --nbval": ["-m", "pytest"], "nbclient": ["-c", EXECUTE]}


@pytest.mark.benchmark(group=f"{len(NOTEBOOKS)} notebooks")
@pytest.mark.parametrize("name", COMMANDS)
def test_notebooks(benchmark, name):
    command = [sys.executable, *COMMANDS[name], *NOTEBOOKS]
    benchmark.pedantic(
        lambda: subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True), rounds=5, warmup_rounds=1
    )
