"""How are memories stored, merged, forgotten and brought back?

Every change of a memory. Not for deciding which change is due (`care`).
Look first at `remember.py` for storing, `merge.py` for merging and `wording.py` for what a merged text says.
"""
