"""Links: the edges that somebody asks for, by a word for their relation and with how much they carry."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memotheca.memory.graph.relations import read_relation
from memotheca.model import kinds
from memotheca.model.knowledge import Edge, Entry
from memotheca.storage.store import Transaction

# How sure a cause is that was stated once and without saying how sure: the surer, the more state it.
STATED = 0.9  # chosen (memory-model: Causal chains)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedRelation:
    """How something is said to stand to what it is linked to: the word for it, in which direction; how strongly and
    how surely, None where that was not said."""

    word: str = ""
    weight: float | None = None
    confidence: float | None = None


def stated_edges(transaction: Transaction, id: str, linked: Sequence[str], stated: StatedRelation) -> list[Edge]:
    """Between an entry and those it was said to be linked to, weighed within 0 and 1."""
    relation = read_relation(stated.word)
    unsaid = STATED if relation.type == kinds.CAUSAL else 1.0
    weight, confidence = _share(stated.weight, 1.0), _share(stated.confidence, unsaid)
    links = [
        new_link(transaction, relation.ends(id, other), relation.type, weight=weight, predicate=relation.predicate)
        for other in dict.fromkeys(linked)
    ]
    return [replace(link, confidence=confidence) for link in links]


def _share(said: float | None, unsaid: float) -> float:
    return unsaid if said is None else min(1.0, max(0.0, said))


def new_link(
    transaction: Transaction, ends: tuple[str, str], type: str, *, weight: float = 1.0, predicate: str
) -> Edge:
    """An edge between two entries, not yet put."""
    return Edge(
        id=transaction.new_id(),
        source=ends[0],
        target=ends[1],
        type=type,
        predicate=predicate,
        weight=min(1.0, max(0.0, weight)),
        confidence=1.0 if type in (kinds.RELATIONAL, kinds.TEMPORAL) else weight,
        created_at=transaction.time,
        updated_at=transaction.time,
    )


def sureness(entry: Entry) -> float:
    """How surely something is so: as somebody annotated it, else as whatever is stated once."""
    return float(entry.attributes.get("confidence", STATED))
