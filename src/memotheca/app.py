"""The composition root: the only module that knows concrete databases and contracts."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from memotheca import equipment, tools
from memotheca.kernel.gc import tidy_up
from memotheca.kernel.idempotency import answer_once
from memotheca.kernel.kernel import Kernel
from memotheca.kernel.parts import Parts
from memotheca.kernel.sideline import Sideline
from memotheca.memory.care.noted import noted_tasks
from memotheca.memory.dream.sleeper import sleeper_of, wake_for_query
from memotheca.memory.session.call_meter import CallMeter
from memotheca.memory.session.consent import IdleDreams, ModelConsent
from memotheca.memory.session.rounds import note_round, note_run
from memotheca.memory.session.state import activity_of
from memotheca.model.clock import Clock, system_clock, to_iso
from memotheca.model.errors import Failure, Refusal
from memotheca.model.kinds import STARTER_COLLECTION
from memotheca.model.knowledge import Entry
from memotheca.notes.mounts import owner_role, vaults_of
from memotheca.search.chosen_embedder import model_of
from memotheca.search.derivations import Derivations
from memotheca.search.derive import Births
from memotheca.search.index_folder import IndexFolder
from memotheca.search.question_listener import QuestionListener
from memotheca.settings import Settings
from memotheca.storage import swap
from memotheca.storage.chunks import count_waiting, has_unsealed
from memotheca.storage.locks import FOLDER
from memotheca.storage.migrations import open_migrated
from memotheca.storage.presence import Presence, enter, gate, present
from memotheca.storage.roles import set_patience
from memotheca.storage.sqlite import (
    SQLiteDatabase,
    copy_live,
    count_history,
    find_faults,
    is_consistent,
    is_database,
    log_of,
)
from memotheca.storage.store import ACCEPTED, Derive, Store
from memotheca.toolkit.catalog import Catalog
from memotheca.toolkit.contract import Contract
from memotheca.toolkit.dispatch import Dispatcher
from memotheca.tools.chatgpt.contract import ChatgptContract
from memotheca.tools.console.contract import ConsoleContract
from memotheca.tools.documents.contract import DocumentsContract
from memotheca.tools.entries.contract import EntriesContract
from memotheca.tools.memories.contract import MemoriesContract
from memotheca.tools.memories.exchanges import CallWitness
from memotheca.tools.notes.contract import NotesContract
from memotheca.tools.patterns.contract import PatternsContract

if TYPE_CHECKING:
    from memotheca.admin.backups import DatabaseAccess

DATABASE = "memotheca.db"
BACKUPS = "backups"
SEGMENTS = "segments"
UPKEEP_AT = 4096  # chosen: as many as `search/index/seal.py` seals at once
EMBEDDER = "embedder"

CONTRACTS: dict[str, Contract] = {
    "entries": EntriesContract(),
    "notes": NotesContract(),
    "documents": DocumentsContract(),
    "patterns": PatternsContract(),
    "memories": MemoriesContract(CallWitness()),
    "console": ConsoleContract(),
    "chatgpt": ChatgptContract(),
}


@dataclass(frozen=True, slots=True)
class App:
    """Everything a server or a command needs."""

    kernel: Kernel
    dispatcher: Dispatcher
    data: Path
    # Where the data is not in the directory: which database has it, as it may be shown.
    place: str = ""
    # Shows the toolsets that a person has switched on meanwhile.
    follow_toolsets: Callable[[], object] = tuple

    @property
    def is_shared(self) -> bool:
        return bool(self.place)

    @property
    def catalog(self) -> Catalog:
        return self.dispatcher.catalog

    def rest(self) -> None:
        """Where a collection is served no more: whoever dreams wakes, what is done beside calls ends, and what was
        looked at is written down."""
        sleeper_of(self.kernel).close()
        self.kernel.keep(Sideline, self.kernel.collection).close()
        with suppress(Refusal):
            write_down(self)

    def close(self) -> None:
        """At the end of a server or a command: nothing goes on, and the data file is whole."""
        self.rest()
        self.kernel.store.close()


def prepare_directory(data: Path) -> Path:
    """Make the data directory for its owner alone and return the database's path in it."""
    make_directory(data)
    path = data / DATABASE
    try:
        # Exclusively: opening an existing database file and closing it again would drop SQLite's locks.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        pass
    except OSError as error:
        if not path.exists():
            raise _unwritable(error) from error
    return path


def make_directory(data: Path) -> None:
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError:
        raise Refusal(Failure.INVALID, "The data directory is a file.") from None
    except OSError as error:
        if not data.is_dir():
            raise _unwritable(error) from error


def _unwritable(error: OSError) -> Refusal:
    return Refusal(
        Failure.UNAVAILABLE, f"The data directory cannot be written: {error.strerror}. Choose another with --data."
    )


def open_server_store(address: str, data: Path, *, derive: Derive | None = None, clock: Clock = system_clock) -> Store:
    """Open the database of a server, which other machines have open too; the directory is this machine's own."""
    make_directory(data)
    try:
        from memotheca.storage.postgres.postgres_database import PostgresDatabase
    except ImportError:
        message = "To keep the data in PostgreSQL, install memotheca[postgres]."
        raise Refusal(Failure.UNSUPPORTED, message, field="database") from None
    database = PostgresDatabase(address)
    try:
        return open_migrated(database, clock=clock, derive=derive)
    except BaseException:
        database.close()
        raise


def open_store(
    data: Path, *, derive: Derive | None = None, clock: Clock = system_clock, command: str = "memotheca"
) -> Store:
    """Open the database for a program that is named by its command while it has it open; `derive` is told of every
    change and makes of it what is searched."""
    make_directory(data)
    with gate(data) as held:
        presence = enter(data, command)
        try:
            _complete_restore(data, presence, alone=held)
            is_lost = _is_lost(data)
            database = SQLiteDatabase(prepare_directory(data))
        except BaseException:
            _part(presence)
            raise

    def back_up(found: int) -> None:
        from memotheca.admin.backups import make_backup

        make_backup(database, backup_path(data, clock(), f"before-format-{found + 1}"), find_faults)

    try:
        store = open_migrated(database, clock=clock, derive=derive, before_migration=back_up)
        if is_lost:
            store.mark_begun_anew(to_iso(clock()))
    except BaseException:
        database.close()
        _part(presence)
        raise
    store.after_closing = partial(_leave_directory, data, presence)
    return store


def _is_lost(data: Path) -> bool:
    """Whether the data file is gone from beside what is left of it; cheap where it is there."""
    path = data / DATABASE
    if path.exists() and path.stat().st_size:
        return False
    from memotheca.admin.loss import is_there, remains

    means = means_of(data)
    return not is_there(means) and bool(remains(means))


def refuse_missing(data: Path) -> None:
    """For whoever may not make what is not there."""
    from memotheca.admin import loss

    loss.refuse_missing(means_of(data))


def loss_of(app: "App") -> str:
    """That the data was begun anew after a loss, if it was."""
    from memotheca.admin.loss import describe_loss

    return "" if app.is_shared else describe_loss(app.kernel.store, means_of(app.data))


def accept_loss(app: "App") -> None:
    """Whoever says so goes on with what was begun anew."""
    if loss_of(app):
        app.kernel.store.mark_begun_anew(ACCEPTED)


def _complete_restore(data: Path, presence: Presence | None, *, alone: bool) -> None:
    """A restore that was cut off after it was decided is carried out before anybody reads; of one that was not, nothing
    is left."""
    path = data / DATABASE
    is_decided = swap.is_pending(path)
    if is_decided and (not alone or present(data, besides=presence)):
        raise Refusal(Failure.BUSY, "A restore was cut off and waits for other programs to close; try again.")
    try:
        if alone:
            swap.finish(path)
    except OSError as error:
        raise Refusal(Failure.UNAVAILABLE, f"A restore cannot be completed: {error.strerror}.") from error


def _part(presence: Presence | None) -> None:
    if presence is not None:
        presence.end()


def _leave_directory(data: Path, presence: Presence | None) -> None:
    """Where two leave at the same moment, each may take the other for one who stays; the log is moved once more."""
    with suppress(Refusal, OSError), gate(data) as held:
        _part(presence)
        if held and not present(data) and log_of(data / DATABASE).exists():
            SQLiteDatabase(data / DATABASE).close()


def open_copy(path: Path) -> Store:
    """A backup as a store of its own."""
    return open_migrated(SQLiteDatabase(path), clock=system_clock, derive=build_derivations())


def build_derivations() -> Derivations:
    """What is made of every change."""
    return Derivations(Births(model_of), _represent)


def _represent(entry: Entry) -> bytes:
    from memotheca.memory.spaces.fingerprint import to_bytes

    return to_bytes(entry)


def open_backups(data: Path) -> list[Store]:
    """Every backup in the data directory, without what killed programs left of others; for who holds their role."""
    from memotheca.admin.backups import open_all
    from memotheca.admin.erasure import remove_partial_backups

    remove_partial_backups(data / BACKUPS)
    return open_all(means_of(data))


def _open_database(path: Path, accept_part: bool) -> SQLiteDatabase:
    return SQLiteDatabase(path, accept_part=accept_part)


def means_of(data: Path) -> "DatabaseAccess":
    """What making and restoring backups needs, also where there is no database that can be opened."""
    from memotheca.admin.backups import DatabaseAccess
    from memotheca.admin.erasure import backup_files

    return DatabaseAccess(
        database=data / DATABASE,
        segments=data / SEGMENTS,
        open_database=_open_database,
        open_copy=open_copy,
        copy_live=copy_live,
        log_of=log_of,
        path_for=lambda reason: backup_path(data, system_clock(), reason),
        backups=partial(backup_files, data / BACKUPS),
        find_faults=find_faults,
        is_consistent=is_consistent,
        count_history=count_history,
    )


def accept_incomplete(data: Path) -> None:
    """Go on with what is in a file whose log is missing."""
    if not (data / DATABASE).exists():
        return
    with gate(data):
        holders = present(data)
        if holders:
            raise Refusal(Failure.BUSY, f"The data directory is open: {holders[0]}. Stop that first.")
        SQLiteDatabase(data / DATABASE, accept_part=True).close()


def is_backup(path: Path) -> bool:
    """Whether we made the file, and not as the data of a directory, which may have a log beside it."""
    return is_database(path) and not (path.name == DATABASE and (path.resolve().parent / FOLDER).is_dir())


def backup_path(data: Path, now: int, reason: str) -> Path:
    folder = data / BACKUPS
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise _unwritable(error) from error
    return folder / f"memotheca-{to_iso(now).replace(':', '').replace('-', '')}-{reason}.db"


def look_after(app: "App", stop: Callable[[], bool]) -> None:
    """One round of upkeep, by one process at a time; cheap where nothing waits."""
    tidy_up()
    note_round(app.kernel)
    show_what_works(app)
    app.follow_toolsets()
    kept = dict.fromkeys((app.kernel.collection, STARTER_COLLECTION))
    write_down(app)
    if activity_of(app.kernel).stirrings:
        _tend(app, stop)
    meter = app.kernel.keep(CallMeter, app.kernel.collection)
    if app.kernel.part(IdleDreams).is_on and meter.is_quiet() and not stop():
        _dream_if_due(app)
    equipment.tend_cache(app.kernel)
    with app.kernel.store.database.read() as session:
        due = [name for name in kept if count_waiting(session, name) or has_unsealed(session, name, UPKEEP_AT)]
    if not due:
        return
    with app.kernel.store.database.lease(app.data, "upkeep") as held:
        for name in due if held is not None else ():
            _index_everything(replace(app.kernel, collection=name), stop)


def _tend(app: "App", stop: Callable[[], bool]) -> None:
    from memotheca.memory.care.between_calls import tend_between_calls

    tend_between_calls(app.kernel, stop, partial(app.kernel.store.database.lease, app.data))


def _dream_if_due(app: "App") -> None:
    from memotheca.memory.dream.idle import dream_if_due

    dream_if_due(app.kernel)


def _index_everything(kernel: Kernel, stop: Callable[[], bool]) -> None:
    from memotheca.admin.upkeep import index_everything

    note_run(kernel, "sealing")
    if index_everything(kernel, say_nothing, stop=stop):
        note_run(kernel, "vectors")


def write_down(app: "App") -> None:
    """What was looked at, felt and found lately, before the process ends, and for the other processes."""
    activity_of(app.kernel).flush(app.kernel.store)
    noted_tasks(app.kernel).write(app.kernel)


def show_what_works(app: "App") -> None:
    """Hide the tools that need vectors where the collection has chosen to have none; another program may choose."""
    with app.kernel.store.database.read() as session:
        app.catalog.lack(EMBEDDER, not model_of(session, app.kernel.collection))


def say_nothing(done: float, total: float | None, message: str) -> None:
    """For long work that nobody watches."""


def load_catalog() -> Catalog:
    return Catalog.parse(files(tools).joinpath("catalog.json").read_text("utf-8"))


def choose_tools(settings: Settings) -> Catalog:
    catalog = load_catalog()
    if settings.names("toolsets"):
        catalog.choose(settings.names("toolsets"))
    catalog.beside(settings.names("more-toolsets"))
    catalog.forbid_writing(settings.on("read-only"))
    return catalog


def build(settings: Settings, *, clock: Clock = system_clock) -> App:
    """Open the data directory and choose the tools."""
    # Before numpy is loaded: products of matrices this small would wait for processors that are busy with other things.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    catalog = choose_tools(settings)
    set_patience(settings.positive("lease-seconds"))
    embedding = equipment.build_embedding()
    derive, address = build_derivations(), settings.text("database")
    if address:
        store = open_server_store(address, settings.data, derive=derive, clock=clock)
    else:
        store = open_store(settings.data, derive=derive, clock=clock, command=command_of(settings))
    try:
        store.refuse_arriving()
        vaults = equipment.mount_vaults(store, settings)
        consent = ModelConsent(settings.on("review-by-model"))
        parts = Parts(
            embedding,
            IndexFolder(settings.data / SEGMENTS, settings.number("index-cache") * 1024 * 1024 if address else None),
            vaults,
            equipment.build_bench(settings, store, partial(open_backups, settings.data)),
            consent,
            IdleDreams(settings.on("dream-when-idle")),
            QuestionListener(wake_for_query),
        )
        kernel = build_kernel(store, parts, settings.text("collection"))
        place = getattr(store.database, "name", "") if address else ""
        return _equip(kernel, catalog, settings, place)
    except BaseException:
        store.close()
        raise


def _equip(kernel: Kernel, catalog: Catalog, settings: Settings, place: str) -> App:
    if vaults_of(kernel).has_notes and not settings.names("toolsets"):
        catalog.also("notes")
    follow = partial(equipment.follow_toolsets, catalog, settings)
    app = App(kernel, Dispatcher(catalog, CONTRACTS, answer_once), settings.data, place, follow)
    show_what_works(app)
    return app


def open_collection(app: App, settings: Settings, collection: str) -> App:
    """Another collection of the same store, with tools and vaults of its own."""
    vaults = equipment.remembered_vaults(app.kernel.store, settings, collection)
    kernel = replace(app.kernel.having(vaults), collection=collection)
    return _equip(kernel, choose_tools(settings), settings, app.place)


def command_of(settings: Settings) -> str:
    """What this program is called where somebody asks who is there; never its arguments, which may hold content."""
    name = sys.argv[1] if len(sys.argv) > 1 and sys.argv[1].isalpha() else ""
    return (
        f"memotheca serve --transport {settings.text('transport')}" if name == "serve" else f"memotheca {name}".strip()
    )


def follow_vaults(app: "App", stop: Event) -> None:
    """Take in what others do in the vaults, until stopped; one process at a time does it."""
    if vaults_of(app.kernel).mounts:
        _watch_vaults(app.kernel, stop)


def _watch_vaults(kernel: Kernel, stop: Event) -> None:
    from memotheca.notes.watch import follow_vaults

    follow_vaults(kernel, stop)


def refresh_vaults(app: "App") -> None:
    """Take in what has changed in the vaults, where no server does it already."""
    if vaults_of(app.kernel).mounts:
        with app.kernel.store.database.lease(app.data, owner_role(app.kernel.collection)) as held:
            if held is not None:
                _sync_everything(app.kernel)


def _sync_everything(kernel: Kernel) -> None:
    from memotheca.notes.sync import sync_everything

    sync_everything(kernel)


def build_kernel(store: Store, parts: Parts, collection: str) -> Kernel:
    """A store with what lives beside it; chunks that a migration has made stale are made anew."""
    kernel = Kernel(store, collection, parts)
    if store.has_stale_chunks() and store.newer_format() is None:
        _rebuild_everything(kernel)
    return kernel


def _rebuild_everything(kernel: Kernel) -> None:
    from memotheca.admin.upkeep import rebuild_everything

    rebuild_everything(kernel)
