"""Names that are mentioned again and again while nothing that is stored says who or what they are."""

import re

from memotheca.memory.claims.stated_causes import IDENTIFIER
from memotheca.model.kinds import ENTITY, MENTIONED, MENTIONS
from memotheca.model.knowledge import Entry, fold
from memotheca.storage.adjacency import some_joints
from memotheca.storage.snapshot import Snapshot

TIMES = 3  # chosen: named so often and never explained
READ = 20  # chosen: mentions that are read for an explanation

# What follows a name where it is explained: a bracket, a colon, or a word for "is" or "means".
_EXPLAINS = re.compile(
    r"(?:\s*[(:=\u2013\u2014]|,? (?:is|are|was|were|means|stands for|ist|sind|war|waren|bedeutet|est|sont|était|"
    r"signifie|es|son|era|significa|è|sono|é|são|är|betyder|betekent)\b)"
)
_WORD = re.compile(r"\w")


def is_unexplained(snapshot: Snapshot, entity: Entry) -> int:
    """How many entries mention a name that none of them explains, of those that are read; none where it is explained,
    joined to anything otherwise, or an identifier, which is its own explanation."""
    if entity.kind != ENTITY or not entity.attributes.get(MENTIONED) or IDENTIFIER.search(entity.title):
        return 0
    edges = some_joints(snapshot, entity.id, limit=READ)
    naming = list(dict.fromkeys(edge.source for edge in edges if edge.predicate == MENTIONS))
    if len(naming) < TIMES or any(edge.predicate != MENTIONS for edge in edges):
        return 0
    name = fold(entity.title)
    for other in snapshot.living(naming).values():
        if fold(other.title) == name or _explains(fold(other.body), name):
            return 0
    return len(naming)


def _explains(text: str, name: str) -> bool:
    """Whether the name stands somewhere as a word of its own and is explained there. No pattern of the name: there are
    thousands, and making one takes longer than to look."""
    at = text.find(name) if name else -1
    while at >= 0:
        end = at + len(name)
        is_whole = _is_edge(text, at) and _is_edge(text, end)
        if is_whole and _EXPLAINS.match(text, end):
            return True
        at = text.find(name, at + 1)
    return False


def _is_edge(text: str, at: int) -> bool:
    """Whether a word begins or ends there."""
    before, after = text[at - 1 : at], text[at : at + 1]
    return bool(before and _WORD.match(before)) != bool(after and _WORD.match(after))


def names_in(snapshot: Snapshot, id: str) -> list[Entry]:
    """The entities that an entry mentions."""
    ids = [edge.target for edge in snapshot.edges_from(id, MENTIONS)]
    return list(snapshot.living(ids).values())
