"""Decisions: what a caller says a memory is to others, carried out with the memory in one transaction.

What is superseded ends, and both stay to be found; what is contradicted stays disputed until somebody settles it; what
is the same is linked as such, and neither disputed nor proposed to be told apart again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from memotheca.kernel.nodes import find_node
from memotheca.memory.curation.links import new_link
from memotheca.memory.graph.relations import CONTRADICTS, SAME_AS, SUPERSEDES, read_relation
from memotheca.model import kinds
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Edge, Entry, Validity
from memotheca.search.prepared import LATER
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction

PREDICATES = {"supersedes": SUPERSEDES, "contradicts": CONTRADICTS, "same_as": SAME_AS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """Handles of entries that a memory supersedes, contradicts, or says the same as."""

    supersedes: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    same_as: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.supersedes or self.contradicts or self.same_as)


UNDECIDED = Decisions()


def decided_by(link_to: Sequence[str], word: str, decisions: Decisions) -> Decisions:
    """Also what the word for the relation of `link_to` decides, said of the new memory."""
    relation = read_relation(word)
    name = next((name for name, predicate in PREDICATES.items() if predicate == relation.predicate), None)
    if name is None or relation.is_turned or not link_to:
        return decisions
    return replace(decisions, **{name: tuple(dict.fromkeys([*getattr(decisions, name), *link_to]))})


def resolve_decisions(snapshot: Snapshot, decisions: Decisions, id: str = "") -> dict[str, str]:
    """What was decided of each living entry, by its id; nothing can be decided twice, or of itself."""
    found: dict[str, str] = {}
    for field, predicate in PREDICATES.items():
        for handle in getattr(decisions, field):
            other = find_node(snapshot, handle, field=field).id
            if other == id:
                raise Refusal(Failure.INVALID, f"A memory cannot say of itself that it {predicate} it.", field=field)
            if found.setdefault(other, predicate) != predicate:
                said = f"{handle} cannot both be what it {found[other]} and what it {predicate}."
                raise Refusal(Failure.INVALID, said, field=field)
    return found


def carry_out_decisions(transaction: Transaction, entry: Entry, decided: Mapping[str, str]) -> list[Edge]:
    """The edges that say so, not yet put; what is superseded ends when the newer one begins to hold."""
    begins = transaction.time if entry.validity.start is None else entry.validity.start
    for id, predicate in decided.items():
        if predicate == SUPERSEDES:
            _end(transaction, cast(Entry, transaction.entry(id)), begins)
    ends = [((entry.id, id), predicate) for id, predicate in decided.items()]
    return [new_link(transaction, pair, kinds.RELATIONAL, predicate=predicate) for pair, predicate in ends]


def _end(transaction: Transaction, older: Entry, at: int) -> None:
    """Let it hold until then, unless it has ended before."""
    held = older.validity
    if held.end is None or held.end > at:
        end = at if held.start is None else max(at, held.start)
        ended = replace(older, validity=Validity(held.start, end), updated_at=transaction.time)
        transaction.put(ended, LATER)
