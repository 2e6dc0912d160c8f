"""The job of reading a file: what it was asked for, as it is kept with the job."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from memotheca.model.commits import CommitBatch, to_batch
from memotheca.model.kinds import INGEST
from memotheca.storage.jobs import Job


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestJob:
    """Which file is to be read and how; where it may lie, unless it was sent; the seconds it will probably take; and
    the batch of changes it belongs to, if any."""

    path: str
    upload: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    force_ocr: bool = False
    size: int = 0
    roots: tuple[str, ...] | None = None
    estimate: int = 0
    batch: CommitBatch | None = None

    @property
    def own_path(self) -> str:
        """Where the document is from; a file that was sent is from nowhere."""
        return "" if self.upload else self.path

    @property
    def shown_name(self) -> str:
        """The name that a file which was sent goes by; one in a folder goes by its own."""
        return Path(self.path).name if self.upload else ""

    @property
    def sent_name(self) -> str:
        """What a file that was sent is kept as; older jobs name it with the folder of its machine."""
        return self.path.rpartition("/uploads/")[2]

    @property
    def folders(self) -> tuple[Path, ...] | None:
        return None if self.roots is None else tuple(map(Path, self.roots))

    def to_arguments(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "batch" or value is not None}


def to_ingest_job(job: Job) -> IngestJob:
    """What the job of reading a file was asked for."""
    said = job.arguments
    return IngestJob(
        path=str(said["path"]),
        upload=bool(said["upload"]),
        metadata=said["metadata"],
        force_ocr=bool(said["force_ocr"]),
        size=int(said["size"]),
        roots=None if said["roots"] is None else tuple(said["roots"]),
        estimate=int(said.get("estimate", 0)),
        batch=to_batch(said.get("batch")),
    )


def path_of(job: Job) -> str:
    """The file that a job reads; empty for a job of another kind."""
    return to_ingest_job(job).path if job.kind == INGEST else ""


def sent_name_of(job: Job) -> str:
    """The file that was sent for a job; empty where none was."""
    asked = to_ingest_job(job) if job.kind == INGEST else None
    return asked.sent_name if asked is not None and asked.upload else ""
