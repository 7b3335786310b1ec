"""What the page shows is what happens: its examples run, and print what stands below them."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from boundary_lab.fixtures import fixture

README = (fixture(".").parent / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```(python|sh)\n([^`]*)```\n\n```text\n([^`]*)```", README)
RUN = {"python": [sys.executable, "-c"], "sh": ["sh", "-e", "-c"]}


@pytest.mark.parametrize(("language", "code", "printed"), EXAMPLES, ids=["own contract", "own release"])
def test_example(language, code, printed, tmp_path):
    shutil.copytree(fixture("lab"), tmp_path / "fixtures" / "lab")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [*RUN[language], code],
        cwd=tmp_path,
        env=os.environ | {"PATH": path},
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.decode() == printed
    assert len([line for line in code.splitlines() if line]) <= 10


def test_every_linked_file_is_there():
    for link in re.findall(r"\]\(([^)]+)\)", README):
        assert (fixture(".").parent / link).exists()
