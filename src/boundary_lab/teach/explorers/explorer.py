"""Labelled controls over one plain function, and below them what it gives, renewed at every change.

The function takes each control's value by the control's name. What it refuses is said beside that control;
what was typed stays, and so does what was shown before.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import ipywidgets as widgets
import traitlets

from boundary_lab.teach.keys import Keys
from boundary_lab.teach.shown import Live, Shown

__all__ = ["Control", "Explorer", "Invalid", "boxes", "choice", "steps", "typed"]

_HINT = "font-size: 90%; margin-left: 11.5em"
_STYLE = {"description_width": "11em"}
_BEFORE = {"width": "11em", "justify_content": "flex-end", "margin": "2px 8px 2px 2px"}
_LAYOUT = {"width": "min(40em, 100%)"}


class Invalid(ValueError):
    """What is wrong with the value of one control, in a sentence for the person who typed it."""

    def __init__(self, control: str, fault: str) -> None:
        super().__init__(fault)
        self.control = control


@dataclass(frozen=True, slots=True)
class Control:
    """A widget with a `value`, its visible label, and a sentence that says what it is for."""

    widget: widgets.Widget
    label: str
    hint: str


def choice(label: str, hint: str, options: Sequence[str]) -> Control:
    """One of several texts; the first is chosen."""
    return Control(widgets.Dropdown(options=options, **_shared(label, hint)), label, hint)


def typed(label: str, hint: str, value: str) -> Control:
    """A line of text."""
    return Control(widgets.Text(value=value, **_shared(label, hint)), label, hint)


def steps(label: str, hint: str, last: int) -> Control:
    """A whole number from 0 to `last`, which is chosen."""
    return Control(widgets.BoundedIntText(value=last, min=0, max=last, **_shared(label, hint)), label, hint)


def boxes(label: str, hint: str, options: Sequence[str], chosen: Sequence[str]) -> Control:
    """Any of several texts, a box to tick for each; the value is a tuple in the order of the options."""
    return Control(_Boxes(label, hint, options, chosen), label, hint)


def _shared(label: str, hint: str) -> dict[str, Any]:
    return {"description": label, "tooltip": hint, "style": _STYLE, "layout": _LAYOUT}


class _Boxes(widgets.HBox):  # type: ignore[misc]  # ipywidgets ships no types
    value = traitlets.Tuple()

    def __init__(self, label: str, hint: str, options: Sequence[str], chosen: Sequence[str]) -> None:
        self._ticks = {
            option: widgets.Checkbox(
                value=option in chosen,
                description=option,
                tooltip=f"{label}: {option}. {hint}",
                indent=False,
                layout={"width": "auto", "margin": "0 1.5em 0 0"},
            )
            for option in options
        }
        row = widgets.HBox(list(self._ticks.values()), layout={"flex_flow": "row wrap"})
        super().__init__([widgets.Label(label, layout=_BEFORE), row], value=tuple(chosen))
        for tick in self._ticks.values():
            tick.observe(self._take, "value")
        self.observe(self._give, "value")

    def _take(self, _: object) -> None:
        self.value = tuple(option for option, tick in self._ticks.items() if tick.value)

    def _give(self, change: Any) -> None:
        for option, tick in self._ticks.items():
            tick.value = option in change.new


class Explorer(Live):
    """Controls over `show`; `explorer["name"].value = …` moves one of them as a hand would."""

    def __init__(self, show: Callable[..., Shown], controls: Mapping[str, Control], *extra: widgets.Widget) -> None:
        self._show = show
        self._shown: Shown
        self._controls = controls
        self._faults = {name: widgets.HTML() for name in controls}
        self._below = widgets.HTML()
        self.widget = widgets.VBox([*map(self._row, controls), *extra, self._below, Keys()])
        for control in controls.values():
            control.widget.observe(self._renew, "value")
        self._renew()

    def __getitem__(self, name: str) -> Any:
        return self._controls[name].widget

    def _values(self) -> dict[str, Any]:
        return {name: control.widget.value for name, control in self._controls.items()}

    def _row(self, name: str) -> widgets.Widget:
        control = self._controls[name]
        hint = widgets.HTML(f'<span style="{_HINT}">{escape(control.hint)}</span>')
        beside = widgets.HBox([control.widget, self._faults[name]], layout={"flex_flow": "row wrap"})
        return widgets.VBox([beside, hint], layout={"margin": "0 0 0.4em 0"})

    def _renew(self, _: object = None) -> None:
        wrong = {}
        try:
            self._shown = self._show(**self._values())
        except Invalid as invalid:
            wrong[invalid.control] = f'<b role="alert">Not like this: {escape(str(invalid))}</b>'
        for name, fault in self._faults.items():
            fault.value = wrong.get(name, "")
        self._below.value = self._shown.html()

    def html(self) -> str:
        """What is shown now, for a page without widgets."""
        return self._shown.html()

    def text(self) -> str:
        """What is shown now, as text."""
        return self._shown.text()
