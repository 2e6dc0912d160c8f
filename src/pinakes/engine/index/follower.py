"""Following: the index as this process has it, brought up to a snapshot before it answers."""

from collections.abc import Sequence
from pathlib import Path
from threading import RLock
from typing import Any, cast

import numpy as np

from pinakes.engine.index.parts import (
    Array,
    DensePart,
    TextPart,
    dense_arrays,
    merge_dense,
    merge_text,
    text_arrays,
    to_text_part,
)
from pinakes.storage.database import Session, scalar
from pinakes.storage.segments import Manifest, open_segment, read_manifest

MANY_SMALL = 16


class Index:
    """The parts of one collection, for one embedder; searches hold `guard` while they look at the parts."""

    def __init__(self, folder: Path, collection: str, model: str) -> None:
        self.folder = folder
        self.collection = collection
        self.model = model
        self.guard = RLock()
        self.text: list[TextPart] = []
        self.dense: list[DensePart] = []
        self.text_manifest = Manifest(0, 0, ())
        self.dense_manifest = Manifest(0, 0, ())
        self._sealed_text = 0
        self._sealed_dense = 0
        self._seen = -1
        self._text_seen = 0
        self._dense_seen = 0
        self.deaths_seen = 0
        self.bases: Array = np.zeros(1, np.int64)

    @property
    def stream(self) -> str:
        return f"dense:{self.model}"

    def catch_up(self, session: Session) -> None:
        """Read what is missing of a snapshot: new segments, births, deaths and vectors."""
        newest = scalar(session, "SELECT seq FROM collection WHERE name = ?", self.collection)
        text = read_manifest(session, self.collection, "text")
        dense = read_manifest(session, self.collection, self.stream)
        if newest == self._seen and (text, dense) == (self.text_manifest, self.dense_manifest):
            return
        if (text, dense) != (self.text_manifest, self.dense_manifest):
            self._reload(text, dense)
        self._read_births(session)
        self._read_deaths(session)
        self._read_vectors(session)
        self._seen = int(newest or 0)

    def _reload(self, text: Manifest, dense: Manifest) -> None:
        """Open the segments a manifest names; the unsealed rest is read anew."""
        opened = [open_segment(self.folder, name) for name in text.names]
        self.text = [to_text_part(arrays) for arrays in opened]
        self.dense = [_to_dense(open_segment(self.folder, name)) for name in dense.names]
        self._sealed_text, self._sealed_dense = len(self.text), len(self.dense)
        self._text_seen, self._dense_seen = text.sealed, dense.sealed
        self.deaths_seen = min((int(arrays["deaths"][0]) for arrays in opened), default=0)
        self.text_manifest, self.dense_manifest = text, dense
        self._place_parts()

    def _read_births(self, session: Session) -> None:
        rows = session.rows(
            "SELECT seq, entry_id, born_tx, died_tx, columns, terms FROM chunk "
            "WHERE collection = ? AND seq > ? AND terms IS NOT NULL ORDER BY seq",
            self.collection,
            self._text_seen,
        )
        if not rows:
            return
        self.text.append(to_text_part(text_arrays(cast(Any, rows))))
        self._text_seen = int(rows[-1][0])
        small = self.text[self._sealed_text :]
        if len(small) > MANY_SMALL:
            self.text[self._sealed_text :] = [to_text_part(merge_text(small))]
        self._place_parts()

    def _place_parts(self) -> None:
        """Give every chunk its ordinal, and find the chunk of every vector again."""
        self.bases = np.cumsum([0, *(part.size for part in self.text)])
        for part in self.dense:
            part.ordinals = self.ordinals_of(part.chunk_seq)

    def ordinals_of(self, numbers: Array) -> Array:
        """Ordinals of chunks by their numbers, -1 where a chunk is not there."""
        found = np.full(len(numbers), -1, np.int64)
        for part, base in zip(self.text, self.bases[:-1], strict=True):
            seq = part.arrays["seq"]
            if not len(seq):
                continue
            place = np.minimum(np.searchsorted(seq, numbers), len(seq) - 1)
            hit = seq[place] == numbers
            found[hit] = place[hit] + base
        return found

    def _read_deaths(self, session: Session) -> None:
        rows = session.rows(
            "SELECT seq, died_tx, died_seq FROM chunk WHERE collection = ? AND died_seq > ?",
            self.collection,
            self.deaths_seen,
        )
        if not rows:
            return
        ordinals = self.ordinals_of(np.array([row[0] for row in rows], np.int64))
        for ordinal, (_, died, _) in zip(ordinals, rows, strict=True):
            if ordinal >= 0:
                part, local = self.locate(int(ordinal))
                self.text[part].died[local] = died
        self.deaths_seen = max(int(row[2]) for row in rows)

    def _read_vectors(self, session: Session) -> None:
        rows = session.rows(
            "SELECT seq, chunk_seq, value FROM vector WHERE collection = ? AND seq > ? AND model = ? ORDER BY seq",
            self.collection,
            self._dense_seen,
            self.model,
        )
        if not rows:
            return
        part = _to_dense(dense_arrays(cast(Any, rows)))
        part.ordinals = self.ordinals_of(part.chunk_seq)
        self.dense.append(part)
        self._dense_seen = int(rows[-1][0])
        small = self.dense[self._sealed_dense :]
        if len(small) > MANY_SMALL:
            merged = _to_dense(merge_dense(small, with_values=True))
            merged.ordinals = np.concatenate([each.ordinals for each in small])
            self.dense[self._sealed_dense :] = [merged]

    def locate(self, ordinal: int) -> tuple[int, int]:
        part = int(np.searchsorted(self.bases, ordinal, side="right")) - 1
        return part, ordinal - int(self.bases[part])

    def gather(self, name: str, ordinals: Array) -> Array:
        """A column at some ordinals, whichever parts they are in."""
        parts = np.searchsorted(self.bases, ordinals, side="right") - 1
        sample = self.text[0].arrays[name] if self.text else np.empty(0)
        result = np.empty((len(ordinals), *sample.shape[1:]), sample.dtype)
        for place in np.unique(parts):
            chosen = parts == place
            result[chosen] = self.text[int(place)].arrays[name][ordinals[chosen] - self.bases[place]]
        return result

    def unsealed(self) -> tuple[Sequence[TextPart], Sequence[DensePart]]:
        return self.text[self._sealed_text :], self.dense[self._sealed_dense :]


def _to_dense(arrays: dict[str, Array]) -> DensePart:
    return DensePart(arrays["seq"], arrays["chunk_seq"], arrays["bits"], np.empty(0, np.int64), arrays.get("values"))
