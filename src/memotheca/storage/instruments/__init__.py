"""What was retrieved, walked, decided and done in the background, so that the memory can learn from it?

Operational rows, bounded, no part of history. Not for what a session feels or looks at (`storage/activity.py`). Look
first at `retrievals.py`.
"""
