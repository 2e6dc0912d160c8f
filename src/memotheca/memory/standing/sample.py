"""The reference: a sample of the memories of a collection against which novelty, fit and agreement are judged."""

import logging
from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.documents.sections import with_texts
from memotheca.kernel.kernel import Kernel
from memotheca.memory.spaces.all_spaces import Gallery
from memotheca.memory.spaces.fingerprint import represent, unpack, words_of_all
from memotheca.memory.spaces.graph_walk import walk
from memotheca.memory.spaces.space import Fingerprint, Hung
from memotheca.memory.spaces.space_table import COUNT, SPACES
from memotheca.memory.standing.calibration import Beside, Calibration, Scale, Standing
from memotheca.memory.standing.meanings import meanings
from memotheca.model.cancellation import undisturbed
from memotheca.model.errors import Refusal
from memotheca.model.kinds import MEMORY
from memotheca.model.knowledge import Entry
from memotheca.search.chosen_embedder import model_of
from memotheca.storage import fingerprints
from memotheca.storage.snapshot import Snapshot
from memotheca.text.caches import LruCache

log = logging.getLogger(__name__)

Array = NDArray[Any]

SAMPLE = 128  # chosen (memory-model: Agreement)
EXACT = 16  # chosen: while they are few, all are the sample
EXCHANGED = 4  # chosen (docs/decisions/memories.md)
JUDGED = 2048  # chosen: memory of a process
AGREED = 8192  # chosen: pairs of what sessions are about; memory of a process
GROWTH = 1.25  # chosen (docs/decisions/memories.md)
NEARLY_THE_SAME = 0.9  # chosen (docs/decisions/memories.md)


def checkpoint(size: int) -> int:
    """How many of the oldest memories are looked at: all while they are few, then in steps of a quarter, so that a
    store seldom has to judge the whole sample anew, and every process comes to the same one."""
    held = EXACT
    while int(held * GROWTH) <= size:
        held = int(held * GROWTH)
    return min(size, held) if size > EXACT else size


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry to be judged, what a search found close to it, and how consistent it is in some spaces."""

    hung: Hung
    near: Sequence[Hung]
    consistency: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Judged:
    """An entry as the thirteen spaces see it, its nearness to each member, its standing in each space, and which of
    them have anything to compare."""

    hung: Hung
    rows: Array
    standings: tuple[Standing, ...]
    speaking: tuple[bool, ...]

    @property
    def counted(self) -> tuple[bool, ...]:
        """The spaces that tell something of what it says."""
        return tuple(space.sees_content and spoken for space, spoken in zip(SPACES, self.speaking, strict=True))

    @property
    def delta_s(self) -> tuple[float, ...]:
        return tuple(standing.delta_s for standing in self.standings)

    @property
    def delta_c(self) -> tuple[float, ...]:
        return tuple(standing.delta_c for standing in self.standings)


class SampleWindow:
    """The oldest of what lives, up to the checkpoint, in the order of the random parts of their ids. A birth or death
    moves one id in and one out, so that the sample is found without going through everything again."""

    def __init__(self) -> None:
        self.living: list[str] = []
        self._size = 0
        self._drawn: list[tuple[str, str]] = []

    def note(self, id: str, lives: bool) -> None:
        place = bisect_left(self.living, id)
        known = place < len(self.living) and self.living[place] == id
        if lives and not known:
            self.living.insert(place, id)
            if place < self._size:
                self._enter(id)
                self._leave(self.living[self._size])
        elif known and not lives:
            del self.living[place]
            if place < self._size:
                self._leave(id)
                if self._size <= len(self.living):
                    self._enter(self.living[self._size - 1])
                else:
                    self._size -= 1

    def sample(self) -> tuple[str, ...]:
        """The members with the smallest random parts: as good as drawn by lot, and the same everywhere."""
        size = checkpoint(len(self.living))
        if size != self._size:
            self._size = size
            self._drawn = sorted((_random_part(id), id) for id in self.living[:size])
        return tuple(sorted(id for _, id in self._drawn[:SAMPLE]))

    def _enter(self, id: str) -> None:
        insort(self._drawn, (_random_part(id), id))

    def _leave(self, id: str) -> None:
        del self._drawn[bisect_left(self._drawn, (_random_part(id), id))]


class Reference:
    """The sample of one collection as this process has it; brought up to a snapshot before it judges. No `Projection`:
    fingerprints are made anew without a transaction, so it follows their numbers, and it may lag by a few members."""

    def __init__(self, collection: str) -> None:
        self._collection = collection
        self._guard = RLock()
        self._seen = 0
        self._window = SampleWindow()
        self._sample: tuple[str, ...] = ()
        self._tx = 0
        # The members, their texts or their edges are others than those that hang here.
        self._is_behind = False
        self._model = ""
        self.gallery = Gallery(())
        self.scale = _calibrate(self.gallery)
        # What was judged beside a result, by the entry's id and its last change; of another sample it would be another.
        self.lately: LruCache[tuple[str, int], Judged] = LruCache(JUDGED)
        # How far two agree that were hung as these are, by their ids; and of which texts the sample was for that.
        self._said: tuple[Any, ...] = ()
        self.agreed: LruCache[tuple[str, str], tuple[Hung, Hung, Array]] = LruCache(AGREED)

    def catch_up(self, snapshot: Snapshot) -> None:
        with self._guard:
            model = model_of(snapshot.session, self._collection)
            changed = fingerprints.after(snapshot.session, self._collection, self._seen)
            for id, seq, lives in changed:
                self._window.note(id, lives)
                self._seen = seq
            self._is_behind = self._is_behind or bool(changed) or self._is_touched(snapshot)
            self._tx = max(self._tx, snapshot.tx)
            sample = self._window.sample() if self._is_behind else self._sample
            if model != self._model or (self._is_behind and not self._may_wait(sample)):
                with undisturbed():
                    self._rebuild(snapshot, sample, model)

    def renew(self, snapshot: Snapshot) -> None:
        """Let the sample be the one that belongs to the snapshot, also where that could wait."""
        with self._guard:
            self.catch_up(snapshot)
            if self._is_behind:
                with undisturbed():
                    self._rebuild(snapshot, self._window.sample(), self._model)

    def forget_lately(self) -> int:
        """Let go of what was judged beside results; how many that were."""
        with self._guard:
            held, self.lately = self.lately, LruCache(JUDGED)
        return len(held)

    def _is_touched(self, snapshot: Snapshot) -> bool:
        """Whether an edge, which may lead to a member, or a member itself has changed since the last look."""
        if snapshot.tx <= self._tx or not self._sample:
            return False
        members = frozenset(self._sample)
        return any(subject == "edge" or id in members for id, subject, _ in snapshot.changed_after(self._tx))

    def _may_wait(self, sample: tuple[str, ...]) -> bool:
        """Where a few of many have given way to others, the rest is as good a sample until somebody has time."""
        return self.size > SAMPLE and len(set(sample) - set(self._sample)) <= EXCHANGED

    def _rebuild(self, snapshot: Snapshot, sample: tuple[str, ...], model: str) -> None:
        entries = list(snapshot.living(sample).values())
        gallery = Gallery(hang(snapshot, entries))
        scale = _calibrate(gallery)
        self._sample, self._model, self.gallery, self.scale = sample, model, gallery, scale
        self.lately = LruCache(JUDGED)
        # An edge moves nothing but the graph, of which nothing is kept there.
        said = (model, *((e.id, e.updated_at, h.vector is None) for e, h in zip(entries, gallery.members, strict=True)))
        if said != self._said:
            self._said, self.agreed = said, LruCache(AGREED)
        self._is_behind = False

    @property
    def size(self) -> int:
        """How many memories live."""
        return len(self._window.living)

    def judge(self, hung: Hung, *, near: Iterable[Hung] = (), consistency: Mapping[int, float] | None = None) -> Judged:
        """Where an entry stands; `near` are those a search found close to it, which the sample need not hold."""
        return self.judge_all([Candidate(hung, tuple(near), consistency or {})])[0]

    def judge_all(self, candidates: Sequence[Candidate]) -> list[Judged]:
        """Where several stand; one space after the other, since what one of them needs fits the processor's cache."""
        with self._guard:
            gallery, scale = self.gallery, self.scale
        hung = [each.hung for each in candidates]
        rows = np.array([gallery.nearness_of(space, hung) for space in range(COUNT)])
        standings = scale.stand(rows, _beside(gallery, candidates))
        speaking = np.array([gallery.speaking(space, hung) for space in range(COUNT)]).T.tolist()
        return [
            Judged(each, rows[:, place], standings[place], tuple(speaking[place])) for place, each in enumerate(hung)
        ]


def _beside(gallery: Gallery, candidates: Sequence[Candidate]) -> list[Beside]:
    """What is known of candidates besides the sample; all that were found close to any of them compared at once."""
    pairs = [
        (place, each.hung, other)
        for place, each in enumerate(candidates)
        for other in each.near
        if other.id != each.hung.id
    ]
    nearest = np.zeros((len(candidates), COUNT))
    values = gallery.between([own for _, own, _ in pairs], [other for _, _, other in pairs])
    np.maximum.at(nearest, np.array([place for place, _, _ in pairs], np.intp), values.T)
    return [
        Beside(
            nearest[place].tolist(),
            [each.consistency.get(space, 1.0) for space in range(COUNT)],
            gallery.places.get(each.hung.id),
        )
        for place, each in enumerate(candidates)
    ]


def _random_part(id: str) -> str:
    return id[-12:]


def _calibrate(gallery: Gallery) -> Scale:
    return Scale(
        [Calibration(gallery.matrix(space), gallery.speaking(space, gallery.members)) for space in range(COUNT)]
    )


def hang(
    snapshot: Snapshot,
    entries: Sequence[Entry],
    *,
    joined: Mapping[str, Sequence[str]] | None = None,
    vectors: Mapping[str, Array] | None = None,
    with_walks: bool = True,
) -> list[Hung]:
    """Entries as the spaces see them now. Of those that may not be stored yet `joined` names whom they will be linked
    to, `vectors` what they mean. Walks can be left out where nothing is compared in the graph."""
    if not entries:
        return []
    entries = with_texts(snapshot, entries)
    known = dict(vectors or {})
    known |= meanings(snapshot, [entry.id for entry in entries if entry.id not in known])
    neighbours = _surroundings(snapshot, entries, joined or {}) if with_walks else {}
    return [
        Hung(id=entry.id, print=print_, words=words, vector=known.get(entry.id), walk=walk(entry.id, neighbours))
        for entry, print_, words in zip(entries, _prints_of(snapshot, entries), words_of_all(entries), strict=True)
    ]


def walk_from(snapshot: Snapshot, entries: Sequence[Entry], hung: Sequence[Hung]) -> list[Hung]:
    """Entries that were hung without their walks, with them as the graph is now."""
    neighbours = _surroundings(snapshot, entries, {})
    return [replace(each, walk=walk(each.id, neighbours)) for each in hung]


def _surroundings(
    snapshot: Snapshot, entries: Sequence[Entry], joined: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """Whom entries are joined to, and whom those are."""
    session, collection = snapshot.session, snapshot.collection
    ids = [entry.id for entry in entries]
    neighbours = {id: list(others) for id, others in joined.items()}
    neighbours |= fingerprints.neighbours(session, collection, [id for id in ids if id not in neighbours])
    second = {other for id in ids for other in neighbours.get(id, [])} - set(ids)
    return neighbours | fingerprints.neighbours(session, collection, second)


def likely_duplicates(vector: Array | None, entries: Sequence[Entry], vectors: Mapping[str, Array]) -> list[Entry]:
    """Those of some entries that mean nearly the same as what has a vector, or of which nobody can tell without their
    words."""
    return [
        entry
        for entry in entries
        if vector is None or entry.id not in vectors or float(vector @ vectors[entry.id]) >= NEARLY_THE_SAME
    ]


def _prints_of(snapshot: Snapshot, entries: Sequence[Entry]) -> list[Fingerprint]:
    ids = [entry.id for entry in entries if entry.kind == MEMORY and entry.id]
    held = fingerprints.read_all(snapshot.session, snapshot.collection, ids) if ids else {}
    return [unpack(held[entry.id]) if entry.id in held else _print_of(entry) for entry in entries]


def _print_of(entry: Entry) -> Fingerprint:
    """A memory that cannot be represented is like one that says nothing; it must not spoil a look at others."""
    try:
        return represent(entry)
    except (Refusal, MemoryError):
        raise
    except Exception:
        log.exception("memory %s has no fingerprint", entry.id)
        return represent(replace(entry, title="", body=""))


def reference_of(kernel: Kernel, snapshot: Snapshot) -> Reference:
    """The collection's reference as this process has it, brought up to a snapshot."""
    reference = kernel.keep(Reference, kernel.collection, partial(Reference, kernel.collection))
    reference.catch_up(snapshot)
    return reference
