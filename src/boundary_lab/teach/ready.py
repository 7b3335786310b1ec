"""The setup check of the first notebook: one line, whether all is well or what to do."""

from boundary_lab.fixtures import changed

__all__ = ["check"]


def check() -> None:
    """Prints one line; the frozen files must be the ones that the lab was made with."""
    damaged = changed()
    if damaged:
        print(f"Not ready: of the oracles, {', '.join(damaged)} is missing or changed. Run: git checkout -- fixtures")
    else:
        print("Ready. The core imports, and every oracle is unchanged.")
