"""The command `boundary-lab`.

Exit status 0; 1 with one line on standard error, which gives the code, its meaning and what to do next;
2 for bad usage; 130 when interrupted; 141 when the reader of a pipe went away.
Output is UTF-8 with LF line ends, whatever the locale and the system.
"""

import argparse
import os
import sys
from collections.abc import Sequence

from boundary_lab import __version__
from boundary_lab.demos import DEMOS
from boundary_lab.fixtures import changed
from boundary_lab.rejected import CODES, Rejected

__all__ = ["main"]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="boundary-lab", description="What crosses a boundary between two programs.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    demo = commands.add_parser("demo", help="print the run of a lesson, the same every time")
    demo.add_argument("lesson", choices=DEMOS, help="which run")
    demo.set_defaults(run=_demo)
    return parser


def _demo(options: argparse.Namespace) -> None:
    if changed():
        raise Rejected("bad_fixture")
    _print("".join(f"{line}\n" for line in DEMOS[options.lesson]()))


def _print(text: str) -> None:
    """Writes all of the text, or refuses with `output_failed`."""
    try:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _abandon_output()
        raise
    except (OSError, AttributeError) as fault:  # AttributeError: started without a standard output
        _abandon_output()
        raise Rejected("output_failed") from fault


def _abandon_output() -> None:
    """Lets the interpreter's own last flush succeed, so that it adds no message."""
    if sys.stdout is not None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and gives its exit status."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except Rejected as refusal:
        meaning, advice = CODES[refusal.code]
        print(f"boundary-lab: {refusal.code}: {meaning} {advice}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 141
    return 0
