"""Originals: the files that documents were read from, to show how their pages look. One that was read where it lies is
read there again; one that was sent is kept, as long as there is room."""

from collections.abc import Callable

from memotheca.jobs.ingest_job import IngestJob
from memotheca.jobs.queue import bench_of
from memotheca.jobs.sent_files import open_checked
from memotheca.jobs.workbench import Workbench
from memotheca.kernel.kernel import Kernel
from memotheca.model import kinds
from memotheca.model.errors import Failure, Refusal
from memotheca.model.knowledge import Entry
from memotheca.parsing.formats import promised_format
from memotheca.parsing.open_safely import OpenedFile, hold_content, read_whole
from memotheca.parsing.page_picture import FORMATS, PagePicture
from memotheca.storage.shared_files import Original, keep_original, make_room, read_original
from memotheca.storage.snapshot import Snapshot
from memotheca.storage.store import Transaction

LARGEST = 32 * 1024 * 1024  # chosen: a scanned report; a larger one would push out many


def content_to_keep(bench: Workbench, asked: IngestJob, opened: OpenedFile) -> bytes:
    """What will be kept of a file that was sent; nothing where there is nothing to show, or no room."""
    if not asked.upload or promised_format(opened.name) not in FORMATS or opened.size > min(LARGEST, bench.originals):
        return b""
    return read_whole(opened.descriptor, LARGEST)


def keep_content(bench: Workbench, content: bytes, transaction: Transaction, document: Entry) -> None:
    """Beside its document, in the same transaction; the oldest make room."""
    if not content:
        return
    session, collection = transaction.session, transaction.collection
    make_room(session, collection, bench.originals - len(content))
    original = Original(collection, document.id, str(document.attributes["sha256"]))
    keep_original(session, original, content, transaction.time)


def document_of(snapshot: Snapshot, entry: Entry | None) -> Entry | None:
    """The document that a thing is or is part of."""
    if entry is not None and entry.kind == kinds.SECTION:
        entry = snapshot.entry(str(entry.attributes["document"]))
    return entry if entry is not None and entry.kind == kinds.DOCUMENT else None


def can_be_drawn(document: Entry) -> bool:
    return str(document.attributes.get("format")) in FORMATS


def draw_original(
    kernel: Kernel, document: Entry, *, page: int, width: int, stop: Callable[[], bool] = lambda: False
) -> PagePicture:
    """A page of the very file that a document was read from."""
    if not can_be_drawn(document):
        message = f"{document.title} has no pages that can be drawn: only PDF, SVG, PNG, JPEG, GIF and WebP have."
        raise Refusal(Failure.UNSUPPORTED, message, field="handle")
    with _open_original(kernel, document) as opened:
        return bench_of(kernel).sandbox.draw(opened, page=page, width=width, stop=stop)


def _open_original(kernel: Kernel, document: Entry) -> OpenedFile:
    said = document.attributes
    name, path, digest = str(said["filename"]), str(said["path"]), str(said["sha256"])
    bench = bench_of(kernel)
    problem: Refusal | None = None
    if path:
        try:
            return _open_in_place(bench, path, name, digest)
        except Refusal as refusal:
            problem = refusal
    with kernel.read() as snapshot:
        content = read_original(snapshot.session, Original(kernel.collection, document.id, digest))
    if content is not None:
        return hold_content(content, name)
    if problem is not None:
        raise problem
    message = f"The file {name} was sent, read and not kept. Send it again, and its pages can be shown."
    raise Refusal(Failure.NOT_FOUND, message, field="handle")


def _open_in_place(bench: Workbench, path: str, name: str, digest: str) -> OpenedFile:
    """Only where it may still be read, and is still what was read."""
    opened = open_checked(path, bench.roots, name)
    try:
        if opened.fingerprint() != digest:
            message = f"{name} has changed since it was read. Add it again, and its pages can be shown."
            raise Refusal(Failure.CONFLICT, message, field="handle")
    except BaseException:
        opened.close()
        raise
    return opened
