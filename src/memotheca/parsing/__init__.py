"""How do files become text?

One reader a format, run in a process of its own with limits. Not for keeping what was read (`documents`) and not for
notes (`vault`). Look first at `formats_table.py` for the formats and `isolation/sandbox.py` for the process.
"""
