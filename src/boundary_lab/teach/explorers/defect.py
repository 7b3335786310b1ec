"""Lesson 6: a defect, and which cases turn red: as recorded, and once more on request."""

import threading
from collections.abc import Mapping, Sequence

import ipywidgets as widgets

from boundary_lab.defects import NETS, Defect, Finding, defects, hunt
from boundary_lab.fixtures import load
from boundary_lab.rejected import CODES, Rejected
from boundary_lab.teach.explorers.explorer import Explorer, choice
from boundary_lab.teach.figures import Lane, Picture
from boundary_lab.teach.shown import Passage, Stack
from boundary_lab.teach.tables import Answer, Table

__all__ = ["NOTICED", "explorer", "overview", "recorded"]

_LISTED = 8  # cases by name; of the others the number is said
NOTICED: dict[str, dict[str, list[str]]] = load("lab/noticed.json")
"""Defect → net → the cases that differ, as `make record` saw them."""


def recorded(name: str = "replacement-decode") -> Stack:
    """A defect of the table, the change that it makes, and the cases that notice it."""
    return _stack(defects([name])[name], NOTICED[name])


def overview() -> Table:
    """Defect × net: how many cases differ, by lesson."""
    return Table(
        "Defects, and how many cases of each net differ",
        {name: {"lesson": str(defect.lesson), **_counts(defect)} for name, defect in defects().items()},
        wrong="SURVIVES",
    )


def _counts(defect: Defect) -> dict[str, str | Answer]:
    seen = {net: len(NOTICED[defect.name][net]) for net in NETS}
    return {
        **{net: Answer(str(count), right=bool(count) == (net in defect.caught_by)) for net, count in seen.items()},
        "meant for": "both" if defect.counts else f"{defect.caught_by[0]} alone",
    }


def _stack(defect: Defect, noticed: Mapping[str, Sequence[str]]) -> Stack:
    lanes = [Lane(f"{net} net", _cases(len(noticed[net])), not noticed[net], _verdict(noticed[net])) for net in NETS]
    named = (f"{net}: {case}" for net in NETS for case in _first(noticed[net]))
    return Stack(
        Passage(f"{defect.file}: {defect.breaks}", f"- {defect.old}", f"+ {defect.new}"),
        Picture(f"What gets past the nets with {defect.name}", "who looks", "the build", lanes, looks="what differs"),
        Passage(*named),
    )


def _cases(count: int) -> str:
    return "no case" if not count else f"{count} case{'s' * (count > 1)}"


def _verdict(noticed: Sequence[str]) -> str:
    return "red: it is killed" if noticed else "green: it gets through"


def _first(cases: Sequence[str]) -> list[str]:
    more = [f"and {len(cases) - _LISTED} more"] if len(cases) > _LISTED else []
    return [*cases[:_LISTED], *more]


def explorer() -> Explorer:
    """A defect out of the table, and a button that runs both nets on it."""
    control = choice("Defect", "Recorded results show at once.", list(defects()))
    control.widget.value = "replacement-decode"
    run = _Run(control.widget)
    return Explorer(recorded, {"name": control}, run.widget)


class _Run:
    """A button that hunts for the chosen defect in another thread, a bar, and what came of it."""

    def __init__(self, chosen: widgets.Dropdown) -> None:
        self._chosen = chosen
        self._button = widgets.Button(
            description="Run both nets on it now", tooltip="Takes some seconds to a minute", layout={"width": "auto"}
        )
        self._bar = widgets.IntProgress(max=1, description="Runs", layout={"visibility": "hidden"})
        self._said = widgets.HTML()
        self._button.on_click(self._start)
        self.widget = widgets.VBox([widgets.HBox([self._button, self._bar]), self._said])

    def _start(self, _: object) -> None:
        self._button.disabled = True
        self._bar.value, self._bar.layout.visibility = 0, "visible"
        self._said.value = ""
        threading.Thread(target=self._hunt, args=(self._chosen.value,), daemon=True).start()

    def _hunt(self, name: str) -> None:
        try:
            (finding,) = hunt(defects([name]), progress=self._progress)
            self._said.value = _told(name, finding)
        except Rejected as refusal:
            self._said.value = Passage(f"Not run: {refusal.code}. {' '.join(CODES[refusal.code])}").html()
        finally:
            self._bar.layout.visibility = "hidden"
            self._button.disabled = False

    def _progress(self, done: int, of: int, _: str) -> None:
        self._bar.max, self._bar.value = of, done


def _told(name: str, finding: Finding) -> str:
    noticed = {net: sorted(run.differ) for net, run in finding.runs.items()}
    same = "As recorded" if noticed == NOTICED[name] else "NOT as recorded"
    counts = " and ".join(f"{_cases(len(noticed[net]))} of the {net} net" for net in NETS)
    return Passage(f"{same}: {name} is noticed by {counts}.").html()
