"""The hardened opening of a file eight levels deep against the system's own, and against resolving every path first."""

import os

import pytest

from boundary_lab.containment import GUARDS
from boundary_lab.folders import DiskFolder

FILES = 20_000
DEPTH = 8


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """20,000 files, each below seven folders of its own branch of a tree."""
    root = tmp_path_factory.mktemp("tree")
    paths = []
    for number in range(FILES):
        branch = "/".join(f"d{number // 20**level % 5}" for level in range(DEPTH - 1))
        (root / branch).mkdir(parents=True, exist_ok=True)
        paths.append(f"{branch}/f{number}")
        (root / paths[-1]).write_bytes(b"x")
    return root, paths


def with_open(root, paths):
    for path in paths:
        open(f"{root}/{path}", "rb").close()  # noqa: PTH123  the barest way


def with_guard(name):
    def call(root, paths):
        folder = DiskFolder(root)
        for path in paths:
            folder.open(path, GUARDS[name]).close()

    return call


def with_descriptors(root, paths):
    for path in paths:
        os.close(os.open(f"{root}/{path}", os.O_RDONLY))


OPENERS = {
    "os.open": with_descriptors,
    "open()": with_open,
    "DiskFolder.open, walking": with_guard("corrected"),
    "resolve, check, open": with_guard("published"),
}


@pytest.mark.benchmark(group=f"{FILES:,} files {DEPTH} levels deep")
@pytest.mark.parametrize("opener", OPENERS)
def test_open(benchmark, tree, opener):
    benchmark.pedantic(lambda: OPENERS[opener](*tree), rounds=5, warmup_rounds=1)
