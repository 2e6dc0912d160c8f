"""How is a folder of markdown a graph?

Mounting, following and changing vaults, and the graph of their links. Not for the syntax of a file (`vault`).
Look first at `notebook.py` for the graph, `sync.py` for what comes in and `outbox.py` for what goes out.
"""
