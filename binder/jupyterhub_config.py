"""JupyterHub for one room on one machine; `make room` starts it and says whose it is in the environment."""

import os
import sys
from pathlib import Path
from subprocess import run
from urllib.parse import urlsplit

room = Path(os.environ["BOUNDARY_LAB_ROOM"])
instructor, *attendees = os.environ["BOUNDARY_LAB_PEOPLE"].split()
lab = [sys.executable, "-P", "-m"]


def copies(spawner):
    """Gives a person the lessons, as that person, before the server starts."""
    home = room / spawner.user.name
    start = [*lab, "boundary_lab", "start", spawner.user.name]
    run(start, cwd=home, user=spawner.user.name, group=spawner.user.name, extra_groups=[], check=True)


c = get_config()  # noqa: F821  JupyterHub gives it
address = urlsplit(os.environ["BOUNDARY_LAB_ADDRESS"])  # the two ports above it are the hub's own, on loopback
c.JupyterHub.bind_url = address.geturl()
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{address.port + 1}"
c.JupyterHub.hub_port = address.port + 2
c.JupyterHub.db_url = "sqlite://"  # nobody's server outlives the hub
c.JupyterHub.cookie_secret_file = str(room / "hub" / "cookie_secret")
c.JupyterHub.log_level = "ERROR"  # that there is no encryption, the page about the room says
c.JupyterHub.template_vars = {"announcement": "The instructor sees which exercises you have solved."}
c.ConfigurableHTTPProxy.command = [str(Path(sys.prefix, "proxy", "node_modules", ".bin", "configurable-http-proxy"))]
c.ConfigurableHTTPProxy.log_level = "error"
c.ConfigurableHTTPProxy.pid_file = str(room / "hub" / "proxy.pid")
c.JupyterHub.authenticator_class = "pam"
c.PAMAuthenticator.open_sessions = False
c.Authenticator.allowed_users = {*attendees}
c.Authenticator.admin_users = {instructor}
c.JupyterHub.spawner_class = "localprocess"
c.Spawner.pre_spawn_hook = copies
c.Spawner.cmd = [*lab, "jupyterhub.singleuser"]
c.Spawner.args = ["--KernelManager.transport=ipc", "--ServerApp.log_level=ERROR"]
c.Spawner.default_url = "/lab/tree/work/00_start_here.ipynb"
c.Spawner.environment = {
    "JUPYTER_CONFIG_PATH": os.environ["JUPYTER_CONFIG_PATH"],
    "JUPYTER_RUNTIME_DIR": lambda spawner: str(room / spawner.user.name / ".run"),  # a socket's path has to be short
}
c.Spawner.http_timeout = c.Spawner.start_timeout = 300  # twenty may start at once
c.JupyterHub.services = [
    {"name": "board", "command": [*lab, "boundary_lab.teach.room", "board", str(room), instructor]}
]
