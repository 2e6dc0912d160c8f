"""The workbench: what background work needs besides the store."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition
from typing import Any

from memotheca.parsing.isolation.sandbox import Sandbox
from memotheca.storage.store import Store

UPLOADS = "uploads"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workbench:
    """Where files wait, which folders may be read (None: all that the user may), who reads, and what each kind of job
    does. The bell rings when there is something new to do. Backups in the data directory can be opened as stores."""

    data: Path
    sandbox: Sandbox
    acts: Mapping[str, Callable[..., dict[str, Any]]]
    roots: tuple[Path, ...] | None = None
    open_backups: Callable[[], list[Store]] = list[Store]
    # Where several machines share the jobs: which of them this is, since a file is read where it lies.
    machine: str = ""
    bell: Condition = field(default_factory=Condition)

    @property
    def uploads(self) -> Path:
        return self.data / UPLOADS

    def lane(self, name: str) -> str:
        """What jobs of a kind are queued under here."""
        return f"{name}@{self.machine}" if self.machine else name

    def ring(self) -> None:
        with self.bell:
            self.bell.notify_all()
