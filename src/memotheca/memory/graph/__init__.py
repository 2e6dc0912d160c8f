"""How are memories connected?

Causes, cycles, walks, balance. Not for making edges (`curation`). Look first at `walk.py`.
"""
