"""What is there?

Entries, edges, commits, the clock, cancellation and the closed list of failures. Not for anything that reads or writes.
Look first at `knowledge.py` and `errors.py`.
"""
