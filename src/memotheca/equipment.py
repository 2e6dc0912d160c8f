"""What a process is equipped with besides its store: embedders, vaults, and the workbench for what outlives a call."""

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
from memotheca.settings import Settings
from memotheca.storage.jobs import Job
from memotheca.storage.locks import role
from memotheca.storage.roles import holder_of
from memotheca.storage.store import Store
from memotheca.storage.vault_index import read_mounted, write_mounted
from memotheca.vectors.embedders import Choice

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


def mount_vaults(store: Store, settings: Settings) -> Vaults:
    """The folders that are named, else those that were mounted in this collection before."""
    collection, named = settings.text("collection"), settings.names("vault")
    if named and settings.text("database"):
        message = "A vault is a folder of one machine; it cannot be mounted where the data is in PostgreSQL yet."
        raise Refusal(Failure.UNSUPPORTED, message, field="vault")
    remembered = read_vaults(store, collection)
    mounts = read_mounts(named) if named else _to_mounts(remembered)
    wanted = {mount.prefix: str(mount.root) for mount in mounts}
    if wanted != remembered:
        with role(settings.data, owner_role(collection)) as free:
            if not free:
                holder = holder_of(settings.data, owner_role(collection))
                raise Refusal(
                    Failure.CONFLICT,
                    f"{holder or 'Another server'} has other vaults mounted in this collection; name those, or another "
                    "--collection.",
                )
        store.operate(lambda session: write_mounted(session, collection, wanted))
    return vaults_with(wanted, settings)


def read_vaults(store: Store, collection: str) -> dict[str, str]:
    with store.database.read() as session:
        return read_mounted(session, collection)


def _to_mounts(remembered: Mapping[str, str]) -> tuple[Mount, ...]:
    return tuple(Mount(prefix, Path(root)) for prefix, root in remembered.items())


def vaults_with(remembered: Mapping[str, str], settings: Settings) -> Vaults:
    patterns = tuple(settings.names("vault-ignore"))
    return Vaults(_to_mounts(remembered), settings.data, patterns, settings.on("vault-gitignore"))
