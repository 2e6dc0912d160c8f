"""Which proven way of doing this is there?"""

from memotheca.toolkit.tool import Toolset

TOOLSET = Toolset("patterns", "A catalogue of reusable patterns, presented for people and machines.", default=True)
