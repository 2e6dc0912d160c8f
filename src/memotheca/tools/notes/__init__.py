"""What do the notes of a folder say, and how do they hang together?

Not for the graph (`notes`) or the files (`vault`). Look first at `contract.py` and `get_node.py`.
"""

from memotheca.toolkit.tool import Toolset

TOOLSET = Toolset(
    "notes", "A folder of markdown notes as a graph of links; shown wherever a vault is mounted.", default=False
)
