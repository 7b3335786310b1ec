"""The frozen files: beside `src` in a checkout, inside the package in an installed wheel."""

from hashlib import sha256
from pathlib import Path
from typing import Any

from boundary_lab.files import read_json, read_regular
from boundary_lab.rejected import Rejected
from boundary_lab.strict_json import Words

__all__ = ["ROOT", "changed", "fixture", "load"]

_INSTALLED = Path(__file__).parent / "_fixtures"
_CHECKOUT = Path(__file__).parents[2] / "fixtures"
_CODE = "bad_fixture"
_MOST = 1 << 20  # bytes: no frozen file has as many
# Tables of hostile input hold escaped unpaired surrogates.
_WORDS = Words(size=_CODE, encoding=_CODE, bom=_CODE, syntax=_CODE, surrogate=None, repeated_key=_CODE)

ROOT = (_INSTALLED if _INSTALLED.is_dir() else _CHECKOUT).resolve()


def fixture(name: str) -> Path:
    """The path of a frozen file or folder, such as `handoff/packet.json`; any other name is `bad_fixture`."""
    try:
        path = (ROOT / name).resolve(strict=True)
    except (OSError, ValueError, RuntimeError) as fault:  # a loop of links is a RuntimeError before 3.13
        raise Rejected(_CODE) from fault
    if not path.is_relative_to(ROOT):
        raise Rejected(_CODE)
    return path


def load(name: str) -> Any:
    """The value of a frozen JSON file; `bad_fixture` if there is none of that name or it is damaged."""
    return read_json(fixture(name), _WORDS)


def changed(root: Path = ROOT) -> list[str]:
    """The names of `SHA256SUMS` whose file is missing or has other bytes, or that list itself."""
    sums = [line.split("  ", 1) for line in _read(root / "SHA256SUMS").decode("ascii", "replace").splitlines()]
    return ["SHA256SUMS"] * (not sums) + [sum_[-1] for sum_ in sums if sum_[0] != _digest(root / sum_[-1])]


def _read(path: Path) -> bytes:
    try:
        return read_regular(path, _MOST, _CODE)
    except Rejected:
        return b""


def _digest(path: Path) -> str:
    return sha256(_read(path)).hexdigest()
