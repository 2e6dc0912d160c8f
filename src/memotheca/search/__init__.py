"""How is it found?

What is derived from entries to find them (passages, terms, vectors), the index over it, ranking and excerpts.
Not for a family's own words of asking (`tools`) or its filters. Look first at `search.py` and `finder.py`.
"""
