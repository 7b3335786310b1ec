"""A reader's own progress in a notebook: the table of `boundary-lab progress`, and a button that reads it again."""

from html import escape
from pathlib import Path

import ipywidgets as widgets

from boundary_lab.learn import board, progress
from boundary_lab.rejected import Rejected, in_words
from boundary_lab.teach.shown import Live

__all__ = ["Mine"]

_NONE = "This page is not one of your own copies, so nothing is noted. Make some with: boundary-lab start"


class Mine(Live):
    """What is noted where the notebook lies."""

    def __init__(self) -> None:
        self._said = widgets.HTML()
        self._again = widgets.Button(description="Look again", tooltip="Read your progress again.")
        self._again.on_click(self._renew)
        self.widget = widgets.VBox([self._said, self._again])
        self._renew()

    def _renew(self, _: object = None) -> None:
        self._said.value = self.html()

    def html(self) -> str:
        """The lines as they are."""
        return f"<pre>{escape(self.text())}</pre>"

    def text(self) -> str:
        """A line for each exercise; or that there is nothing, or what is wrong with it."""
        path = progress.find(Path.cwd())
        if path is None:
            return _NONE
        try:
            return board.own(progress.read(path))
        except Rejected as refusal:
            return in_words(refusal.code)
