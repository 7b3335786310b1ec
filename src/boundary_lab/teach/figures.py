"""Pictures in one visual language: the boundary is a vertical line; an arrow crosses it or ends at it.

Left of the line stands, in a box, what is looked at there.
A picture is drawn from data and says the same twice: as SVG, and as text for a reader who sees none.
It brings its own light ground, so that it reads alike in a light theme, in a dark one and on paper.
What crosses has a solid line and an arrow, what is stopped a dashed line and a cross: colour only repeats it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any
from unicodedata import east_asian_width
from urllib.parse import quote
from xml.etree.ElementTree import Element, indent, tostring

from boundary_lab.teach.shown import View, scrolling

__all__ = ["Lane", "Picture"]

# Pixels, and colours of at least 7:1 contrast on white.
_MARGIN = 24
_GAP = 28
_WAY = 96  # from the box to what is behind the line
_TOP = 74
_ROW = 34
_NARROW, _CAPITAL, _WIDE = 8.2, 10.8, 15.5  # of a character, in a font that is wider than most
_INK = "#1b1f24"
_BLUE = "#0b4f8a"
_BROWN = "#7a3300"
_WIDEST = 'style="max-width: max(100%, 48em)"'  # on a narrow page it scrolls, and is not made too small to read
_SAFE = "/:;,=()' "  # in an address that is an attribute; what XML and addresses mean something by is quoted


def _element(tag: str, *children: Element, text: str | None = None, **attributes: Any) -> Element:
    element = Element(tag, {name.strip("_").replace("_", "-"): str(value) for name, value in attributes.items()})
    element.text = text
    element.extend(children)
    return element


def _pixels(text: str) -> float:
    return sum(map(_width, text))


def _width(character: str) -> float:
    if east_asian_width(character) in "WF":
        return _WIDE
    return _CAPITAL if character.isupper() else _NARROW


def _widest(texts: Iterable[str]) -> float:
    return max(map(_pixels, texts))


@dataclass(frozen=True, slots=True)
class Lane:
    """One thing on its way to the boundary.

    What it is, what of it the check looks at, whether it crosses, and what is seen of it behind the line.
    """

    what: str
    seen: str
    crosses: bool
    then: str


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where the box begins, where it ends, where the line is, and where what is behind it begins: x in pixels."""

    box: float
    box_end: float
    line: float
    behind: float


class Picture(View):
    """Lanes that meet one boundary, with a title, the names of its two sides and that of what the check looks at."""

    def __init__(
        self, title: str, left: str, right: str, lanes: Sequence[Lane], looks: str = "the check looks at"
    ) -> None:
        self.title = title
        self._sides = (left, looks, right)
        self._lanes = lanes

    def text(self) -> str:
        """The whole picture as text: the title, the names of the sides, and a line for each lane."""
        left, looks, right = self._sides
        rows = [(lane.what, f"[{lane.seen}]", lane.crosses, lane.then) for lane in self._lanes]
        first = max(len(left), *(len(row[0]) for row in rows))
        second = max(len(looks), *(len(row[1]) for row in rows))
        lines = [
            f"{what:<{first}}  {seen:<{second}}  {'───│──▶' if crosses else '─ ╳│   '}  {then}"
            for what, seen, crosses, then in rows
        ]
        return "\n".join([self.title, f"{left:<{first}}  {looks:<{second}}     │     {right}", *lines])

    def svg(self) -> str:
        """The whole picture as SVG, with a title and a description."""
        at, width = self._columns()
        height = _TOP + _ROW * len(self._lanes)
        left, looks, right = self._sides
        root = _element(
            "svg",
            _element("title", text=self.title),
            _element("desc", text=self.text()),
            _element("rect", width=round(width), height=height, rx=6, fill="#ffffff"),
            *(_heading(text, x) for text, x in ((left, _MARGIN), (looks, at.box), (right, at.behind))),
            _element("path", d=f"M{at.line},16 V{height - 16}", stroke=_INK, stroke_width=3),
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {round(width)} {height}",
            width=round(width),
            role="img",
            font_family="sans-serif",
            font_size=15,
        )
        for place, lane in enumerate(self._lanes):
            root.extend(_drawn(lane, at, _TOP + _ROW * place))
        indent(root)
        return tostring(root, encoding="unicode")

    def html(self) -> str:
        """The picture as an image, which an untrusted page shows too, and its text form to be opened below."""
        image = f'<img alt="{escape(self.title)}" {_WIDEST} src="data:image/svg+xml,{quote(self.svg(), safe=_SAFE)}">'
        return (
            f'<figure style="margin: 0">{scrolling(self.title, image)}'
            f"<details><summary>The picture as text</summary><pre>{escape(self.text())}</pre></details></figure>"
        )

    def _columns(self) -> tuple[_Columns, float]:
        left, looks, right = self._sides
        box = _MARGIN + _widest([left, *(lane.what for lane in self._lanes)]) + _GAP
        end = box + max(_pixels(looks) - 8, _widest(lane.seen for lane in self._lanes) + 8)
        behind = end + _WAY
        columns = _Columns(*(round(x) for x in (box, end, end + _WAY / 2, behind)))
        return columns, behind + _widest([right, *(lane.then for lane in self._lanes)]) + _MARGIN


def _heading(text: str, x: float) -> Element:
    return _element("text", text=text, x=x, y=38, font_weight="bold", fill=_INK)


def _drawn(lane: Lane, at: _Columns, y: int) -> Iterator[Element]:
    """A row of the picture with its middle at `y`."""
    ink = _BLUE if lane.crosses else _BROWN
    size: dict[str, Any] = {"width": at.box_end - at.box, "height": 26, "rx": 4}
    yield _element("text", text=lane.what, x=_MARGIN, y=y + 5, fill=_INK)
    yield _element("rect", x=at.box - 8, y=y - 13, **size, fill="none", stroke=_INK, stroke_width=1.5)
    yield _element("text", text=lane.seen, x=at.box, y=y + 5, fill=_INK)
    yield _element("text", text=lane.then, x=at.behind, y=y + 5, fill=ink)
    way: dict[str, Any] = {"stroke": ink, "stroke_width": 2.5}
    if lane.crosses:
        yield _element("path", d=f"M{at.box_end},{y} H{at.behind - 18}", **way)
        yield _element("path", d=f"M{at.behind - 8},{y} l-12,-6 v12 z", fill=ink)
    else:
        yield _element("path", d=f"M{at.box_end},{y} H{at.line - 18}", **way, stroke_dasharray="6 5")
        yield _element("path", d=f"M{at.line - 18},{y - 6} l12,12 m0,-12 l-12,12", **way)
