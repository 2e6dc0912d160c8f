"""Taking a file in: read apart from us, embedded before the lock, and stored whole in one transaction or not at all."""

import math
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import Any, cast

from memotheca.documents.originals import content_to_keep, keep_content
from memotheca.documents.sections import MOST, place_sections
from memotheca.jobs.file_access import locate
from memotheca.jobs.ingest_job import IngestJob, to_ingest_job
from memotheca.jobs.queue import LARGE, SMALL, Progress, bench_of, cancelled_meanwhile, enqueue
from memotheca.jobs.sent_files import open_checked
from memotheca.kernel.handles import DOCUMENT_NAMES
from memotheca.kernel.kernel import Kernel
from memotheca.model import kinds
from memotheca.model.clock import SECOND
from memotheca.model.commits import Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import INGEST
from memotheca.model.knowledge import Alias, Entry, handle_of
from memotheca.parsing.document import Document
from memotheca.parsing.formats import promised_format
from memotheca.parsing.open_safely import OpenedFile
from memotheca.search.chosen_embedder import LoadedEmbedder, embedder_of, embedding_of
from memotheca.search.derive import rows_of
from memotheca.search.embed import BATCH, embedding_ahead
from memotheca.search.passages import Passage, chunk_size_of, passages_of_document
from memotheca.search.prepared import LATER, Prepared
from memotheca.storage import document_index, jobs
from memotheca.storage.chunks import ChunkRow
from memotheca.storage.document_index import DocumentRow
from memotheca.storage.jobs import Job
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction

SMALL_FILE = 1024 * 1024  # chosen: read and embedded before a caller grows impatient
UNIT = 32 * 1024  # chosen: about a page of text and pictures
GLANCE = 1000  # chosen: some milliseconds of cutting
# Chosen: how many of the things that were noticed about a file are told where it is added.
MOST_WARNINGS = 10

# Chosen: bytes a second, until finished jobs have taught better; a picture costs its recognition besides.
USUAL_RATE = 200_000.0
USUAL_IMAGE_SECONDS = 4  # chosen: a recognition and its turns, rather high
LEARNT_FROM = 50  # chosen: what was done lately on this machine
LEARNT_FROM_LEAST = 3  # chosen: a median of fewer is chance
IMAGES = frozenset({"jpg", "png", "gif", "webp", "tiff", "bmp"})

OPTIONAL = ("author", "created", "modified", "language", "ocr_confidence", "recovered", "failed_pages", "warnings")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A file that somebody wants in, and what they said about it."""

    file_path: str
    metadata: Mapping[str, Any]
    force_ocr: bool = False


Standing = tuple[str, int] | None
# Keeps the file itself beside its document.
Keep = Callable[[Transaction, Entry], None]
# A format, and whether its pictures must be recognised.
Sort = tuple[str, bool]


@dataclass(frozen=True, slots=True)
class Made:
    """What was made of a file: the entry to store, what was read, and what it replaces, as that stood before."""

    draft: Entry
    document: Document
    standing: Standing
    keep: Keep


@dataclass(frozen=True, slots=True)
class FileToRead:
    """A file that is open, the digest of what is in it, and how it is kept beside the document it becomes."""

    opened: OpenedFile
    digest: str
    keep: Keep


@dataclass(frozen=True, slots=True)
class Watched:
    """Work that is watched: the job, its progress, and into how many steps its reading is parted."""

    job: Job
    progress: Progress
    units: int

    def read(self, done: int, total: int) -> None:
        """Reading is the first half of the steps, embedding the second, storing the last one."""
        self._reach(self.units * done // max(total, 1), f"Processing page {done} of {total}")

    def embedded(self, done: int, total: int) -> None:
        step = f"Generating embeddings ({done} of {total} passages)"
        self._reach(self.units + self.units * done // max(total, 1), step)

    def storing(self) -> None:
        self._reach(2 * self.units, "Storing the document")

    def _reach(self, done: int, step: str) -> None:
        self.progress.reach(done, 2 * self.units + 1, step)


def queue_file(kernel: Kernel, wish: Wish, *, actor: str) -> tuple[Job, int]:
    """Check a file and leave a job to read it; returns it with the seconds it will probably take."""
    bench = bench_of(kernel)
    located = locate(bench, wish.file_path)
    is_image = promised_format(located.path) in IMAGES
    asked = IngestJob(
        path=located.path,
        upload=located.upload,
        metadata=dict(wish.metadata),
        force_ocr=wish.force_ocr,
        size=located.size,
        roots=None if bench.roots is None or located.upload else tuple(map(str, bench.roots)),
        batch=kernel.batch,
    )
    asked = replace(asked, estimate=_estimate(kernel, asked))
    is_small = located.size <= SMALL_FILE and not wish.force_ocr and not is_image
    lane = bench.lane(SMALL if is_small else LARGE, here=not located.upload)
    return enqueue(kernel, INGEST, asked.to_arguments(), actor=actor, lane=lane), asked.estimate


def _estimate(kernel: Kernel, asked: IngestJob) -> int:
    """Seconds until done: from how fast the newest files of its sort went, after those that wait already."""
    with kernel.store.database.read() as session:
        newest = [job for job in jobs.newest(session, kernel.collection, LEARNT_FROM) if job.kind == INGEST]
        queue = jobs.count_unsettled(session, kernel.collection)
    paces: dict[Sort | None, list[float]] = {}
    for job in newest:
        if job.state == "completed" and not (job.outcome or {}).get("duplicate"):
            spent = ((job.settled or 0) - (job.started or 0)) / SECOND
            read = to_ingest_job(job)
            for sort in (_sort_of(read), None):
                paces.setdefault(sort, []).append(spent / max(read.size, 1))
    waiting = [_seconds(to_ingest_job(job), paces) for job in newest if not job.is_settled]
    before = sum(waiting) * queue / len(waiting) if waiting else 0.0
    return max(1, math.ceil(round(_seconds(asked, paces) + before, 6)))


def _sort_of(asked: IngestJob) -> Sort:
    try:
        return promised_format(asked.path), asked.force_ocr
    except Refusal:
        return "", asked.force_ocr


def _seconds(asked: IngestJob, paces: Mapping[Sort | None, Sequence[float]]) -> float:
    """What a file takes by the median of its sort; else of any, where enough are known; else as usual."""
    sort = _sort_of(asked)
    if sort in paces:
        return asked.size * median(paces[sort])
    pace = median(paces[None]) if len(paces.get(None, ())) >= LEARNT_FROM_LEAST else 1 / USUAL_RATE
    return asked.size * pace + (USUAL_IMAGE_SECONDS if sort[0] in IMAGES else 0)


def ingest(kernel: Kernel, job: Job, progress: Progress) -> dict[str, Any]:
    """The work of a job: read a file and store what it says."""
    began = time.monotonic()
    asked = to_ingest_job(job)
    kernel = replace(kernel, batch=asked.batch)
    progress.reach(0, 1, jobs.BEGINNING)
    path = str(bench_of(kernel).sent.bring(asked.sent_name)) if asked.upload else asked.path
    with open_checked(path, asked.folders, asked.shown_name) as opened:
        digest = opened.fingerprint()
        keep = partial(keep_content, bench_of(kernel), content_to_keep(bench_of(kernel), asked, opened))
        outcome = _recognise(kernel, job, digest=digest, keep=keep)
        if outcome is None:
            outcome = _take_in(kernel, FileToRead(opened, digest, keep), job=job, progress=progress)
    return {"seconds": round(time.monotonic() - began, 3), **outcome}


def _recognise(kernel: Kernel, job: Job, *, digest: str, keep: Keep) -> dict[str, Any] | None:
    """The outcome where this very content is stored already; what is newly said about it is added."""
    asked = to_ingest_job(job)

    def act(transaction: Transaction) -> dict[str, Any] | None:
        row = _predecessor(transaction, asked.own_path, digest)
        entry = None if row is None or row.digest != digest else transaction.entry(row.id)
        if entry is None or (asked.force_ocr and not entry.attributes["force_ocr"]):
            return None
        if not jobs.is_running(transaction.session, job):
            raise cancelled_meanwhile()
        keep(transaction, entry)
        return _settled(transaction, job, _known(transaction, entry, asked.metadata))

    return kernel.write(act, actor=job.actor)


def _known(transaction: Transaction, entry: Entry, given: Mapping[str, Any]) -> dict[str, Any]:
    transaction.describe("UPDATE")
    described = _described(entry, given)
    if described != entry:
        transaction.put(replace(described, updated_at=transaction.time), LATER)
    return _outcome(transaction, entry.id, duplicate=True)


def _predecessor(snapshot: Snapshot, path: str, digest: str) -> DocumentRow | None:
    """The document that a file is or was: the one from its path, else one with the same content."""
    session, collection = snapshot.session, snapshot.collection
    return document_index.at_path(session, collection, path) or document_index.with_digest(session, collection, digest)


def _standing(snapshot: Snapshot, path: str, digest: str) -> Standing:
    """Which version of which document a file would replace, if any."""
    row = _predecessor(snapshot, path, digest)
    return None if row is None else (row.id, cast(Version, snapshot.head(row.id)).tx)


def _take_in(kernel: Kernel, file: FileToRead, *, job: Job, progress: Progress) -> dict[str, Any]:
    asked, opened, digest = to_ingest_job(job), file.opened, file.digest
    units = [max(1, math.ceil(opened.size / UNIT))]

    def report(done: float, total: float | None, message: str) -> None:
        if total:
            units[0] = max(units[0], int(total))
            Watched(job, progress, units[0]).read(int(done), int(total))
        else:
            progress.reach(0, 2 * units[0] + 1, message)

    with kernel.read() as snapshot:
        standing = _standing(snapshot, asked.own_path, digest)
    sandbox = bench_of(kernel).sandbox
    document = sandbox.read(opened, force_ocr=asked.force_ocr, report=report, stop=progress.stop)
    said = {"filename": opened.name, "path": asked.own_path, "size": opened.size, "sha256": digest}
    with kernel.read() as snapshot:
        row = _predecessor(snapshot, asked.own_path, digest)
        past = None if row is None else snapshot.entry(row.id)
    draft = _draft(document, {**said, "force_ocr": asked.force_ocr}, asked.metadata, past)
    return _store(kernel, Made(draft, document, standing, file.keep), Watched(job, progress, units[0]))


def _draft(document: Document, file: Mapping[str, Any], given: Mapping[str, Any], past: Entry | None) -> Entry:
    """The entry as it will be stored, but for its id and times; what was said about an earlier version still holds."""
    found = {name: value for name in OPTIONAL if (value := getattr(document, name)) not in (None, (), False)}
    attributes: dict[str, Any] = {
        **file,
        **{
            name: list(cast(tuple[Any, ...], value)) if isinstance(value, tuple) else value
            for name, value in found.items()
        },
        "format": document.format,
        "processing_method": document.processing_method,
        "marks": [[mark.offset, dict(mark.place)] for mark in document.marks],
    }
    if document.pages is not None:
        attributes["page_count"] = document.pages
    if len(document.sections) > MOST:
        attributes["sections_omitted"] = len(document.sections) - MOST
    entry = Entry(
        id="",
        kind=kinds.DOCUMENT,
        title=document.title or str(file["filename"]),
        body=document.text,
        attributes=attributes,
        aliases=(Alias(DOCUMENT_NAMES, str(uuid.uuid4())),) if past is None else past.aliases,
        created_at=0,
        updated_at=0,
    )
    return _described(entry, {**({} if past is None else past.attributes.get("metadata", {})), **given})


def _described(entry: Entry, given: Mapping[str, Any]) -> Entry:
    """The entry with what its owner says about it, added to what they said before."""
    metadata = {**entry.attributes.get("metadata", {}), **given}
    if not metadata:
        return entry
    said_tags = metadata.get("tags")
    tags = [str(tag) for tag in cast(list[Any], said_tags)] if isinstance(said_tags, list) else []
    title = metadata.get("title")
    return replace(
        entry,
        title=title if isinstance(title, str) and title.strip() else entry.title,
        tags=tuple(dict.fromkeys(tag for tag in tags if tag.strip())),
        attributes={**entry.attributes, "metadata": metadata},
    )


def _store(kernel: Kernel, made: Made, watched: Watched) -> dict[str, Any]:
    """Cut and embed before the lock is taken, then put the document with its sections in one transaction."""
    draft = made.draft
    with kernel.read() as snapshot:
        chunk_size = chunk_size_of(snapshot.session, kernel.collection)
        embedder = embedder_of(kernel, snapshot.session)
    passages: list[Passage] = []
    for passage in passages_of_document(draft, chunk_size):
        passages.append(passage)
        if len(passages) % GLANCE == 0 and watched.progress.stop():
            raise cancelled_meanwhile()
    prepared = LATER
    if embedding_of(kernel) is not None:
        try:
            prepared = _prepared(kernel, embedder, draft, passages, watched=watched)
        except Refusal as refusal:
            raise cancelled_meanwhile() if refusal.failure is Failure.CANCELLED else refusal from None
        watched.storing()
    return kernel.write(lambda transaction: _put(transaction, made, prepared, watched.job), actor=watched.job.actor)


def _prepared(
    kernel: Kernel,
    embedder: LoadedEmbedder | None,
    draft: Entry,
    passages: list[Passage],
    *,
    watched: Watched,
) -> Prepared:
    """The rows and vectors of a document's passages, batch by batch; words are analysed while vectors are made."""
    rows: list[ChunkRow] = []
    made: dict[bytes, list[bytes]] = {}
    watched.embedded(0, len(passages))
    with embedding_ahead(kernel, embedder, draft.title, watched.progress.stop) as begin:
        coming = begin([passage.said for passage in passages[:BATCH]])
        for start in range(0, len(passages), BATCH):
            following = begin([passage.said for passage in passages[start + BATCH : start + 2 * BATCH]])
            fresh = rows_of(draft, passages[start : start + BATCH])
            for row, vectors in zip(fresh, coming, strict=False):
                made[row.digest] = vectors
                if watched.progress.stop():
                    raise cancelled_meanwhile()
            rows += fresh
            coming = following
            watched.embedded(len(rows), len(passages))
    return Prepared(embedder.identity if embedder else "", made, draft, rows)


def _put(transaction: Transaction, made: Made, prepared: Prepared, job: Job) -> dict[str, Any]:
    """Store the document and settle its job in one transaction, unless the job was called off meanwhile."""
    if not jobs.is_running(transaction.session, job):
        raise cancelled_meanwhile()
    draft = made.draft
    said = draft.attributes
    row = _predecessor(transaction, said["path"], said["sha256"])
    past = None if row is None else transaction.entry(row.id)
    if past is not None and past.attributes["sha256"] == said["sha256"] and not said["force_ocr"]:
        made.keep(transaction, past)
        return _settled(transaction, job, _known(transaction, past, to_ingest_job(job).metadata))
    if _standing(transaction, said["path"], said["sha256"]) != made.standing:
        # Somebody was faster, perhaps with a later state of the file: what we have read must not go over it.
        raise Refusal(Failure.BUSY, f"{said['filename']} was changed while it was read. Try again")
    if past is None:
        transaction.describe("CREATE")
        entry = replace(draft, id=transaction.new_id(), created_at=transaction.time, updated_at=transaction.time)
    else:
        transaction.describe("UPDATE")
        entry = replace(
            draft, id=past.id, aliases=past.aliases, created_at=past.created_at, updated_at=transaction.time
        )
    transaction.put(entry, prepared)
    place_sections(transaction, entry, made.document.sections)
    made.keep(transaction, entry)
    return _settled(transaction, job, _outcome(transaction, entry.id, replaced=past is not None))


def _settled(transaction: Transaction, job: Job, outcome: dict[str, Any]) -> dict[str, Any]:
    outcome["seconds"] = round((transaction.time - (job.started or transaction.time)) / SECOND, 3)
    jobs.settle(transaction.session, job, "completed", outcome=outcome, now=transaction.time)
    return outcome


def _outcome(snapshot: Snapshot, id: str, **also: bool) -> dict[str, Any]:
    row = cast(DocumentRow, document_index.find(snapshot.session, snapshot.collection, id))
    entry = cast(Entry, snapshot.entry(id))
    warnings = list(entry.attributes.get("warnings", ()))[:MOST_WARNINGS]
    return {
        "entry_id": id,
        "document_id": handle_of(entry),
        "filename": row.filename,
        "chunks_created": row.chunks,
        "processing_method": row.method,
        **({"warnings": warnings} if warnings else {}),
        **{name: True for name, holds in also.items() if holds},
    }
