"""The cells of an exercise, run as a notebook runs them, with an attempt in the place of the answer."""

import linecache

import nbformat

from boundary_lab.learn.copies import NOTEBOOKS


def _cells(lesson):
    (path,) = (NOTEBOOKS / "solutions").glob(f"0{lesson}_*.ipynb")
    return {cell.id: cell for cell in nbformat.read(path, as_version=4).cells}


def _run(source, name, space):
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), space)  # noqa: S102  as a kernel does


def asked(key):
    """The exercise itself."""
    lesson, kind = key.split(".")
    space = {}
    _run(_cells(lesson)["imports"].source, f"<imports of {lesson}>", space)
    return space[kind]


def answer(key):
    lesson, kind = key.split(".")
    return _cells(lesson)[f"answer-{kind}"].source


def starter(key):
    lesson, kind = key.split(".")
    return _cells(lesson)[f"answer-{kind}"].metadata.starter


def checked(key, attempt):
    """What `check` says of the source of an attempt."""
    lesson, kind = key.split(".")
    cells, space = _cells(lesson), {}
    for name in ("imports", f"task-{kind}"):
        if name in cells:
            _run(cells[name].source, f"<{name} of {lesson}>", space)
    _run(attempt, f"<attempt at {key}>", space)
    return eval(cells[f"check-{kind}"].source, space)  # noqa: S307  a cell of the lab's own
