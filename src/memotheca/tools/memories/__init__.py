"""What does an agent remember, how well does it hang together, and what should be done about it?

Not for judging or changing anything (`memory`). Look first at `contract.py` and `store_memory.py`.
"""

from memotheca.toolkit.tool import Toolset

TOOLSET = Toolset("memories", "An agent's long-term memory: curated, navigable, aware of what it lacks.", default=False)
