"""`python -m boundary_lab` is the command `boundary-lab`."""

import sys

from boundary_lab.cli import main

if __name__ == "__main__":
    sys.exit(main())
