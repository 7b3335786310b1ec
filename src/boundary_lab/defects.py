"""Named defects of the core, and whether the two nets notice them.

- A defect is one exact change to one file: an old text, which must be there once, and a new one.
- It is put into a copy; neither the installed core nor a notebook nor an oracle is touched.
- A net *kills* it when the unchanged core passes there and the changed one differs from what was frozen.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue

from boundary_lab.fixtures import load
from boundary_lab.nets import LabCopy, Run, copy_of_the_lab
from boundary_lab.rejected import Rejected
from boundary_lab.shapes import Shapes
from boundary_lab.strict_json import JSON

__all__ = ["NETS", "Defect", "Finding", "defects", "hunt", "put_in", "table"]

NETS = ("unit", "notebook")
_SDK_LESSON = 7
_SHAPES = Shapes("bad_fixture")


@dataclass(frozen=True, kw_only=True, slots=True)
class Defect:
    """A row of `lab/defects.json`: what the change breaks, the lesson on that, and which nets are to catch it."""

    name: str
    breaks: str
    lesson: int
    file: str
    old: str
    new: str
    caught_by: tuple[str, ...]

    @property
    def counts(self) -> bool:
        """Whether it is one of the defects that both nets must catch; the others were made for lesson 6."""
        return self.caught_by == NETS


def defects(names: Sequence[str] = ()) -> dict[str, Defect]:
    """The defects of these names, or all, in the table's order; `UNKNOWN_DEFECT`, `bad_fixture`."""
    table = {row.name: row for row in map(_defect, _SHAPES.items(load("lab/defects.json")))}
    if not table.keys() >= set(names):
        raise Rejected("UNKNOWN_DEFECT")
    return {name: defect for name, defect in table.items() if not names or name in names}


def _defect(row: object) -> Defect:
    name, breaks, lesson, file, old, new, caught_by = _SHAPES.record(
        row, "name", "is", "lesson", "file", "old", "new", "caught_by"
    )
    return Defect(
        name=_SHAPES.text(name),
        breaks=_SHAPES.text(breaks),
        lesson=_SHAPES.count(lesson),
        file=_SHAPES.text(file),
        old=_SHAPES.text(old),
        new=_SHAPES.text(new),
        caught_by=_SHAPES.texts(caught_by),
    )


@contextmanager
def put_in(defect: Defect, copy: LabCopy) -> Iterator[None]:
    """The defect is in a copy as long as the block lasts; `DEFECT_MISFIT` if its old text is not there once."""
    module = copy.folder / "src" / "boundary_lab" / defect.file
    old = defect.old.encode()
    source = module.read_bytes() if module.is_file() else b""
    if source.count(old) != 1:
        raise Rejected("DEFECT_MISFIT")
    module.write_bytes(source.replace(old, defect.new.encode()))
    try:
        yield
    finally:
        module.write_bytes(source)


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """A defect, and what each net that was asked said of it."""

    defect: Defect
    runs: Mapping[str, Run]

    @property
    def killed_by(self) -> tuple[str, ...]:
        """The nets that noticed it by comparison."""
        return tuple(net for net, run in self.runs.items() if run.differ)

    @property
    def as_expected(self) -> bool:
        """Whether each net that was asked did what the table says."""
        return self.killed_by == tuple(net for net in self.runs if net in self.defect.caught_by)

    def to_json(self) -> dict[str, JSON]:
        """What `boundary-lab defects --json` says of it: by net, how many cases passed and which did not."""
        cases: dict[str, JSON] = {
            net: {"passed": run.passed, "differ": [*sorted(run.differ)], "crashed": [*sorted(run.crashed)]}
            for net, run in self.runs.items()
        }
        return {
            "name": self.defect.name,
            "lesson": self.defect.lesson,
            "expected": list(self.defect.caught_by),
            "killed_by": list(self.killed_by),
            **cases,
        }


def table(findings: Sequence[Finding]) -> Iterator[str]:
    """Findings as lines: how many cases of each net differ, and in words whether that is as it must be."""
    nets = tuple(findings[0].runs)
    width = max(len("defect"), *(len(finding.defect.name) for finding in findings))
    yield f"{'defect':{width}}  lesson{''.join(f'{net:>10}' for net in nets)}"
    for finding in findings:
        cells = "".join(f"{len(run.differ):>10}" for run in finding.runs.values())
        yield f"{finding.defect.name:{width}}  {finding.defect.lesson:>6}{cells}  {_in_words(finding)}"
    counted = [finding for finding in findings if finding.defect.counts]
    if counted:
        yield f"killed by {' and by '.join(nets)}: {sum(finding.as_expected for finding in counted)} of {len(counted)}"


def _in_words(finding: Finding) -> str:
    expected = " and ".join(finding.defect.caught_by) if finding.defect.counts else _alone(finding.defect)
    if not finding.as_expected:
        return f"NOT AS EXPECTED: {expected}{_crashed(finding)}"
    return "killed" if finding.defect.counts else f"as expected: {expected}{_crashed(finding)}"


def _alone(defect: Defect) -> str:
    return f"{defect.caught_by[0]} alone" if defect.caught_by else "neither net"


def _crashed(finding: Finding) -> str:
    return "; it crashed, which is no kill" if any(run.crashed for run in finding.runs.values()) else ""


Progress = Callable[[int, int, str], object]


def hunt(
    chosen: Mapping[str, Defect], nets: Sequence[str] = NETS, jobs: int = 2, progress: Progress | None = None
) -> list[Finding]:
    """Runs the nets on each defect, `jobs` at a time, each in a copy of its own; the findings in the given order.

    The unchanged core goes first: `CONTROL_FAILED` if a net is not green on it. `progress` is told (runs done, runs
    in all, the last one). `NETS_UNAVAILABLE`, `DEFECT_MISFIT`.
    """
    with ExitStack() as stack:
        copies = [stack.enter_context(copy_of_the_lab()) for _ in range(jobs)]
        hunting = _Hunt(copies, progress or (lambda *_: None), len(nets) * (1 + len(chosen)))
        lessons = sorted({defect.lesson for defect in chosen.values()})
        control = hunting.all({("control", net): partial(_run, net, lessons) for net in nets})
        if not all(run.green for run in control.values()):
            raise Rejected("CONTROL_FAILED")
        found = hunting.all({(name, net): partial(_broken, chosen[name], net) for name in chosen for net in nets})
    return [Finding(defect=defect, runs={net: found[name, net] for net in nets}) for name, defect in chosen.items()]


def _run(net: str, lessons: Sequence[int], copy: LabCopy) -> Run:
    """One net over a copy: the rows, or the notebooks of these lessons. The rows on an SDK are lesson 7's alone."""
    if net == "unit":
        return copy.rows(sdk=_SDK_LESSON in lessons)
    found = [sorted((copy.folder / "notebooks").glob(f"{lesson:02}_*.ipynb")) for lesson in lessons]
    return copy.nbval(*(path for paths in found for path in paths))


def _broken(defect: Defect, net: str, copy: LabCopy) -> Run:
    with put_in(defect, copy):
        return _run(net, [defect.lesson], copy)


Task = tuple[str, str]


class _Hunt:
    """Copies, each lent to one task at a time, and the count of the tasks done."""

    def __init__(self, copies: Sequence[LabCopy], progress: Progress, in_all: int) -> None:
        self._copies = copies
        self._free: SimpleQueue[LabCopy] = SimpleQueue()
        for copy in copies:
            self._free.put(copy)
        self._progress, self._done, self._in_all = progress, 0, in_all
        progress(0, in_all, "control")

    def all(self, tasks: Mapping[Task, Callable[[LabCopy], Run]]) -> dict[Task, Run]:
        """Every task's run. What stops one of them, or an interrupt, stops them all."""
        with ThreadPoolExecutor(max_workers=len(self._copies)) as pool:
            futures = {pool.submit(self._lent, run): task for task, run in tasks.items()}
            try:
                return dict(self._told(futures[future], future) for future in as_completed(futures))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                for copy in self._copies:
                    copy.stop()
                raise

    def _told(self, task: Task, future: Future[Run]) -> tuple[Task, Run]:
        self._done += 1
        self._progress(self._done, self._in_all, " · ".join(task))
        return task, future.result()

    def _lent(self, run: Callable[[LabCopy], Run]) -> Run:
        copy = self._free.get()
        try:
            return run(copy)
        finally:
            self._free.put(copy)
