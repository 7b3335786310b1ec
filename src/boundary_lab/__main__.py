"""`python -m boundary_lab` and the command `boundary-lab`: an interrupt is answered even while modules are loaded."""

import signal
import sys

__all__ = ["main"]


def main() -> int:
    """Runs the command of `boundary_lab.cli`, and nothing after it; 130 when interrupted."""
    try:
        from boundary_lab import cli

        return cli.main()
    except KeyboardInterrupt:
        return 130
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done, and the interpreter is not to be caught tidying up


if __name__ == "__main__":
    sys.exit(main())
