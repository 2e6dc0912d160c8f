"""Upkeep of what is derived: vectors that are late, segments that are due, files that nobody names."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

from memotheca.admin.corpus import Report
from memotheca.jobs.queue import Progress
from memotheca.kernel.kernel import Kernel
from memotheca.model.knowledge import Entry
from memotheca.search.chosen_embedder import model_of
from memotheca.search.derive import Births
from memotheca.search.embed import embed_waiting
from memotheca.search.finder import Finder, finder_of
from memotheca.search.index.seal import collect_orphans, maintain, remove_unnamed, rewrite_living
from memotheca.storage import chunks, document_index
from memotheca.storage.database import Session, take_time
from memotheca.storage.jobs import Job
from memotheca.storage.segments import read_models, reset_manifests
from memotheca.storage.snapshot import Snapshot


def index_everything(kernel: Kernel, report: Report, *, stop: Callable[[], bool] = lambda: False) -> int:
    """Embed what waits and seal what is due; returns how many passages were embedded."""
    seal(kernel)
    done = embed_waiting(kernel, stop=stop, report=report)
    seal(kernel)
    return done


def count_passages_waiting(kernel: Kernel) -> int:
    """How many passages have no vectors yet that should have some."""
    with kernel.read() as snapshot:
        return chunks.count_waiting(snapshot.session, kernel.collection)


def index_as_job(kernel: Kernel, job: Job, progress: Progress) -> dict[str, Any]:
    """The work of a job that an import leaves behind: make all vectors that are missing."""
    del job

    def report(done: float, total: float | None, message: str) -> None:
        progress.reach(
            int(done), int(total or done or 1), f"Generating embeddings ({int(done)} of {int(total or done)} passages)"
        )

    return {"embedded": index_everything(kernel, report, stop=progress.stop)}


def seal(kernel: Kernel) -> None:
    """Seal and merge what is due; where an erasure got no further than the rows, bring it to its end first."""
    finder: Finder = finder_of(kernel)
    with kernel.store.database.read() as session:
        model = model_of(session, kernel.collection)
        erasures, rewritten = chunks.count_erasures(session, kernel.collection)
    if rewritten < erasures:
        forget_erased(kernel)
    while maintain(kernel.store, finder.index_of(kernel.collection, model)):
        pass
    collect_orphans(kernel.store, finder.folder)


def forget_erased(kernel: Kernel) -> None:
    """Take what was erased out of the segments too, also out of those of embedders that were used before."""
    finder: Finder = finder_of(kernel)
    with kernel.store.database.read() as session:
        models = {model_of(session, kernel.collection), *read_models(session, kernel.collection)}
        erasures, _ = chunks.count_erasures(session, kernel.collection)
    for model in sorted(models):
        rewrite_living(kernel.store, finder.index_of(kernel.collection, model))
    remove_unnamed(kernel.store, finder.folder)
    kernel.store.operate(lambda session: chunks.note_rewritten(session, kernel.collection, erasures))


def rebuild(kernel: Kernel, report: Report) -> int:
    """Make every chunk anew from the journal, with its whole life, so that earlier states can be searched too.
    Vectors are taken over where the text is the same. Returns how many versions were gone through."""
    return kernel.store.operate(lambda session: rebuild_within(session, kernel, report))


def rebuild_within(session: Session, kernel: Kernel, report: Report) -> int:
    """The same in a transaction that is under way, so that nobody finds the history without its chunks."""
    take_time(session)
    newest = chunks.take_seq(session, kernel.collection, 1)
    done = _bear_all(session, kernel, newest, report)
    chunks.drop_until(session, kernel.collection, newest)
    reset_manifests(session, kernel.collection, newest)
    return done


def rebuild_everything(kernel: Kernel) -> None:
    """After a migration: make the chunks of every collection."""
    for name in kernel.store.collections():
        rebuild(replace(kernel, collection=name), lambda done, total, message: None)
    kernel.store.mark_fresh()


def _bear_all(session: Session, kernel: Kernel, newest: int, report: Report) -> int:
    snapshot = Snapshot(session, kernel.collection)
    births = cast(Births, kernel.store.derive)
    done = 0
    document_index.drop_all(session, kernel.collection)
    for version in snapshot.all_versions("entry"):
        chunks.kill(session, kernel.collection, version.tx, version.id, after=newest)
        document_index.drop(session, kernel.collection, version.id)
        if isinstance(version.thing, Entry):
            births.bear(session, kernel.collection, version.tx, version.thing)
        done += 1
        report(done, None, "indexing")
    return done
