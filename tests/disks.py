"""Disks as bad as they come: full, or read-only."""

import os
import subprocess
import sys
from contextlib import contextmanager

import pytest


def mounted(*arguments):
    """Mounts something, or skips the test."""
    mount = ["mount", *arguments]
    if sys.platform != "linux" or os.geteuid() or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("only root on Linux can mount a small or a read-only disk, and not in every container")


@contextmanager
def small_disk(folder, names):
    """A disk in memory whose one page is taken, and on which there can be a few more names; removed at the end."""
    folder.mkdir()
    mounted("-t", "tmpfs", "-o", f"size=4k,nr_inodes={names + 2}", "none", folder)
    try:
        (folder / "full").write_bytes(b"x" * 4096)
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


@contextmanager
def read_only(folder):
    """A folder to which nobody can add, for as long as the block lasts."""
    mounted("--bind", folder, folder)
    try:
        mounted("-o", "remount,bind,ro", folder)
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)
