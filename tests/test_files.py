import os
import socket

import pytest

from boundary_lab.files import read_json, read_regular
from boundary_lab.rejected import outcome
from boundary_lab.strict_json import Words

WORDS = Words.only("code")


def test_a_regular_file(tmp_path):
    (tmp_path / "a.json").write_bytes(b'{"a": [1]}')
    assert read_json(tmp_path / "a.json", WORDS) == {"a": [1]}
    assert read_json(str(tmp_path / "a.json"), WORDS) == {"a": [1]}


CONTENT = {
    "nothing": b"",
    "binary": bytes(range(256)),
    "not UTF-8": b'"\xff"',
    "a byte order mark": b"\xef\xbb\xbf{}",
    "UTF-16": "{}".encode("utf-16"),
    "a repeated key": b'{"a":1,"a":1}',
    "one byte over 1 MiB": b'"' + b"x" * ((1 << 20) - 1) + b'"',
}


@pytest.mark.parametrize("content", CONTENT.values(), ids=CONTENT)
def test_content_that_is_refused(content, tmp_path):
    (tmp_path / "a.json").write_bytes(content)
    assert outcome(read_json, tmp_path / "a.json", WORDS) == "code"


def test_exactly_1_mib_is_read(tmp_path):
    (tmp_path / "a.json").write_bytes(b'"' + b"x" * ((1 << 20) - 2) + b'"')
    assert outcome(read_json, tmp_path / "a.json", WORDS) == "accepted"


def test_one_byte_over_the_limit_is_read_and_no_more(tmp_path):
    (tmp_path / "a").write_bytes(b"123456789")
    assert read_regular(tmp_path / "a", 3, "code") == b"1234"


def test_paths_that_are_refused(tmp_path):
    for path in (tmp_path, tmp_path / "none", tmp_path / "none" / "a", tmp_path / ("x" * 300), "a\0b", ""):
        assert outcome(read_json, path, WORDS) == "code"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFO")
def test_nothing_that_could_block_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    os.mkfifo("fifo")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        for path in ("fifo", "socket", "/dev/zero", "/dev/null"):
            assert outcome(read_json, path, WORDS) == "code"
