"""Which files does a person keep, and what do they say?

Files in the background and what was read of them. Not for reading them (`parsing`) or taking them in (`documents`).
Look first at `contract.py` and `knowledge_add.py`.
"""

from memotheca.toolkit.tool import Toolset

TOOLSET = Toolset(
    "documents", "Files made searchable: read, recognised, cut, embedded, in the background.", default=True
)
