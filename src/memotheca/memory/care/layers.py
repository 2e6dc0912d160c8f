"""The five layers a memory is made of, and how each stands: what it does, how quick it should be, what it holds."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memotheca.kernel.kernel import Kernel
from memotheca.memory.session.quadrants import QUADRANTS, quadrant
from memotheca.memory.session.state import Mood, activity_of
from memotheca.memory.spaces.all_spaces import Gallery
from memotheca.memory.standing.judge import count_lately, judge_lately
from memotheca.memory.standing.sample import SAMPLE, reference_of
from memotheca.memory.standing.whole import stand_as_whole
from memotheca.memory.traits import KNOWN
from memotheca.memory.tuning.gates import gates_at
from memotheca.model.kinds import MEMORY
from memotheca.model.knowledge import Entry
from memotheca.search.census import take_census
from memotheca.storage.chunks import count_waiting
from memotheca.storage.lookups import heads_of
from memotheca.storage.snapshot import Snapshot

ACTIVE = 5  # specification: at most five are shown
# Nobody measures a layer by itself, so that the answer must not look as if.
TARGET = ", as specified; not measured"
LOOKED_THROUGH = 200  # chosen: what was looked at lately


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer: its name, its job, the time it is meant to take, how it stands, and the counts that say so."""

    id: str
    name: str
    role: str
    budget: str
    status: str
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Active:
    """An entry, how often somebody was shown it, and when last."""

    entry: Entry
    looks: int
    last: int


def layers(kernel: Kernel, snapshot: Snapshot, mood: Mood) -> tuple[Layer, ...]:
    waiting = count_waiting(snapshot.session, snapshot.collection)
    census = take_census(kernel, snapshot)
    nodes, edges = census.nodes(KNOWN), census.edges.total()
    exchanges = activity_of(kernel).count(snapshot.session, snapshot.collection)
    judged = count_lately(kernel, snapshot)
    return (
        Layer(
            "L1",
            "Sensing",
            "scrub, check and represent what comes in, in thirteen spaces",
            f"5 ms{TARGET}",
            "embedding" if waiting else "ready",
            {"waiting_for_vectors": waiting},
        ),
        Layer(
            "L2",
            "Reflex",
            "keep what was judged lately at hand",
            f"0.1 ms{TARGET}",
            "warm" if judged else "cold",
            {"judgements_held": judged},
        ),
        Layer(
            "L3",
            "Memory",
            "find what is stored, by meaning, words and links",
            f"1 ms{TARGET}",
            "active" if nodes else "empty",
            {"nodes": nodes, "edges": edges},
        ),
        Layer(
            "L4",
            "Learning",
            "weigh novelty against fit, and reward what was worth storing",
            f"10 ms{TARGET}",
            "learning" if mood.learning else "idle",
            {"exchanges": exchanges, "stored_in_session": len(mood.stored)},
        ),
        Layer(
            "L5",
            "Coherence",
            "compare statements, and fit the best of them into a context",
            f"10 ms{TARGET}",
            "contested" if mood.has_conflict else "settled",
            {"open_conflict": int(mood.has_conflict)},
        ),
    )


class _Stand(NamedTuple):
    """How new an entry is and how well it fits, by the bars of its domain."""

    domain: str | None
    novelty: float
    fit: float


@dataclass(slots=True)
class _Stands:
    """The sample that was judged last, and how each entry stands with the transaction that left it so."""

    held: tuple[Gallery, dict[str, tuple[_Stand, int]]] | None = None

    def of(self, gallery: Gallery) -> dict[str, tuple[_Stand, int]]:
        """What is known beside this sample, to be added to."""
        held = self.held
        return dict(held[1]) if held is not None and held[0] is gallery else {}


def count_quadrants(kernel: Kernel, snapshot: Snapshot) -> tuple[dict[str, int], int]:
    """How many memories stand in which quadrant, and how many were looked at: all while they fit the sample. Of a
    member of the same sample that has not changed it is known already."""
    held = take_census(kernel, snapshot).nodes((MEMORY,))
    gallery = reference_of(kernel, snapshot).gallery
    heads = heads_of(snapshot, gallery.ids) if held > SAMPLE else snapshot.newest(MEMORY)
    kept = kernel.keep(_Stands, kernel.collection)
    known = kept.of(gallery)
    changed = snapshot.living(id for id, tx in heads.items() if known.get(id, (None, tx + 1))[1] != tx)
    judged = judge_lately(kernel, snapshot, list(changed.values()))
    for entry, each in zip(changed.values(), judged, strict=True):
        known[entry.id] = (_Stand(entry.attributes.get("domain"), *stand_as_whole(entry, each)), heads[entry.id])
    known = {id: known[id] for id in heads if id in known}
    kept.held = (gallery, known)
    gates = gates_at(snapshot)
    found = Counter(quadrant(stand.novelty, stand.fit, gates.of(stand.domain)["johari"]) for stand, _ in known.values())
    return {name: found[name] for name in QUADRANTS}, len(known)


def most_active(kernel: Kernel, snapshot: Snapshot) -> Sequence[Active]:
    """What somebody was shown most often, of what was looked at lately."""
    ids = [id for id, _ in activity_of(kernel).recent_looks(snapshot.session, snapshot.collection, LOOKED_THROUGH)]
    seen = activity_of(kernel).looks(snapshot.session, snapshot.collection, ids)
    ranked = sorted(heads_of(snapshot, seen), key=lambda each: (-seen[each][0], -seen[each][1], each))[:ACTIVE]
    return [Active(entry, *seen[id]) for id, entry in snapshot.living(ranked).items()]
