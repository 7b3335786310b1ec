"""Makes the exercise notebooks of the solutions: `python -m boundary_lab.teach.exercises.generate`.

A cell of a solution that has a `starter` in its metadata gets that for its source; one that is marked as `solution`
is left out. Everything else is the same, so that prose and checks are written once.
"""

from typing import Any

import nbformat

from boundary_lab.learn.copies import NOTEBOOKS
from boundary_lab.teach.notebooks import store

__all__ = ["exercise"]


def exercise(solution: Any) -> Any:
    """The exercise of a solution, not executed."""
    cells = [_untouched(cell) for cell in solution.cells if not cell.metadata.get("solution")]
    return nbformat.from_dict({**solution, "cells": cells})


def _untouched(cell: Any) -> Any:
    metadata = {key: value for key, value in cell.metadata.items() if key != "starter"}
    fresh = {**cell, "source": cell.metadata.get("starter", cell.source), "metadata": metadata}
    return nbformat.from_dict(fresh | ({"outputs": [], "execution_count": None} if cell.cell_type == "code" else {}))


def main() -> None:
    """Writes and runs the exercises of every lesson that has solutions."""
    for path in sorted((NOTEBOOKS / "solutions").glob("*.ipynb")):
        store(NOTEBOOKS / "exercises" / path.name, exercise(nbformat.read(path, as_version=4)))


if __name__ == "__main__":
    main()
