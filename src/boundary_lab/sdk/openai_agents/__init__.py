"""For applications on openai-agents: what a handoff lets through, a last gate, and a run that is watched.

The only package that imports the SDK `agents`.
"""

try:
    import agents as _  # noqa: F401  it may be missing, and then that is what to say
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError("openai-agents is not installed: pip install 'boundary-lab[agents]'") from missing

from boundary_lab.sdk.openai_agents.filters import last_gate, packet_filter
from boundary_lab.sdk.openai_agents.watched import watched_run

__all__ = ["last_gate", "packet_filter", "watched_run"]
