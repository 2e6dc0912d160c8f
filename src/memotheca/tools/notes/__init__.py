"""What do the notes of a folder say, and how do they hang together?"""

from memotheca.toolkit.tool import Toolset

TOOLSET = Toolset(
    "notes", "A folder of markdown notes as a graph of links; shown wherever a vault is mounted.", default=False
)
