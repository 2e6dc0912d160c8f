"""What can agents call?

A folder a family: one file a tool, and the contract that puts answers into the family's words. Not for doing the work,
which is a verb of a room below. Look first at `entries/store.py` for an example.
"""
