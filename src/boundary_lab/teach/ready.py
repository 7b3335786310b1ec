"""The setup check of the first notebook: one line, whether all is well or the one thing to do."""

import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from jupyter_core.paths import jupyter_path

from boundary_lab.fixtures import changed

__all__ = ["again", "check", "faults"]

_PINNED = re.compile(r"([A-Za-z0-9-]+)==([^;\s]+)\s*;\s*extra == ['\"](?:lab|agents)['\"]")
_WIDGETS = "@jupyter-widgets/jupyterlab-manager/package.json"


def faults() -> Iterator[str]:
    """What is not as the lab needs it, and what to do; the first is the one to begin with."""
    if "ipykernel" not in sys.modules:
        yield "this cell does not run in a Jupyter kernel. Open the page in JupyterLab."
    for name, wanted in _pinned():
        if (found := _version(name)) != wanted:
            yield f"{name} {wanted} is needed, and {found or 'none'} is here. Close this page, and {again()}."
    if not any(Path(folder, _WIDGETS).is_file() for folder in jupyter_path("labextensions")):
        yield f"JupyterLab lacks its part of ipywidgets, which shows the controls. Close this page, and {again()}."
    if damaged := changed():
        yield f"missing or changed oracles: {', '.join(damaged)}. Run: git checkout -- fixtures"


def again() -> str:
    """What to do with an environment that is not whole."""
    by_make = Path(sys.prefix, "ready").exists()
    return "run `make clean`, then `make lab`" if by_make else "install the lab again"


def _pinned() -> list[tuple[str, str]]:
    """The packages of the extras `lab` and `agents`, with the version of each."""
    return [found.groups() for line in requires("boundary-lab") or () if (found := _PINNED.match(line))]  # type: ignore[misc]


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def check() -> None:
    """Prints one line."""
    fault = next(faults(), None)
    print(f"Not ready: {fault}" if fault else "Ready: kernel, packages, widgets and oracles are as they should be.")
