"""What a process is equipped with besides its store: embedders, and the workbench for what outlives a call."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

from memotheca.jobs.queue import Progress
from memotheca.jobs.workbench import Workbench
from memotheca.kernel.kernel import Kernel
from memotheca.parsing.isolation.sandbox import Sandbox
from memotheca.search.chosen_embedder import Embedding, LoadedEmbedder
from memotheca.settings import Settings
from memotheca.storage.jobs import Job
from memotheca.storage.store import Store
from memotheca.vectors.embedders import Choice

MACHINE = "machine"


def build_embedding() -> Embedding:
    """The embedders of a process, each loaded when first needed."""
    return Embedding(_load_embedder, _pack_vector)


def _load_embedder(choice: Choice) -> LoadedEmbedder | None:
    from memotheca.vectors.load import load_embedder

    return load_embedder(choice)


def _pack_vector(vector: Any) -> bytes:
    from memotheca.vectors.onnx_embedder import to_bytes

    return to_bytes(vector)


def build_bench(settings: Settings, open_backups: Callable[[], list[Store]]) -> Workbench:
    """Over HTTP only the configured folders may be read; over stdio, a user's own client reads what the user may."""
    roots = tuple(Path(name).expanduser() for name in settings.names("roots"))
    return Workbench(
        data=settings.data,
        sandbox=Sandbox(
            languages=settings.text("ocr-languages"),
            tesseract=settings.text("tesseract"),
            tessdata=settings.text("tessdata"),
        ),
        acts={"ingest": _ingest, "index": _index_as_job},
        roots=roots if roots or settings.text("transport") == "http" else None,
        open_backups=open_backups,
        machine=_machine(settings.data) if settings.text("database") else "",
    )


def _machine(data: Path) -> str:
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
