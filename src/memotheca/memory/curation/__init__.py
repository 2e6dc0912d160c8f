"""How are memories stored, merged, forgotten and brought back?

Every change of a memory. Not for deciding which change is due (`care`).
Look first at `remember.py` for storing, `merge.py` for merging and `merged_text.py` for what a merged text says.
"""
