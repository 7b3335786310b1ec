"""`make test-live` starts these tests in a network of their own where the system lets it; its loopback is down."""

import os
import signal
import socket
import struct
import sys

import pytest

UP, SET_FLAGS = 1, 0x8914  # IFF_UP, SIOCSIFFLAGS


@pytest.fixture(scope="session")
def cut_off():
    """Whether there is no network but loopback."""
    return "BOUNDARY_LAB_CUT_OFF" in os.environ


@pytest.fixture(scope="session", autouse=True)
def heeded():
    """What a shell puts into the background ignores SIGINT, and so would the commands that are interrupted here."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def loopback(cut_off):
    if cut_off and sys.platform == "linux":
        from fcntl import ioctl

        with socket.socket() as any_socket:
            ioctl(any_socket, SET_FLAGS, struct.pack("16sh14x", b"lo", UP))
