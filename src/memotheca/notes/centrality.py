"""How central each node of a graph is."""

from collections.abc import Mapping

import numpy as np

from memotheca.model.cancellation import heed
from memotheca.notes.link_graph import Graph

DAMPING = 0.85
TOLERANCE = 1e-6
ROUNDS = 100


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
