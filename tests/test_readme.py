"""What the page shows is what happens: its Python runs, and prints what stands below it."""

import re
import subprocess
import sys

from boundary_lab.fixtures import fixture

README = (fixture(".").parent / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL)


def test_examples(tmp_path):
    assert len(EXAMPLES) == README.count("```python")
    for code, printed in EXAMPLES:
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
        )
        assert done.stdout == printed
        assert len([line for line in code.splitlines() if line]) <= 10


def test_every_linked_file_is_there():
    for link in re.findall(r"\]\(([^)]+)\)", README):
        assert (fixture(".").parent / link).exists()
