"""Segments: immutable files of named arrays, mapped into memory, and the manifest that says which count."""

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from memotheca.model.retry import MissingSegmentError
from memotheca.storage.chunks import ERASED
from memotheca.storage.database import Session, first
from memotheca.storage.shared_files import bring, share, tend_cache, unshare

Array = NDArray[Any]

MAGIC = b"MEMOTHECA1"
ALIGNMENT = 64  # specification: a line of the processor's cache
SUFFIX = ".seg"
_PREFIX = len(MAGIC) + 8  # specification: the magic and a length of eight bytes


@dataclass(frozen=True, slots=True)
class Manifest:
    """Which segments hold a stream, up to which number, in which generation."""

    generation: int
    sealed: int
    names: tuple[str, ...]


class SegmentBuilder:
    """A segment that is being written: each array has room for so much, and is filled piece by piece, so that no more
    than a piece is held in memory. Room that is left over becomes a hole in the file."""

    def __init__(self, folder: Path, name: str, room: Mapping[str, tuple[str, tuple[int, ...]]]) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder, self._name = folder, name
        self._room = {key: (np.dtype(kind), shape) for key, (kind, shape) in room.items()}
        self._filled = dict.fromkeys(room, 0)
        self._offsets: dict[str, int] = {}
        offset = 0
        for key, (dtype, shape) in self._room.items():
            self._offsets[key] = offset
            offset += _aligned(math.prod(shape) * dtype.itemsize)
        self._longest = len(self._header({key: shape for key, (_, shape) in self._room.items()}))
        self._start = _aligned(_PREFIX + self._longest)
        self._size = self._start + offset
        self._path = folder / f".{name}.{os.getpid()}.part"
        self._file = self._path.open("wb")

    def _header(self, shapes: Mapping[str, tuple[int, ...]]) -> bytes:
        described = {key: [self._room[key][0].str, list(shape), self._offsets[key]] for key, shape in shapes.items()}
        return json.dumps(described).encode()

    def append(self, key: str, values: Array) -> None:
        dtype, _ = self._room[key]
        given = np.ascontiguousarray(values, dtype)
        self._file.seek(self._start + self._offsets[key] + self._filled[key])
        self._file.write(given.data)
        self._filled[key] += given.nbytes

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *told: object) -> None:
        if kind is None:
            self._finish()
        else:
            self._file.close()
            self._path.unlink(missing_ok=True)

    def _finish(self) -> None:
        """Make it whole and durable, and only then give it its name."""
        with self._file as file:
            header = self._header({key: self._shape(key) for key in self._room}).ljust(self._longest)
            file.seek(0)
            file.write(MAGIC + len(header).to_bytes(8, "little") + header)
            file.truncate(self._size)
            file.flush()
            os.fsync(file.fileno())
        # Whoever erases may have taken it away; then it cannot be named any more.
        with suppress(FileNotFoundError):
            os.replace(self._path, self._folder / (self._name + SUFFIX))
        _sync_folder(self._folder)

    def _shape(self, key: str) -> tuple[int, ...]:
        """As many rows as were filled."""
        dtype, (rows, *rest) = self._room[key]
        size = math.prod(rest) * dtype.itemsize
        return (self._filled[key] // size if size else rows, *rest)


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def write_segment(folder: Path, name: str, arrays: Mapping[str, Array]) -> None:
    """Write a segment so that it is whole and durable once it has its name."""
    with SegmentBuilder(
        folder, name, {key: (values.dtype.str, values.shape) for key, values in arrays.items()}
    ) as draft:
        for key, values in arrays.items():
            draft.append(key, values)


def open_segment(folder: Path, name: str) -> dict[str, Array]:
    """The arrays of a segment, read from the map when they are touched."""
    path = folder / (name + SUFFIX)
    try:
        is_whole = path.stat().st_size >= _PREFIX
        # As a plain array: every look at a `memmap` costs more than most looks take.
        mapped: Array = np.memmap(path, np.uint8, mode="r").view(np.ndarray) if is_whole else np.empty(0, np.uint8)
    except FileNotFoundError as error:
        raise MissingSegmentError(name) from error
    if mapped[: len(MAGIC)].tobytes() != MAGIC:
        raise MissingSegmentError(name)
    size = int.from_bytes(mapped[len(MAGIC) : _PREFIX].tobytes(), "little")
    try:
        header: dict[str, Any] = json.loads(mapped[_PREFIX : _PREFIX + size].tobytes())
        return {key: _view(mapped[_aligned(_PREFIX + size) :], *said) for key, said in header.items()}
    except ValueError as error:
        raise MissingSegmentError(name) from error


def _view(mapped: Array, kind: str, shape: Sequence[int], offset: int) -> Array:
    dtype = np.dtype(kind)
    return mapped[offset : offset + math.prod(shape) * dtype.itemsize].view(dtype).reshape(shape)


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def read_manifest(session: Session, collection: str, stream: str) -> Manifest:
    row = first(
        session,
        "SELECT generation, sealed, segments FROM manifest WHERE collection = ? AND stream = ?",
        collection,
        stream,
    )
    return Manifest(0, 0, ()) if row is None else Manifest(row[0], row[1], tuple(json.loads(row[2])))


def swap_manifest(session: Session, collection: str, stream: str, *, old: Manifest, new: Manifest) -> bool:
    """Set a manifest if it is still the old one; whoever comes second throws their file away."""
    if read_manifest(session, collection, stream).generation != old.generation:
        return False
    session.run(
        "INSERT INTO manifest (collection, stream, generation, sealed, segments) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (collection, stream) DO UPDATE SET generation = excluded.generation, "
        "sealed = excluded.sealed, segments = excluded.segments",
        collection,
        stream,
        new.generation,
        new.sealed,
        json.dumps(list(new.names)),
    )
    return True


def bring_segments(session: Session, folder: Path, names: Iterable[str]) -> None:
    """Have the segments here that other machines have made, and not for long those that count no more."""
    brought = [name for name in names if bring(session, folder / (name + SUFFIX))]
    if brought:
        tend_segments(session, folder, room=0)


def tend_segments(session: Session, folder: Path, *, room: int) -> int:
    """Where a folder is a cache of the segments of a database: keep those that count, as many as have room."""
    kept = {name + SUFFIX for name in read_names(session)}
    return tend_cache(session, folder.glob(f"*{SUFFIX}"), kept=kept, room=room)


def share_segments(session: Session, folder: Path, names: Iterable[str]) -> None:
    """Let the other machines have what a manifest has just come to name, and nothing that none names any more; who
    reads an older snapshot has them as it sees them. For who holds the lock of everything."""
    for name in names:
        share(session, folder / (name + SUFFIX))
    unshare(session, but=[name + SUFFIX for name in read_names(session)])


def read_names(session: Session) -> list[str]:
    """Every segment that any manifest names."""
    return [name for row in session.rows("SELECT segments FROM manifest") for name in json.loads(row[0])]


def missing_segments(session: Session, collection: str, folder: Path) -> list[str]:
    """Segments that a manifest of a collection names and that are not there, or not whole."""
    missing: list[str] = []
    for row in session.rows("SELECT segments FROM manifest WHERE collection = ?", collection):
        names = json.loads(row[0])
        bring_segments(session, folder, names)
        for name in names:
            try:
                open_segment(folder, name)
            except MissingSegmentError:
                missing.append(name)
    return missing


def absent_segments(session: Session, collection: str, folder: Path) -> list[str]:
    """Segments that a manifest of a collection names and that are not there; as `missing_segments`, without opening
    them."""
    rows = session.rows("SELECT segments FROM manifest WHERE collection = ?", collection)
    names = [name for row in rows for name in json.loads(row[0])]
    bring_segments(session, folder, names)
    return [name for name in names if not (folder / (name + SUFFIX)).exists()]


def count_segments(session: Session, collection: str) -> int:
    rows = session.rows("SELECT segments FROM manifest WHERE collection = ?", collection)
    return sum(len(json.loads(row[0])) for row in rows)


def read_models(session: Session, collection: str) -> list[str]:
    """Every embedder whose vectors a manifest names segments of."""
    rows = session.rows("SELECT stream FROM manifest WHERE collection = ? AND stream LIKE 'dense:%'", collection)
    return [row[0].removeprefix("dense:") for row in rows]


def reset_manifests(session: Session, collection: str, sealed: int) -> None:
    """Name no segment any more, and let every process notice, also where nothing was sealed yet; in no segment there is
    nothing that was erased."""
    session.run(
        "INSERT INTO manifest (collection, stream, generation, sealed, segments) VALUES (?, 'text', 0, 0, '[]') "
        "ON CONFLICT (collection, stream) DO NOTHING",
        collection,
    )
    session.run(
        "UPDATE manifest SET generation = generation + 1, sealed = CASE stream WHEN ? THEN generation + 1 ELSE ? END, "
        "segments = '[]' WHERE collection = ?",
        ERASED,
        sealed,
        collection,
    )
