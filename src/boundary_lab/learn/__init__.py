"""A learner's side of the lab: copies of the notebooks, attempts at exercises, and what became of them.

All of it is on the standard library, so that the command needs no Jupyter.
"""
