"""Lesson 6: a notebook of a few cells, put into a copy of the lab and replayed there by nbval."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import nbformat
from nbformat import v4

from boundary_lab.nets import LabCopy

__all__ = ["Cell", "replay"]


@dataclass(frozen=True, slots=True)
class Cell:
    """The source of a cell; the line that it printed when it was stored, if anything is stored; its tags."""

    source: str
    stored: str | None = None
    tags: Sequence[str] = ()

    def in_notebook(self, place: int) -> Any:
        """The cell in a notebook's form; without a stored line it looks as if it was never executed."""
        executed = self.stored is not None
        return v4.new_code_cell(
            self.source,
            execution_count=place if executed else None,
            outputs=[v4.new_output("stream", text=f"{self.stored}\n")] if executed else [],
            metadata={"tags": list(self.tags)},
        )


def replay(copy: LabCopy, cells: Mapping[str, Cell], *options: str) -> dict[str, str]:
    """What nbval says of each cell of one notebook, on the core of a copy: `green`, `red` or `crashed`."""
    placed = [cell.in_notebook(place) for place, cell in enumerate(cells.values(), start=1)]
    kernel = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(v4.new_notebook(cells=placed, metadata={"kernelspec": kernel}), copy.folder / "page.ipynb")
    run = copy.nbval("page.ipynb", options=options)
    said = dict.fromkeys(run.differ, "red") | dict.fromkeys(run.crashed, "crashed")
    return {name: said.get(f"page In [{place}]", "green") for place, name in enumerate(cells, start=1)}
