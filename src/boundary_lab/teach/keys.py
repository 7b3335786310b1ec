"""A part of a box of widgets that shows nothing and leaves the keyboard to its neighbours."""

from pathlib import Path

from anywidget import AnyWidget

__all__ = ["Keys"]


class Keys(AnyWidget):
    """Without it an arrow key in a list of choices moves to the next cell (jupyter-widgets/ipywidgets#3912)."""

    _esm = Path(__file__).with_name("keys.js")
