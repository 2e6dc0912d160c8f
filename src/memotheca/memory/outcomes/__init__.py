"""Does what the memory shows help, and how well does it know?

What was shown is written down with what speaks for it, what became of it is compared with what was predicted, and
learned from. Not for ranking (`recall`, `search`). Look first at `prediction.py`.
"""
