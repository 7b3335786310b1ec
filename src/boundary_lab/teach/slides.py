"""Slides out of the lessons: `python -m boundary_lab.teach.slides [FOLDER]`, by default `build/slides`.

The metadata of a lesson's cells says what stands on a slide and what its speaker sees as a note; there is no second
text. A deck asks no other machine for anything: reveal.js, out of the package sphinx-revealjs, is copied beside it.
"""

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from nbconvert.exporters import SlidesExporter

from boundary_lab.learn.copies import NOTEBOOKS
from boundary_lab.teach.lab import JUPYTER

__all__ = ["deck", "main"]

_REVEAL = "reveal"
_PARTS = ("dist", "plugin/notes")


def deck(lesson: Path) -> str:
    """The page of a lesson's slides, which wants the folder `reveal` beside it."""
    exporter = SlidesExporter(
        template_name="deck",
        extra_template_basedirs=[str(JUPYTER / "nbconvert" / "templates")],
        reveal_url_prefix=_REVEAL,
        reveal_theme="white",  # its fonts lie beside it
    )
    page, _ = exporter.from_filename(str(lesson))
    return str(page)


def _reveal() -> Path:
    """The files of reveal.js in the package that brings them; the package itself is not imported."""
    found = find_spec("sphinx_revealjs")
    if found is None or found.origin is None:
        sys.exit("The package sphinx-revealjs is missing. Run: make clean, then make slides.")
    return Path(found.origin).parent / "_static" / "revealjs"


def main(folder: str = "build/slides") -> None:
    """Writes a deck for each lesson, and says where they are."""
    made = Path(folder)
    for part in _PARTS:
        shutil.copytree(_reveal() / part, made / _REVEAL / part, dirs_exist_ok=True)
    for lesson in sorted(NOTEBOOKS.glob("0[1-9]_*.ipynb")):
        (made / f"{lesson.stem}.html").write_text(deck(lesson), encoding="utf-8")
    print(f"{made}: a deck for each lesson; open one in a browser, and press S for the speaker's notes")


if __name__ == "__main__":
    main(*sys.argv[1:])
