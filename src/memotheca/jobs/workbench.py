"""The workbench: what background work needs besides the store."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Condition
from typing import Any, Protocol

from memotheca.jobs.sent_files import DRAWER_LETTERS, SentFiles
from memotheca.parsing.document import Document, Report, say_nothing
from memotheca.parsing.open_safely import OpenedFile
from memotheca.parsing.page_picture import PagePicture
from memotheca.parsing.source import Wishes
from memotheca.storage.store import Store


class FileReader(Protocol):
    """Reads files where they can do no harm; `parsing.isolation` has the one there is."""

    @property
    def wishes(self) -> Wishes: ...

    def read(
        self,
        opened: OpenedFile,
        *,
        force_ocr: bool = False,
        report: Report = say_nothing,
        stop: Callable[[], bool] = lambda: False,
    ) -> Document: ...

    def draw(
        self, opened: OpenedFile, *, page: int, width: int, stop: Callable[[], bool] = lambda: False
    ) -> PagePicture: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Workbench:
    """Where files that were sent wait, which folders may be read (None: all that the user may), who reads, and what
    each kind of job does. The bell rings when there is something new to do. Backups in the data directory can be opened
    as stores."""

    data: Path
    sandbox: FileReader
    sent: SentFiles
    acts: Mapping[str, Callable[..., dict[str, Any]]]
    roots: tuple[Path, ...] | None = None
    open_backups: Callable[[], list[Store]] = list[Store]
    # Where several machines share the jobs: which of them this is, since a file is read where it lies.
    machine: str = ""
    # So many bytes of files that were sent are kept of each collection, so that their pages can be shown.
    originals: int = 0
    # Whose files these are: what was sent to one collection is not there for another.
    collection: str = ""
    bell: Condition = field(default_factory=Condition)

    @property
    def drawer(self) -> str:
        """Where the collection's own files are among those that were sent."""
        return hashlib.blake2b(self.collection.encode(), digest_size=DRAWER_LETTERS // 2).hexdigest()

    def of(self, collection: str) -> "Workbench":
        return replace(self, collection=collection)

    def lane(self, name: str, *, here: bool = True) -> str:
        """What jobs of a kind are queued under: those that this machine alone can do, or any."""
        return f"{name}@{self.machine}" if self.machine and here else name

    def lanes(self, *names: str) -> tuple[str, ...]:
        """Those that this machine takes jobs from."""
        return tuple(dict.fromkeys(self.lane(name, here=here) for name in names for here in (True, False)))

    def is_anybodys(self, lane: str) -> bool:
        """Whether machines take turns at the jobs of a lane."""
        return bool(self.machine) and "@" not in lane

    def ring(self) -> None:
        with self.bell:
            self.bell.notify_all()
