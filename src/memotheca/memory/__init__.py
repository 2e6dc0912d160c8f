"""How does a memory judge and tend itself?

Rooms of its own, from the top: `recall` (what is answered), `care` (what is open), `curation` (what is changed),
`standing` (how well something hangs together), `claims`, `safety`, `session`, `graph`, and `spaces` (thirteen kinds of
nearness). Not for the wire (`tools/memories`).
Look first at `curation/remember.py` for writing and `recall/recall.py` for reading.
"""
