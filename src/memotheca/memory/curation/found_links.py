"""Found links: the edges that a new memory's own words are evidence of."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memotheca.memory.claims.stated_causes import StatedCause, stated_causes
from memotheca.memory.curation.links import new_link
from memotheca.memory.graph.relations import CAUSES, PART_OF, RESOLVES
from memotheca.model import kinds
from memotheca.model.knowledge import Edge, Entry
from memotheca.storage.lookups import ids_beginning, ids_labelled
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction

# How strong and how sure an edge is that a text was read to state.
READ = 0.8  # measured: that share of the causes is right (benchmarks/causes.py); chosen for parts (memory-model: Links)
SHORTEST = 4  # chosen: a shorter title is a word like any other
BEARERS = 8  # chosen: how many titles may begin with one identifier

# Two words or more, each with a capital: a name also where no title is like it.
_NAMED = re.compile(r"[A-Z\u00c0-\u00de][\w'\u2019-]*(?:\s+[A-Z\u00c0-\u00de][\w'\u2019-]*)+")
_PARENTHOOD = "is an?|part of|part of the|kind of|type of|belongs to"
_NAMES_A_WHOLE = re.compile(rf"(?<!\w)(?:{_PARENTHOOD})\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FoundTie:
    """What there is evidence of, before it is an edge; a new memory has no id yet."""

    ends: tuple[str, str]
    type: str
    predicate: str
    weight: float


def edge_of(transaction: Transaction, tie: FoundTie, id: str) -> Edge:
    """The edge of a tie that was found before the entry had an id, not yet put; as sure as it is strong."""
    ends = (tie.ends[0] or id, tie.ends[1] or id)
    edge = new_link(transaction, ends, tie.type, weight=tie.weight, predicate=tie.predicate)
    return replace(edge, confidence=edge.weight)


def find_ties(snapshot: Snapshot, entry: Entry, near: Sequence[Entry]) -> list[FoundTie]:
    """Causal, or resolving, where the text says so of what it names by identifier or title; Hierarchical where it says
    that it is a part of a neighbour."""
    return [*_causes(snapshot, entry, near), *_parts(entry, near)]


def _causes(snapshot: Snapshot, entry: Entry, near: Sequence[Entry]) -> list[FoundTie]:
    told = (entry.body, str(entry.attributes.get("rationale", "")))
    found: dict[tuple[str, str], FoundTie] = {}
    for stated in [each for text in told for each in stated_causes(text)]:
        other = _named(snapshot, stated, near)
        if other is None or other == entry.id:
            continue
        ends = (other, entry.id) if stated.role == "cause" else (entry.id, other)
        type, predicate = (kinds.RELATIONAL, RESOLVES) if stated.role == "resolved" else (kinds.CAUSAL, CAUSES)
        if ends not in found and ends[::-1] not in found:
            found[ends] = FoundTie(ends, type, predicate, READ)
    return list(found.values())


def _named(snapshot: Snapshot, stated: StatedCause, near: Sequence[Entry]) -> str | None:
    """The memory that a phrase names: the first to bear its identifier, or the only one with that title."""
    if stated.identifier is not None:
        return _bearer(snapshot, stated.identifier, near)
    if stated.role == "resolved":
        return None
    for name in stated.names():
        if len(name.split()) > 1:
            found = ids_labelled(snapshot, name, kind=kinds.MEMORY, limit=2)
            if len(found) == 1:
                return found[0]
            if _NAMED.fullmatch(name) and (bearer := _bearer(snapshot, name, near)) is not None:
                return bearer
    return None


def _bearer(snapshot: Snapshot, identifier: str, near: Sequence[Entry]) -> str | None:
    """The first memory that has the name in its title, else the first of those near that begins with it."""
    own = ids_beginning(snapshot, identifier, kind=kinds.MEMORY, limit=BEARERS)
    entries = [*snapshot.living(own).values(), *near]
    named = _bordered(identifier)
    bearing = [each.id for each in entries if named.search(each.title)]
    opening = [each.id for each in entries if named.match(each.body)]
    return min(bearing or opening, default=None)


def _parts(entry: Entry, near: Sequence[Entry]) -> list[FoundTie]:
    if not _NAMES_A_WHOLE.search(entry.body):
        return []
    return [
        FoundTie((entry.id, other.id), kinds.HIERARCHICAL, PART_OF, READ)
        for other in near
        if len(other.title) >= SHORTEST and _is_called_a_whole(other.title, entry.body)
    ]


def _is_called_a_whole(title: str, body: str) -> bool:
    return bool(re.search(rf"(?<!\w)(?:{_PARENTHOOD})\s+{_bordered(title).pattern}", body, re.IGNORECASE))


def _bordered(name: str) -> re.Pattern[str]:
    """A name between borders: neither a part of a word nor of a longer name."""
    return re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.IGNORECASE)
