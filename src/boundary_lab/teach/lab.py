"""Opens JupyterLab on the first notebook: `python -m boundary_lab.teach.lab [JUPYTER OPTIONS]`.

It is the reader's own copy, in `work/`; what is missing there is copied first. Where nothing can be written, the lab's
own notebooks are opened. Without a display the server starts all the same and prints its address. What stands in the
way, or is done otherwise than usual, is said in a line. `jupyter/` holds what differs from Jupyter's own settings: no
question about news, and no shim for the settings of old notebooks, which warns of itself.
"""

import os
import socket
import sys
from pathlib import Path
from tempfile import mkdtemp

from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
from jupyter_core.paths import jupyter_runtime_dir

from boundary_lab.learn.copies import start
from boundary_lab.rejected import Rejected, in_words
from boundary_lab.teach.originals import changed
from boundary_lab.teach.ready import again

__all__ = ["JUPYTER", "before", "local", "main"]

_WORK, _FIRST = "work", "00_start_here.ipynb"
_PORT, _PORTS = 8888, 50  # Jupyter's own, and how many above it are tried
_LONGEST = 55  # characters of a folder for a kernel's sockets: of their 107 its name takes 51
JUPYTER = Path(__file__).parent / "jupyter"


def _has_display() -> bool:
    """Whether a browser can open here; on Linux without a display only one that the user names can."""
    return sys.platform != "linux" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")))


def local() -> list[str]:
    """Options of every server here: no browser without a display, and where the system can, no port of a kernel's."""
    headless = [] if _has_display() else ["--no-browser"]
    fits = sys.platform != "win32" and len(jupyter_runtime_dir()) <= _LONGEST
    sockets = ["--KernelManager.transport=ipc"] if fits else []
    return [*headless, *sockets]


def before(variable: str, folder: Path) -> None:
    """Puts the folder first in a search path of the environment."""
    os.environ[variable] = os.pathsep.join(filter(None, [str(folder), os.environ.get(variable)]))


def _options() -> list[str]:
    quiet = ["--ServerApp.log_level=ERROR", "--LabApp.log_level=ERROR", "--ServerApp.answer_yes=True"]
    as_root = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return [*quiet, *local(), *as_root]


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def _folder() -> str:
    """The folder with the notebooks to open."""
    if edited := changed():
        names = f"{edited[0]} and {len(edited) - 1} more" if edited[1:] else edited[0]
        _say(f"In notebooks/, {names} is not as it was: `make reset` puts it back, and keeps yours in work/.")
    try:
        start(Path(_WORK))
    except Rejected as refusal:
        _say(f"{_WORK}: {in_words(refusal.code)}")
    if Path(_WORK, _FIRST).is_file():
        return _WORK
    _say("There is no copy of your own, so the lab's notebooks themselves are opened.")
    return "notebooks"


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        if sys.platform != "win32":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # one that was just closed is free
        return probe.connect_ex(("127.0.0.1", port)) != 0


def _port(arguments: list[str]) -> list[str]:
    """The port to listen on, where the reader named none; one that the reader named and that is taken ends it."""
    asked = [argument.partition("=")[2] for argument in arguments if argument.startswith("--port=")]
    if asked and asked[-1].isdecimal() and not _is_free(int(asked[-1])):
        sys.exit(f"Port {asked[-1]} is in use. Name another one, or none and a free one is found.")
    if asked or any(argument.startswith("--ServerApp.port") for argument in arguments):
        return []
    port = next(filter(_is_free, range(_PORT, _PORT + _PORTS)), _PORT)
    if port != _PORT:
        _say(f"Port {_PORT} is in use, perhaps by another lab; this one is on {port}.")
    return [f"--port={port}"]


def _check_kernel() -> None:
    try:
        KernelSpecManager().get_kernel_spec("python3")
    except NoSuchKernel:
        sys.exit(f"There is no Python kernel in this environment: {again()}.")


def _check_home() -> None:
    """Jupyter keeps the addresses of its servers at home; where it cannot, in a folder for temporary files."""
    try:
        runtime = Path(jupyter_runtime_dir())
        runtime.mkdir(parents=True, exist_ok=True)
        (runtime / ".boundary-lab").write_bytes(b"x")
        (runtime / ".boundary-lab").unlink()
    except OSError:
        instead = mkdtemp(prefix="boundary-lab-")
        for variable in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR", "JUPYTER_RUNTIME_DIR"):
            os.environ[variable] = instead
        _say(f"Your home cannot be written to, so Jupyter keeps its own files in {instead} this time.")


def main() -> None:
    """Runs the server until it is interrupted."""
    before("JUPYTER_CONFIG_PATH", JUPYTER)
    _check_home()
    _check_kernel()  # it looks for a home, too
    from jupyterlab.labapp import LabApp  # it looks for a home as soon as it is imported

    page = f"--LabApp.default_url=/lab/tree/{_folder()}/{_FIRST}"
    LabApp.launch_instance([page, *_options(), *_port(sys.argv[1:]), *sys.argv[1:]])


if __name__ == "__main__":
    main()
