"""How does a memory judge and tend itself?

Rooms of its own, from the top: `dream` (what it does by itself), `recall` (what is answered), `care` (what is open),
`focus` (what attention is on), `outcomes` (whether it helped), `thresholds` (whether its bars lie right), `topics`
(what it is about), `curation` (what is changed), `standing` (how well something hangs together), `claims` (what a
sentence says), `safety` (whether it is what it pretends), `session` (how a session is doing), `graph` (how memories
are connected), `spaces` (thirteen kinds of nearness), and `tuning` (what was learned). Not for the wire
(`tools/memories`).
Look first at `curation/remember.py` for writing and `recall/recall.py` for reading.
"""
