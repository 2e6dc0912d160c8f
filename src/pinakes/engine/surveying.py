"""A look at the notes as a whole, and at what is around one of them."""

from dataclasses import dataclass, field
from typing import Any

from pinakes.engine.kernel import Kernel
from pinakes.engine.leafing import opened
from pinakes.engine.notebook import Notebook
from pinakes.engine.notes import find_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """How many notes, links and ghosts there are, and what somebody may want to mend."""

    vaults: dict[str, str]
    notes: int
    links: int
    ghosts: int
    orphans: list[str]
    broken_links: list[dict[str, str]]
    duplicate_titles: list[tuple[str, ...]]


@dataclass(slots=True)
class Drawing:
    """The nodes near one, the links among them, and by which link each was reached first."""

    center: str
    nodes: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    edges: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    children: dict[str, list[tuple[str, str]]] = field(default_factory=dict[str, list[tuple[str, str]]])
    left_out: int = 0


def survey(kernel: Kernel) -> Survey:
    with opened(kernel) as (_, book):
        rows = sorted(book.rows.values(), key=lambda row: row.path)
        lonely = [row.path for row in rows if not book.graph.out[row.id] and not book.graph.in_degree(row.id)]
        return Survey(
            vaults={mount.prefix: str(mount.root) for mount in kernel.vaults.mounts},
            notes=len(rows),
            links=sum(book.graph.out_degree(row.id) for row in rows),
            ghosts=len(book.ghosts),
            orphans=lonely,
            broken_links=[{"note": row.path, "target": target} for row in rows for target in book.broken_links(row.id)],
            duplicate_titles=book.duplicate_titles(),
        )


def draw_around(kernel: Kernel, id: str, *, depth: int, limit: int) -> Drawing | None:
    """The nodes up to `depth` links away in either direction, the nearest first, at most `limit`."""
    with opened(kernel) as (reading, book):
        center = find_key(reading, book, id)
        if center is None or center not in book.graph:
            return None
        drawing = Drawing(book.name_of(center))
        distances = {center: 0}
        waiting = [center]
        for node in waiting:
            if distances[node] == depth:
                continue
            for other, arrow in _around(book, node):
                if other in distances:
                    continue
                if len(distances) == limit:
                    drawing.left_out += 1
                    continue
                distances[other] = distances[node] + 1
                drawing.children.setdefault(book.name_of(node), []).append((book.name_of(other), arrow))
                waiting.append(other)
        drawing.nodes = [_shown(book, node) for node in waiting]
        drawing.edges = [
            {"source": book.name_of(node), "target": book.name_of(target)}
            for node in waiting
            for target in book.graph.out[node]
            if target in distances
        ]
        return drawing


def _around(book: Notebook, node: str) -> list[tuple[str, str]]:
    outgoing = [(target, ">") for target in book.graph.out[node]]
    return outgoing + [(source, "<") for source in book.incoming(node)]


def _shown(book: Notebook, node: str) -> dict[str, Any]:
    return {"id": book.name_of(node), "title": book.title_of(node), "ghost": node in book.ghosts}
