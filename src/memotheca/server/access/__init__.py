"""Who may ask over HTTP, as whom, and for which collection?

Hosts, origins, tokens, and which collection a path or a token leads to. Not for what is answered. Look first at
`gate.py`, then at `served_collections.py`.
"""
