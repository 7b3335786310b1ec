"""A hub as `make room` starts it, with people of its own who are gone afterwards, and a browser's side of it."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener
from uuid import uuid4

from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from boundary_lab.nets import CHECKOUT
from boundary_lab.teach.room import add_people, environment, names, remove_people

ROOM = Path("/srv/boundary-lab-test-room")
SECONDS = 300


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def room(people):
    """The address, and the password of each name; afterwards nothing is left of users, homes and processes."""
    everybody, address = names(people, "labtest"), f"http://127.0.0.1:{free_port()}"
    try:
        passwords = add_people(ROOM, everybody)
        with hub(everybody, address):
            yield address, passwords
    finally:
        for name in everybody:
            subprocess.run(["pkill", "-KILL", "-u", name], check=False)
        remove_people(everybody)
        shutil.rmtree(ROOM, ignore_errors=True)


@contextmanager
def hub(everybody, address):
    command = [sys.executable, "-P", "-m", "jupyterhub", "-f", str(CHECKOUT / "binder" / "jupyterhub_config.py")]
    with (ROOM / "hub" / "log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=ROOM / "hub", env=environment(ROOM, everybody, address), stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip
        try:
            until(lambda: answers(address) or process.poll() is not None)
            assert process.poll() is None, (ROOM / "hub" / "log").read_text()
            yield
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(60)
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)


def until(done):
    deadline = time.monotonic() + SECONDS
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def answers(address):
    try:
        return build_opener().open(f"{address}/hub/login", timeout=5).status == 200
    except OSError:
        return False


class Stranger:
    """Whoever asks at an address, with what an opener brings along."""

    def __init__(self, address, opener=None, seconds=SECONDS):
        self.address, self.opener, self.seconds = address, opener or build_opener(), seconds

    def ask(self, path, body=None, method=None, **headers):
        """Status and text of an answer, as a browser with this person's cookies gets it."""
        request = Request(f"{self.address}{path}", body, headers, method=method)
        try:
            with self.opener.open(request, timeout=self.seconds) as answer:
                return answer.status, answer.read().decode("utf-8", "replace")
        except HTTPError as refused:
            with refused:
                return refused.code, ""
        except OSError:
            return 0, ""


class Person(Stranger):
    """Somebody with a browser: cookies, the server of that name, and kernels."""

    def __init__(self, address, name, password):
        self.name, self.jar = name, CookieJar()
        super().__init__(address, build_opener(HTTPCookieProcessor(self.jar)))
        self._log_in(password)

    def xsrf(self, path):
        return next(
            (cookie.value for cookie in self.jar if cookie.name == "_xsrf" and cookie.path.startswith(path)), ""
        )

    def _log_in(self, password):
        self.ask("/hub/login")
        form = {"username": self.name, "password": password, "_xsrf": self.xsrf("/hub")}
        status, _ = self.ask("/hub/login?next=/hub/home", urlencode(form).encode())
        assert status == 200

    def token(self):
        """A token for all that this person may do."""
        status, text = self.post(f"/hub/api/users/{self.name}/tokens", "/hub")
        assert status == 201
        return json.loads(text)["token"]

    def start(self):
        """Starts the server, waits for it, and opens it once, so that it knows this browser."""
        began = time.monotonic()
        status, text = self.post(f"/hub/api/users/{self.name}/server", "/hub")
        assert status in (201, 202, 400), (status, text)  # 400: it runs already
        until(self._is_ready)
        assert self.ask(f"/user/{self.name}/lab")[0] == 200
        return time.monotonic() - began

    def _is_ready(self):
        """The hub answers a page, too, while the server is on its way."""
        _, text = self.ask(f"/hub/api/users/{self.name}")
        return json.loads(text)["servers"].get("", {}).get("ready", False)

    def post(self, path, base, body=None):
        """As a page of the hub or of a server does, whose base it is."""
        headers = {"Content-Type": "application/json", "X-XSRFToken": self.xsrf(base)}
        return self.ask(path, json.dumps(body or {}).encode(), "POST", **headers)

    async def kernel(self, path):
        """A kernel for the notebook at that path."""
        session = {"path": path, "type": "notebook", "name": "", "kernel": {"name": "python3"}}
        base = f"/user/{self.name}"
        status, text = self.post(f"{base}/api/sessions", base, session)
        assert status == 201, (status, text)
        channels = f"{base}/api/kernels/{json.loads(text)['kernel']['id']}/channels"
        return await Kernel.at(self.address, channels, {"Cookie": self.cookies()})

    def cookies(self):
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.jar)


class Kernel:
    def __init__(self, connection, path):
        self.connection, self.path = connection, path

    @classmethod
    async def at(cls, address, path, headers):
        asked = HTTPRequest(
            f"{address.replace('http', 'ws', 1)}{path}", headers={**headers, "Origin": address}, request_timeout=SECONDS
        )
        return cls(await websocket_connect(asked), path)

    async def close(self):
        """Says goodbye, and waits until the server has heard it."""
        self.connection.close()
        while await self.connection.read_message() is not None:
            pass

    async def run(self, source):
        """What a cell printed or gave as text, and how long it took; an error as its name."""
        message = {
            "header": {"msg_id": uuid4().hex, "msg_type": "execute_request", "username": "", "session": "s",
                       "version": "5.3"},
            "parent_header": {}, "metadata": {}, "channel": "shell",
            "content": {"code": source, "silent": False, "store_history": True, "user_expressions": {},
                        "allow_stdin": False},
        }  # fmt: skip
        began, said = time.monotonic(), []
        await self.connection.write_message(json.dumps(message))
        while True:
            answer = json.loads(await self.connection.read_message())
            if answer["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            content = answer["content"]
            if answer["msg_type"] == "stream":
                said.append(content["text"])
            elif answer["msg_type"] in ("execute_result", "display_data"):
                said.append(content["data"].get("text/plain", ""))
            elif answer["msg_type"] == "error":
                said.append(f"{content['ename']}: {content['evalue']}")
            elif answer["msg_type"] == "status" and content["execution_state"] == "idle":
                return "".join(said), time.monotonic() - began


def memory(name):
    """MiB of all that a user's processes hold, shared pages counted once."""
    found = subprocess.run(["pgrep", "-u", name], capture_output=True, text=True, check=False).stdout.split()
    sizes = [re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE) for pid in found]
    return sum(int(size[1]) for size in sizes if size) >> 10
