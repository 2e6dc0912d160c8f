"""The topics of entries: which topic each is about, as the lens shows them (memory-model: Topics)."""

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from memotheca.kernel.kernel import Kernel
from memotheca.memory.standing.meanings import meanings
from memotheca.memory.topics.lens import Lens
from memotheca.memory.topics.lens_terms import terms_of
from memotheca.memory.topics.topics import HeldTopics, TopicMap
from memotheca.memory.traits import quarantine_of
from memotheca.model.knowledge import Entry
from memotheca.storage.snapshot import Snapshot

Array = NDArray[Any]


def place_entries(kernel: Kernel, snapshot: Snapshot, known: TopicMap, entries: Sequence[Entry]) -> dict[str, str]:
    """The topic of each of some entries by its id, empty where it is about none, or is held."""
    placed = kernel.keep(HeldTopics, kernel.collection).placed
    keys = {entry.id: (known.tx, entry.id, entry.updated_at) for entry in entries}
    held = placed.find(list(keys.values()))
    fresh = [entry for entry in entries if keys[entry.id] not in held]
    if fresh:
        rows = see_entries(snapshot, known.lens, fresh)
        for entry, topic in zip(fresh, known.place(rows), strict=True):
            held[keys[entry.id]] = topic if quarantine_of(entry, kernel.now()) is None else ""
            placed.put(keys[entry.id], held[keys[entry.id]])
    return {id: held[key] for id, key in keys.items()}


def see_entries(snapshot: Snapshot, lens: Lens, entries: Sequence[Entry]) -> Array:
    """Entries as the lens shows them."""
    vectors = meanings(snapshot, [entry.id for entry in entries]) if len(lens.mean) else {}
    return lens.see([terms_of(entry) for entry in entries], [vectors.get(entry.id) for entry in entries])
