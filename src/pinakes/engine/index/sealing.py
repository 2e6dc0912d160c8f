"""Sealing: any process turns unsealed rows into a segment and merges segments; the manifest decides who was first."""

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import numpy as np

from pinakes.engine.index.follower import Index
from pinakes.engine.index.parts import Array, DensePart, TextPart, merge_dense, merge_text
from pinakes.storage.chunks import living_numbers, release_terms
from pinakes.storage.database import Session
from pinakes.storage.segments import SUFFIX, Manifest, read_names, swap_manifest, write_segment
from pinakes.storage.store import Store

SEAL_AT = 4096
MERGE_AT = 4
GROWTH = 4
ORPHAN_SECONDS = 3600


def maintain(store: Store, index: Index, *, seal_at: int = SEAL_AT) -> bool:
    """Seal and merge what is due; returns whether anything was done."""
    with index.guard:
        with store.database.read() as session:
            index.catch_up(session)
        done = _seal_text(store, index, seal_at) | _seal_dense(store, index, seal_at)
        return done | _merge_text(store, index) | _merge_dense(store, index)


def _fresh_name(kind: str) -> str:
    return f"{kind}-{uuid4().hex}"


def _swap(store: Store, index: Index, stream: str, pair: tuple[Manifest, Manifest]) -> bool:
    """Make the new manifest count; where somebody else was faster, the new files go."""
    old, new = pair
    fresh = [index.folder / (name + SUFFIX) for name in set(new.names) - set(old.names)]

    def act(session: Session) -> bool:
        # Whoever erases removes, under the same lock, every file that does not count yet.
        if not all(path.exists() for path in fresh):
            return False
        swapped = swap_manifest(session, index.collection, stream, old=old, new=new)
        if swapped and stream == "text":
            release_terms(session, index.collection, new.sealed)
        return swapped

    swapped = store.operate(act)
    if not swapped:
        for path in fresh:
            path.unlink(missing_ok=True)
    with store.database.read() as session:
        index.catch_up(session)
    return swapped


def _seal_text(store: Store, index: Index, seal_at: int) -> bool:
    parts, _ = index.unsealed()
    if sum(part.size for part in parts) < seal_at:
        return False
    name, old = _fresh_name("text"), index.text_manifest
    _write_text(index, name, merge_text(parts))
    sealed = int(parts[-1].arrays["seq"][-1])
    return _swap(store, index, "text", (old, Manifest(old.generation + 1, sealed, (*old.names, name))))


def _write_text(index: Index, name: str, arrays: dict[str, Array]) -> None:
    arrays["deaths"] = np.array([index.deaths_seen], np.int64)
    write_segment(index.folder, name, arrays)


def _seal_dense(store: Store, index: Index, seal_at: int) -> bool:
    _, parts = index.unsealed()
    if not index.model or sum(part.size for part in parts) < seal_at:
        return False
    name, old = _fresh_name("dense"), index.dense_manifest
    write_segment(index.folder, name, merge_dense(parts))
    sealed = int(parts[-1].seq[-1])
    return _swap(store, index, index.stream, (old, Manifest(old.generation + 1, sealed, (*old.names, name))))


def _due(sizes: Sequence[int]) -> tuple[int, int] | None:
    """The newest run of segments of like size that should become one."""
    for end in range(len(sizes), MERGE_AT - 1, -1):
        run = sizes[end - MERGE_AT : end]
        if max(run) <= GROWTH * max(min(run), 1):
            return end - MERGE_AT, end
    return None


def _merge_text(store: Store, index: Index) -> bool:
    sealed = index.text[: len(index.text_manifest.names)]
    span = _due([part.size for part in sealed])
    if span is None:
        return False
    name = _fresh_name("text")
    _write_text(index, name, merge_text(sealed[span[0] : span[1]]))
    return _replace(store, index, "text", span=span, name=name)


def _merge_dense(store: Store, index: Index) -> bool:
    sealed = index.dense[: len(index.dense_manifest.names)]
    span = _due([part.size for part in sealed])
    if span is None:
        return False
    name = _fresh_name("dense")
    write_segment(index.folder, name, merge_dense(sealed[span[0] : span[1]]))
    return _replace(store, index, index.stream, span=span, name=name)


def _replace(store: Store, index: Index, stream: str, *, span: tuple[int, int], name: str) -> bool:
    old = index.text_manifest if stream == "text" else index.dense_manifest
    names = (*old.names[: span[0]], name, *old.names[span[1] :])
    # Their time of grace begins now: a reader with an older snapshot may be about to open them.
    for replaced in old.names[span[0] : span[1]]:
        with suppress(FileNotFoundError):
            os.utime(index.folder / (replaced + SUFFIX))
    return _swap(store, index, stream, (old, Manifest(old.generation + 1, old.sealed, names)))


def rewrite_living(store: Store, index: Index) -> None:
    """After an erasure: segments without what no longer exists, and the old files gone at once."""
    with index.guard:
        # Again where somebody sealed or merged meanwhile: what they made may hold it, and their files count.
        while not _rewrite(store, index):
            pass


def _rewrite(store: Store, index: Index) -> bool:
    with store.database.read() as session:
        index.catch_up(session)
        chunk_numbers, vector_numbers = living_numbers(session, index.collection)
    old_text, old_dense = index.text_manifest, index.dense_manifest
    text, dense = index.text[: len(old_text.names)], index.dense[: len(old_dense.names)]
    if not _rewrite_text(store, index, text, np.array(chunk_numbers, np.int64)):
        return False
    _remove(index, old_text)
    if index.dense_manifest != old_dense or not _rewrite_dense(store, index, dense, np.array(vector_numbers, np.int64)):
        return False
    _remove(index, old_dense)
    return True


def _remove(index: Index, manifest: Manifest) -> None:
    for name in manifest.names:
        (index.folder / (name + SUFFIX)).unlink(missing_ok=True)


def _rewrite_text(store: Store, index: Index, parts: Sequence[TextPart], living: Array) -> bool:
    names: tuple[str, ...] = ()
    if parts:
        names = (_fresh_name("text"),)
        _write_text(index, names[0], merge_text(parts, [np.isin(part.arrays["seq"], living) for part in parts]))
    old = index.text_manifest
    return _swap(store, index, "text", (old, Manifest(old.generation + 1, old.sealed, names)))


def _rewrite_dense(store: Store, index: Index, parts: Sequence[DensePart], living: Array) -> bool:
    names: tuple[str, ...] = ()
    if parts:
        names = (_fresh_name("dense"),)
        write_segment(index.folder, names[0], merge_dense(parts, [np.isin(part.seq, living) for part in parts]))
    old = index.dense_manifest
    return _swap(store, index, index.stream, (old, Manifest(old.generation + 1, old.sealed, names)))


def remove_unnamed(store: Store, folder: Path) -> None:
    """After an erasure: remove every file that no manifest names, since what was merged away or left by a killed
    process may hold what is erased. Nobody can come to name one meanwhile, because that needs the lock too."""

    def act(session: Session) -> None:
        named = {name + SUFFIX for name in read_names(session)}
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.name not in named:
                path.unlink(missing_ok=True)

    store.operate(act)


def collect_orphans(store: Store, folder: Path, *, older_than: float = ORPHAN_SECONDS) -> int:
    """Remove files that no manifest names, once nobody can still be about to name them."""
    if not folder.is_dir():
        return 0
    with store.database.read() as session:
        named = {name + SUFFIX for name in read_names(session)}
    removed = 0
    for path in folder.iterdir():
        # Another process may be collecting too.
        with suppress(FileNotFoundError):
            if path.name not in named and time.time() - path.stat().st_mtime > older_than:
                path.unlink()
                removed += 1
    return removed
