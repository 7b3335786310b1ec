"""Something to touch, one for each of lessons 1 to 6: pick inputs, see at once what crosses the boundary and why.

Each module has a plain function, which a cell can call, and `explorer()`, which puts labelled controls over it.
"""

from boundary_lab.teach.explorers import defect, digest, handoff, path, review, stream
from boundary_lab.teach.explorers.explorer import Explorer, Invalid

__all__ = ["Explorer", "Invalid", "defect", "digest", "handoff", "path", "review", "stream"]
