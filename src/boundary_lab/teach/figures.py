"""Pictures in one visual language: the boundary is a vertical line; an arrow crosses it or ends at it.

A picture is drawn from data and says the same twice: as SVG, and as text for a reader who sees none.
It brings its own light ground, so that it reads alike in a light theme, in a dark one and on paper.
What crosses has a solid line and an arrow, what is stopped a dashed line and a cross: colour only repeats it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, indent, tostring

__all__ = ["Lane", "Picture"]

# Pixels, and colours of at least 7:1 contrast on white.
_WIDTH = 820
_LINE = 410
_TOP = 74
_ROW = 34
_INK = "#1b1f24"
_BLUE = "#0b4f8a"
_BROWN = "#7a3300"


def _element(tag: str, *children: Element, text: str | None = None, **attributes: object) -> Element:
    element = Element(tag, {name.strip("_").replace("_", "-"): str(value) for name, value in attributes.items()})
    element.text = text
    element.extend(children)
    return element


@dataclass(frozen=True, slots=True)
class Lane:
    """One thing on its way to the boundary: what it is, whether it crosses, and what is seen of it there."""

    what: str
    crosses: bool
    then: str

    def text(self, width: int) -> str:
        """One line, what it is padded to `width` characters."""
        return f"{self.what:<{width}}  {'───│──▶' if self.crosses else '─ ╳│   '}  {self.then}"

    def elements(self, y: int) -> Iterator[Element]:
        """A row of the picture with its middle at `y`."""
        ink = _BLUE if self.crosses else _BROWN
        yield _element("text", text=self.what, x=_LINE - 66, y=y + 5, text_anchor="end", fill=_INK)
        yield _element("text", text=self.then, x=_LINE + 48, y=y + 5, fill=ink)
        if self.crosses:
            yield _element("path", d=f"M{_LINE - 58},{y} H{_LINE + 28}", stroke=ink, stroke_width=2.5)
            yield _element("path", d=f"M{_LINE + 38},{y} l-12,-6 v12 z", fill=ink)
        else:
            yield _element(
                "path", d=f"M{_LINE - 58},{y} H{_LINE - 20}", stroke=ink, stroke_width=2.5, stroke_dasharray="6 5"
            )
            yield _element("path", d=f"M{_LINE - 20},{y - 6} l12,12 m0,-12 l-12,12", stroke=ink, stroke_width=2.5)


@dataclass(frozen=True, slots=True)
class Picture:
    """Lanes that meet one boundary, with a title and the names of its two sides."""

    title: str
    left: str
    right: str
    lanes: Sequence[Lane]

    def text(self) -> str:
        """The whole picture as text, a line for the title and one for each lane."""
        width = max(len(lane.what) for lane in self.lanes)
        return "\n".join([self.title, *(lane.text(width) for lane in self.lanes)])

    def svg(self) -> str:
        """The whole picture as SVG, with a title and a description."""
        height = _TOP + _ROW * len(self.lanes)
        heading: dict[str, Any] = {"y": 38, "font_weight": "bold", "fill": _INK}
        root = _element(
            "svg",
            _element("title", text=self.title),
            _element("desc", text=self.text()),
            _element("rect", width=_WIDTH, height=height, rx=6, fill="#ffffff"),
            _element("text", text=self.left, x=_LINE - 66, text_anchor="end", **heading),
            _element("text", text=self.right, x=_LINE + 48, **heading),
            _element("path", d=f"M{_LINE},16 V{height - 16}", stroke=_INK, stroke_width=3),
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {_WIDTH} {height}",
            width=_WIDTH,
            role="img",
            font_family="sans-serif",
            font_size=15,
        )
        for place, lane in enumerate(self.lanes):
            root.extend(lane.elements(_TOP + _ROW * place))
        indent(root)
        return tostring(root, encoding="unicode")

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"image/svg+xml": self.svg(), "text/plain": self.text()}
