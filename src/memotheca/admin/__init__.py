"""How is the whole undone, moved, checked, erased?

History, undo, export, erasure, health and upkeep over all families. Not for a single family's verbs.
Look first at `history.py` and `health.py`.
"""
