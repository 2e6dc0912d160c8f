"""How is what is stored found fast, by every process, as soon as it is committed?

Immutable segments and the unsealed rest. Not for ranking across lists (`vectors/fusion.py`). Look first at `live.py`.
"""
