"""Whether everything is as it should be, and what to do where it is not."""

from collections.abc import Sequence
from dataclasses import dataclass

from memotheca.jobs.workbench import Workbench
from memotheca.kernel.kernel import Kernel
from memotheca.model.commits import VERB
from memotheca.model.kinds import KINDS, SECTION, TUNING
from memotheca.model.knowledge import counted
from memotheca.search.chosen_embedder import embedding_of, model_of, setting_of
from memotheca.search.finder import finder_of
from memotheca.storage import chunks, document_index, journal
from memotheca.storage.heads import all_loose_edges
from memotheca.storage.roles import holders
from memotheca.storage.soundness import find_damage
from memotheca.storage.store import Transaction
from memotheca.vectors.embedders import DEFAULT, SHIPPED_IDENTITY, is_shipped_model_there


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """One thing that was looked at; a fix is given where it is not well."""

    name: str
    well: bool
    detail: str
    fix: str = ""


def examine(kernel: Kernel) -> list[HealthFinding]:
    """Look at the database as a whole and at every collection in it."""
    names = kernel.store.collections()
    heads = [_heads(kernel, collection) for collection in names]
    return [
        _integrity(kernel),
        _durability(kernel),
        _format(kernel),
        *heads,
        _model(),
        *_findability(kernel, names),
        *_roles(kernel),
    ]


def glance(kernel: Kernel) -> list[HealthFinding]:
    """What can be said at once of this collection, and of what holds it."""
    return [_durability(kernel), _format(kernel), _model(), *_findability(kernel, [kernel.collection])]


def look_closely(kernel: Kernel) -> list[HealthFinding]:
    """What takes as long as there is much: whether all that is kept can be read, and the journal agrees with it."""
    return [_integrity(kernel), _heads(kernel, kernel.collection)]


def _findability(kernel: Kernel, collections: Sequence[str]) -> list[HealthFinding]:
    return [look(kernel, collection) for look in (_embedder, _coverage) for collection in collections]


def repair(kernel: Kernel) -> list[str]:
    """Rebuild the heads of every collection whose heads differ from the journal, and take out edges that have lost an
    end; returns the collections."""
    mended: list[str] = []
    for collection in kernel.store.collections():
        with kernel.store.database.read() as session:
            broken = bool(journal.compare_heads(session, collection))
        if broken:
            kernel.store.operate(lambda session, name=collection: journal.rebuild_heads(session, name))
            kernel.store.write(collection, _remove_loose_edges, actor="doctor")
            mended.append(collection)
    return mended


def count_everything(kernel: Kernel) -> dict[str, int]:
    """How much the collection holds."""
    with kernel.read() as snapshot:
        by_kind = {kind: snapshot.count("entry", (kind,)) for kind in KINDS}
        return {
            **by_kind,
            "edge": snapshot.count("edge"),
            "transactions": journal.count_transactions(snapshot.session, kernel.collection),
            "versions": journal.count_versions(snapshot.session, kernel.collection),
            "tx_id": snapshot.tx,
        }


def _remove_loose_edges(transaction: Transaction) -> None:
    transaction.describe("DELETE", note={VERB: "doctor", "reason": "an end was gone"})
    for id in all_loose_edges(transaction.session, transaction.collection):
        if (edge := transaction.edge(id)) is not None:
            transaction.remove(edge)


def _roles(kernel: Kernel) -> list[HealthFinding]:
    """Who holds which role, and whether they are still there."""
    bench = kernel.parts.find(Workbench)
    if bench is None:
        return []
    return [
        HealthFinding(
            f"role {holder.role}",
            not holder.is_silent,
            str(holder),
            f"wake or end process {holder.pid}; others take the role over" if holder.is_silent else "",
        )
        for holder in holders(bench.data)
    ]


def _model() -> HealthFinding:
    if is_shipped_model_there():
        return HealthFinding("model", True, f"{SHIPPED_IDENTITY} is there")
    return HealthFinding(
        "model",
        False,
        "the model's files are missing, so search goes by words alone",
        "make model, or reinstall memotheca",
    )


def _embedder(kernel: Kernel, collection: str) -> HealthFinding:
    """Whether the embedder that a collection has chosen can be used here."""
    name = f"embedder of {collection}"
    with kernel.store.database.read() as session:
        setting = setting_of(session, collection)
        embedding = embedding_of(kernel)
        trouble = None if embedding is None else embedding.trouble(session, collection)
    if trouble is None:
        return HealthFinding(name, True, setting)
    return HealthFinding(
        name,
        False,
        f"search goes by words alone: {trouble}",
        f"memotheca reindex --embedder {DEFAULT}, or mend the embedder",
    )


def _coverage(kernel: Kernel, collection: str) -> HealthFinding:
    """What is stored, indexed and embedded, and by which embedder."""
    name = f"search in {collection}"
    with kernel.store.read(collection) as snapshot:
        session = snapshot.session
        setting, model = setting_of(session, collection), model_of(session, collection)
        # A section's text is its document's; a tuning has none, nor has an empty document passages.
        stored = (
            snapshot.count("entry")
            - snapshot.count("entry", (SECTION, TUNING))
            - document_index.count_empty(session, collection)
        )
        indexed = chunks.count_entries(session, collection)
        live, waiting = chunks.count_live(session, collection), chunks.count_waiting(session, collection)
        by_model = chunks.count_models(session, collection)
        missing = finder_of(kernel).missing(snapshot)
    if missing:
        told = f"files of the index are missing or damaged ({len(missing)}), as after a backup was put back"
        return HealthFinding(name, False, told, "memotheca reindex")
    detail = f"{counted(stored, 'entry')}, {counted(live, 'passage')}, "
    detail += f"{by_model.get(model, 0):,} with vectors of {setting}, {waiting:,} waiting"
    if indexed != stored:
        return HealthFinding(
            name, False, f"{counted(stored, 'entry')} stored, {indexed:,} indexed", "memotheca reindex"
        )
    return HealthFinding(name, True, detail)


def _integrity(kernel: Kernel) -> HealthFinding:
    complaints = kernel.store.database.check()
    if not complaints:
        with kernel.store.database.read() as session:
            complaints = find_damage(session)
    if complaints:
        return HealthFinding("integrity", False, complaints[0], "memotheca restore FILE")
    return HealthFinding(
        "integrity", True, "the database's own check finds nothing wrong, and all that is kept can be read"
    )


def _durability(kernel: Kernel) -> HealthFinding:
    reported = kernel.store.database.pragmas()
    spelled = ", ".join(f"{name}={value}" for name, value in reported.items())
    if risk := kernel.store.database.may_lose():
        return HealthFinding("durability", False, f"{spelled}; {risk}", "set fsync = on in postgresql.conf, and reload")
    return HealthFinding("durability", True, spelled)


def _format(kernel: Kernel) -> HealthFinding:
    newer = kernel.store.newer_format()
    if newer is not None:
        return HealthFinding(
            "format", False, f"the data has format {newer}, newer than this program", "upgrade memotheca"
        )
    return HealthFinding("format", True, f"format {kernel.store.known_format}, the newest this program knows")


def _heads(kernel: Kernel, collection: str) -> HealthFinding:
    with kernel.store.database.read() as session:
        complaints = journal.compare_heads(session, collection)
        versions = journal.count_versions(session, collection)
    if complaints:
        more = f" and {len(complaints) - 1} more" if len(complaints) > 1 else ""
        return HealthFinding(f"journal of {collection}", False, complaints[0] + more, "memotheca doctor --repair")
    return HealthFinding(f"journal of {collection}", True, f"heads equal the replay of {counted(versions, 'version')}")
