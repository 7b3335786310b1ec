"""Servers for the browser tests: on free loopback ports, over copies of the notebooks, with settings of their own."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress

import pytest

from boundary_lab.nets import CHECKOUT

SECONDS = 60
PRIVATE = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_WORKSPACES_DIR")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def serving(folder, module, *options):
    """The address of a server that was started in `folder`; it has ended when the block has."""
    port = free_port()
    private = {name: str(folder / f".{name.lower()}") for name in (*PRIVATE, "JUPYTERLAB_SETTINGS_DIR", "IPYTHONDIR")}
    command = [sys.executable, "-m", module, "--no-browser", f"--port={port}", *options]
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=os.environ | private, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
        try:
            wait_for(port, process, folder / "server.log")
            yield f"http://127.0.0.1:{port}"
        finally:
            stop(process)


def wait_for(port, process, log):
    """Until something listens there."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), SECONDS):
            return
        time.sleep(0.1)
    pytest.fail(f"no server: {log.read_text('utf-8', 'replace')[-2000:]}")


def stop(process):
    """As Ctrl-C does."""
    process.send_signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGINT)
    try:
        process.wait(SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def with_notebooks(folder):
    shutil.copytree(CHECKOUT / "notebooks", folder / "notebooks", ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    return folder
