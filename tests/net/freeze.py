"""Rewrites `fixtures/lab/notebooks.json` on purpose: how many outputs of each notebook are compared.

`make test` checks the file; only this writes it. Read the difference before you commit it.
"""

import json

from boundary_lab.fixtures import fixture
from boundary_lab.nets import CHECKOUT
from net.checks import compared_outputs, read

NOTEBOOKS = CHECKOUT / "notebooks"


def main():
    paths = [path for path in sorted(NOTEBOOKS.rglob("*.ipynb")) if ".ipynb_checkpoints" not in path.parts]
    counts = {path.relative_to(NOTEBOOKS).as_posix(): compared_outputs(read(path)) for path in paths}
    (fixture("lab") / "notebooks.json").write_text(json.dumps(counts, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
