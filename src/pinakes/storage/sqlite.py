"""SQLite through apsw: the embedded database that many processes share."""

import random
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw

from pinakes.model.errors import Failure, Refusal
from pinakes.storage.database import Row, Session, Value

# Before 3.51.3 a checkpoint racing a commit can lose it (the WAL-reset bug).
SAFE_VERSION = (3, 51, 3)

PRAGMAS = {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1}

_SETTINGS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA secure_delete=ON",
    "PRAGMA temp_store=MEMORY",
)
_PATIENCE = 30.0
_IDLE_READERS = 8


def _execute(connection: Any, sql: str, values: tuple[Value, ...] = ()) -> list[Row]:
    """Run one statement to its end; apsw stops at the first row until the rest is fetched."""
    return connection.execute(sql, values).fetchall()


class SQLiteSession:
    """One apsw connection, used inside one transaction."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, *values: Value) -> list[Row]:
        return _execute(self._connection, sql, values)

    def run(self, sql: str, *values: Value) -> None:
        _execute(self._connection, sql, values)

    def run_many(self, sql: str, batches: Sequence[tuple[Value, ...]]) -> None:
        many: Any = self._connection
        many.executemany(sql, batches).fetchall()

    def copy_to(self, target: Path) -> None:
        """Copy what this transaction sees: without its snapshot, every commit of others would start the copy anew."""
        self.rows("SELECT 1 FROM sqlite_master")
        copy = apsw.Connection(str(target))
        try:
            with copy.backup("main", self._connection, "main") as backup:
                while not backup.done:
                    backup.step(1000)
            _execute(copy, "PRAGMA journal_mode=DELETE")
        finally:
            copy.close()


def _wait_a_little(deadline: float, attempts: int) -> bool:
    """Sleep with jitter while there is time: SQLite's own backoff starves the unlucky."""
    if time.monotonic() >= deadline:
        return False
    time.sleep(random.uniform(0.0005, 0.004) * min(1 + attempts / 50, 5))  # noqa: S311
    return True


def to_refusal(error: apsw.Error) -> Refusal:
    """Say what happened without a path or SQL."""
    match error:
        case apsw.BusyError() | apsw.LockedError():
            return Refusal(Failure.BUSY, "Another program kept the data locked for too long; try again.")
        case apsw.FullError():
            return Refusal(Failure.DISK_FULL, "The disk is full; nothing was saved. Free some space and try again.")
        case apsw.ReadOnlyError() | apsw.PermissionsError() | apsw.CantOpenError() | apsw.AuthError():
            return Refusal(
                Failure.UNAVAILABLE,
                "The data directory cannot be written; nothing was saved. Make it writable and try again.",
            )
        case apsw.CorruptError() | apsw.NotADBError():
            return Refusal(Failure.CORRUPT, "The data file is damaged; run `pinakes doctor` and restore a backup.")
        case apsw.IOError():
            return Refusal(Failure.UNAVAILABLE, "The disk reported an error; nothing was saved. Try again.")
        case _:
            return Refusal(Failure.INTERNAL, "The database refused a statement.")


def refuse_unsafe(version: str) -> None:
    if tuple(int(part) for part in version.split(".")) < SAFE_VERSION:
        raise Refusal(
            Failure.INCOMPATIBLE,
            f"SQLite {version} can lose commits when several programs write; install apsw 3.51.3 or newer.",
        )


class SQLiteDatabase:
    """A file and the connections this process has on it."""

    def __init__(self, path: Path, *, vfs: str = "", patience: float = _PATIENCE) -> None:
        refuse_unsafe(apsw.sqlite_lib_version())
        self.path = path
        self._vfs = vfs or None
        self._patience = patience
        self._idle: list[apsw.Connection] = []
        self._everyone: list[apsw.Connection] = []
        self._guard = threading.Lock()
        self._writer_turn = threading.Lock()
        self._release(self._connect())

    def _connect(self) -> apsw.Connection:
        connection = None
        try:
            connection = apsw.Connection(str(self.path), vfs=self._vfs)
            self._make_patient(connection)
            for setting in _SETTINGS:
                self._set(connection, setting)
        except apsw.Error as error:
            if connection is not None:
                connection.close(True)
            raise to_refusal(error) from error
        with self._guard:
            self._everyone.append(connection)
        return connection

    def _set(self, connection: apsw.Connection, setting: str) -> None:
        """Where two make a file a write-ahead one at once, SQLite refuses one without asking its busy handler."""
        deadline, attempts = time.monotonic() + self._patience, 0
        while True:
            try:
                _execute(connection, setting)
                return
            except apsw.BusyError:
                if not _wait_a_little(deadline, attempts):
                    raise
                attempts += 1

    def _make_patient(self, connection: apsw.Connection) -> None:
        began: dict[str, float] = {}

        def wait(attempts: int) -> bool:
            if attempts == 0 or "deadline" not in began:
                began["deadline"] = time.monotonic() + self._patience
            return _wait_a_little(began["deadline"], attempts)

        connection.set_busy_handler(wait)

    def _acquire(self) -> apsw.Connection:
        with self._guard:
            if self._idle:
                return self._idle.pop()
        return self._connect()

    def _release(self, connection: apsw.Connection) -> None:
        # One opened while the directory was read-only stays so for ever; one that cannot roll back is of no use.
        usable = not connection.readonly("main") and not connection.in_transaction
        with self._guard:
            if usable and len(self._idle) < _IDLE_READERS:
                self._idle.append(connection)
                return
            self._everyone.remove(connection)
        connection.close()

    @contextmanager
    def _session(self, begin: str) -> Generator[SQLiteSession]:
        connection = self._acquire()
        try:
            _execute(connection, begin)
            try:
                yield SQLiteSession(connection)
                _execute(connection, "COMMIT")
            except BaseException:
                if connection.in_transaction:
                    with suppress(apsw.Error):
                        _execute(connection, "ROLLBACK")
                raise
        except apsw.Error as error:
            raise to_refusal(error) from error
        finally:
            self._release(connection)

    @contextmanager
    def read(self) -> Generator[Session]:
        with self._session("BEGIN") as session:
            yield session

    @contextmanager
    def write(self) -> Generator[Session]:
        with self._writer_turn, self._session("BEGIN IMMEDIATE") as session:
            yield session

    def has_table(self, session: Session, name: str) -> bool:
        return bool(session.rows("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name))

    def check(self) -> list[str]:
        with self.read() as session:
            complaints = [str(row[0]) for row in session.rows("PRAGMA integrity_check(20)")]
        return [] if complaints == ["ok"] else complaints

    def copy_to(self, target: Path) -> None:
        with self._session("BEGIN") as session:
            session.copy_to(target)

    def forget_log(self) -> bool:
        connection = self._acquire()
        try:
            # Deleted rows are overwritten, but not what they left on a page that was split: only new pages are clean.
            for statement in ("PRAGMA temp_store=FILE", "VACUUM", "PRAGMA temp_store=MEMORY"):
                _execute(connection, statement)
            busy, _, _ = _execute(connection, "PRAGMA wal_checkpoint(TRUNCATE)")[0]
            # Nobody syncs a truncated log, and it could come back after a power cut; the next commit does.
            _execute(connection, "PRAGMA user_version=0")
        except apsw.Error as error:
            raise to_refusal(error) from error
        finally:
            self._release(connection)
        return not busy

    def size(self) -> int:
        with self.read() as session:
            pages, page_size = session.rows("SELECT * FROM pragma_page_count, pragma_page_size")[0]
        return int(pages) * int(page_size)

    def pragmas(self) -> dict[str, object]:
        with self._guard:
            connections = list(self._everyone)
        reported: dict[str, set[object]] = {name: set() for name in PRAGMAS}
        for connection in connections:
            for name, values in reported.items():
                values.add(_execute(connection, f"PRAGMA {name}")[0][0])
        return {name: values.pop() if len(values) == 1 else values for name, values in reported.items()}

    def close(self) -> None:
        with self._guard:
            connections, self._everyone, self._idle = self._everyone, [], []
        for connection in connections:
            connection.close()
