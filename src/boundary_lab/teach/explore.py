"""Serves the explorers alone, as an app without code: `python -m boundary_lab.teach.explore [VOILA OPTIONS]`."""

import sys

from voila.app import Voila

from boundary_lab.nets import CHECKOUT
from boundary_lab.teach.lab import local

__all__ = ["main"]

_PAGE = CHECKOUT / "notebooks" / "explorers.ipynb"


def main() -> None:
    """Runs the server until it is interrupted; it prints its address."""
    Voila.launch_instance([str(_PAGE), *local(), *sys.argv[1:]])


if __name__ == "__main__":
    main()
