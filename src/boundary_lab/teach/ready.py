"""The setup check of the first notebook: one line, whether all is well or the one thing to do."""

import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from boundary_lab.fixtures import changed

__all__ = ["check", "faults"]

_PINNED = re.compile(r"([A-Za-z0-9-]+)==([^;\s]+)\s*;\s*extra == ['\"]lab['\"]")
_WIDGETS = "share/jupyter/labextensions/@jupyter-widgets/jupyterlab-manager/package.json"
_AGAIN = "Close this page, run `make clean`, then `make lab`."


def faults() -> Iterator[str]:
    """What is not as the lab needs it, and what to do; the first is the one to begin with."""
    if "ipykernel" not in sys.modules:
        yield "this cell does not run in a Jupyter kernel. Open the page in JupyterLab: `make lab`."
    for name, wanted in _pinned():
        if (found := _version(name)) != wanted:
            yield f"{name} {wanted} is needed, and {found or 'none'} is here. {_AGAIN}"
    if not Path(sys.prefix, _WIDGETS).is_file():
        yield f"JupyterLab cannot show the lab's controls: its part of ipywidgets is missing. {_AGAIN}"
    if damaged := changed():
        yield f"of the oracles, {', '.join(damaged)} is missing or changed. Run: git checkout -- fixtures"


def _pinned() -> list[tuple[str, str]]:
    """The packages of the extra `lab`, with the version of each."""
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
