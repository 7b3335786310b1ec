"""What a reader sees: as HTML, and the same as text for whoever sees none.

Everything that comes from data is escaped. Nothing is said by colour alone.
"""

import re
from collections.abc import Sequence
from html import escape
from typing import Any, Protocol

__all__ = ["Live", "Passage", "Shown", "Stack", "View", "scrolling"]

_LIT = "background: #fff3c4; color: #1b1f24; border: 2px solid #7a3300; font-weight: bold; padding: 0 2px"


class Shown(Protocol):
    """What can be looked at in two ways."""

    def html(self) -> str:
        """For a browser."""

    def text(self) -> str:
        """The same, without a browser."""


class View:
    """Gives a notebook both forms; an unexecuted page shows the HTML where it is trusted or harmless, else the text."""

    def html(self) -> str:
        """For a browser."""
        raise NotImplementedError

    def text(self) -> str:
        """The same, without a browser."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {"text/html": self.html(), "text/plain": self.text()}


class Live(View):
    """A view that is a widget where its kernel runs, and both forms elsewhere."""

    widget: Any

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {**self.widget._repr_mimebundle_(), **super()._repr_mimebundle_()}


class Stack(View):
    """One thing below the other."""

    def __init__(self, *parts: Shown) -> None:
        self._parts = parts

    def html(self) -> str:
        """The parts, one below the other."""
        return "\n".join(part.html() for part in self._parts)

    def text(self) -> str:
        """The parts, an empty line between two."""
        return "\n\n".join(part.text() for part in self._parts)


def scrolling(label: str, html: str) -> str:
    """What may be wider than the page, in a part of it that scrolls, by the keyboard too."""
    return f'<div role="region" aria-label="{escape(label)}" tabindex="0" style="overflow-x: auto">{html}</div>'


class Passage(View):
    """Lines of text; each of the words in `lit` is marked wherever it occurs: by a frame, and as text by »«."""

    def __init__(self, *lines: str, lit: Sequence[str] = ()) -> None:
        self._lines = lines
        self._lit = re.compile(
            "|".join(f"({re.escape(word)})" for word in sorted(lit, key=len, reverse=True)) or r"\Z."
        )

    def html(self) -> str:
        """A paragraph for each line, with every lit word in a frame."""
        return "".join(f"<p>{self._marked_up(line)}</p>" for line in self._lines)

    def _marked_up(self, line: str) -> str:
        pieces = [escape(piece) for piece in self._pieces(line)]
        pieces[1::2] = [f'<mark style="{_LIT}">{piece}</mark>' for piece in pieces[1::2]]
        return "".join(pieces)

    def text(self) -> str:
        """The lines, with every lit word between »«."""
        return "\n".join(self._lit.sub(lambda found: f"»{found[0]}«", line) for line in self._lines)

    def _pieces(self, line: str) -> list[str]:
        """What is not lit and what is, in turns."""
        pieces, end = [], 0
        for found in self._lit.finditer(line):
            pieces += [line[end : found.start()], found[0]]
            end = found.end()
        return [*pieces, line[end:]]
