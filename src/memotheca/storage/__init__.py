"""Where does state live?

The journal and its heads, derived and operational rows, segments, locks; the only room that speaks SQL. Not for what a
change means. Look first at `store.py` for transactions, `snapshot.py` for reading and `schema.py` for the tables.
"""
