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
_EXPLAINS = (
    r"(?:\s*[(:=\u2013\u2014]|,? (?:is|are|was|were|means|stands for|ist|sind|war|waren|bedeutet|est|sont|était|"
    r"signifie|es|son|era|significa|è|sono|é|são|är|betyder|betekent)\b)"
)


def is_unexplained(snapshot: Snapshot, entity: Entry) -> int:
    """How many entries mention a name that none of them explains, of those that are read; none where it is explained,
    joined to anything otherwise, or an identifier, which is its own explanation."""
    if entity.kind != ENTITY or not entity.attributes.get(MENTIONED) or IDENTIFIER.search(entity.title):
        return 0
    edges = some_joints(snapshot, entity.id, limit=READ)
    naming = list(dict.fromkeys(edge.source for edge in edges if edge.predicate == MENTIONS))
    if len(naming) < TIMES or any(edge.predicate != MENTIONS for edge in edges):
        return 0
    explained = re.compile(rf"\b{re.escape(fold(entity.title))}\b{_EXPLAINS}")
    for other in snapshot.living(naming).values():
        if fold(other.title) == fold(entity.title) or explained.search(fold(other.body)):
            return 0
    return len(naming)


def names_in(snapshot: Snapshot, id: str) -> list[Entry]:
    """The entities that an entry mentions."""
    ids = [edge.target for edge in snapshot.edges_from(id, MENTIONS)]
    return list(snapshot.living(ids).values())
