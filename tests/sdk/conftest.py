import socket

import pytest

LOOPBACK = {"127.0.0.1", "::1", "localhost"}


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    """No socket leads out of this machine, and no name is asked for."""

    def guarded(call):
        def connect(self, address, *more):
            if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in LOOPBACK:
                raise OSError("not in these tests")
            return call(self, address, *more)

        return connect

    def resolve(host, *more, **named):
        if host not in LOOPBACK:
            raise OSError("not in these tests")
        return asked(host, *more, **named)

    asked = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, guarded(getattr(socket.socket, name)), raising=False)
