"""What was said, turn by turn?

Keeping conversations, their turns, and what was stored from them. Not for reading the files that clients write
(`admin/imports`) nor for what should be remembered of them (`memory`). Look first at `keep.py`.
"""
