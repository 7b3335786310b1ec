"""What Binder and conda would build: this Python, these versions, these files. Neither has built it here."""

import os
import re
import subprocess
import sys

import pytest
import yaml

from boundary_lab.nets import CHECKOUT

ENVIRONMENT = yaml.safe_load((CHECKOUT / "environment.yml").read_text(encoding="utf-8"))
LOCKED = dict(
    re.findall(r"^([a-z0-9-]+)==([^ ;\\]+)", (CHECKOUT / "requirements.lock").read_text("ascii"), re.MULTILINE)
)
*CONDA, PIP = ENVIRONMENT["dependencies"]
PINNED = [spec for spec in CONDA if spec != "pip" and not spec.startswith("python=")]
# Neither conda nor Docker is asked for anything: repo2docker prints what it would do.
WOULD = ("--no-build", "--debug", "--user-id=1000", "--user-name=j")


def test_binder_reads_the_same_file():
    assert (CHECKOUT / "binder" / "environment.yml").read_bytes() == (CHECKOUT / "environment.yml").read_bytes()


def test_the_python_is_one_that_binder_understands():
    assert [spec for spec in CONDA if spec.startswith("python=")] == ["python=3.12"]
    assert ENVIRONMENT["channels"] == ["conda-forge"]


@pytest.mark.parametrize("spec", CONDA)
def test_every_spec_is_one(spec):
    rattler = pytest.importorskip("rattler", reason="py-rattler cannot be loaded on this system")
    assert str(rattler.MatchSpec(spec, strict=True).name.normalized) == spec.split("=")[0]


def test_versions_are_those_of_the_lock():
    assert [spec for spec in PINNED if spec != f"{(name := spec.split('=')[0])}={LOCKED[name]}"] == []
    assert PIP["pip"] == [f"openai-agents=={LOCKED['openai-agents']}"]


def done(*command, **options):
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=CHECKOUT, capture_output=True, text=True, check=False, **options
    )


def test_versions_resolve_for_that_python():
    """Together, from the package index; the answer is the lock's."""
    asked = "\n".join([*(spec.replace("=", "==") for spec in PINNED), *PIP["pip"]])
    quietly = ("--quiet", "--no-header", "--no-annotate", "--constraint=requirements.lock")
    resolved = done("uv", "pip", "compile", "-", "--python-version=3.12", *quietly, input=asked)
    unreachable = re.search("dns|connect|offline", resolved.stderr, re.IGNORECASE)
    if resolved.returncode and unreachable and not os.environ.get("CI"):
        pytest.skip("no package index within reach: whether the versions resolve is not asked")
    assert resolved.returncode == 0, resolved.stderr
    found = dict(line.split(" ;")[0].split("==") for line in resolved.stdout.splitlines())
    assert {name: LOCKED.get(name) for name in found} == found


def test_binder_builds_this_file_and_this_python():
    would = done("repo2docker", *WOULD, ".")
    assert would.returncode == 0, would.stderr
    said = would.stdout + would.stderr
    assert "conda environment for python=3.12" in said
    assert '--file "binder/environment.yml"' in said
    assert "RUN ./binder/postBuild" in said
