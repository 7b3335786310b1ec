"""Boundary Lab: what crosses a boundary between two programs, and why checks that look right are not.

Every module of the core can be imported alone and needs the standard library only.
`boundary_lab.teach` serves the notebooks and needs the extra `lab`.
"""

__version__ = "0.1.0"
