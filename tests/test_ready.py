"""The setup cell of the first page: one line, whether all is well or the one thing to do."""

import shutil
import subprocess
import sys
from functools import partial

import pytest

from boundary_lab import fixtures
from boundary_lab.nets import CHECKOUT
from boundary_lab.teach import ready
from net.checks import read
from rows import fixture

(CELL,) = (
    cell.source for cell in read(CHECKOUT / "notebooks" / "00_start_here.ipynb").cells if cell.id == "check-setup"
)
AGAIN = {
    True: "Close this page, and run `make clean`, then `make lab`.",
    False: "Close this page, and install the lab again.",
}


def well(*_):
    pass


def no_kernel(_, monkeypatch):
    monkeypatch.delitem(sys.modules, "ipykernel")


def found_first(folder, monkeypatch, name, *lines):
    """A package of that name whose description comes before the real one."""
    described = folder / f"{name}.dist-info"
    described.mkdir()
    described.joinpath("METADATA").write_text("\n".join([f"Name: {name.split('-')[0]}", *lines]), encoding="utf-8")
    monkeypatch.syspath_prepend(folder)


def another_version(folder, monkeypatch):
    found_first(folder, monkeypatch, "pandas-2.0", "Version: 2.0")


def a_missing_package(folder, monkeypatch):
    found_first(folder, monkeypatch, "boundary_lab-9", "Version: 9", "Requires-Dist: none-such==1.0; extra == 'agents'")


def no_widgets(folder, monkeypatch):
    monkeypatch.setattr(ready, "jupyter_path", lambda *_: [str(folder)])


def changed_oracles(folder, monkeypatch):
    shutil.copytree(fixture("."), folder / "fixtures")
    (folder / "fixtures" / "handoff" / "packet.json").write_text("{}", encoding="utf-8")
    (folder / "fixtures" / "review" / "cases.json").unlink()
    monkeypatch.setattr(ready, "changed", partial(fixtures.changed, folder / "fixtures"))


@pytest.mark.parametrize(
    ("comes_about", "says"),
    [
        (well, "Ready: kernel, packages, widgets and oracles are as they should be."),
        (no_kernel, "Not ready: this cell does not run in a Jupyter kernel. Open the page in JupyterLab."),
        (another_version, "Not ready: pandas 3.1.1 is needed, and 2.0 is here. {again}"),
        (a_missing_package, "Not ready: none-such 1.0 is needed, and none is here. {again}"),
        (
            no_widgets,
            "Not ready: JupyterLab lacks its part of ipywidgets, which shows the controls. {again}",
        ),
        (
            changed_oracles,
            "Not ready: missing or changed oracles: handoff/packet.json, review/cases.json. {git}",
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
@pytest.mark.parametrize("by_make", AGAIN, ids=["by make", "by hand"])
def test_one_line(comes_about, says, by_make, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ipykernel", object())  # as if this were one
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    if by_make:
        (tmp_path / "ready").touch()
    comes_about(tmp_path, monkeypatch)
    exec(CELL, {})  # noqa: S102  a cell of our own
    assert capsys.readouterr().out.splitlines() == [
        says.format(again=AGAIN[by_make], git="Run: git checkout -- fixtures")
    ]


def test_a_kernel_of_another_python():
    bare = subprocess.run([sys.executable, "-I", "-S", "-c", CELL], capture_output=True, text=True, check=True)
    assert bare.stdout.startswith("Not ready: this kernel has no boundary_lab. ")
    assert (len(bare.stdout.splitlines()), bare.stderr) == (1, "")
