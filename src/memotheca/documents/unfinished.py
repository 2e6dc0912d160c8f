"""Files that are no documents yet, or could not become one, listed among those that are."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from memotheca.documents.documents import EVERYTHING, Listed, list_rows
from memotheca.jobs.ingest_job import path_of, to_ingest_job
from memotheca.jobs.queue import refusal_of
from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Refusal
from memotheca.model.kinds import INGEST
from memotheca.model.knowledge import fold
from memotheca.parsing.formats import promised_format
from memotheca.storage import document_index, jobs
from memotheca.storage.document_index import DocumentRow
from memotheca.storage.jobs import Job
from memotheca.storage.snapshot import Snapshot

STATUS = {"queued": "pending", "running": "processing", "failed": "failed"}
FIELDS = {"date_added": "added", "filename": "filename", "size": "size"}


@dataclass(frozen=True, slots=True)
class ListWindow:
    """Which part of a list is wanted, and in which order."""

    limit: int
    offset: int
    order: str
    descending: bool

    def key(self, row: DocumentRow) -> tuple[Any, str]:
        value = getattr(row, FIELDS[self.order])
        return (fold(value) if self.order == "filename" else value, row.id)


def list_all(kernel: Kernel, window: ListWindow) -> tuple[list[Listed], int]:
    """A page of the documents and of the files that wait, are being read, or could not be read; and how many there are
    in all."""
    with kernel.read() as snapshot:
        waiting = _outstanding(snapshot)
        # Not all that is before the page must be read: no more can stand between than wait.
        offset = min(window.offset, EVERYTHING)
        skipped = max(0, offset - len(waiting))
        stored = list_rows(
            snapshot,
            order=window.order,
            descending=window.descending,
            window=(window.limit + len(waiting), skipped),
        )
        total = document_index.count(snapshot.session, kernel.collection)[0] + len(waiting)
    merged = sorted([*stored, *waiting], key=lambda each: window.key(each.row), reverse=window.descending)
    return merged[offset - skipped :][: window.limit], total


def forget_failures(kernel: Kernel) -> None:
    """Files that could not be read are no longer listed; their tasks can still be asked about."""
    kernel.store.operate(lambda session: jobs.pass_over_failed(session, kernel.collection))


def _outstanding(snapshot: Snapshot) -> list[Listed]:
    session, collection = snapshot.session, snapshot.collection
    newest = {path_of(job): job for job in jobs.outstanding(session, collection, INGEST)}
    return [
        _listed(job)
        for job in newest.values()
        if document_index.at_path(session, collection, to_ingest_job(job).own_path) is None
    ]


def _listed(job: Job) -> Listed:
    asked, format = to_ingest_job(job), ""
    with suppress(Refusal):
        format = promised_format(asked.path)
    row = DocumentRow(
        id=job.id,
        handle=job.id,
        filename=PurePath(asked.path).name,
        path=asked.path,
        digest="",
        format=format,
        method="",
        size=asked.size,
        chunks=0,
        partial=False,
        added=job.created,
    )
    return Listed(row, STATUS[job.state], job.id, refusal_of(job) if job.state == "failed" else None)
