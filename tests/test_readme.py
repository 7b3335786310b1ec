"""What the page shows is what happens: its examples run, and print what stands below them."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

from boundary_lab.fixtures import fixture
from boundary_lab.nets import CHECKOUT
from net.checks import read

README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
LESSONS = sorted((CHECKOUT / "notebooks").glob("0[1-9]_*.ipynb"))
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


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_picture(lesson):
    """The stored drawing, and both forms on the page, are those of the lesson."""
    (cell,) = (cell for cell in read(lesson).cells if cell.id == "picture")
    drawing = (lesson.parent / "pictures" / f"{lesson.stem}.svg").read_text("utf-8")
    assert f"data:image/svg+xml,{drawing}" in unquote(cell.outputs[0].data["text/html"])
    text = cell.outputs[0].data["text/plain"]
    assert f"```text\n{text}\n```" in README
    assert f": {text.splitlines()[0]}](notebooks/pictures/{lesson.stem}.svg)" in README


def test_every_linked_file_is_there():
    for link in re.findall(r"\]\(([^)]+)\)", README):
        assert (CHECKOUT / link).exists()
