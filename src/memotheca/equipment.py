"""What a process is equipped with besides its store: embedders, vaults, toolsets that are switched on meanwhile, and
the workbench for what outlives a call."""

import logging
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

from memotheca.jobs.queue import Progress
from memotheca.jobs.sent_files import FolderFiles, SharedFiles
from memotheca.jobs.workbench import Workbench
from memotheca.kernel.kernel import Kernel
from memotheca.model.errors import Failure, Refusal
from memotheca.notes.mounts import Mount, Vaults, owner_role, read_mounts
from memotheca.parsing.isolation.sandbox import Sandbox
from memotheca.search.chosen_embedder import Embedding, LoadedEmbedder
from memotheca.search.index_folder import IndexFolder
from memotheca.settings import Settings, names_again
from memotheca.storage.database import HeldRole, Session
from memotheca.storage.jobs import Job
from memotheca.storage.store import Store
from memotheca.storage.vault_index import MountedFolders, read_mounted, write_mounted
from memotheca.toolkit.catalog import Catalog
from memotheca.vectors.embedders import Choice

log = logging.getLogger(__name__)

MACHINE = "machine"
UPLOADS = "uploads"


def build_embedding() -> Embedding:
    """The embedders of a process, each loaded when first needed."""
    return Embedding(_load_embedder, _pack_vector)


def _load_embedder(choice: Choice) -> LoadedEmbedder | None:
    from memotheca.vectors.load import load_embedder

    return load_embedder(choice)


def _pack_vector(vector: Any) -> bytes:
    from memotheca.vectors.onnx_embedder import to_bytes

    return to_bytes(vector)


def build_bench(settings: Settings, store: Store, open_backups: Callable[[], list[Store]]) -> Workbench:
    """Over HTTP only the configured folders may be read; over stdio, a user's own client reads what the user may."""
    roots = tuple(Path(name).expanduser() for name in settings.names("roots"))
    shared, uploads = bool(settings.text("database")), settings.data / UPLOADS
    return Workbench(
        data=settings.data,
        sent=SharedFiles(uploads, store) if shared else FolderFiles(uploads),
        sandbox=Sandbox(
            languages=settings.text("ocr-languages"),
            tesseract=settings.text("tesseract"),
            tessdata=settings.text("tessdata"),
        ),
        acts={"ingest": _ingest, "index": _index_as_job},
        roots=roots if roots or settings.text("transport") == "http" else None,
        open_backups=open_backups,
        machine=machine_of(settings.data) if shared else "",
        originals=settings.number("originals") * 1024 * 1024,
    )


def machine_of(data: Path) -> str:
    """What this data directory is called among those that share a database: files that wait in it are read here."""
    path = data / MACHINE
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(uuid4().hex)
    except FileExistsError:
        pass
    return path.read_text("utf-8").strip()


def _ingest(kernel: Kernel, job: Job, progress: Progress) -> dict[str, Any]:
    from memotheca.documents.ingest import ingest

    return ingest(kernel, job, progress)


def _index_as_job(kernel: Kernel, job: Job, progress: Progress) -> dict[str, Any]:
    from memotheca.admin.upkeep import index_as_job

    return index_as_job(kernel, job, progress)


def tend_cache(kernel: Kernel) -> None:
    """Where the index is a cache of a shared database's, keep it within its room, and nothing in it that counts no
    more."""
    index = kernel.part(IndexFolder)
    if index.room is None:
        return
    from memotheca.storage.segments import tend_segments

    with kernel.store.database.read() as session:
        tend_segments(session, index.path, room=index.room)


def mount_vaults(store: Store, settings: Settings) -> Vaults:
    """The folders that are named, else those that were mounted in this collection before."""
    collection, named = settings.text("collection"), settings.names("vault")
    if not named:
        return remembered_vaults(store, settings, collection)
    wanted = {mount.prefix: str(mount.root) for mount in read_mounts(named)}
    machine = _machine_here(settings)
    remembered = _read_mounted(store, collection)
    if (wanted, machine) != (remembered.roots, remembered.machine):
        _take_vaults(store, settings, MountedFolders(wanted, machine, socket.gethostname() if machine else ""))
    return _vaults_with(wanted, settings, machine=machine)


def _take_vaults(store: Store, settings: Settings, wanted: MountedFolders) -> None:
    """Whoever follows other vaults of this collection is not disturbed."""
    collection = settings.text("collection")
    with store.database.lease(settings.data, owner_role(collection)) as held:
        if held is None:
            holder = store.database.holder(settings.data, owner_role(collection))
            raise Refusal(
                Failure.CONFLICT,
                f"{holder or 'Another server'} has other vaults mounted in this collection; name those, or another "
                "--collection.",
            )
        store.operate(lambda session: _remember(session, held, collection, wanted))


def _remember(session: Session, held: HeldRole, collection: str, wanted: MountedFolders) -> None:
    held.refuse_lost(session)
    write_mounted(session, collection, wanted)


def remembered_vaults(store: Store, settings: Settings, collection: str) -> Vaults:
    """Those that were mounted in a collection before: on this machine, or none where they are on another."""
    remembered, machine = _read_mounted(store, collection), _machine_here(settings)
    if machine and remembered.machine != machine:
        return _vaults_with({}, settings, machine=machine, elsewhere=remembered.host if remembered.roots else "")
    return _vaults_with(remembered.roots, settings, machine=machine)


def _machine_here(settings: Settings) -> str:
    return machine_of(settings.data) if settings.text("database") else ""


def _read_mounted(store: Store, collection: str) -> MountedFolders:
    with store.database.read() as session:
        return read_mounted(session, collection)


def _vaults_with(roots: Mapping[str, str], settings: Settings, *, machine: str, elsewhere: str = "") -> Vaults:
    mounts = tuple(Mount(prefix, Path(root)) for prefix, root in roots.items())
    patterns = tuple(settings.names("vault-ignore"))
    return Vaults(mounts, settings.data, patterns, settings.on("vault-gitignore"), machine, elsewhere)


def follow_toolsets(catalog: Catalog, settings: Settings) -> None:
    """Show the toolsets that a person has switched on meanwhile; what cannot be understood changes nothing."""
    try:
        catalog.beside(names_again(settings, "more-toolsets"))
    except Refusal as refusal:
        log.warning("toolsets stay as they are: %s", refusal.message)
