"""The meaning of an entry: the mean of its vectors (memory-model: Spaces)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memotheca.search.chosen_embedder import model_of
from memotheca.storage import fingerprints
from memotheca.storage.snapshot import Snapshot
from memotheca.vectors.float16 import widen

Array = NDArray[Any]


def meanings(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, Array]:
    """E1: the mean of an entry's vectors."""
    model = model_of(snapshot.session, snapshot.collection) if ids else ""
    if not model:
        return {}
    found = fingerprints.entry_vectors(snapshot.session, snapshot.collection, model, ids)
    single = {id: values[0] for id, values in found.items() if len(values) == 1}
    return {id: mean_vector(values) for id, values in found.items() if id not in single} | _units(single)


def _units(values: Mapping[str, bytes]) -> dict[str, Array]:
    """As `mean_vector` of entries that have one vector each, which is its own mean."""
    if len({len(value) for value in values.values()}) != 1:
        return {id: mean_vector([value]) for id, value in values.items()}
    rows = widen(np.frombuffer(b"".join(values.values()), np.float16)).reshape(len(values), -1)
    norms = np.maximum(np.sqrt(np.vecdot(rows, rows)), np.float32(1e-12))
    return dict(zip(values, rows / norms[:, None], strict=True))


def mean_vector(values: Sequence[bytes]) -> Array:
    found = [widen(np.frombuffer(value, np.float16)) for value in values]
    mean = found[0] if len(found) == 1 else np.mean(found, axis=0)
    return (mean / max(float(np.linalg.norm(mean)), 1e-12)).astype(np.float32)
