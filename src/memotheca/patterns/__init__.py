"""How are patterns kept and found?

The catalogue, what is shipped, reading pattern files. Not for their presentation (`tools/patterns`).
Look first at `pattern_cache.py`.
"""
