"""The question before the run: the reader commits to an answer, and the run is held against it.

A page runs without an answer too. What was answered stays in the widget, and nowhere else.
"""

from collections.abc import Sequence
from html import escape

import ipywidgets as widgets

from boundary_lab.teach.keys import Keys
from boundary_lab.teach.shown import Live

__all__ = ["Prediction"]


class Prediction(Live):
    """A question with the answers to choose from."""

    def __init__(self, question: str, answers: Sequence[str]) -> None:
        self._question = question
        self.choice = widgets.RadioButtons(
            options=list(answers),
            value=None,
            description="Your answer",
            tooltip=question,
            layout=widgets.Layout(width="auto"),
            style={"description_width": "6em"},
        )
        self.widget = widgets.VBox([widgets.HTML(f"<b>{escape(question)}</b>"), self.choice, Keys()])

    @property
    def answer(self) -> str | None:
        """What the reader chose, if anything yet."""
        chosen: str | None = self.choice.value
        return chosen

    def compare(self, run: str) -> "Comparison":
        """The answer beside that of the run, one of the answers to choose from; it follows a later change of mind."""
        if run not in self.choice.options:
            raise ValueError(f"the run says {run!r}, which nobody could answer")  # noqa: EM102  a fault of the lesson
        return Comparison(self, run)

    def html(self) -> str:
        """The question and its answers where no widget is shown."""
        answers = "".join(f"<li>{escape(answer)}</li>" for answer in self.choice.options)
        return f"<p><b>{escape(self._question)}</b></p><ul>{answers}</ul>"

    def text(self) -> str:
        """The question and its answers where nothing but text is shown."""
        return "\n".join([self._question, *(f"( ) {answer}" for answer in self.choice.options)])


class Comparison(Live):
    """A prediction beside what the run said."""

    def __init__(self, prediction: Prediction, run: str) -> None:
        self._prediction, self._run = prediction, run
        self.widget = widgets.HTML()
        prediction.choice.observe(self._renew, "value")
        self._renew()

    def _renew(self, _: object = None) -> None:
        self.widget.value = self.html()

    def html(self) -> str:
        """The comparison as a line."""
        return f"<p>{escape(self.text())}</p>"

    def text(self) -> str:
        """The comparison as a line."""
        answer = self._prediction.answer
        if answer is None:
            return f"The run says: {self._run}. You have not answered."
        agrees = "That is what you said." if answer == self._run else f"You said: {answer}."
        return f"The run says: {self._run}. {agrees}"
