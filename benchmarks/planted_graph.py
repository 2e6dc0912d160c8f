"""A data directory whose graph is known: communities with hubs, a tenth of the links between them."""

from pathlib import Path

import numpy as np

from filling import open_app
from memotheca.app import App
from memotheca.entries.entries import blank_entry
from memotheca.model.kinds import CAUSAL, RELATIONAL, SEMANTIC, TEMPORAL
from memotheca.model.knowledge import Edge
from memotheca.search.prepared import LATER
from memotheca.storage.store import Transaction

BATCH = 5000
WITHIN = 0.9  # the share of links within a community
ALONE = 0.03  # the share of entries that nothing is linked to
SAID = ((RELATIONAL, "works_with"), (SEMANTIC, "resembles"), (CAUSAL, "leads_to"), (TEMPORAL, "follows"))


def plant_graph(folder: Path, nodes: int, links: int, seed: int = 1) -> App:
    """The same graph for the same numbers, stored as entries and edges."""
    random = np.random.default_rng(seed)
    app = open_app(folder, "none")
    linked = int(nodes * (1 - ALONE))
    communities = max(4, int(nodes**0.5 / 3))
    sizes = random.uniform(0.3, 2.0, communities)
    group = np.sort(random.choice(communities, linked, p=sizes / sizes.sum()))
    first, count = np.searchsorted(group, np.arange(communities)), np.bincount(group, minlength=communities)
    sources = random.integers(0, linked, links)
    near = first[group[sources]] + (random.random(links) ** 2 * count[group[sources]]).astype(int)
    targets = np.where(random.random(links) < WITHIN, near, random.integers(0, linked, links))
    said = random.choice(len(SAID), links, p=(0.5, 0.3, 0.15, 0.05))
    order = random.permutation(nodes)
    ids: list[str] = []

    def write_entries(transaction: Transaction) -> None:
        transaction.describe("CREATE")
        for number in range(len(ids), min(nodes, len(ids) + BATCH)):
            entry = blank_entry(transaction, f"Thing {number}", f"What is known of thing {number}.", ())
            transaction.put(entry, LATER)
            ids.append(entry.id)

    while len(ids) < nodes:
        app.kernel.write(write_entries, actor="benchmark")
    kept = sources != targets
    ends = list(zip(order[sources[kept]].tolist(), order[targets[kept]].tolist(), said[kept].tolist(), strict=True))
    for begin in range(0, len(ends), BATCH):
        _link(app, ids, ends[begin : begin + BATCH])
    return app


def _link(app: App, ids: list[str], ends: list[tuple[int, int, int]]) -> None:
    def act(transaction: Transaction) -> None:
        transaction.describe("CREATE")
        edges: list[Edge] = []
        for source, target, said in ends:
            type, predicate = SAID[said]
            edges.append(
                Edge(
                    id=transaction.new_id(),
                    source=ids[source],
                    target=ids[target],
                    type=type,
                    predicate=predicate,
                    created_at=transaction.time,
                    updated_at=transaction.time,
                )
            )
        transaction.link(edges)

    app.kernel.write(act, actor="benchmark")
