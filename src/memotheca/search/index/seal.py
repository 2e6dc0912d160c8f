"""Sealing: any process turns unsealed rows into a segment and merges segments; the manifest decides who was first."""

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

import numpy as np

from memotheca.search.index.compaction import Masks, dense_room, merge_dense, merge_text, text_room
from memotheca.search.index.index_parts import Array, DensePart, TextPart
from memotheca.search.index.live import Index
from memotheca.storage.chunks import has_deaths, living_numbers, read_deaths, release_terms
from memotheca.storage.database import Session
from memotheca.storage.segments import (
    SUFFIX,
    Manifest,
    SegmentBuilder,
    bring_segments,
    open_segment,
    read_names,
    share_segments,
    swap_manifest,
    write_segment,
)
from memotheca.storage.store import Store
from memotheca.storage.vectors import vectors_by_number, width_of

SEAL_AT = 4096  # chosen: a question reads as many unsealed rows in milliseconds
MERGE_AT = 4  # chosen: with the next, a chunk is written again once for every fourfold growth
GROWTH = 4  # chosen: as above
ORPHAN_SECONDS = 3600  # chosen: far longer than a segment is written before a manifest names it


def maintain(store: Store, index: Index, *, seal_at: int = SEAL_AT) -> bool:
    """Seal and merge what is due; returns whether anything was done. Searches go on meanwhile."""
    with index.texts.upkeep:
        _catch_up(store, index)
        done = _seal_text(store, index, seal_at) | _seal_dense(store, index, seal_at)
        done |= _seal_deaths(store, index, seal_at)
        return done | _merge_text(store, index) | _merge_dense(store, index)


def _catch_up(store: Store, index: Index) -> None:
    with index.guard, store.database.read() as session:
        index.catch_up(session)


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
        if swapped:
            share_segments(session, index.folder, set(new.names) - set(old.names))
        if swapped and stream == "text":
            release_terms(session, index.collection, after=old.sealed, sealed=new.sealed)
        return swapped

    swapped = store.operate(act)
    if not swapped:
        for path in fresh:
            path.unlink(missing_ok=True)
    _catch_up(store, index)
    return swapped


def _seal_text(store: Store, index: Index, seal_at: int) -> bool:
    with index.guard:
        parts, old, deaths = _frozen(index.texts.unsealed()), index.texts.manifest, index.texts.deaths_seen
    if sum(part.size for part in parts) < seal_at:
        return False
    name = _fresh_name("text")
    _write_text(index, name, parts, deaths=deaths)
    sealed = int(parts[-1].arrays["seq"][-1])
    return _swap(store, index, "text", (old, Manifest(old.generation + 1, sealed, (*old.names, name))))


def _frozen(parts: Sequence[TextPart]) -> list[TextPart]:
    """As they are now: later deaths are noted in place."""
    return [replace(part, died=part.died.copy()) for part in parts]


def _write_text(index: Index, name: str, parts: Sequence[TextPart], kept: Masks = None, *, deaths: int) -> None:
    with SegmentBuilder(index.folder, name, text_room(parts)) as draft:
        merge_text(parts, draft, kept)
        draft.append("deaths", np.array([deaths], np.int64))


def _seal_dense(store: Store, index: Index, seal_at: int) -> bool:
    with index.guard:
        parts, old = list(index.unsealed()), index.dense_manifest
    if not index.model or sum(part.size for part in parts) < seal_at:
        return False
    name = _fresh_name("dense")
    _write_dense(store, index, name, parts)
    sealed = int(parts[-1].seq[-1])
    return _swap(store, index, index.stream, (old, Manifest(old.generation + 1, sealed, (*old.names, name))))


def _write_dense(store: Store, index: Index, name: str, parts: Sequence[DensePart], *, kept: Masks = None) -> None:
    widths = [part.values.shape[1] for part in parts if part.values is not None]
    with store.database.read() as session:
        width = widths[0] if widths else width_of(session, index.collection, index.model)

        def fetch(numbers: Array) -> Array:
            return vectors_by_number(session, index.collection, numbers, width=width)

        with SegmentBuilder(index.folder, name, dense_room(parts, width, kept)) as draft:
            merge_dense(parts, draft, kept, fetch=fetch)


def _seal_deaths(store: Store, index: Index, seal_at: int) -> bool:
    """Segments are never changed, so that what has died since they were sealed is written down beside them: whoever
    starts later need not look each of them up in the database."""
    with index.guard:
        old = index.texts.deaths
    with store.database.read() as session:
        if not has_deaths(session, index.collection, old.sealed, seal_at):
            return False
        rows = np.array(read_deaths(session, index.collection, old.sealed), np.int64)
        bring_segments(session, index.folder, old.names)
    names = list(old.names)
    pieces = [rows]
    while names:
        arrays = open_segment(index.folder, names[-1])
        if len(arrays["seq"]) > GROWTH * sum(len(piece) for piece in pieces):
            break
        pieces.insert(0, np.stack([arrays["seq"], arrays["died"], arrays["mark"]], axis=1))
        names.pop()
    _give_grace(index, old.names[len(names) :])
    name = _fresh_name("deaths")
    seq, died, mark = np.concatenate(pieces).T
    write_segment(index.folder, name, {"seq": seq, "died": died, "mark": mark})
    sealed = int(rows[-1, 2])
    return _swap(store, index, "deaths", (old, Manifest(old.generation + 1, sealed, (*names, name))))


def _due(sizes: Sequence[int]) -> tuple[int, int] | None:
    """The newest run of segments of like size that should become one."""
    for end in range(len(sizes), MERGE_AT - 1, -1):
        run = sizes[end - MERGE_AT : end]
        if max(run) <= GROWTH * max(min(run), 1):
            return end - MERGE_AT, end
    return None


def _merge_text(store: Store, index: Index) -> bool:
    with index.guard:
        sealed, old, deaths = index.texts.sealed(), index.texts.manifest, index.texts.deaths_seen
        span = _due([part.size for part in sealed])
        if span is None:
            return False
        parts = _frozen(sealed[span[0] : span[1]])
    name = _fresh_name("text")
    _write_text(index, name, parts, deaths=deaths)
    return _replace(store, index, "text", _Substitute(old, span, name))


def _merge_dense(store: Store, index: Index) -> bool:
    """Merge what is due; a segment of an earlier program is written anew, since it lacks the vectors."""
    with index.guard:
        sealed, old = list(index.sealed()), index.dense_manifest
    lacking = [place for place, part in enumerate(sealed) if part.values is None]
    span = (lacking[0], lacking[0] + 1) if lacking else _due([part.size for part in sealed])
    if span is None:
        return False
    name = _fresh_name("dense")
    _write_dense(store, index, name, sealed[span[0] : span[1]])
    return _replace(store, index, index.stream, _Substitute(old, span, name))


@dataclass(frozen=True, slots=True)
class _Substitute:
    """A segment that takes the place of those that a manifest names within a span."""

    old: Manifest
    span: tuple[int, int]
    name: str


def _replace(store: Store, index: Index, stream: str, substitute: _Substitute) -> bool:
    old, span = substitute.old, substitute.span
    named = (*old.names[: span[0]], substitute.name, *old.names[span[1] :])
    _give_grace(index, old.names[span[0] : span[1]])
    return _swap(store, index, stream, (old, Manifest(old.generation + 1, old.sealed, named)))


def _give_grace(index: Index, names: Sequence[str]) -> None:
    """Their time of grace begins now: a reader with an older snapshot may be about to open them."""
    for name in names:
        with suppress(FileNotFoundError):
            os.utime(index.folder / (name + SUFFIX))


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
    old_text, old_dense = index.texts.manifest, index.dense_manifest
    text, dense = index.texts.sealed(), index.sealed()
    if not _rewrite_text(store, index, text, np.array(chunk_numbers, np.int64)):
        return False
    _remove(index, old_text)
    if not index.model:
        return True
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
        kept = [np.isin(part.arrays["seq"], living) for part in parts]
        _write_text(index, names[0], parts, kept, deaths=index.texts.deaths_seen)
    old = index.texts.manifest
    return _swap(store, index, "text", (old, Manifest(old.generation + 1, old.sealed, names)))


def _rewrite_dense(store: Store, index: Index, parts: Sequence[DensePart], living: Array) -> bool:
    names: tuple[str, ...] = ()
    if parts:
        names = (_fresh_name("dense"),)
        _write_dense(store, index, names[0], parts, kept=[np.isin(part.seq, living) for part in parts])
    old = index.dense_manifest
    return _swap(store, index, index.stream, (old, Manifest(old.generation + 1, old.sealed, names)))


def remove_unnamed(store: Store, folder: Path) -> None:
    """After an erasure: remove every file that no manifest names, since what was merged away or left by a killed
    process may hold what is erased. Nobody can come to name one meanwhile, because that needs the lock too."""

    def act(session: Session) -> None:
        share_segments(session, folder, ())
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
