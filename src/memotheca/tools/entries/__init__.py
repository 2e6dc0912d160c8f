"""Which facts and triples does a person keep, and what happened to them?"""

from memotheca.toolkit.tool import Toolset

TOOLSET = Toolset("entries", "Facts and triples in transactions, with undo and history.", default=True)
