"""For applications on openai-agents: what a handoff lets through, a last gate, and a run that is watched.

The only package that imports the SDK `agents`.
"""

from boundary_lab.sdk.openai_agents.filters import last_gate, packet_filter
from boundary_lab.sdk.openai_agents.watched import watched_run

__all__ = ["last_gate", "packet_filter", "watched_run"]
