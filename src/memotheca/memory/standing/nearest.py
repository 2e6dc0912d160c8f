"""Vicinity: what lies nearest to the entries somebody is concerned with, followed rather than searched for anew."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from threading import RLock

import numpy as np

from memotheca.kernel.kernel import Kernel
from memotheca.kernel.projection import Projection
from memotheca.memory.spaces.space import Hung
from memotheca.memory.standing.known_filter import everything_known
from memotheca.memory.standing.meanings import meanings
from memotheca.memory.standing.sample import hang
from memotheca.memory.traits import KNOWN
from memotheca.memory.tuning.gates import gates_at, voice_at
from memotheca.model import kinds
from memotheca.model.knowledge import Entry
from memotheca.search.census import take_census
from memotheca.search.chosen_embedder import model_of
from memotheca.search.finder import Finder, Search, finder_of
from memotheca.search.index.index_parts import Array
from memotheca.search.passages import LIMIT
from memotheca.storage.lookups import heads_of, ids_changed_after
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction
from memotheca.storage.vectors import fresh_vectors, newest_vector
from memotheca.text.caches import LruCache
from memotheca.vectors.float16 import widen
from memotheca.vectors.profile import Voice

NEAR = 10  # chosen: as many as any tool compares
PASSAGES = 4  # chosen: a long entry is near by its first passages
QUESTION = 160  # chosen: words beyond it add little
KEPT, FOLLOWED, SHELVED, HUNG = 512, 1000, 4096, 1024  # chosen: memory of a process
LITTLE, SEARCHES = 2000, 1  # measured: docs/decisions/memories.md

Near = list[tuple[Entry, float | None]]


@dataclass(slots=True)
class _NearestKnown:
    """The nearest of an entry with their cosines, the nearest first: by a vector, up to the newest vector that was
    seen; or by words, which holds for one transaction only."""

    updated_at: int
    vector: Array | None
    found: dict[str, float | None]
    seen: int
    tx: int

    def is_of(self, entry: Entry, snapshot: Snapshot) -> bool:
        return self.updated_at == entry.updated_at and (self.vector is not None or self.tx == snapshot.tx)

    def follow(self, id: str, vectors: Sequence[tuple[int, str, bytes]], newest: int) -> bool:
        """Add what is new and near. Not where one of the nearest has moved away, or where nobody knows how near the
        next one is, so that all have to be searched for again."""
        fresh = _nearness(id, self, vectors)
        least = min((value for value in self.found.values() if value is not None), default=1.0)
        near = {other: value for other, value in fresh.items() if value > least or other in self.found}
        if any(value < least for value in near.values()) or (fresh and len(self.found) < NEAR):
            return False
        if near:
            held = {other: value or 0.0 for other, value in self.found.items()} | near
            self.found = dict(sorted(held.items(), key=lambda pair: -pair[1])[:NEAR])
        self.seen = max(self.seen, newest)
        return True


Heads = dict[str, int | None]


class _Heads(Projection[Heads, list[str]]):
    """By which transaction each entry that somebody asked about was left as it is, None where it does not live: what
    the journal says has changed is forgotten and asked for again."""

    def load(self, snapshot: Snapshot) -> Heads:
        return {}

    def read(self, snapshot: Snapshot, after: int, held: Heads) -> list[str] | None:
        changed = ids_changed_after(snapshot, after, limit=FOLLOWED + 1)
        return None if len(changed) > FOLLOWED or len(held) > SHELVED else changed

    def apply(self, held: Heads, changes: list[str]) -> Heads:
        for id in changes:
            held.pop(id, None)
        return held

    def living(self, snapshot: Snapshot, ids: Sequence[str]) -> dict[str, int]:
        """Those of some entries that live."""
        with self.guard:
            held = self.at(snapshot)
            unknown = [id for id in ids if id not in held]
            held |= {**dict.fromkeys(unknown), **(heads_of(snapshot, unknown) if unknown else {})}
            return {id: tx for id in ids if (tx := held[id]) is not None}


class Vicinity:
    """The nearest of those entries of a collection that somebody was concerned with lately, by one embedder; and those
    entries themselves, as they were last read."""

    def __init__(self, model: str) -> None:
        self.model = model
        self._guard = RLock()
        self._kept: LruCache[str, _NearestKnown] = LruCache(KEPT)
        self._shelf: LruCache[str, tuple[int, Entry]] = LruCache(SHELVED)
        self._meanings: LruCache[tuple[str, int], Array] = LruCache(SHELVED)
        self._hung: LruCache[tuple[str, int], Hung] = LruCache(HUNG)
        self._heads = _Heads()

    def around(self, kernel: Kernel, snapshot: Snapshot, entries: Sequence[Entry], most: int | None) -> dict[str, Near]:
        """The nearest of each of some entries. What is not known any more is searched for, for at most so many of them;
        the others are left out."""
        with self._guard:
            followed = self._follow(snapshot, entries)
            known = self.read(snapshot, (id for near in followed.values() for id in near.found))
            held = {id: near for id, near in followed.items() if near.found.keys() <= known.keys()}
            lacking = [entry for entry in entries if entry.id not in held][:most]
            held |= self._search(kernel, snapshot, lacking)
            known |= self.read(snapshot, (id for entry in lacking for id in held[entry.id].found))
        voice = voice_at(snapshot, gates_at(snapshot))
        return {
            id: [
                (known[other], value) for other, value in near.found.items() if other in known and is_near(value, voice)
            ]
            for id, near in held.items()
        }

    def read(self, snapshot: Snapshot, ids: Iterable[str]) -> dict[str, Entry]:
        """Those of some entries that live; what has not changed since is not read again. Of what is not committed,
        and may never be, nothing is kept."""
        if isinstance(snapshot, Transaction):
            return snapshot.living(ids)
        with self._guard:
            heads = self._heads.living(snapshot, list(dict.fromkeys(ids)))
            known = {id: entry for id, (tx, entry) in self._shelf.find(heads).items() if tx == heads[id]}
            read = snapshot.living(id for id in heads if id not in known)
            for id, entry in read.items():
                if _is_short(entry):
                    self._shelf.put(id, (heads[id], entry))
        return known | read

    def meanings(self, snapshot: Snapshot, entries: Iterable[Entry]) -> dict[str, Array]:
        """E1 of some entries; that of a text of one passage stays as it is until the text changes."""
        wanted = {entry.id: entry for entry in entries}
        with self._guard:
            held = self._meanings.find((id, entry.updated_at) for id, entry in wanted.items())
            found = {id: vector for (id, _), vector in held.items()}
            fresh = meanings(snapshot, [id for id in wanted if id not in found])
            for id, vector in fresh.items():
                if _is_short(wanted[id]):
                    self._meanings.put((id, wanted[id].updated_at), vector)
        return found | fresh

    def hang(self, snapshot: Snapshot, entries: Sequence[Entry]) -> list[Hung]:
        """Entries as all spaces but the graph see them; that stays as it is until the text changes."""
        with self._guard:
            found = {id: hung for (id, _), hung in self._hung.find((e.id, e.updated_at) for e in entries).items()}
            lacking = [entry for entry in entries if entry.id not in found]
            fresh = hang(snapshot, lacking, vectors=self.meanings(snapshot, lacking), with_walks=False)
            for entry, hung in zip(lacking, fresh, strict=True):
                found[entry.id] = hung
                if _is_short(entry) and (hung.vector is not None or not self.model):
                    self._hung.put((entry.id, entry.updated_at), hung)
        return [found[entry.id] for entry in entries]

    def keep(self, entry: Entry, vector: Array, found: Near, at: tuple[int, int]) -> None:
        """Know the nearest of an entry that was just stored, as they were at the newest vector and the transaction
        before."""
        near = {other.id: value for other, value in found}
        self._kept.put(entry.id, _NearestKnown(entry.updated_at, vector, near, *at))

    def _follow(self, snapshot: Snapshot, entries: Sequence[Entry]) -> dict[str, _NearestKnown]:
        """What is known of these, brought up to the snapshot; not what cannot be."""
        held = {
            entry.id: near for entry in entries if (near := self._kept.get(entry.id)) and near.is_of(entry, snapshot)
        }
        newest = newest_vector(snapshot.session, snapshot.collection)
        oldest = min((near.seen for near in held.values() if near.vector is not None), default=newest)
        fresh: list[tuple[int, str, bytes]] = []
        if oldest < newest:
            after = (oldest, FOLLOWED + 1)
            fresh = fresh_vectors(snapshot.session, snapshot.collection, self.model, after, kinds=KNOWN)
        if len(fresh) > FOLLOWED:
            return {}
        return {id: near for id, near in held.items() if near.follow(id, fresh, newest)}

    def _search(self, kernel: Kernel, snapshot: Snapshot, entries: Sequence[Entry]) -> dict[str, _NearestKnown]:
        vectors = self.meanings(snapshot, entries)
        found = find_near(kernel, snapshot, entries, vectors)
        seen = newest_vector(snapshot.session, snapshot.collection)
        made = {e.id: _NearestKnown(e.updated_at, vectors.get(e.id), found[e.id], seen, snapshot.tx) for e in entries}
        for id, near in made.items():
            self._kept.put(id, near)
        return made


def find_near(
    kernel: Kernel, snapshot: Snapshot, entries: Sequence[Entry], vectors: Mapping[str, Array], *, limit: int = NEAR
) -> dict[str, dict[str, float | None]]:
    """The ids of what the shared search finds nearest to each entry, itself left out: by its meaning, with the cosine,
    or by how it begins where it has no vector."""
    finder: Finder = finder_of(kernel)
    passing = everything_known(snapshot)
    model, depth = model_of(snapshot.session, snapshot.collection), PASSAGES * limit
    meant = [entry for entry in entries if entry.id in vectors]
    found = finder.nearest(snapshot, [vectors[entry.id] for entry in meant], passing, model=model, count=depth)
    near: dict[str, dict[str, float | None]] = {}
    for entry, passages in zip(meant, found, strict=True):
        near[entry.id] = {**passages}
    for entry in entries:
        if entry.id not in vectors:
            said = f"{entry.title} {entry.body}"[:QUESTION]
            search = Search(text=said, filter=passing, depth=depth, may_be_misspelled=False)
            near[entry.id] = {each.entry_id: None for each in finder.find(snapshot, search, None).passages}
    return {id: dict([pair for pair in each.items() if pair[0] != id][:limit]) for id, each in near.items()}


def is_near(cosine: float | None, voice: Voice) -> bool:
    """Whether a search by this embedder would take it for an answer."""
    return cosine is None or cosine >= voice.near


def _nearness(id: str, kept: _NearestKnown, fresh: Sequence[tuple[int, str, bytes]]) -> dict[str, float]:
    """How near new vectors of others are to an entry."""
    others = [(other, value) for seq, other, value in fresh if seq > kept.seen and other != id]
    if not others or kept.vector is None:
        return {}
    rows = widen(np.frombuffer(b"".join(value for _, value in others), np.float16))
    found: dict[str, float] = {}
    for (other, _), value in zip(others, (rows.reshape(len(others), -1) @ kept.vector).tolist(), strict=True):
        found[other] = max(found.get(other, -1.0), value)
    return found


def _is_short(entry: Entry) -> bool:
    """Whether it is one passage, so that it has its whole vector or none."""
    return entry.kind != kinds.DOCUMENT and len(entry.body) <= LIMIT


def affordable(kernel: Kernel, snapshot: Snapshot) -> int | None:
    """For how many entries a tool that should answer at once may search what is near: for all where little is stored,
    else for a few; the rest is looked at between the calls."""
    return None if take_census(kernel, snapshot).nodes(KNOWN) <= LITTLE else SEARCHES


def vicinity_of(kernel: Kernel, snapshot: Snapshot) -> Vicinity:
    """The vicinities of a collection as this process knows them."""
    model = model_of(snapshot.session, snapshot.collection)
    return kernel.keep(Vicinity, (snapshot.collection, model), partial(Vicinity, model))


def nearest_entries(
    kernel: Kernel, snapshot: Snapshot, entry: Entry, vector: Array | None, *, limit: int = NEAR
) -> list[tuple[Entry, float | None]]:
    """What is nearest to an entry, and near enough."""
    vectors = {} if vector is None else {entry.id: vector}
    return near_enough(snapshot, entry, find_near(kernel, snapshot, [entry], vectors, limit=limit)[entry.id])


def near_enough(
    snapshot: Snapshot, entry: Entry, found: Mapping[str, float | None]
) -> list[tuple[Entry, float | None]]:
    """Those that a search would take for an answer."""
    voice = voice_at(snapshot, gates_at(snapshot, entry.attributes.get("domain")))
    chosen = [id for id, cosine in found.items() if is_near(cosine, voice)]
    return [(each, found[id]) for id, each in snapshot.living(chosen).items()]
