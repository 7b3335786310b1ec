"""The nbval run of all notebooks against executing the same notebooks with nothing compared, start-up included."""

import subprocess
import sys

import pytest

from boundary_lab.nets import CHECKOUT

EXECUTE = """
import sys
from pathlib import Path
import nbformat
from boundary_lab.teach.notebooks import execute
for path in sorted(Path(sys.argv[1]).glob("*.ipynb")):
    execute(nbformat.read(path, as_version=4), path.parent)
"""
COMMANDS = {
    "pytest --nbval": ["-m", "pytest", "notebooks"],
    "nbclient": ["-c", EXECUTE, "notebooks"],
}


@pytest.mark.benchmark(group=f"all {len(list((CHECKOUT / 'notebooks').glob('*.ipynb')))} notebooks")
@pytest.mark.parametrize("name", COMMANDS)
def test_notebooks(benchmark, name):
    command = [sys.executable, *COMMANDS[name]]
    benchmark.pedantic(
        lambda: subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True), rounds=5, warmup_rounds=1
    )
