"""A small Responses server on loopback: it answers by a script, and keeps what it was asked.

A script has an answer for each request, the last one for all that come after it. An answer is a list of steps:
`created`, `completed` and `failed` are the API's own events; `message` is a message of the model, and `run` a command
that it wants run; `status` answers with an HTTP status alone; `wait` holds still until the test is over. At the end of
its steps the connection is closed.
"""

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from types import SimpleNamespace

__all__ = ["serving"]

USAGE = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
RESPONSE = {"id": "r1", "output": [], "usage": USAGE}


def item(kind, **fields):
    return {"type": "response.output_item.done", "item": {"type": kind, **fields}}


EVENTS = {
    "created": lambda: {"type": "response.created", "response": RESPONSE},
    "completed": lambda: {"type": "response.completed", "response": RESPONSE},
    "failed": lambda: {
        "type": "response.failed",
        "response": RESPONSE | {"status": "failed", "error": {"code": "scripted", "message": "scripted"}},
    },
    "message": lambda text: item("message", role="assistant", id="m1", content=[{"type": "output_text", "text": text}]),
    "run": lambda command: item(
        "function_call", call_id="c1", name="exec_command", arguments=json.dumps({"cmd": command})
    ),
}


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        state = self.server.state
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        state.asked.append(SimpleNamespace(path=self.path, headers=self.headers, body=body))
        steps = state.script[min(len(state.asked), len(state.script)) - 1]
        status = next((step[1] for step in steps if step[0] == "status"), 200)
        self.send_response(status)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for kind, *given in steps:
            if kind == "wait":
                state.waiting.set()
                state.over.wait(60)
            elif kind != "status":
                self.wfile.write(f"data: {json.dumps(EVENTS[kind](*given))}\n\n".encode())


@contextmanager
def serving(script):
    """The base URL of a server with a script; what it was `asked`, and an event that is set while it holds still."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.state = SimpleNamespace(script=script, asked=[], waiting=Event(), over=Event())
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", server.state
    finally:
        server.state.over.set()
        server.shutdown()
        server.server_close()
