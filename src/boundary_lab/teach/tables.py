"""Tables in which some cells are wrong: said in words, and repeated by colour and weight."""

import re
from collections.abc import Mapping
from html import escape

import pandas as pd
from pandas.io.formats.style import Styler

from boundary_lab.popular import Answer
from boundary_lab.teach.shown import View, scrolling

__all__ = ["Answer", "Table"]

_WIDTH = 140  # characters; a wider table as text says only what is wrong
_WRONG = "background-color: #fde2d3; color: #6b2a00; font-weight: bold"
_STYLES = [
    {"selector": "", "props": "font-size: 12px; table-layout: auto"},
    {"selector": "caption", "props": "text-align: left; font-size: 14px; caption-side: top"},
    {"selector": "th.row_heading", "props": "text-align: left; white-space: nowrap"},
    {"selector": "th.col_heading", "props": "text-align: left; max-width: 9em; overflow-wrap: break-word"},
    {"selector": "td", "props": "text-align: left; padding: 2px 6px; max-width: 40em; overflow-wrap: break-word"},
]


class Table(View):
    """Row → column → words, or an answer that may be wrong; a wrong one begins with the word `wrong`.

    `last` is a row of sums below. Rows and columns stay in the order in which they are given.
    """

    def __init__(
        self,
        caption: str,
        rows: Mapping[str, Mapping[str, str | Answer]],
        last: Mapping[str, Mapping[str, str]] | None = None,
        wrong: str = "WRONG",
    ) -> None:
        self._caption = caption
        self._wrong = f"{wrong}: "
        words = {row: {name: self._words(cell) for name, cell in cells.items()} for row, cells in rows.items()}
        self._frame = pd.DataFrame.from_dict({**words, **(last or {})}, orient="index").fillna("").astype(str)
        self._last = set(last or {})

    @classmethod
    def counting(cls, caption: str, answers: Mapping[str, Mapping[str, Answer]]) -> "Table":
        """The answers with a count of the wrong ones below; the column with the most stands first."""
        names = next(iter(answers.values()))
        wrong = {name: sum(not cells[name].right for cells in answers.values()) for name in names}
        columns = sorted(names, key=lambda name: -wrong[name])
        rows = {row: {name: cells[name] for name in columns} for row, cells in answers.items()}
        return cls(caption, rows, {"wrong answers": {name: str(wrong[name]) for name in columns}})

    def _words(self, cell: str | Answer) -> str:
        if isinstance(cell, str):
            return cell
        return cell.does if cell.right else self._wrong + cell.does

    def html(self) -> str:
        """The table for a browser; the same text every time."""
        styler = Styler(self._frame, cell_ids=False).map(lambda word: _WRONG if word.startswith(self._wrong) else "")
        html: str = (
            styler.format(escape="html")
            .format_index(escape="html", axis=0)
            .format_index(escape="html", axis=1)
            .set_caption(escape(self._caption))
            .set_table_styles(_STYLES)
            .set_uuid(re.sub(r"\W+", "-", self._caption.lower())[:32])
            .to_html()
        )
        html = html.replace('<th class="blank level0" >&nbsp;</th>', "<td></td>")  # it is nobody's heading
        return scrolling(self._caption, html)

    def text(self) -> str:
        """The table for a reader who sees no HTML; a wide one as a line for each wrong answer, and the sums."""
        grid = self._grid()
        return "\n".join([self._caption, *(grid if max(map(len, grid)) <= _WIDTH else self._what_is_wrong())])

    def _grid(self) -> list[str]:
        cells = [["", *self._frame.columns], *([str(row), *words] for row, words in self._rows())]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        return [
            "  ".join(f"{word:<{width}}" for word, width in zip(row, widths, strict=True)).rstrip() for row in cells
        ]

    def _what_is_wrong(self) -> list[str]:
        return [
            f"{row}: {name}: {word}"
            for row, words in self._rows()
            for name, word in zip(self._frame.columns, words, strict=True)
            if word.startswith(self._wrong) or row in self._last
        ]

    def _rows(self) -> list[tuple[str, list[str]]]:
        return [(str(row), list(map(str, words))) for row, *words in self._frame.itertuples(name=None)]
