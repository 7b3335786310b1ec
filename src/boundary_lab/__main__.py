"""`python -m boundary_lab` and the command `boundary-lab`: an interrupt is answered even while modules are loaded."""

import sys

__all__ = ["main"]


def main() -> int:
    """Runs the command of `boundary_lab.cli`; 130 when interrupted."""
    try:
        from boundary_lab import cli

        return cli.main()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
