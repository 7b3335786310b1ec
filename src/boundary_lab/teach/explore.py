"""Serves the explorers alone, as an app without code: `python -m boundary_lab.teach.explore [VOILA OPTIONS]`."""

import sys

from voila.app import Voila

from boundary_lab.nets import CHECKOUT
from boundary_lab.teach.lab import JUPYTER, before, local

__all__ = ["main"]

_PAGE = CHECKOUT / "notebooks" / "explorers.ipynb"
_NOT_HERE = ["@jupyter-notebook/lab-extension", "@voila-dashboards/jupyterlab-preview"]  # parts of other pages


def main() -> None:
    """Runs the server until it is interrupted; it prints its address."""
    before("JUPYTER_PATH", JUPYTER)
    without = [f"--VoilaConfiguration.extension_denylist={name}" for name in _NOT_HERE]
    Voila.launch_instance([str(_PAGE), "--template=boundary", *without, *local(), *sys.argv[1:]])


if __name__ == "__main__":
    main()
