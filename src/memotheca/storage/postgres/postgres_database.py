"""PostgreSQL through psycopg: the database that servers on many machines share."""

import random
import threading
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from psycopg import errors
from psycopg.adapt import Loader
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import Format, TransactionStatus
from psycopg.types.numeric import Int8BinaryDumper, NumericBinaryLoader

from memotheca.model.errors import Failure, Refusal
from memotheca.storage.database import Session, TryAgain
from memotheca.storage.postgres.postgres_dialect import member_of
from memotheca.storage.postgres.postgres_errors import describe_address, is_passing, to_refusal
from memotheca.storage.postgres.postgres_leases import RowLease, read_holder, take_lease
from memotheca.storage.postgres.postgres_listener import CHANNEL, PostgresListener
from memotheca.storage.postgres.postgres_patience import PatientConnection
from memotheca.storage.postgres.postgres_session import INSTEAD_OF_FILES, PostgresSession
from memotheca.storage.roles import patience_of_roles

OLDEST = 150000  # specification: PostgreSQL 15, the oldest that the tests are run on

_PATIENCE = 30.0  # chosen: as SQLite's: longer than any writer holds a collection
_AWAY = 10.0  # chosen: a database that is restarted is back by then, and no client has given up
_FAREWELL = 5.0  # chosen: calls under way end by themselves
_IDLE = 8  # chosen: as many as usually work at once; to connect takes some milliseconds
_MOST = 40  # chosen: the threads that read and those that write, and some that look after things
_PAUSE = (0.02, 0.2)  # chosen: long enough for a server that is starting, not felt by a client
_CONNECTED = {
    "application_name": "memotheca",
    "connect_timeout": 5,  # chosen with the rest: a machine that is cut off is noticed while a client still waits
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}

_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = {statement}"
# Each statement sees what was committed before it, so that whoever waited for a lock sees what it waited for. A holder
# that is suspended loses its connection, and the lock with it.
_WRITE = (
    "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL lock_timeout = {lock}; "
    "SET LOCAL statement_timeout = {statement}; SET LOCAL idle_in_transaction_session_timeout = {idle}; "
    # What is acknowledged is on a disk, also where somebody has set otherwise for a user or a database.
    "SELECT set_config('synchronous_commit', 'on', TRUE) WHERE current_setting('synchronous_commit') = 'off'"
)
_STATEMENT = 120_000  # chosen: what takes longer than two minutes is stuck
_ANSWER = 130.0  # chosen: the server itself has given up by then; who is still silent is cut off
_SUSPENDED = 60_000  # chosen: twice as long as others wait, so that one of them may be refused, not all

# The collection's row is the lock that keeps its transactions in order.
_LOCK = (
    "SELECT pg_current_xact_id()::text, pg_postmaster_start_time()::text, held.tx FROM (SELECT 1) one "
    "LEFT JOIN (SELECT tx FROM collection WHERE name = $1 FOR UPDATE) held ON TRUE"
)
_LOCK_ALL = "LOCK TABLE collection IN EXCLUSIVE MODE"
_NAMED = "SELECT pg_current_xact_id()::text, pg_postmaster_start_time()::text, 0"

_BEGINNING = 0x4D454D4F  # chosen: a number that no other program locks

DURABLE = {"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"}


class _WriteTurn(NamedTuple):
    """A transaction that writes, as the server knows it, and since when that server runs."""

    xid: str
    server: str


class _SumLoader(NumericBinaryLoader):
    """Sums are exact numbers here; ours are of whole ones."""

    def load(self, data: Any) -> Any:
        return int(super().load(data))


class _MemberLoader(Loader):
    format = Format.BINARY

    def load(self, data: Any) -> Any:
        return member_of(bytes(data))


def _register(connection: PatientConnection) -> None:
    for name, loader in (("numeric", _SumLoader), ("json", _MemberLoader)):
        connection.adapters.register_loader(name, loader)
    # One width for all, so that a statement is the same whatever its numbers are.
    for kind in (int, bool):
        connection.adapters.register_dumper(kind, Int8BinaryDumper)


class PostgresDatabase:
    """A database and the connections this process has to it."""

    def __init__(
        self,
        address: str,
        *,
        patience: float = _PATIENCE,
        away: float = _AWAY,
        answer: float = _ANSWER,
    ) -> None:
        try:
            self._conninfo = make_conninfo("", **{**_CONNECTED, **conninfo_to_dict(address), "client_encoding": "utf8"})
        except psycopg.ProgrammingError:
            message = "The address of the database cannot be understood; write postgresql://USER@HOST:PORT/NAME."
            raise Refusal(Failure.INVALID, message, field="database") from None
        self.name = describe_address(address)
        self._patience, self._away, self._answer = patience, away, answer
        self._idle: list[PatientConnection] = []
        self._everyone: list[PatientConnection] = []
        self._taken = 0
        self._guard = threading.Condition()
        self._closed = False
        self._listener: PostgresListener | None = None
        connection = self._begin(_READ)
        version = connection.info.server_version
        self._roll_back(connection)
        self._release(connection)
        if version < OLDEST:
            self.close()
            raise Refusal(
                Failure.INCOMPATIBLE, f"This needs PostgreSQL 15 or newer; the server has {version // 10000}."
            )
        self._prepare()

    def _prepare(self) -> None:
        """Make what stands in the place of files, once; several servers may begin at the same moment."""
        with self.read() as session:
            if all(self.has_table(session, name) for name in INSTEAD_OF_FILES):
                return
        with self._session(_WRITE) as session:
            session.rows("SELECT pg_advisory_xact_lock(?)", _BEGINNING)
            for statement in INSTEAD_OF_FILES.values():
                session.run(statement)

    # Connections

    def _acquire(self) -> PatientConnection:
        with self._guard:
            if not self._guard.wait_for(lambda: self._closed or self._taken < _MOST, self._patience):
                raise Refusal(Failure.BUSY, "Too many calls use the database at once; try again.")
            if self._closed:
                raise Refusal(Failure.UNAVAILABLE, "The data is closed; this program is ending.")
            self._taken += 1
            if self._idle:
                return self._idle.pop()
        try:
            return self._connect()
        except BaseException:
            with self._guard:
                self._taken -= 1
                self._guard.notify_all()
            raise

    def _connect_apart(self) -> PatientConnection:
        return PatientConnection.connect(
            self._conninfo,
            autocommit=True,  # Transactions are begun by name, with what holds in them.
            cursor_factory=psycopg.RawCursor,
            prepare_threshold=None,  # What is prepared stays with a server that a pooler may not give us again.
        )

    def _connect(self) -> PatientConnection:
        try:
            connection = self._connect_apart()
            connection.patience = self._answer
        except psycopg.Error as error:
            # The driver's own words may name the address.
            raise to_refusal(error) from None
        _register(connection)
        with self._guard:
            self._everyone.append(connection)
        return connection

    def _release(self, connection: PatientConnection) -> None:
        connection.patience = self._answer
        usable = not connection.closed and connection.info.transaction_status is TransactionStatus.IDLE
        with self._guard:
            self._taken -= 1
            if usable and not self._closed and len(self._idle) < _IDLE:
                self._idle.append(connection)
                self._guard.notify_all()
                return
            self._everyone.remove(connection)
            self._guard.notify_all()
        connection.close()

    def _drop_idle(self) -> None:
        """After one connection was lost, the others that wait are lost too, as a rule."""
        with self._guard:
            dropped, self._idle = self._idle, []
            self._everyone = [each for each in self._everyone if each not in dropped]
        for connection in dropped:
            connection.close()

    def _within_limits(self, statements: str) -> bytes:
        lock = round(self._patience * 1000)
        return statements.format(lock=lock, statement=max(_STATEMENT, lock), idle=_SUSPENDED).encode()

    def _begin(self, statements: str) -> PatientConnection:
        """A connection in a transaction; while the database is away it is tried again, and not for long."""
        deadline = time.monotonic() + self._away
        told = self._within_limits(statements)
        while True:
            connection = None
            try:
                connection = self._acquire()
                connection.execute(told)
                return connection
            except psycopg.Error as error:
                if connection is not None:
                    self._release(connection)
                self._drop_idle()
                refusal = to_refusal(error)
            except Refusal as error:
                refusal = error
            if refusal.failure is not Failure.UNAVAILABLE or self._closed or time.monotonic() >= deadline:
                raise refusal from None
            time.sleep(random.uniform(*_PAUSE))  # noqa: S311

    # Transactions

    def read(self) -> AbstractContextManager[Session]:
        return self._session(_READ)

    @contextmanager
    def _session(self, begin: str) -> Generator[Session]:
        """A transaction in which no collection's order matters."""
        connection = self._begin(begin)
        try:
            yield PostgresSession(connection)
            connection.execute(b"COMMIT")
        except psycopg.Error as error:
            raise to_refusal(error) from error
        finally:
            self._roll_back(connection)
            self._release(connection)

    def write(self, collection: str | None = None) -> AbstractContextManager[Session]:
        return self._write(partial(self._lock, collection=collection))

    def write_apart(self) -> AbstractContextManager[Session]:
        return self._write(self._name_turn)

    @contextmanager
    def _write(self, lock: Callable[[PatientConnection], _WriteTurn]) -> Generator[Session]:
        connection = self._begin(_WRITE)
        try:
            turn = lock(connection)
            yield PostgresSession(connection)
            self._commit(connection, turn)
        except psycopg.Error as error:
            refusal = to_refusal(error)
            if is_passing(error) or connection.broken:
                # It was not committed: whoever has a closure runs it again.
                raise TryAgain(refusal) from error
            raise refusal from error
        finally:
            self._roll_back(connection)
            self._release(connection)

    def _lock(self, connection: PatientConnection, collection: str | None) -> _WriteTurn:
        if collection is not None:
            xid, server, held = connection.execute(_LOCK.encode(), (collection,)).fetchone() or ("", "", None)
            if held is not None:
                return _WriteTurn(xid, server)
            # Begun anew, since two that both have looked would wait for each other.
            connection.execute(b"ROLLBACK; " + self._within_limits(_WRITE))
        # There is no such collection yet, or the change is nobody's alone: nobody else writes meanwhile.
        if self._has_table(connection, "collection"):
            connection.execute(_LOCK_ALL.encode())
        else:
            connection.execute(b"SELECT pg_advisory_xact_lock($1)", (_BEGINNING,))
        return self._name_turn(connection)

    @staticmethod
    def _name_turn(connection: PatientConnection) -> _WriteTurn:
        xid, server, _ = connection.execute(_NAMED.encode()).fetchone() or ("", "", 0)
        return _WriteTurn(xid, server)

    def _commit(self, connection: PatientConnection, turn: _WriteTurn) -> None:
        try:
            connection.execute(b"COMMIT")
        except psycopg.Error:
            if not connection.broken:
                raise
            # The word that it is durable was lost on the way; the server knows.
            if not self._was_committed(turn):
                raise

    def _was_committed(self, turn: _WriteTurn) -> bool:
        """A server that was restarted since may have given the number to another; then nobody knows."""
        unknown = Refusal(
            Failure.UNAVAILABLE,
            "The connection to the database was lost while it saved, and it cannot be asked whether it did. Look "
            "before you try again.",
        )
        deadline = time.monotonic() + self._away
        while time.monotonic() < deadline:
            try:
                with self.read() as session:
                    server, status = session.rows(
                        "SELECT pg_postmaster_start_time()::text, pg_xact_status(CAST(CAST(? AS TEXT) AS xid8))",
                        turn.xid,
                    )[0]
            except Refusal:
                break
            if server != turn.server:
                break
            if status in ("committed", "aborted"):
                return status == "committed"
            time.sleep(_PAUSE[0])
        raise unknown

    @staticmethod
    def _roll_back(connection: PatientConnection) -> None:
        if not connection.closed and connection.info.transaction_status is not TransactionStatus.IDLE:
            with suppress(psycopg.Error):
                connection.execute(b"ROLLBACK")

    def lease(self, folder: Path, name: str) -> AbstractContextManager[RowLease | None]:
        del folder  # It is the role of all machines.
        return take_lease(partial(self._session, _WRITE), name, patience_of_roles())

    def holder(self, folder: Path, name: str) -> str:
        del folder
        with self.read() as session:
            return read_holder(session, name, patience_of_roles())

    def others(self) -> str:
        """Whoever comes through a pooler cannot be told from us."""
        with self._guard:
            own = [each.info.backend_pid for each in self._everyone if not each.closed]
        with self.read() as session:
            found = session.rows(_OTHERS)
        count = len({pid for (pid,) in found} - set(own))
        return f"{count} connections of other Memotheca programs to this database" if count else ""

    # Changes

    def heard(self) -> int:
        return self._listening().count

    def wait_for_change(self, since: int) -> None:
        self._listening().wait(since)

    def _listening(self) -> PostgresListener:
        with self._guard:
            if self._listener is None:
                self._listener = PostgresListener(self._connect_apart, self._say)
            return self._listener

    def _say(self, word: str) -> None:
        with suppress(Refusal), self._session(_WRITE) as session:
            session.rows("SELECT pg_notify(?, ?)", CHANNEL, word)

    # What else differs

    @staticmethod
    def _has_table(connection: PatientConnection, name: str) -> bool:
        found = connection.execute(b"SELECT to_regclass($1) IS NOT NULL", (name,)).fetchone()
        return bool(found and found[0])

    def has_table(self, session: Session, name: str) -> bool:
        return bool(session.rows("SELECT to_regclass(?) IS NOT NULL", name)[0][0])

    def check(self) -> list[str]:
        """PostgreSQL looks after its own pages; what we can see is an index that was never finished."""
        with self.read() as session:
            rows = session.rows(
                "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
                "WHERE c.relnamespace = current_schema()::regnamespace AND NOT i.indisvalid"
            )
        return [f"the index {name} is not valid; run REINDEX on it" for (name,) in rows]

    def copy_to(self, target: Path) -> None:
        del target
        raise Refusal(Failure.UNSUPPORTED, "A copy of this database is made with PostgreSQL's own tools (pg_dump).")

    def forget_log(self) -> bool:
        """Write the tables anew, so that no page holds what was overwritten. The server's own log and its backups are
        not ours to change (docs/team.md)."""
        with self.read() as session:
            names = [row[0] for row in session.rows(_TABLES)]
        connection = self._acquire()
        connection.patience = 0.0  # To write a large table anew takes as long as it takes.
        try:
            connection.execute(f"SET lock_timeout = {round(self._patience * 1000)}".encode())
            for name in names:
                connection.execute(f'VACUUM FULL "{name}"'.encode())
        except errors.LockNotAvailable:
            return False
        except psycopg.Error as error:
            raise to_refusal(error) from error
        finally:
            with suppress(psycopg.Error):
                connection.execute(b"RESET lock_timeout")
            self._release(connection)
        return True

    def size(self) -> int:
        with self.read() as session:
            rows = session.rows(f"SELECT coalesce(sum(pg_total_relation_size(t.oid)), 0) FROM ({_OWN}) t")
        return int(rows[0][0])

    def log_size(self) -> int:
        return 0  # The server keeps its log, and looks after it.

    def shorten_log(self) -> bool:
        return True

    def may_lose(self) -> str:
        if self.pragmas()["fsync"] != "off":
            return ""
        return "fsync is off: when the machine of the database fails, what was acknowledged may be lost or damaged"

    def pragmas(self) -> dict[str, object]:
        """As they are for what is written."""
        with self._session(_WRITE) as session:
            return {name: session.rows(f"SHOW {name}")[0][0] for name in DURABLE}

    def close(self) -> None:
        """Let calls under way come to their end, and stop those that do not."""
        if self._listener is not None:
            self._listener.close()
        with self._guard:
            self._closed = True
            self._guard.notify_all()
            if not self._guard.wait_for(lambda: not self._taken, _FAREWELL):
                for connection in [each for each in self._everyone if each not in self._idle]:
                    with suppress(psycopg.Error):
                        connection.cancel_safe(timeout=1)
                self._guard.wait_for(lambda: not self._taken, _FAREWELL)
        self._drop_idle()


_OTHERS = (
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'memotheca' AND datname = current_database() "
    "AND usename = current_user AND pid <> pg_backend_pid()"
)
_OWN = (
    "SELECT c.oid, c.relname FROM pg_class c WHERE c.relkind = 'r' "
    "AND c.relnamespace = current_schema()::regnamespace ORDER BY c.relname"
)
_TABLES = f"SELECT t.relname FROM ({_OWN}) t"
