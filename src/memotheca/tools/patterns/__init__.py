"""Which proven way of doing this is there?

Not for keeping or finding them (`patterns`). Look first at `contract.py` and `search_patterns.py`.
"""

from memotheca.toolkit.tool import Toolset

TOOLSET = Toolset("patterns", "A catalogue of reusable patterns, presented for people and machines.", default=True)
