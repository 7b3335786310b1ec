"""Opens JupyterLab on the first notebook: `python -m boundary_lab.teach.lab [JUPYTER OPTIONS]`.

It is the reader's own copy, in `work/`; what is missing there is copied first. Where nothing can be written, the lab's
own notebooks are opened. Without a display the server starts all the same and prints its address. `jupyter/` holds what differs from Jupyter's
own settings: no question about news, and no shim for the settings of old notebooks, which warns of itself.
"""

import os
import sys
from pathlib import Path

from jupyterlab.labapp import LabApp

from boundary_lab.learn.copies import start
from boundary_lab.rejected import CODES, Rejected

__all__ = ["JUPYTER", "before", "local", "main"]

_WORK, _FIRST = "work", "00_start_here.ipynb"
JUPYTER = Path(__file__).parent / "jupyter"


def _has_display() -> bool:
    """Whether a browser can open here; on Linux without a display only one that the user names can."""
    return sys.platform != "linux" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")))


def local() -> list[str]:
    """Options of every server here: no browser without a display, and no port of the kernel's is open to others."""
    headless = [] if _has_display() else ["--no-browser"]
    sockets = [] if sys.platform == "win32" else ["--KernelManager.transport=ipc"]
    return [*headless, *sockets]


def before(variable: str, folder: Path) -> None:
    """Puts the folder first in a search path of the environment."""
    os.environ[variable] = os.pathsep.join(filter(None, [str(folder), os.environ.get(variable)]))


def _options() -> list[str]:
    quiet = ["--ServerApp.log_level=ERROR", "--LabApp.log_level=ERROR", "--ServerApp.answer_yes=True"]
    as_root = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return [*quiet, *local(), *as_root]


def _folder() -> str:
    """The folder with the notebooks to open; what keeps it from being the reader's own is said in a line."""
    try:
        start(Path(_WORK))
    except Rejected as refusal:
        meaning, advice = CODES[refusal.code]
        print(f"{_WORK}: {refusal.code}: {meaning} {advice}", file=sys.stderr)
    return _WORK if Path(_WORK, _FIRST).is_file() else "notebooks"


def main() -> None:
    """Runs the server until it is interrupted."""
    before("JUPYTER_CONFIG_PATH", JUPYTER)
    LabApp.launch_instance([f"--LabApp.default_url=/lab/tree/{_folder()}/{_FIRST}", *_options(), *sys.argv[1:]])


if __name__ == "__main__":
    main()
