"""Reading notes: one of them, those around it, the way to another, the most central, by tag, by chance."""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Literal, cast

import numpy as np

from memotheca.kernel.citations import is_held
from memotheca.kernel.handles import resolve
from memotheca.kernel.kernel import Kernel
from memotheca.model.cancellation import heed
from memotheca.model.commits import Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry, handle_of
from memotheca.notes.link_graph import Graph
from memotheca.notes.mounts import opened
from memotheca.notes.notebook import Notebook
from memotheca.storage.snapshot import Snapshot

Direction = Literal["in", "out", "both"]
DIRECTIONS: tuple[Direction, ...] = ("in", "out", "both")
Metric = Literal["in_degree", "out_degree", "pagerank"]
METRICS: tuple[Metric, ...] = ("in_degree", "out_degree", "pagerank")
Mode = Literal["any", "all"]
MODES: tuple[Mode, ...] = ("any", "all")

CONTEXT = 20  # specification: up to twenty neighbours

# Of PageRank, as its authors have it; the others are chosen: so near that no place changes, and an end in any case.
DAMPING = 0.85
TOLERANCE = 1e-6
ROUNDS = 100


@dataclass(frozen=True, slots=True)
class Node:
    """A note, a ghost or another entry as the graph shows it; `key` is its place in the graph."""

    key: str
    id: str
    title: str
    content: str
    tags: tuple[str, ...]
    links: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class NodeNeighbours:
    """The nodes around a node, some of them, and how many there are."""

    outgoing: list[Node]
    incoming: list[Node]
    outgoing_count: int
    incoming_count: int


def get_node(kernel: Kernel, id: str) -> Node | None:
    with opened(kernel) as (snapshot, book):
        key = find_key(snapshot, book, id)
        return None if key is None else show(snapshot, book, key)


def get_context(kernel: Kernel, key: str) -> NodeNeighbours:
    """Up to twenty neighbours, those the node links to first; one that is both stands in both lists."""
    with opened(kernel) as (snapshot, book):
        outgoing, incoming = _around(snapshot, book, key)
        first, every = outgoing[:CONTEXT], set(outgoing)
        others = list(islice((node for node in incoming if node not in every), CONTEXT - len(first)))
        shown = set(first).union(others)
        both = [node for node in incoming if node in shown] if every.intersection(incoming) else others
        return NodeNeighbours(
            [show(snapshot, book, node) for node in first],
            [show(snapshot, book, node) for node in both],
            len(outgoing),
            len(incoming),
        )


def get_neighbours(kernel: Kernel, id: str, *, direction: Direction, limit: int) -> list[Node]:
    """Nodes around a node, those it links to first, in the order of its links; none where there is no such node."""
    with opened(kernel) as (snapshot, book):
        key = find_key(snapshot, book, id)
        if key is None:
            return []
        outgoing, incoming = _around(snapshot, book, key)
        found = outgoing[:limit] if direction != "in" else []
        if direction != "out":
            seen = set(found)
            found += islice((node for node in incoming if node not in seen), limit - len(found))
        return [show(snapshot, book, node) for node in found]


def find_path(kernel: Kernel, source: str, target: str) -> list[str] | None:
    """Ids along the shortest way from one node to another, following the links."""
    with opened(kernel) as (snapshot, book):
        start, end = find_key(snapshot, book, source), find_key(snapshot, book, target)
        if start is None or end is None:
            return None
        path = [start] if start == end else book.graph.shortest_path(start, end, book.name_of)
        return None if path is None else [_name(snapshot, book, node) for node in path]


def get_hubs(kernel: Kernel, metric: Metric, *, limit: int) -> list[tuple[str, str, float]]:
    """Ids, titles and values of the most central nodes; equals come in the order of their ids."""
    with opened(kernel) as (_, book):
        ranked = book.remembered(metric, partial(_measured, book, metric))
        return [(book.name_of(node), book.title_of(node), value) for node, value in ranked[:limit]]


def search_by_tags(kernel: Kernel, tags: Sequence[str], *, mode: Mode, limit: int) -> list[Node]:
    with opened(kernel) as (snapshot, book):
        each = [book.tagged(tag) for tag in tags]
        found = set(each[0]).intersection(*each) if mode == "all" else set[str]().union(*each)
        return [show(snapshot, book, node) for node in book.first_by_path(found, limit)]


def random_node(kernel: Kernel, tags: Sequence[str]) -> Node | None:
    """Any note, or any with one of these tags."""
    with opened(kernel) as (snapshot, book):
        found = list(set[str]().union(*(book.tagged(tag) for tag in tags)) if tags else book.rows)
        return show(snapshot, book, random.choice(found)) if found else None  # noqa: S311


def get_note(kernel: Kernel, id: str) -> tuple[Node, Version]:
    """One note by its path; refuses what is none."""
    with opened(kernel) as (snapshot, book):
        key = book.find(id)
        if key not in book.rows:
            raise Refusal(Failure.NOT_FOUND, f"There is no note {id!r}.", field="uri")
        return show(snapshot, book, key), cast(Version, snapshot.head(key))


def show_as_of(snapshot: Snapshot, book: Notebook, version: Version) -> Node:
    """A note as it was, with its links as far as they are still known."""
    entry = cast(Entry, version.thing)
    links = _links(snapshot, book, entry.id) if entry.id in book.rows else ()
    return Node(entry.id, str(entry.attributes.get("path", "")), entry.title, entry.body, entry.tags, links)


def find_key(snapshot: Snapshot, book: Notebook, id: str) -> str | None:
    """The node under a path, a ghost's id, or any handle."""
    key = book.find(id.strip())
    if key is not None:
        return key
    try:
        return resolve(snapshot, id, "entry").id
    except Refusal as refusal:
        if refusal.failure.is_trouble:
            raise
        return None


def show(snapshot: Snapshot, book: Notebook, key: str) -> Node:
    if key in book.ghosts:
        return Node(key, key, book.title_of(key), "", (), ())
    entry = cast(Entry, snapshot.entry(key))
    linked = _links(snapshot, book, key)
    return Node(key, _name(snapshot, book, key), entry.title, entry.body, entry.tags, linked)


def _links(snapshot: Snapshot, book: Notebook, key: str) -> tuple[tuple[str, str], ...]:
    if key in book.rows:
        return tuple((book.name_of(target), book.title_of(target)) for target in book.graph.out[key])
    ends = dict.fromkeys(edge.target for edge in snapshot.edges_from(key))
    found = [end for id in ends if (end := snapshot.entry(id)) is not None and not is_held(end)]
    return tuple((handle_of(end), end.title) for end in found)


def _name(snapshot: Snapshot, book: Notebook, key: str) -> str:
    if key in book.rows or key in book.ghosts or key in book.others:
        return book.name_of(key)
    return handle_of(cast(Entry, snapshot.entry(key)))


def _around(snapshot: Snapshot, book: Notebook, key: str) -> tuple[list[str], list[str]]:
    """Where a node points, in its own order, and what points at it, by name."""
    outgoing, incoming = list(book.graph.out.get(key, ())), book.incoming(key)
    edges = [] if key in book.ghosts else snapshot.edges_of(key)
    edges = [edge for edge in edges if _is_told(snapshot, book, edge.target if edge.source == key else edge.source)]
    if edges:
        outgoing += [edge.target for edge in edges if edge.source == key and edge.target != key]
        found = {edge.source for edge in edges if edge.target == key and edge.source != key}
        incoming = sorted(found.union(incoming), key=partial(_name, snapshot, book))
    return list(dict.fromkeys(outgoing)), incoming


def _is_told(snapshot: Snapshot, book: Notebook, key: str) -> bool:
    """Whether a neighbour is shown: nothing of what is held as planted is."""
    entry = None if key in book.rows or key in book.ghosts else snapshot.entry(key)
    return entry is None or not is_held(entry)


def _measured(book: Notebook, metric: Metric) -> list[tuple[str, float]]:
    graph = book.graph
    if metric == "pagerank":
        values: Iterable[tuple[str, float]] = rank_pages(graph).items()
    else:
        degree = graph.in_degree if metric == "in_degree" else graph.out_degree
        values = ((node, degree(node)) for node in graph.out)
    return sorted(values, key=lambda each: (-each[1], book.name_of(each[0])))


def rank_pages(graph: Graph) -> Mapping[str, float]:
    """PageRank by power iteration; a node that points nowhere shares its rank with all."""
    count = len(graph)
    if not count:
        return {}
    names = list(graph.out)
    numbers = {name: number for number, name in enumerate(names)}
    degrees = np.fromiter((len(targets) for targets in graph.out.values()), np.int64, count)
    targets = np.fromiter((numbers[name] for found in graph.out.values() for name in found), np.int64, degrees.sum())
    sources = np.repeat(np.arange(count), degrees)
    shares = 1.0 / np.maximum(degrees, 1)[sources]
    dangling = degrees == 0
    rank = np.full(count, 1.0 / count)
    for _ in range(ROUNDS):
        heed()
        before = rank
        flow = np.bincount(targets, weights=before[sources] * shares, minlength=count)
        rank = DAMPING * (flow + before[dangling].sum() / count) + (1.0 - DAMPING) / count
        if np.abs(rank - before).sum() < count * TOLERANCE:
            break
    # Beyond these digits a sum depends on the order in which the notes came, and equals would not be equal.
    return dict(zip(names, rank.round(12).tolist(), strict=True))
