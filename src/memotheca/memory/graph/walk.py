"""Walking: from an entry to those around it, along edges and along the links of notes."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from memotheca.kernel.kernel import Kernel
from memotheca.memory.graph.causality import effective_weight
from memotheca.model.kinds import EDGE_TYPES, RELATIONAL
from memotheca.model.knowledge import Edge, Entry
from memotheca.notes.mounts import opened, vaults_of
from memotheca.notes.notebook import Notebook
from memotheca.storage.snapshot import Snapshot

MOST = 50  # chosen: what an answer can show
LINKS = "links to"

Direction = Literal["out", "in"]


@dataclass(frozen=True, slots=True)
class WalkStep:
    """One way from an entry to another one, along an edge or against it."""

    edge: Edge
    origin: str
    other: str
    direction: Direction

    @property
    def strength(self) -> float:
        return strength_of(self.edge)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An entry that was walked to: by which step it was reached best, and after how many."""

    entry: Entry
    step: WalkStep
    hop: int


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """An entry, those around it in the order they were reached, every edge between any of them, and whether there is
    more than is shown."""

    focal: Entry
    neighbours: tuple[Neighbour, ...]
    edges: tuple[Edge, ...]
    truncated: bool

    def paths(self) -> list[list[str]]:
        """How each of them was reached, from the entry in the middle on."""
        came = {each.entry.id: each.step.origin for each in self.neighbours}
        found: list[list[str]] = []
        for each in self.neighbours:
            path = [each.entry.id]
            while path[-1] in came:
                path.append(came[path[-1]])
            found.append(path[::-1])
        return found


def strength_of(edge: Edge) -> float:
    """The effective weight of an edge: its own, moved by what it was used for (memory-model: Edge weight)."""
    moved: dict[str, Any] = edge.attributes.get("nt") or {}
    return effective_weight(
        edge.weight,
        excitatory=float(moved.get("excitatory", 0.0)),
        inhibitory=float(moved.get("inhibitory", 0.0)),
        modulatory=float(moved.get("modulatory", 0.0)),
    )


def is_shortcut(edge: Edge) -> bool:
    return bool(edge.attributes.get("is_amortized_shortcut"))


def confidence_of(edge: Edge) -> float:
    """What was not said to be doubtful is taken to be so."""
    return 1.0 if edge.confidence is None else edge.confidence


@dataclass(frozen=True, slots=True)
class Map:
    """One snapshot to walk in, with the links of the notes where a vault is mounted."""

    snapshot: Snapshot
    book: Notebook | None
    known: dict[str, list[WalkStep]] = field(default_factory=dict[str, list[WalkStep]])

    def steps(self, id: str) -> list[WalkStep]:
        """Every way away from an entry, looked up once."""
        if id not in self.known:
            self.known[id] = self._look_up(id)
        return self.known[id]

    def _look_up(self, id: str) -> list[WalkStep]:
        found: list[WalkStep] = []
        for edge in {edge.id: edge for edge in self.snapshot.edges_of(id)}.values():
            if edge.source == id != edge.target:
                found.append(WalkStep(edge, id, edge.target, "out"))
            elif edge.target == id != edge.source:
                found.append(WalkStep(edge, id, edge.source, "in"))
        return found + self._links(id, {(step.other, step.direction) for step in found})

    def _links(self, id: str, known: set[tuple[str, Direction]]) -> list[WalkStep]:
        """The links of notes that are no edges of their own."""
        if self.book is None or id not in self.book.graph:
            return []
        book = self.book
        steps = [WalkStep(_link(id, other), id, other, "out") for other in book.graph.out[id]]
        steps += [WalkStep(_link(other, id), id, other, "in") for other in book.incoming(id)]
        return [step for step in steps if (step.other, step.direction) not in known and step.other not in book.ghosts]


def _link(source: str, target: str) -> Edge:
    return Edge(
        id="",
        source=source,
        target=target,
        type=RELATIONAL,
        predicate=LINKS,
        confidence=1.0,
        created_at=0,
        updated_at=0,
    )


@contextmanager
def mapped(kernel: Kernel) -> Generator[Map]:
    if vaults_of(kernel).has_notes:
        with opened(kernel) as (snapshot, book):
            yield Map(snapshot, book)
    else:
        with kernel.read() as snapshot:
            yield Map(snapshot, None)


def look_around(
    chart: Map, focal: Entry, *, depth: int, types: Sequence[str] = EDGE_TYPES, min_weight: float = 0.0
) -> Neighbourhood:
    """Those around an entry, hop by hop and the strongest first, at most fifty."""
    found: dict[str, Neighbour] = {}
    border, truncated = [focal.id], False
    for hop in range(1, depth + 1):
        best = _best_steps(chart, border, types, min_weight)
        border = list[str]()
        for step in best:
            if step.other in found or step.other == focal.id:
                continue
            entry = chart.snapshot.entry(step.other)
            if entry is None:
                continue
            if len(found) == MOST:
                truncated = True
                break
            found[step.other] = Neighbour(entry, step, hop)
            border.append(step.other)
        if truncated:
            break
    edges = _edges_between(chart, [focal.id, *found], types, min_weight)
    return Neighbourhood(focal, tuple(found.values()), edges, truncated)


def _best_steps(chart: Map, border: Sequence[str], types: Sequence[str], min_weight: float) -> list[WalkStep]:
    steps = [step for id in border for step in chart.steps(id)]
    fitting = [step for step in steps if step.edge.type in types and step.edge.weight >= min_weight]
    return sorted(fitting, key=lambda step: (-step.strength, step.other, step.edge.id))


def _edges_between(chart: Map, ids: Sequence[str], types: Sequence[str], min_weight: float) -> tuple[Edge, ...]:
    """Each edge once, with both ends among these."""
    known = set(ids)
    found = {
        (step.edge.source, step.edge.target, step.edge.type, step.edge.predicate): step.edge
        for step in _best_steps(chart, ids, types, min_weight)
        if step.other in known
    }
    return tuple(sorted(found.values(), key=lambda edge: (-strength_of(edge), edge.source, edge.target, edge.type)))
