"""Shortcuts: one edge over a path that was walked often and is evidenced at every step (memory-model: Shortcuts)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation.links import new_link
from memotheca.memory.graph.cycles import find_way
from memotheca.memory.graph.relations import PREVENTS, RESEMBLES
from memotheca.memory.graph.walk import confidence_of, is_shortcut, strength_of
from memotheca.memory.session.walk_log import walks_of
from memotheca.model.kinds import MENTIONS, RELATIONAL, SEMANTIC, TEMPORAL
from memotheca.model.knowledge import Edge
from memotheca.storage.instruments.traversals import note_path, read_path_facts
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction

WALKED = 5  # specification (memory-model: Shortcuts)
HOPS = 3  # specification (memory-model: Shortcuts)
SURE = 0.7  # specification (memory-model: Shortcuts)
LOOKED_AT = 200  # chosen: the paths walked most often; milliseconds
LEADS_TO = "leads to"
SHORTCUT, PATH = "is_amortized_shortcut", "path"


@dataclass(frozen=True, slots=True)
class ShortcutCandidate:
    """A path that was walked often, from where it leads to where it ends, each step by its best evidence; how often it
    was walked, and the edge that stands for it, if there is one."""

    path: tuple[str, ...]
    steps: tuple[Edge, ...]
    times: int
    shortcut: Edge | None

    @property
    def weight(self) -> float:
        """The product of its steps (memory-model: Shortcuts)."""
        return math.prod(strength_of(edge) for edge in self.steps)

    @property
    def confidence(self) -> float:
        """That of the least sure of its steps."""
        return min(confidence_of(edge) for edge in self.steps)


def find_shortcuts(kernel: Kernel, snapshot: Snapshot) -> list[ShortcutCandidate]:
    """The evidenced paths that were walked often enough, the most frequent first."""
    walks = walks_of(kernel)
    walked = walks.often(snapshot.session, snapshot.collection, least=WALKED, hops=HOPS, limit=LOOKED_AT)
    found: dict[tuple[str, str], ShortcutCandidate] = {}
    for each in walked:
        path, steps = evidence_of(snapshot, each.ids)
        ends = (path[0], path[-1])
        if steps and ends not in found and not _is_joined(snapshot, ends):
            found[ends] = ShortcutCandidate(path, steps, each.times, shortcut_between(snapshot, path))
    return list(found.values())


def evidence_of(snapshot: Snapshot, ids: Sequence[str]) -> tuple[tuple[str, ...], tuple[Edge, ...]]:
    """The path in the direction in which its edges lead, with the best evidence of each step; none where a step has
    none, or where they lead to and fro."""
    for path in (tuple(ids), tuple(reversed(ids))):
        steps = [_best(snapshot, one, other) for one, other in pairwise(path)]
        known = tuple(step for step in steps if step is not None)
        if len(known) == len(steps):
            return path, known
    return tuple(ids), ()


def _best(snapshot: Snapshot, one: str, other: str) -> Edge | None:
    """What was stated, or read from a text: neither likeness nor sequence, nor that something is named or prevented."""
    edges = [edge for edge in snapshot.edges_from(one) if edge.target == other and _is_evidence(edge)]
    return max(edges, key=lambda edge: (strength_of(edge) * confidence_of(edge), edge.id), default=None)


def is_passable(edge: Edge) -> bool:
    """Whether a way leads along an edge: evidence, or a shortcut over it."""
    return is_shortcut(edge) or _is_evidence(edge)


def _is_evidence(edge: Edge) -> bool:
    if is_shortcut(edge) or edge.type in (SEMANTIC, TEMPORAL):
        return False
    return edge.predicate not in (MENTIONS, PREVENTS, RESEMBLES)


def _is_joined(snapshot: Snapshot, ends: tuple[str, str]) -> bool:
    """Whether evidence leads from one end to the other directly, so that nothing is to be shortened."""
    return _best(snapshot, *ends) is not None


def shortcut_between(snapshot: Snapshot, path: Sequence[str]) -> Edge | None:
    edges = snapshot.edges_from(path[0])
    return next((edge for edge in edges if edge.target == path[-1] and is_shortcut(edge)), None)


def is_wanted(snapshot: Snapshot, candidate: ShortcutCandidate) -> bool:
    """Whether a path is to have a shortcut: sure enough, none there, no circle closed, and not taken away by somebody
    since, unless it was walked as often again."""
    if candidate.shortcut is not None or candidate.confidence < SURE or candidate.weight <= 0:
        return False
    facts = read_path_facts(snapshot.session, snapshot.collection, candidate.path)
    if facts.get("tx") and candidate.times < int(facts["times"]) + WALKED:
        return False
    return not find_way(snapshot, candidate.path[-1], {candidate.path[0]}, _type_of(candidate)[0])


def make_shortcut(transaction: Transaction, candidate: ShortcutCandidate) -> Edge | None:
    """Put the edge, if the path still stands as it was seen."""
    path, steps = evidence_of(transaction, candidate.path)
    seen = replace(candidate, path=path, steps=steps, shortcut=shortcut_between(transaction, path) if steps else None)
    if not steps or not is_wanted(transaction, seen):
        return None
    type, predicate = _type_of(seen)
    link = new_link(transaction, (path[0], path[-1]), type, weight=seen.weight, predicate=predicate)
    edge = replace(
        link, confidence=seen.confidence, attributes={SHORTCUT: True, PATH: list(path), "traversals": seen.times}
    )
    transaction.put(edge)
    note_path(transaction.session, transaction.collection, path, {"tx": transaction.tx, "times": seen.times})
    return edge


def stands(snapshot: Snapshot, shortcut: Edge) -> bool:
    """Whether every step of the path that a shortcut stands for is still evidenced."""
    path: Sequence[str] = shortcut.attributes.get(PATH, ())
    return len(path) > 1 and all(_best(snapshot, *step) is not None for step in pairwise(path))


def _type_of(candidate: ShortcutCandidate) -> tuple[str, str]:
    """As all steps are, where they are of one kind."""
    types = {edge.type for edge in candidate.steps}
    predicates = {edge.predicate for edge in candidate.steps}
    if len(types) > 1:
        return RELATIONAL, LEADS_TO
    return types.pop(), predicates.pop() if len(predicates) == 1 else LEADS_TO
