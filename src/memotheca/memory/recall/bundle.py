"""Bundling: what surrounds the nodes of a context, on request and no more of it than was asked for."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memotheca.kernel.citations import citation_of, name_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.care.critique import ContradictoryPair
from memotheca.memory.graph.walk import confidence_of, look_around, mapped, strength_of
from memotheca.memory.recall.entailment import entail
from memotheca.model.kinds import CAUSAL
from memotheca.model.knowledge import Entry
from memotheca.text.tokens import count_tokens

SPACE = "E1"
SURROUNDED = 3  # chosen: the best few, within the budget of metadata

Told = list[dict[str, Any]]


def bundle(
    kernel: Kernel, entries: Sequence[Entry], clashes: Sequence[ContradictoryPair], wanted: Sequence[str]
) -> dict[str, Told]:
    """Of each wanted sort everything there is about these entries, the best entries first."""
    sorts: dict[str, Callable[[], Told]] = {
        "causal_links": lambda: _causal_links(kernel, entries),
        "entailment_cones": lambda: _cones(kernel, entries[:SURROUNDED]),
        "neighborhood": lambda: _neighbours(kernel, entries[:SURROUNDED]),
        "conflicts": lambda: [_conflict(clash) for clash in clashes],
    }
    return {sort: sorts[sort]() for sort in dict.fromkeys(wanted)}


def shorten(bundled: Mapping[str, Told], tokens: int) -> tuple[dict[str, Told], bool]:
    """As much of each sort as fits, in turn, and whether that is less than everything."""
    kept: dict[str, Told] = {sort: [] for sort in bundled}
    full: set[str] = set()
    for place in range(max(map(len, bundled.values()), default=0)):
        for sort, told in bundled.items():
            if place < len(told) and sort not in full:
                cost = count_tokens(json.dumps(told[place], ensure_ascii=False))
                if cost > tokens:
                    full.add(sort)
                else:
                    tokens -= cost
                    kept[sort].append(told[place])
    return kept, bool(full)


def _causal_links(kernel: Kernel, entries: Sequence[Entry]) -> Told:
    with kernel.read() as snapshot:
        edges = {edge.id: edge for entry in entries for edge in snapshot.edges_of(entry.id) if edge.type == CAUSAL}
        return [
            {
                "source": edge.source,
                "target": edge.target,
                "predicate": edge.predicate,
                "weight": round(strength_of(edge), 4),
                "confidence": round(confidence_of(edge), 4),
            }
            for edge in edges.values()
        ]


def _cones(kernel: Kernel, entries: Sequence[Entry]) -> Told:
    with kernel.read() as snapshot:
        found = [(entry, entail(kernel, snapshot, entry, SPACE)) for entry in entries]
    return [
        {
            "node_id": entry.id,
            "aperture": round(held.cone.aperture, 4),
            "depth": held.cone.depth,
            "radius": None if held.cone.radius is None else round(held.cone.radius, 4),
            "ancestors": [kin.entry.id for kin in held.ancestors],
            "descendants": [kin.entry.id for kin in held.descendants],
        }
        for entry, held in found
    ]


def _neighbours(kernel: Kernel, entries: Sequence[Entry]) -> Told:
    with mapped(kernel) as chart:
        found = [(entry, look_around(chart, entry, depth=1)) for entry in entries]
    return [
        {
            "node_id": entry.id,
            "neighbor_id": near.entry.id,
            "name": name_of(near.entry),
            "edge_type": near.step.edge.type,
            "weight": round(near.step.strength, 4),
        }
        for entry, around in found
        for near in around.neighbours
    ]


def _conflict(clash: ContradictoryPair) -> dict[str, Any]:
    said = clash.contradiction
    return {
        "node_ids": [clash.older.id, clash.newer.id],
        "citations": [citation_of(clash.older), citation_of(clash.newer)],
        "type": said.type,
        "score": said.score,
        "statements": [said.one, said.other],
        "explanation": said.explanation,
    }
