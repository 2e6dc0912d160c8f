"""Opening the notebook: one snapshot, and the graph of notes as it was then."""

from collections.abc import Generator
from contextlib import contextmanager

from memotheca.kernel.kernel import Kernel
from memotheca.model.cancellation import undisturbed
from memotheca.notes.mounts import vaults_of
from memotheca.notes.notebook import Notebook
from memotheca.storage.snapshot import Snapshot


@contextmanager
def opened(kernel: Kernel) -> Generator[tuple[Snapshot, Notebook]]:
    """A snapshot with the notebook brought up to it; nobody turns a page of it while the block lasts."""
    live = vaults_of(kernel).notebook
    with live.guard, kernel.read() as snapshot:
        with undisturbed():
            book = live.at(snapshot)
        yield snapshot, book
