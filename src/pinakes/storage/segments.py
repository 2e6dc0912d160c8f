"""Segments: immutable files of named arrays, mapped into memory, and the manifest that says which count."""

import json
import math
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pinakes.storage.database import Session, first

Array = NDArray[Any]

MAGIC = b"PINAKES1"
ALIGNMENT = 64
SUFFIX = ".seg"


@dataclass(frozen=True, slots=True)
class Manifest:
    """Which segments hold a stream, up to which number, in which generation."""

    generation: int
    sealed: int
    names: tuple[str, ...]


def write_segment(folder: Path, name: str, arrays: Mapping[str, Array]) -> None:
    """Write a segment so that it is whole and durable once it has its name."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    described: dict[str, Any] = {}
    offset = 0
    for key, values in arrays.items():
        described[key] = [values.dtype.str, list(values.shape), offset]
        offset += -(-values.nbytes // ALIGNMENT) * ALIGNMENT
    header = json.dumps(described).encode()
    start = -(-(len(MAGIC) + 8 + len(header)) // ALIGNMENT) * ALIGNMENT
    fresh = folder / f".{name}.{os.getpid()}.part"
    with fresh.open("wb") as file:
        file.write((MAGIC + len(header).to_bytes(8, "little") + header).ljust(start, b"\0"))
        for values in arrays.values():
            file.write(np.ascontiguousarray(values).data)
            file.write(b"\0" * (-values.nbytes % ALIGNMENT))
        file.flush()
        os.fsync(file.fileno())
    # Whoever erases may have taken it away; then it cannot be named any more.
    with suppress(FileNotFoundError):
        os.replace(fresh, folder / (name + SUFFIX))
    _sync_folder(folder)


def open_segment(folder: Path, name: str) -> dict[str, Array]:
    """The arrays of a segment, read from the map when they are touched."""
    path = folder / (name + SUFFIX)
    mapped: Array = np.memmap(path, np.uint8, mode="r")
    if mapped[: len(MAGIC)].tobytes() != MAGIC:
        raise ValueError("not a segment")
    size = int.from_bytes(mapped[len(MAGIC) : len(MAGIC) + 8].tobytes(), "little")
    header: dict[str, Any] = json.loads(mapped[len(MAGIC) + 8 : len(MAGIC) + 8 + size].tobytes())
    start = -(-(len(MAGIC) + 8 + size) // ALIGNMENT) * ALIGNMENT
    arrays: dict[str, Array] = {}
    for key, (kind, shape, offset) in header.items():
        dtype = np.dtype(kind)
        length = math.prod(shape) * dtype.itemsize
        arrays[key] = mapped[start + offset : start + offset + length].view(dtype).reshape(shape)
    return arrays


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


def read_names(session: Session) -> list[str]:
    """Every segment that any manifest names."""
    return [name for row in session.rows("SELECT segments FROM manifest") for name in json.loads(row[0])]


def read_models(session: Session, collection: str) -> list[str]:
    """Every embedder whose vectors a manifest names segments of."""
    rows = session.rows("SELECT stream FROM manifest WHERE collection = ? AND stream LIKE 'dense:%'", collection)
    return [row[0].removeprefix("dense:") for row in rows]


def reset_manifests(session: Session, collection: str, sealed: int) -> None:
    """Name no segment any more, and let every process notice, also where nothing was sealed yet."""
    session.run(
        "INSERT INTO manifest (collection, stream, generation, sealed, segments) VALUES (?, 'text', 0, 0, '[]') "
        "ON CONFLICT (collection, stream) DO NOTHING",
        collection,
    )
    session.run(
        "UPDATE manifest SET generation = generation + 1, sealed = ?, segments = '[]' WHERE collection = ?",
        sealed,
        collection,
    )
