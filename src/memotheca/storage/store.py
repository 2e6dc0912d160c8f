"""The store: canonical state changes only here, in numbered transactions."""

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict
from functools import partial
from typing import Any, Protocol, TypeVar, overload

from memotheca.model.cancellation import heed
from memotheca.model.clock import Clock
from memotheca.model.commits import BATCH, CommitBatch, Operation, Version
from memotheca.model.errors import Failure, Refusal
from memotheca.model.ids import new_id
from memotheca.model.knowledge import Edge, Entry, Thing, subject_of
from memotheca.storage.database import Database, Session, TellingSession, TryAgain, scalar
from memotheca.storage.heads import drop_head, loose_edges, set_edge_heads, set_head
from memotheca.storage.serialization import to_image, to_text
from memotheca.storage.snapshot import Snapshot

T = TypeVar("T")

_TRIES = 5  # chosen: what fails five times does not pass by itself


class _Unchanged(Exception):
    """Leaves a transaction that changed nothing, so that its number is not used up."""


class Derive(Protocol):
    """Whoever keeps derived rows hears of every change inside its transaction, and is handed what was prepared for
    it, which is nobody else's to understand."""

    def changed(self, session: Session, collection: str, tx: int, thing: Thing, *, prepared: object) -> None: ...

    def removed(self, session: Session, collection: str, tx: int, id: str) -> None: ...

    def erased(self, session: Session, collection: str, id: str) -> None: ...


class Transaction(Snapshot):
    """A transaction under way: a snapshot that can be changed."""

    def __init__(
        self, session: Session, collection: str, *, clock: Clock, actor: str, derive: Derive | None = None
    ) -> None:
        self._derive = derive
        self._clock = clock
        self._actor = actor
        self._operation: Operation = "UPDATE"
        self._undoes: int | None = None
        self._note: Mapping[str, Any] | None = None
        # What one command does in several transactions, so that they can be taken back together.
        self.batch: CommitBatch | None = None
        self._described = False
        self._ever_changed = False
        self._made = 0
        self._linked: set[str] = set()
        self._left: set[str] = set()
        super().__init__(session, collection, _take_number(session, collection, clock()))

    @property
    def changed(self) -> bool:
        return self._ever_changed

    def describe(
        self, operation: Operation, undoes: int | None = None, *, note: Mapping[str, Any] | None = None
    ) -> None:
        """Say what the transaction is and, where it says so, why, before its first change."""
        self._operation, self._undoes, self._note = operation, undoes, note

    def start_another(self) -> None:
        """Take the next number within the same atomic unit."""
        self.tx, self.time = _take_number(self.session, self.collection, self._clock())
        self._described = False

    def new_id(self) -> str:
        self._made += 1
        return new_id(self.time, self._made)

    def next_serial(self, namespace: str) -> int:
        return int(
            scalar(
                self.session,
                "INSERT INTO serial (collection, namespace, last) VALUES (?, ?, 1) "
                "ON CONFLICT (collection, namespace) DO UPDATE SET last = serial.last + 1 RETURNING last",
                self.collection,
                namespace,
            )
        )

    def raise_serial(self, namespace: str, last: int) -> None:
        """Let a counter go on after a number that is taken elsewhere."""
        self.session.run(
            "INSERT INTO serial (collection, namespace, last) VALUES (?, ?, ?) "
            "ON CONFLICT (collection, namespace) DO UPDATE SET last = "
            "CASE WHEN serial.last < excluded.last THEN excluded.last ELSE serial.last END",
            self.collection,
            namespace,
            last,
        )

    @overload
    def put(self, thing: Edge, prepared: object = None) -> None: ...

    @overload
    def put(self, thing: Entry, prepared: object) -> None: ...

    def put(self, thing: Thing, prepared: object = None) -> None:
        """Make or change a thing; the first thing a transaction touches is what it is about. With an entry comes what
        was prepared of its text before the lock, so that no verb forgets to say."""
        kind = thing.kind if isinstance(thing, Entry) else thing.type
        self._write_version(thing.id, subject_of(thing), kind, to_image(thing))
        set_head(self.session, self.collection, self.tx, thing)
        if isinstance(thing, Edge):
            self._linked.add(thing.id)
        if self._derive is not None:
            self._derive.changed(self.session, self.collection, self.tx, thing, prepared=prepared)

    def as_put(self, thing: Thing) -> Version:
        """What this transaction has just put, without reading it back."""
        kind = thing.kind if isinstance(thing, Entry) else thing.type
        return Version(id=thing.id, tx=self.tx, time=self.time, subject=subject_of(thing), kind=kind, thing=thing)

    def link(self, edges: Sequence[Edge]) -> None:
        """As `put` of each of some edges that are new, and called nothing."""
        self._write_versions([(edge.id, "edge", edge.type, to_image(edge)) for edge in edges])
        set_edge_heads(self.session, self.collection, self.tx, edges)
        self._linked |= {edge.id for edge in edges}
        if self._derive is not None:
            for edge in edges:
                self._derive.changed(self.session, self.collection, self.tx, edge, prepared=None)

    def remove(self, thing: Thing) -> None:
        """Leave a tombstone."""
        kind = thing.kind if isinstance(thing, Entry) else thing.type
        self._write_version(thing.id, subject_of(thing), kind, None)
        drop_head(self.session, self.collection, thing.id)
        self._left.add(thing.id)
        if self._derive is not None:
            self._derive.removed(self.session, self.collection, self.tx, thing.id)

    def erase(self, id: str) -> int:
        """Take a thing's content out of every version, and what follows from it; return how many held some. What else
        may quote it is for whoever erases (`admin/erasure.py`)."""
        newest = self.version(id, self.tx)
        if newest is None:
            raise Refusal(Failure.NOT_FOUND, "There is nothing to erase under that id.")
        held = self.session.rows(
            "SELECT tx FROM version WHERE collection = ? AND id = ? AND image IS NOT NULL", self.collection, id
        )
        self._write_version(id, newest.subject, newest.kind, None)
        self.session.run(
            "UPDATE version SET image = NULL, erased = 1 WHERE collection = ? AND id = ?", self.collection, id
        )
        # What a transaction says of itself may quote what it was about.
        self.session.run(
            "UPDATE tx SET note = NULL WHERE collection = ? AND tx IN "
            "(SELECT tx FROM version WHERE collection = ? AND id = ?)",
            self.collection,
            self.collection,
            id,
        )
        drop_head(self.session, self.collection, id)
        self._left.add(id)
        self.session.run("DELETE FROM alias WHERE collection = ? AND id = ?", self.collection, id)
        if self._derive is not None:
            self._derive.erased(self.session, self.collection, id)
        return len(held)

    def refuse_loose_ends(self) -> None:
        """Nothing that was linked or removed may leave an edge without an end, whatever a verb saw before."""
        if (self._linked or self._left) and (
            loose := loose_edges(self.session, self.collection, self._linked, self._left)
        ):
            raise Refusal(
                Failure.CONFLICT,
                "Nothing was saved: it would leave a connection without an end. Try again; if this stays, run "
                "`memotheca doctor --repair`.",
                details={"edges": loose[:10]},
            )

    def _write_version(self, id: str, subject: str, kind: str, image: str | None) -> None:
        self._write_versions([(id, subject, kind, image)])

    def _write_versions(self, versions: Sequence[tuple[str, str, str, str | None]]) -> None:
        if not versions:
            return
        if not self._described:
            self._write_transaction(versions[0][0])
        self.session.run_many(
            "INSERT INTO version (collection, id, tx, subject, kind, image) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (collection, id, tx) DO UPDATE SET image = excluded.image",
            [(self.collection, id, self.tx, subject, kind, image) for id, subject, kind, image in versions],
        )

    def _write_transaction(self, subject_id: str) -> None:
        note = {**(self._note or {}), **({} if self.batch is None else {BATCH: asdict(self.batch)})}
        self.session.run(
            "INSERT INTO tx (collection, tx, time, actor, operation, subject_id, undoes, note) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            self.collection,
            self.tx,
            self.time,
            self._actor,
            self._operation,
            subject_id,
            self._undoes,
            to_text(note) if note else None,
        )
        self._described = self._ever_changed = True


def _take_number(session: Session, collection: str, now: int) -> tuple[int, int]:
    """The next number of a collection's transactions, and its time, which no two of them have."""
    taken = session.rows(
        "UPDATE collection SET tx = tx + 1, time = CASE WHEN time + 1 > ? THEN time + 1 ELSE ? END "
        "WHERE name = ? RETURNING tx, time",
        now,
        now,
        collection,
    )
    if taken:
        return int(taken[0][0]), int(taken[0][1])
    session.run("INSERT INTO collection (name, tx, seq, time, settings) VALUES (?, 1, 0, ?, '{}')", collection, now)
    return 1, now


def read_settings(session: Session, collection: str) -> dict[str, Any]:
    """What was chosen for a collection: kept in the database, so that every client of it has the same."""
    said = scalar(session, "SELECT settings FROM collection WHERE name = ?", collection) or "{}"
    try:
        return json.loads(said)
    except ValueError as error:
        message = f"The settings of {collection} are damaged; `memotheca doctor` says which backup to restore, and how."
        raise Refusal(Failure.CORRUPT, message) from error


def write_setting(session: Session, collection: str, name: str, value: Any) -> None:
    """Change one setting; the collection is made where there is none."""
    settings = {**read_settings(session, collection), name: value}
    session.run(
        "INSERT INTO collection (name, tx, seq, time, settings) VALUES (?, 0, 0, 0, ?) "
        "ON CONFLICT (name) DO UPDATE SET settings = excluded.settings",
        collection,
        json.dumps(settings),
    )


ACCEPTED = "accepted"
# While everything is being moved into a database: how far that is.
ARRIVING = "arriving"


def recorded_format(session: Session) -> int:
    return int(scalar(session, "SELECT value FROM meta WHERE name = 'format'") or 0)


def refuse_other_format(session: Session, known: int) -> None:
    found = recorded_format(session)
    if found != known:
        raise Refusal(
            Failure.INCOMPATIBLE,
            f"The data was brought to format {found} by a newer Memotheca; this one writes format {known}. "
            "Nothing was saved. Restart this client so that it starts the newer program.",
        )


class Store:
    """A database in a known format, with a clock; `migrations.open_migrated` brings it there."""

    def __init__(self, database: Database, *, clock: Clock, known_format: int, derive: Derive | None = None) -> None:
        self.database = database
        self.clock = clock
        self.known_format = known_format
        self.derive = derive
        self.after_closing: Callable[[], None] = lambda: None

    @contextmanager
    def read(self, collection: str) -> Generator[Snapshot]:
        """One snapshot; it sees every commit made before it, by whatever process."""
        with self.database.read() as session:
            yield Snapshot(session, collection)

    def write(self, collection: str, act: Callable[[Transaction], T], *, actor: str) -> T:
        """Run `act` in a transaction; when this returns, its changes are durable. A closure without
        changes leaves no transaction behind."""
        result: list[T] = []

        def attempt(session: Session) -> None:
            transaction = Transaction(session, collection, clock=self.clock, actor=actor, derive=self.derive)
            result[:] = [act(transaction)]
            if not transaction.changed:
                raise _Unchanged
            transaction.refuse_loose_ends()
            if isinstance(session, TellingSession):
                session.announce()

        with suppress(_Unchanged):
            self._run(attempt, partial(self.database.write, collection))
        return result[0]

    def operate(self, act: Callable[[Session], T], *, collection: str | None = None) -> T:
        """Change operational state, which is no part of history: that of a collection, or of everything."""
        return self._run(act, partial(self.database.write, collection))

    def operate_apart(self, act: Callable[[Session], T]) -> T:
        """Change operational rows that no collection's order matters to, such as jobs and files that were sent."""
        return self._run(act, self.database.write_apart)

    def _run(self, act: Callable[[Session], T], begin: Callable[[], AbstractContextManager[Session]]) -> T:
        """Again where nothing was kept for a reason that passes, so `act` changes nothing but what it is given."""
        for left in reversed(range(_TRIES)):
            try:
                with begin() as session:
                    # Before anything else: a newer format may have no such tables as we are about to change.
                    refuse_other_format(session, self.known_format)
                    return act(session)
            except TryAgain:
                if not left:
                    raise
                heed()
        raise AssertionError

    def newer_format(self) -> int | None:
        """The format of the data where a newer program has changed it under us."""
        with self.database.read() as session:
            found = recorded_format(session)
        return found if found > self.known_format else None

    def has_stale_chunks(self) -> bool:
        """Whether a migration has left derived rows to be made."""
        with self.database.read() as session:
            return scalar(session, "SELECT 1 FROM meta WHERE name = 'stale'") is not None

    def refuse_arriving(self) -> None:
        """What is half moved is nobody's to read or write."""
        with self.database.read() as session:
            if scalar(session, "SELECT 1 FROM meta WHERE name = ?", ARRIVING):
                message = "A move into this database was cut off; run `memotheca migrate` again, which goes on with it."
                raise Refusal(Failure.UNAVAILABLE, message)

    def mark_fresh(self) -> None:
        self.operate(lambda session: session.run("DELETE FROM meta WHERE name = 'stale'"))

    def begun_anew(self) -> str:
        """When the data was begun anew beside what is left of an earlier one; `ACCEPTED` where that is meant."""
        with self.database.read() as session:
            return str(scalar(session, "SELECT value FROM meta WHERE name = 'begun anew'") or "")

    def mark_begun_anew(self, said: str) -> None:
        def act(session: Session) -> None:
            session.run("DELETE FROM meta WHERE name = 'begun anew'")
            session.run("INSERT INTO meta (name, value) VALUES ('begun anew', ?)", said)

        self.operate(act)

    def holds_nothing(self) -> bool:
        """Whether nothing has ever happened here."""
        with self.database.read() as session:
            return scalar(session, "SELECT 1 FROM tx LIMIT 1") is None

    def collections(self) -> list[str]:
        with self.database.read() as session:
            return [row[0] for row in session.rows("SELECT name FROM collection ORDER BY name")]

    def close(self) -> None:
        self.database.close()
        self.after_closing()
