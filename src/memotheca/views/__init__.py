"""What is a person shown who looks at the whole?

Reads over every family at once, made for eyes: search, one thing, the graph, what happened, what waits. Not for
changing anything, nor for wording it for clients (`tools/console`). Look first at `search_view.py` and `thing_view.py`.
"""
