"""The fixture `canary` for tests of one's own agents: a plugin of pytest that imports nothing until it is asked."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from boundary_lab.sdk.audit import Audit

__all__ = ["canary"]


@pytest.fixture
def canary() -> "Audit":
    """A new `boundary_lab.sdk.audit.Audit`: plant values, run the agents, then `assert_none_reach`."""
    from boundary_lab.sdk.audit import Audit

    return Audit()
