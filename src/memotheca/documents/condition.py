"""How the documents of a collection are: how many, with what they are searched, and what is wrong."""

import errno
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from memotheca.jobs.queue import bench_of
from memotheca.kernel.kernel import Kernel
from memotheca.model import kinds
from memotheca.model.errors import Failure, Refusal
from memotheca.parsing.ocr import find_tesseract
from memotheca.parsing.open_safely import MAX_SIZE
from memotheca.search.chosen_embedder import embedder_of, setting_of
from memotheca.search.finder import finder_of
from memotheca.search.passages import chunk_size_of
from memotheca.storage import document_index
from memotheca.storage.store import ACCEPTED
from memotheca.vectors.embedders import DEFAULT, understand

MEGABYTE = 1 << 20  # specification: the unit
MAX_FILE_MEGABYTES = MAX_SIZE // MEGABYTE  # specification: told in megabytes


# Chosen: below this no file of some size can be taken any more, nor its index be made.
LEAST_FREE = 64 * MEGABYTE


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """How the documents are: how many, how large, and what is wrong."""

    documents: int
    chunks: int
    size: int
    chunk_size: int
    embedder: str
    is_index_open: bool
    is_storage_open: bool
    is_embedder_loaded: bool
    issues: tuple[str, ...]
    changed_at: int | None


def examine_documents(kernel: Kernel) -> Condition:
    with kernel.read() as snapshot:
        session, collection = snapshot.session, kernel.collection
        count, chunks, size = document_index.count(session, collection)
        setting = setting_of(session, collection)
        changed = snapshot.commit(snapshot.last_touched("entry", (kinds.DOCUMENT,)))
        embedder = embedder_of(kernel, session)
        chunk_size = chunk_size_of(session, collection)
    issues: list[str] = []
    if embedder is None:
        issues.append(_why_no_embedder(setting))
    index_trouble, storage_trouble = _index_trouble(kernel), _storage_trouble(kernel)
    troubles = (index_trouble, storage_trouble, _reading_trouble(kernel), _loss(kernel))
    issues += [trouble for trouble in troubles if trouble]
    return Condition(
        documents=count,
        chunks=chunks,
        size=size,
        chunk_size=chunk_size,
        embedder=understand(setting).name or setting,
        is_index_open=not index_trouble,
        is_storage_open=not storage_trouble,
        is_embedder_loaded=embedder is not None,
        issues=tuple(issues),
        changed_at=None if changed is None else changed.time,
    )


def _why_no_embedder(setting: str) -> str:
    if setting == "none":
        return f"No embedding model is chosen, so search goes by words alone: memotheca reindex --embedder {DEFAULT}"
    return f"The embedding model {setting} cannot be loaded, so search goes by words alone: memotheca doctor"


def _index_trouble(kernel: Kernel) -> str:
    """Whether the vectors can be reached: the index is brought up to date, as a search would."""
    try:
        with kernel.read() as snapshot:
            embedder = embedder_of(kernel, snapshot.session)
            index = finder_of(kernel).index_of(kernel.collection, embedder.identity if embedder else "")
            with index.guard:
                index.catch_up(snapshot.session)
    except (Refusal, OSError, ValueError) as error:
        if isinstance(error, Refusal) and error.failure is Failure.CANCELLED:
            raise
        reason = error.strerror if isinstance(error, OSError) else None
        return f"Search index not accessible: {reason or error}"
    return ""


def _storage_trouble(kernel: Kernel) -> str:
    """What keeps files from being stored; found out without writing, since whoever asks only reads."""
    folder = bench_of(kernel).data
    try:
        held = os.statvfs(folder)
        free = held.f_bavail * held.f_frsize
        problem = errno.EROFS if held.f_flag & os.ST_RDONLY else 0
        problem = problem or (0 if os.access(folder, os.R_OK | os.W_OK | os.X_OK) else errno.EACCES)
    except OSError as error:
        problem, free = error.errno or errno.EIO, 0
    if problem:
        return f"Storage directory not accessible: {os.strerror(problem)}"
    if free < LEAST_FREE:
        return f"Storage is full: {free // MEGABYTE} MB are free, {LEAST_FREE // MEGABYTE} MB are needed"
    return ""


def _reading_trouble(kernel: Kernel) -> str:
    """Whether scans and pictures can be read."""
    try:
        program, _ = find_tesseract(bench_of(kernel).sandbox.wishes)
    except Refusal as refusal:
        return refusal.message
    return "" if shutil.which(program) else f"OCR processing failed: cannot run {Path(program).name}"


def _loss(kernel: Kernel) -> str:
    said = kernel.store.begun_anew()
    if said in ("", ACCEPTED):
        return ""
    return f"The data was lost and begun anew at {said}: `memotheca doctor` says which backup to restore, and how."
