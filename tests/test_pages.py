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

README, AUDIT, NOTES, PICTURES = (
    (CHECKOUT / name).read_text(encoding="utf-8")
    for name in ("README.md", "docs/audit.md", "docs/release-notes.md", "notebooks/pictures/README.md")
)
PAGES = [
    *CHECKOUT.glob("*.md"),
    *CHECKOUT.glob("docs/*.md"),
    *CHECKOUT.glob("[nt]*/*/*.md"),
    CHECKOUT / "fixtures/README.md",
]
LESSONS = sorted((CHECKOUT / "notebooks").glob("0[1-9]_*.ipynb"))
EXAMPLES = re.findall(r"```(python|sh)\n([^`]*)```\n\n```text\n([^`]*)```", README + NOTES)
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


FILES = dict(re.findall(r"```python\n# (\w+\.py)\n([^`]*)```", AUDIT))


def test_audited_application(tmp_path):
    """It fails as the page says, and passes with the repair of the page."""
    for name, code in FILES.items():
        (tmp_path / name).write_text(code, encoding="utf-8")
    failed, said = audited(tmp_path)
    assert failed == 1
    (shown,) = (text for text in re.findall(r"```text\n([^`]*)```", AUDIT) if "was reached by" in text)
    assert shown in said
    test = FILES["test_app.py"].replace('plant("address"))', 'plant("address"), input_filter=repair)')
    (tmp_path / "test_app.py").write_text(f"from repair import repair\n{test}", encoding="utf-8")
    assert audited(tmp_path)[0] == 0


def audited(folder):
    """Exit status and failure of pytest there, without the margin that pytest puts before its lines."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_app.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)
    return done.returncode, re.sub(r"^E +(?:AssertionError: )?", "", done.stdout, flags=re.MULTILINE)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_picture(lesson):
    """The stored drawing, and both forms on the page, are those of the lesson."""
    (cell,) = (cell for cell in read(lesson).cells if cell.id == "picture")
    drawing = (lesson.parent / "pictures" / f"{lesson.stem}.svg").read_text("utf-8")
    assert f"data:image/svg+xml,{drawing}" in unquote(cell.outputs[0].data["text/html"])
    text = cell.outputs[0].data["text/plain"]
    assert f": {text.splitlines()[0]}]({lesson.stem}.svg)\n\n```text\n{text}\n```" in PICTURES


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_is_on_both_maps(lesson):
    (title,) = re.findall(r"\A# Lesson (\d · [^\n]*)", read(lesson).cells[0].source)
    (start,) = (cell.source for cell in read(lesson.with_name("00_start_here.ipynb")).cells if cell.id == "map")
    assert f"| [{title}](notebooks/{lesson.name}) |" in README
    assert f"| [{title}]({lesson.name}) |" in start


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(CHECKOUT).as_posix())
def test_every_link_leads_somewhere(page):
    """To a file, or to a heading of the page itself."""
    text = page.read_text(encoding="utf-8")
    headings = {"#" + heading.lower().replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}
    links = re.findall(r"\]\((?!https:)([^)]+)\)", text)
    assert [link for link in links if link not in headings and not (page.parent / link).exists()] == []
