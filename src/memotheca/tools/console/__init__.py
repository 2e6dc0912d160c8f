"""What does a page show of the whole?

Reads for pages that people look at: the one this server serves, and those that clients embed. Not for agents, so listed
only to clients that show pages. Not for finding out what is shown (`views`). Look first at `contract.py` and
`console_search.py`.
"""

from memotheca.toolkit.tool import Toolset

TOOLSET = Toolset(
    "console", "What pages show of the whole; listed only to clients that show pages.", default=False, for_pages=True
)
