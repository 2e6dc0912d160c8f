"""Which facts and triples does a person keep, and what happened to them?

Not for keeping them (`entries`) or undoing (`admin`). Look first at `contract.py` and `store.py`.
"""

from memotheca.toolkit.tool import Toolset

TOOLSET = Toolset("entries", "Facts and triples in transactions, with undo and history.", default=True)
