"""How are facts and triples kept?

Storing, changing and relating entries. Not for finding them (`search`). Look first at `entries.py` and `edges.py`.
"""
