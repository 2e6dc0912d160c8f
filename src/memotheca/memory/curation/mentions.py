"""Mentions: the entities that a new memory names, and the edges to them (memory-model: Entities)."""

from collections.abc import Sequence
from dataclasses import replace

from memotheca.entries.edges import find_entity, new_entity
from memotheca.memory.claims.proper_names import openings, proper_names
from memotheca.memory.claims.stated_causes import IDENTIFIER
from memotheca.memory.curation.links import new_link
from memotheca.model import kinds
from memotheca.model.knowledge import Edge, Entry
from memotheca.search.derive import LATER
from memotheca.storage.store import Transaction
from memotheca.text.words import identifiers

MOST, MADE = 8, 4  # chosen: entities that one memory is joined to, and of those how many are new
TRIED = 24  # chosen: names that are looked up, far below a millisecond
READ = 2000  # chosen: letters of a text that are read for names, about a millisecond
NAMED = 0.5  # chosen: to name something joins less than to be linked to it


def mention_edges(transaction: Transaction, entry: Entry, near: Sequence[Entry]) -> list[Edge]:
    """From a memory to what it names: identifiers, names that something else near it has too, and whatever is known as
    an entity already. New entities are put; a memory whose name made the second evidence is joined as well."""
    told = _told(entry)
    codes = list(dict.fromkeys(IDENTIFIER.findall(told)))[:MOST]
    names = proper_names(entry.body[:READ])
    candidates = list(dict.fromkeys([*codes, *names, *identifiers(told), *openings(entry.body[:READ])]))[:TRIED]
    edges: list[Edge] = []
    made = 0
    for name in candidates:
        entity = find_entity(transaction, name)
        others: list[str] = []
        if entity is None and made < MADE:
            others = _also_naming(near, name) if name in names else []
            if name in codes or others:
                entity = replace(new_entity(transaction, name), attributes={kinds.MENTIONED: True})
                transaction.put(entity, LATER)
                made += 1
        if entity is not None:
            edges += [_mention(transaction, id, entity.id) for id in (entry.id, *others)]
        if len(edges) >= MOST:
            break
    return list({(edge.source, edge.target): edge for edge in edges}.values())[:MOST]


def _also_naming(near: Sequence[Entry], name: str) -> list[str]:
    holding = [other for other in near if name in other.body[:READ]]
    return [other.id for other in holding if name in proper_names(other.body[:READ])]


def _told(entry: Entry) -> str:
    return "\n".join((entry.title, entry.body, str(entry.attributes.get("rationale", ""))))


def _mention(transaction: Transaction, id: str, entity: str) -> Edge:
    return new_link(transaction, (id, entity), kinds.RELATIONAL, weight=NAMED, predicate=kinds.MENTIONS)
