"""Mentions: the entities that a new memory names, and the edges to them (memory-model: Entities)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from memotheca.entries.edges import find_entity, new_entity
from memotheca.kernel.handles import ENTITY_NAMES
from memotheca.memory.claims.proper_names import openings, proper_names
from memotheca.memory.claims.stated_causes import IDENTIFIER
from memotheca.memory.curation.links import new_link
from memotheca.model import kinds
from memotheca.model.knowledge import Alias, Edge, Entry
from memotheca.search.prepared import LATER
from memotheca.storage.store import Transaction
from memotheca.text.words import identifiers

MOST, MADE = 8, 4  # chosen: entities that one memory is joined to, and of those how many are new
TRIED = 24  # chosen: names that are looked up, far below a millisecond
READ = 2000  # chosen: letters of a text that are read for names, about a millisecond
NAMED = 0.5  # chosen: to name something joins less than to be linked to it
# An identifier as people also write it: inc 107, Inc107, inc_107. Only what is known as INC-107 is meant by it.
_CODE = re.compile(r"(?<![\w-])([^\W\d_]{2,10})[ _-]?(\d{1,7})(?![\w-])")
# Somebody by an initial: T. Novak. Only who is known by it is meant.
_INITIAL = re.compile(r"(?<!\w)[^\W\d_]\.\s?[^\W\d_]\w+")


def mention_edges(transaction: Transaction, entry: Entry, near: Sequence[Entry]) -> list[Edge]:
    """From a memory to what it names: identifiers, names that something else near it has too, and whatever is known as
    an entity already. New entities are put; a memory whose name made the second evidence is joined as well."""
    told = _told(entry)
    codes = list(dict.fromkeys(IDENTIFIER.findall(told)))[:MOST]
    names = proper_names(entry.body[:READ])
    opening = openings(entry.body[:READ])
    spelled = [f"{letters.upper()}-{number}" for letters, number in _CODE.findall(told[:READ])]
    initials = [name for name in _INITIAL.findall(entry.body[:READ]) if name[0].isupper()]
    candidates = list(dict.fromkeys([*codes, *names, *identifiers(told), *opening, *initials, *spelled]))[:TRIED]
    short = {whole: single for each in (entry, *near) for whole, single in _short_forms(each.body[:READ]).items()}
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
        if entity is not None and name in short:
            _call_also(transaction, entity, short[name])
        if entity is not None:
            edges += [_mention(transaction, id, entity.id) for id in (entry.id, *others)]
        if len(edges) >= MOST:
            break
    return list({(edge.source, edge.target): edge for edge in edges}.values())[:MOST]


@lru_cache(maxsize=1024)
def _short_forms(text: str) -> Mapping[str, str]:
    """The names of several words in a text of which one word stands there alone, too: who is named in full and then by
    one name is one. Not where that word is of two names."""
    names = [*proper_names(text), *openings(text)]
    whole = [name for name in dict.fromkeys(names) if " " in name]
    found: dict[str, str] = {}
    for single in dict.fromkeys(name for name in names if " " not in name):
        bearers = [name for name in whole if single in (name.split()[0], name.split()[-1])]
        if len(bearers) == 1 and bearers[0] not in found:
            found[bearers[0]] = single
    return found


def _call_also(transaction: Transaction, entity: Entry, name: str) -> None:
    """Let an entity be found by another name, where that name is nobody's."""
    alias = Alias(ENTITY_NAMES, name)
    if find_entity(transaction, name) is None:
        transaction.put(replace(entity, aliases=(*entity.aliases, alias), updated_at=transaction.time), LATER)


def _also_naming(near: Sequence[Entry], name: str) -> list[str]:
    holding = [other for other in near if name in other.body[:READ]]
    return [other.id for other in holding if name in proper_names(other.body[:READ])]


def _told(entry: Entry) -> str:
    return "\n".join((entry.title, entry.body, str(entry.attributes.get("rationale", ""))))


def _mention(transaction: Transaction, id: str, entity: str) -> Edge:
    return new_link(transaction, (id, entity), kinds.RELATIONAL, weight=NAMED, predicate=kinds.MENTIONS)
