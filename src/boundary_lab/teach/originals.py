"""The lab's own notebooks, which a reader may have changed: `python -m boundary_lab.teach.originals` puts them back.

What was changed is kept in `work/`, beside the reader's own copies, which are made fresh too; nothing is deleted. What
the notebooks were is Git's to say: in a folder that is no checkout nobody knows, and the command says so.
"""

import subprocess
import sys
from pathlib import Path

from boundary_lab.learn.copies import NOTEBOOKS, free_name, reset, start
from boundary_lab.rejected import Rejected, in_words
from boundary_lab.written import create, writing

__all__ = ["changed", "put_back"]

_WORK = Path("work")
_FIRST, _ALL = "00_start_here.ipynb", ":(glob)**/*.ipynb"


def _git(*arguments: str) -> list[str] | None:
    """The names that Git prints, as seen from the notebooks; `None` where there is no Git or no checkout."""
    command = ["git", "-C", str(NOTEBOOKS), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=True)  # noqa: S603  Git, and names of its own
    except (OSError, subprocess.CalledProcessError):
        return None
    return [name for name in done.stdout.decode("utf-8", "surrogateescape").split("\0") if name]


def changed() -> list[str] | None:
    """The lab's own notebooks that are not as they were committed, by their names; `None` where nobody knows."""
    if _git("ls-files", "--error-unmatch", "--", _FIRST) is None:  # a download, perhaps inside a checkout of others
        return None
    return _git("diff", "--name-only", "--relative", "-z", "HEAD", "--", _ALL)


def put_back(into: Path = _WORK) -> list[str]:
    """Makes them as they were committed; gives the paths in `into` under which the changed ones are kept.

    `WRITE_FAILED`.
    """
    kept = []
    for name in changed() or ():
        if (NOTEBOOKS / name).is_file():
            kept.append(free_name(into / name))
            with writing():
                kept[-1].parent.mkdir(parents=True, exist_ok=True)
                data = (NOTEBOOKS / name).read_bytes()
            create(kept[-1], data, "WRITE_FAILED")
        if _git("restore", "--source=HEAD", "--staged", "--worktree", "--", name) is None:
            raise Rejected("WRITE_FAILED")
    return [path.as_posix() for path in kept]


def main() -> None:
    """Says what is kept where."""
    try:
        kept = put_back()
        start(_WORK)
        kept += [(_WORK / name).as_posix() for name in reset(_WORK)]
    except Rejected as refusal:
        sys.exit(in_words(refusal.code))
    for path in kept:
        print(f"kept as {path}")
    if changed() is None:
        sys.exit("Your copies are fresh. What the lab's own notebooks were only Git knows; this folder is no checkout.")
    print("the notebooks are as they were")


if __name__ == "__main__":
    main()
