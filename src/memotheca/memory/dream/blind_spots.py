"""Blind spots: two memories that name the same rare thing, or have a cause in common, and are joined by nothing
(memory-model: Dreams). They are proposed; nobody joins them but who decides it."""

from collections.abc import Sequence
from dataclasses import dataclass

from memotheca.kernel.citations import name_of
from memotheca.kernel.kernel import Kernel
from memotheca.memory.curation.undecided import pair_task
from memotheca.memory.graph.causes import brings_about
from memotheca.memory.standing.meanings import meanings
from memotheca.memory.traits import quarantine_of
from memotheca.model.kinds import CAUSAL, MEMORY, MENTIONS, TEMPORAL
from memotheca.model.knowledge import Entry
from memotheca.storage.adjacency import joined_among, joints_at
from memotheca.storage.care_tasks import TaskRow, tasks_about
from memotheca.storage.lookups import sample_ids
from memotheca.storage.snapshot import Snapshot

RARE = 6  # chosen: what more memories name says little of any two of them
LEAP = 0.3  # specification (memory-model: Dreams): so far apart in meaning, or farther
MOST_SPOTS = 20  # specification (memory-model: Dreams): a dream
READ = 64  # chosen: edges of an entry that are looked at


@dataclass(frozen=True, slots=True)
class BlindSpot:
    """Two memories that nothing joins, what they have in common, and how far apart they are in meaning, from 0 to 1;
    None where one has no vector."""

    one: Entry
    other: Entry
    shared: str
    leap: float | None

    def task(self, now: int) -> TaskRow:
        told = ((self.one, ""), (self.other, ""))
        score = 0.5 if self.leap is None else self.leap
        return pair_task("blind_spot", told, score=score, reason=f"nothing joins them, and {self.shared}", now=now)


def sample_memories(snapshot: Snapshot, many: int) -> list[str]:
    """Memories from all over the store, evenly spread over when they were made."""
    return sample_ids(snapshot, MEMORY, many)


def spots_of(kernel: Kernel, snapshot: Snapshot, id: str) -> list[BlindSpot]:
    """The blind spots of one memory; those that somebody has decided about, or is to decide otherwise, are none."""
    entry, now = snapshot.entry(id), kernel.now()
    if entry is None or quarantine_of(entry, now) is not None:
        return []
    shared = {**_of_one_cause(snapshot, id), **_naming_the_same(snapshot, id)}
    known = {
        other for row in tasks_about(snapshot.session, snapshot.collection, [id]) for other in (row.one, row.other)
    }
    joined = {end for pair in joined_among(snapshot, [id, *shared], without=TEMPORAL) if id in pair for end in pair}
    wanted = [other for other in shared if other not in known | joined]
    living = snapshot.living(wanted)
    vectors = meanings(snapshot, [id, *living])
    found: list[BlindSpot] = []
    for other, found_entry in living.items():
        if found_entry.kind != MEMORY or quarantine_of(found_entry, now) is not None:
            continue
        near = None if id not in vectors or other not in vectors else float(vectors[id] @ vectors[other])
        leap = None if near is None else round(1 - max(0.0, min(1.0, near)), 4)
        if leap is None or leap >= LEAP:
            found.append(BlindSpot(entry, found_entry, shared[other], leap))
    return found


def _naming_the_same(snapshot: Snapshot, id: str) -> dict[str, str]:
    """Those that name the same rare entity, with what it is."""
    found: dict[str, str] = {}
    for edge in snapshot.edges_from(id, MENTIONS)[:READ]:
        others = [each.source for each in snapshot.edges_of(edge.target, MENTIONS) if each.target == edge.target]
        entity = snapshot.entry(edge.target)
        if entity is not None and len(others) <= RARE:
            found |= {other: f"both name {name_of(entity)}" for other in others if other != id}
    return found


def _of_one_cause(snapshot: Snapshot, id: str) -> dict[str, str]:
    """Those that the same cause has brought about, with what it is."""
    causes = _ends(snapshot, [id], "target")
    found: dict[str, str] = {}
    for cause in causes:
        entry = snapshot.entry(cause)
        effects = _ends(snapshot, [cause], "source")
        if entry is not None and len(effects) <= RARE:
            found |= {effect: f"{name_of(entry)} caused both" for effect in effects if effect != id}
    return found


def _ends(snapshot: Snapshot, ids: Sequence[str], at: str) -> list[str]:
    joints = joints_at(snapshot, ids, "target" if at == "target" else "source", type=CAUSAL, limit=READ)
    edges = [edge for joint in joints if (edge := snapshot.edge(joint.id)) is not None and brings_about(edge)]
    return list(dict.fromkeys(edge.source if at == "target" else edge.target for edge in edges))
