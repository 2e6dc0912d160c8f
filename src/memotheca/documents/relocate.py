"""Relocating: documents whose files are gone from where they were, moved to where they are now, or taken out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from memotheca.documents import sections
from memotheca.jobs.sent_files import open_checked
from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.search.prepared import LATER
from memotheca.storage import document_index
from memotheca.storage.document_index import DocumentRow
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction


@dataclass(frozen=True, slots=True)
class RelocatedFile:
    """What became of a document whose file is gone: where the file is now, or None where there is none."""

    filename: str
    now: str | None


def follow_gone(
    kernel: Kernel, gone: Iterable[str], present: Mapping[str, int], *, actor: str
) -> dict[str, RelocatedFile]:
    """What became of the documents of files that are gone, by the paths these had. A file of the same content that no
    document has yet is the same file by another name: the document stays what it is. Otherwise it is taken out. The
    files that are present are given with their sizes."""
    followed: dict[str, RelocatedFile] = {}
    for path in gone:
        with kernel.read() as snapshot:
            row = _document_at(snapshot, path)
        if row is None:
            continue
        now = _same_elsewhere(kernel, row, present)
        try:
            if now is None:
                _take_out(kernel, row, actor=actor)
            else:
                _move(kernel, row, now, actor=actor)
        except Refusal as refusal:
            if refusal.failure is not Failure.NOT_FOUND:
                raise
            continue
        followed[path] = RelocatedFile(row.filename, now)
    return followed


def _document_at(snapshot: Snapshot, path: str) -> DocumentRow | None:
    return document_index.at_path(snapshot.session, snapshot.collection, _spelled(path))


def _spelled(path: str) -> str:
    """A path as documents have it: its folders without links."""
    place = Path(path).expanduser()
    return str(place.parent.resolve() / place.name)


def _same_elsewhere(kernel: Kernel, row: DocumentRow, present: Mapping[str, int]) -> str | None:
    for path, size in present.items():
        if size != row.size:
            continue
        with kernel.read() as snapshot:
            taken = _document_at(snapshot, path)
        if taken is not None:
            continue
        try:
            with open_checked(_spelled(path), None) as opened:
                if opened.fingerprint() == row.digest:
                    return path
        except Refusal:
            continue
    return None


def _standing(transaction: Transaction, row: DocumentRow) -> Entry:
    """The document, if its file is still the one that is gone."""
    entry = transaction.entry(row.id)
    if entry is None or entry.attributes.get("path") != row.path:
        raise Refusal(Failure.NOT_FOUND, f"{row.filename} was removed or moved meanwhile.")
    return entry


def _move(kernel: Kernel, row: DocumentRow, now: str, *, actor: str) -> None:
    path = _spelled(now)

    def act(transaction: Transaction) -> None:
        transaction.describe("UPDATE")
        entry = _standing(transaction, row)
        name = Path(path).name
        transaction.put(
            replace(
                entry,
                title=name if entry.title == row.filename else entry.title,
                attributes={**entry.attributes, "path": path, "filename": name},
                updated_at=transaction.time,
            ),
            LATER,
        )

    kernel.write(act, actor=actor)


def _take_out(kernel: Kernel, row: DocumentRow, *, actor: str) -> None:
    def act(transaction: Transaction) -> None:
        transaction.describe("DELETE")
        sections.remove_document(transaction, _standing(transaction, row))

    kernel.write(act, actor=actor)
