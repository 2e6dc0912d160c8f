"""Tending: what a dream finds to do about one entry (memory-model: Dreams).

Tasks for people, links that its own words are evidence of, and how strong the edges are that the memory itself has
found: stronger where both ends are shown together, weaker where they are not. What somebody stated is never touched."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.look_through import examine_entry
from memotheca.memory.curation.found_links import FoundTie, edge_of, find_ties
from memotheca.memory.dream.shortcuts import stands
from memotheca.memory.graph.cycles import STRAIGHT, find_way
from memotheca.memory.graph.relations import RESEMBLES
from memotheca.memory.graph.walk import is_shortcut, strength_of
from memotheca.memory.traits import quarantine_of
from memotheca.model.clock import DAY
from memotheca.model.kinds import MEMORY, SEMANTIC
from memotheca.model.knowledge import Edge
from memotheca.storage.care_tasks import TaskRow
from memotheca.storage.instruments.retrievals import co_retrieved_with
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction

Change = Literal["strengthened", "weakened", "pruned", "linked"]

LIVELIEST = 0.5  # chosen (memory-model: Dreams): what being shown together adds to an edge at most
OFTEN = 10.0  # chosen (memory-model: Dreams): times after which two thirds of that are reached
HALF = 180.0  # chosen (memory-model: Dreams): days unused after which an edge has half its weight
FLOOR = 0.05  # specification (memory-model: Dreams): below it an edge goes
NOTICED = 0.02  # chosen: a smaller change is not worth a version


@dataclass(frozen=True, slots=True)
class EdgeChange:
    """What is to become of an edge that the memory found itself, or a link that was missing."""

    kind: Change
    edge: Edge | None = None
    after: Edge | None = None
    tie: FoundTie | None = None


@dataclass(frozen=True, slots=True)
class Tended:
    """What there is to do about an entry: to be decided by people, and to be done."""

    tasks: list[TaskRow] = field(default_factory=list[TaskRow])
    changes: list[EdgeChange] = field(default_factory=list[EdgeChange])


def tend_entry(kernel: Kernel, id: str, pause: Callable[[], None]) -> Tended:
    """Look at one entry; nothing is changed yet."""
    tasks = examine_entry(kernel, id, pause)
    pause()
    with kernel.read() as snapshot:
        entry = snapshot.entry(id)
        if entry is None or quarantine_of(entry, kernel.now()) is not None:
            return Tended(tasks)
        changes = changed_edges(snapshot, id, kernel.now())
        if entry.kind == MEMORY:
            changes += [
                EdgeChange("linked", tie=tie) for tie in find_ties(snapshot, entry, ()) if _is_new(snapshot, tie)
            ]
    return Tended(tasks, changes)


def changed_edges(snapshot: Snapshot, id: str, now: int) -> list[EdgeChange]:
    """Edges from an entry that are to be stronger or weaker by now, or to go."""
    edges = snapshot.edges_from(id)
    found = [EdgeChange("pruned", edge) for edge in edges if is_shortcut(edge) and not stands(snapshot, edge)]
    own = [edge for edge in edges if is_found(edge)]
    together = co_retrieved_with(snapshot.session, snapshot.collection, id) if own else {}
    return found + [change for edge in own if (change := _moved(edge, together.get(edge.target), now)) is not None]


def is_found(edge: Edge) -> bool:
    """Whether the memory itself took two entries to be alike: nobody stated it. Such an edge is as sure as it is
    strong, and never wholly; what is stated is sure."""
    return edge.type == SEMANTIC and edge.predicate == RESEMBLES and edge.confidence == edge.weight < 1.0


def _moved(edge: Edge, together: tuple[int, int] | None, now: int) -> EdgeChange | None:
    times, last = together or (0, edge.created_at)
    left = 0.5 ** (max(0.0, (now - last) / DAY) / HALF)
    excitatory = round(LIVELIEST * (1 - math.exp(-times / OFTEN)) * left, 4)
    inhibitory = round(1 - left, 4)
    held: dict[str, Any] = edge.attributes.get("nt") or {}
    moved = {**held, "excitatory": excitatory, "inhibitory": inhibitory}
    after = replace(edge, attributes={**edge.attributes, "nt": moved}, updated_at=now)
    if strength_of(after) < FLOOR:
        return EdgeChange("pruned", edge)
    difference = strength_of(after) - strength_of(edge)
    if abs(difference) < NOTICED:
        return None
    return EdgeChange("strengthened" if difference > 0 else "weakened", edge, after)


def _is_new(snapshot: Snapshot, tie: FoundTie) -> bool:
    """Nothing of that type joins the two either way, and no circle would be closed."""
    one, other = tie.ends
    joined = [edge for edge in snapshot.edges_of(one) if other in (edge.source, edge.target)]
    if any(edge.type == tie.type for edge in joined):
        return False
    return tie.type not in STRAIGHT or not find_way(snapshot, other, {one}, tie.type)


def carry_out_changes(transaction: Transaction, changes: Sequence[EdgeChange]) -> list[EdgeChange]:
    """Make those of some changes that still are what they were when they were seen; these are returned."""
    done: list[EdgeChange] = []
    for change in changes:
        if change.tie is not None:
            if all(transaction.entry(end) is not None for end in change.tie.ends) and _is_new(transaction, change.tie):
                transaction.put(edge_of(transaction, change.tie, ""))
                done.append(change)
        elif change.edge is not None and transaction.edge(change.edge.id) == change.edge:
            if change.after is None:
                transaction.remove(change.edge)
            else:
                transaction.put(replace(change.after, updated_at=transaction.time))
            done.append(change)
    return done
