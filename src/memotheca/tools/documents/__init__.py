"""Which files does a person keep, and what do they say?"""

from memotheca.toolkit.tool import Toolset

TOOLSET = Toolset(
    "documents", "Files made searchable: read, recognised, cut, embedded, in the background.", default=True
)
