"""Tables in which some cells are wrong: said in words, and repeated by colour and weight."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from boundary_lab.popular import Answer

__all__ = ["Table"]

_WRONG = "background-color: #fde2d3; color: #6b2a00; font-weight: bold"
_STYLES = [
    {"selector": "", "props": "font-size: 12px"},
    {"selector": "caption", "props": "text-align: left; font-size: 14px"},
    {"selector": "th.row_heading", "props": "text-align: left; white-space: nowrap"},
    {"selector": "th.col_heading", "props": "text-align: left; max-width: 7em; overflow-wrap: anywhere"},
    {"selector": "td", "props": "text-align: left; padding: 2px 6px"},
]


class Table:
    """Row → column → answer, with the count of wrong answers below; the same as HTML and as text."""

    def __init__(self, caption: str, answers: Mapping[str, Mapping[str, Answer]]) -> None:
        self._caption = caption
        words = {row: {name: _words(cell) for name, cell in cells.items()} for row, cells in answers.items()}
        columns = next(iter(answers.values()))
        wrong = {name: sum(not cells[name].right for cells in answers.values()) for name in columns}
        self._frame = pd.DataFrame.from_dict({**words, "wrong answers": wrong}, orient="index").astype(str)

    def html(self) -> str:
        """The table for a browser; the same text every time."""
        styler = self._frame.style.map(lambda word: _WRONG if word.startswith("WRONG") else "")
        html: str = styler.set_caption(self._caption).set_table_styles(_STYLES).set_uuid("answers").to_html()
        return html

    def text(self) -> str:
        """The table for a reader who sees no HTML: each wrong answer in a line of its own."""
        lines = [
            f"{row}: {name}: {word}"
            for row, cells in self._frame.to_dict("index").items()
            for name, word in cells.items()
            if str(word).startswith("WRONG") or row == "wrong answers"
        ]
        return "\n".join([self._caption, *lines])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": self.html(), "text/plain": self.text()}


def _words(answer: Answer) -> str:
    return answer.does if answer.right else f"WRONG: {answer.does}"
