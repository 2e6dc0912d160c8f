"""The index as this process has it, brought up to a snapshot before it answers.

No `Projection`: vectors arrive and segments are sealed without a transaction, so it follows chunk numbers and
manifests; and an older snapshot is answered from the same parts, since every chunk says when it was born and died.
"""

from collections.abc import Sequence
from pathlib import Path
from threading import Lock, RLock
from typing import Any, cast

import numpy as np

from memotheca.search.index.compaction import Memory, merge_dense, merge_text
from memotheca.search.index.index_parts import (
    Array,
    DensePart,
    TextPart,
    dense_arrays,
    text_arrays,
    to_dense_part,
    to_text_part,
)
from memotheca.storage.chunks import count_erasures, living_chunks, newest_seq, read_births, read_deaths
from memotheca.storage.database import Session
from memotheca.storage.segments import Manifest, bring_segments, open_segment, read_manifest
from memotheca.storage.vectors import read_vectors

MANY_SMALL = 4  # chosen: each part costs a question some microseconds
MUCH = 4  # chosen: as `search/index/seal.py` merges


def first_to_merge(parts: Sequence[TextPart] | Sequence[DensePart], sealed: int) -> int:
    """Where the last parts begin that should become one, now that they are many: not with one that is much larger than
    all after it, since it would be copied again and again."""
    if len(parts) - sealed <= MANY_SMALL:
        return len(parts)
    first, after = len(parts) - 1, parts[-1].size
    while first > sealed and parts[first - 1].size <= MUCH * after:
        first -= 1
        after += parts[first].size
    return first


class Texts:
    """The chunks of one collection, shared by the indexes of all its embedders."""

    def __init__(self, folder: Path, collection: str) -> None:
        self.folder = folder
        self.collection = collection
        self.guard = RLock()
        # One thread at a time seals and merges; it holds the guard for moments only.
        self.upkeep = Lock()
        self.parts: list[TextPart] = []
        self.manifest = Manifest(0, 0, ())
        self.deaths = Manifest(0, 0, ())
        self.bases: Array = np.zeros(1, np.int64)
        self.deaths_seen = 0
        # Another number as soon as a chunk may have another ordinal.
        self.layout = 0
        # What `score.py` found last: one question is often asked of several kinds, one after the other.
        self.last_scored: object = None
        self._sealed = 0
        self._seen = -1
        self._born = 0
        self._is_clean = True

    def catch_up(self, session: Session, newest: int) -> None:
        """Read what is missing of a snapshot: new segments, births and deaths."""
        manifest = read_manifest(session, self.collection, "text")
        self.deaths = read_manifest(session, self.collection, "deaths")
        if newest == self._seen and manifest == self.manifest:
            return
        if manifest == self.manifest:
            self._read_births(session)
        else:
            before = self._numbers()
            self.layout += 1
            bring_segments(session, self.folder, manifest.names)
            self._reload(manifest)
            self._read_births(session)
            self.layout -= np.array_equal(before, self._numbers()[: len(before)])
        self._read_deaths(session)
        if not self._is_clean:
            self._drop_erased(session)
        self._seen = newest

    def _numbers(self) -> Array:
        return np.concatenate([part.arrays["seq"] for part in self.parts] or [np.empty(0, np.int64)])

    def _reload(self, manifest: Manifest) -> None:
        """Open the segments a manifest names, but for those that are open; the unsealed rest is read anew."""
        opened = {part.name: part for part in self.parts[: self._sealed]}
        self.parts = [
            opened.get(name) or to_text_part(open_segment(self.folder, name), name) for name in manifest.names
        ]
        self._sealed, self._born, self.manifest = len(self.parts), manifest.sealed, manifest
        # Whatever fails now, the rest is read again.
        self._seen, self._is_clean = -1, False
        self.deaths_seen = min((part.deaths_seen for part in self.parts), default=0)
        self._place()

    def _place(self) -> None:
        self.bases = np.cumsum([0, *(part.size for part in self.parts)])

    def _read_births(self, session: Session) -> None:
        rows = read_births(session, self.collection, self._born)
        if not rows:
            return
        parts = [*self.parts, to_text_part(text_arrays(cast(Any, rows)))]
        first = first_to_merge(parts, self._sealed)
        if first < len(parts):
            merged = Memory()
            merge_text(parts[first:], merged)
            parts[first:] = [to_text_part(merged.arrays())]
        self.parts, self._born = parts, int(rows[-1][0])
        self._place()

    def _read_deaths(self, session: Session) -> None:
        if self.deaths_seen < self.deaths.sealed:
            bring_segments(session, self.folder, self.deaths.names)
            for name in self.deaths.names:
                arrays = open_segment(self.folder, name)
                unseen = int(np.searchsorted(arrays["mark"], self.deaths_seen, side="right"))
                self._bury(arrays["seq"][unseen:], arrays["died"][unseen:])
            self.deaths_seen = self.deaths.sealed
        rows = read_deaths(session, self.collection, self.deaths_seen)
        if rows:
            numbers, died, marks = np.array(rows, np.int64).T
            self._bury(numbers, died)
            self.deaths_seen = int(marks.max())
        for part in self.parts:
            part.deaths_seen = max(part.deaths_seen, self.deaths_seen)

    def _drop_erased(self, session: Session) -> None:
        """Where an erasure got no further than the rows, segments still hold what it has erased: it never lived."""
        erasures, rewritten = count_erasures(session, self.collection)
        if rewritten < erasures and self._sealed:
            living = np.array(living_chunks(session, self.collection), np.int64)
            for part in self.sealed():
                gone = np.flatnonzero(~np.isin(part.arrays["seq"], living))
                if len(gone):
                    part.bury(gone, np.zeros(len(gone), np.int64))
        self._is_clean = True

    def _bury(self, numbers: Array, died: Array) -> None:
        ordinals = self.ordinals_of(numbers)
        places = np.searchsorted(self.bases, ordinals, side="right") - 1
        for place in np.unique(places[ordinals >= 0]):
            chosen = places == place
            self.parts[int(place)].bury(ordinals[chosen] - self.bases[place], died[chosen])

    def ordinals_of(self, numbers: Array) -> Array:
        """Ordinals of chunks by their numbers, -1 where a chunk is not there."""
        found = np.full(len(numbers), -1, np.int64)
        is_sorted = bool((numbers[1:] >= numbers[:-1]).all())
        for part, base in zip(self.parts, self.bases[:-1].tolist(), strict=True):
            seq = part.arrays["seq"]
            if not len(seq):
                continue
            if is_sorted:
                inside = slice(*np.searchsorted(numbers, [seq[0], seq[-1] + 1]).tolist())
            else:
                inside = np.flatnonzero((numbers >= seq[0]) & (numbers <= seq[-1]))
            wanted = numbers[inside]
            place = np.searchsorted(seq, wanted)
            found[inside] = np.where(seq[place] == wanted, place + base, -1)
        return found

    def gather(self, name: str, ordinals: Array) -> Array:
        """A column at some ordinals, whichever parts they are in."""
        parts = self.bases.searchsorted(ordinals, side="right") - 1
        sample = self.parts[0].arrays[name] if self.parts else np.empty(0)
        result = np.empty((len(ordinals), *sample.shape[1:]), sample.dtype)
        for place in np.flatnonzero(np.bincount(parts)).tolist():
            chosen = parts == place
            result[chosen] = self.parts[place].arrays[name][ordinals[chosen] - self.bases[place]]
        return result

    def unsealed(self) -> Sequence[TextPart]:
        return self.parts[self._sealed :]

    def sealed(self) -> Sequence[TextPart]:
        return self.parts[: self._sealed]


class Index:
    """The chunks of one collection and their vectors of one embedder; searches hold `guard` while they look at the
    parts."""

    def __init__(self, texts: Texts, model: str) -> None:
        self.texts = texts
        self.folder = texts.folder
        self.collection = texts.collection
        self.model = model
        self.guard = texts.guard
        self.dense: list[DensePart] = []
        self.dense_manifest = Manifest(0, 0, ())
        self._sealed = 0
        self._seen = -1
        self._embedded = 0

    @property
    def stream(self) -> str:
        return f"dense:{self.model}"

    @property
    def text(self) -> list[TextPart]:
        return self.texts.parts

    @property
    def bases(self) -> Array:
        return self.texts.bases

    def catch_up(self, session: Session) -> None:
        """Read what is missing of a snapshot."""
        newest = newest_seq(session, self.collection)
        self.texts.catch_up(session, newest)
        if not self.model:
            return
        manifest = read_manifest(session, self.collection, self.stream)
        if manifest != self.dense_manifest:
            bring_segments(session, self.folder, manifest.names)
            self._reload(manifest)
        elif newest == self._seen:
            return
        self._read_vectors(session)
        self._seen = newest

    def _reload(self, manifest: Manifest) -> None:
        opened = {part.name: part for part in self.dense[: self._sealed]}
        self.dense = [
            opened.get(name) or to_dense_part(open_segment(self.folder, name), name) for name in manifest.names
        ]
        self._sealed, self._embedded, self.dense_manifest = len(self.dense), manifest.sealed, manifest
        self._seen = -1

    def _read_vectors(self, session: Session) -> None:
        rows = read_vectors(session, self.collection, self.model, self._embedded)
        if not rows:
            return
        dense = [*self.dense, to_dense_part(dense_arrays(cast(Any, rows)))]
        first = first_to_merge(dense, self._sealed)
        if first < len(dense):
            merged = Memory()
            merge_dense(dense[first:], merged)
            dense[first:] = [to_dense_part(merged.arrays())]
        self.dense, self._embedded = dense, int(rows[-1][0])

    def ordinals(self, part: DensePart) -> Array:
        """The ordinals of the chunks that vectors are of, found again only where chunks have moved."""
        layout, known = self.texts.layout, int(self.bases[-1])
        if part.placed not in ((layout, 0), (layout, known)):
            part.ordinals = self.texts.ordinals_of(part.chunk_seq)
            # What is not there now may come with later chunks.
            part.placed = (layout, 0 if (part.ordinals >= 0).all() else known)
            part.is_in_order = part.size > 0 and part.is_placed and bool((np.diff(part.ordinals) == 1).all())
        return part.ordinals

    def unsealed(self) -> Sequence[DensePart]:
        return self.dense[self._sealed :]

    def sealed(self) -> Sequence[DensePart]:
        return self.dense[: self._sealed]
