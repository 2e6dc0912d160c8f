"""SQLite through apsw: the embedded database that many processes share."""

import logging
import os
import random
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw

from memotheca.model.errors import Failure, Refusal
from memotheca.storage.database import LogMissing, Row, Session, Value
from memotheca.storage.presence import gate, present
from memotheca.storage.roles import Lease, WriterMark, holder_of, lease
from memotheca.storage.soundness import count_all_transactions, find_damage, find_differences

log = logging.getLogger(__name__)

# Specification: before 3.51.3 a checkpoint racing a commit can lose it (the WAL-reset bug).
SAFE_VERSION = (3, 51, 3)

PRAGMAS = {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1}

_SETTINGS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA secure_delete=ON",
    "PRAGMA temp_store=MEMORY",
)
_PATIENCE = 30.0  # chosen: longer than any writer holds the lock (docs/decisions/entries.md)
_FAREWELL = 5.0  # chosen: calls under way end by themselves
_IDLE_READERS = 8  # chosen: as many as usually read at once; opening another takes a millisecond
_WRITE = "BEGIN IMMEDIATE"

# Chosen: in the header of every file that we make, so that one without any table is known to be new, not half a
# copy.
_APPLICATION = 0x50494E41
# Chosen: the header's `user_version`, as a connection sees it. While a log is in use the file alone says that
# it is a part: what is copied without its log is known by that.
_WHOLE, _PART = 0, 1
_FOLD_PATIENCE = 0.1  # chosen: a read is soon over; a write that waits so long for one is not felt
_FOLD_AGAIN = 1.0  # chosen: beside somebody who reads for long, a write in a second is held up so
FOLD_AT = 1000  # specification: SQLite's own number of pages for a checkpoint


def _execute(connection: Any, sql: str, values: tuple[Value, ...] = ()) -> list[Row]:
    """Run one statement to its end; apsw stops at the first row until the rest is fetched."""
    return connection.execute(sql, values).fetchall()


class SQLiteSession:
    """One apsw connection, used inside one transaction."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, *values: Value) -> list[Row]:
        try:
            return _execute(self._connection, sql, values)
        except UnicodeDecodeError as error:
            # We write UTF-8 alone; SQLite's own check does not look into texts.
            raise _damaged() from error

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
            _execute(copy, f"PRAGMA user_version={_WHOLE}")
        finally:
            copy.close()


def _wait_a_little(deadline: float, attempts: int) -> bool:
    """Sleep with jitter while there is time: SQLite's own backoff starves the unlucky."""
    if time.monotonic() >= deadline:
        return False
    time.sleep(random.uniform(0.0005, 0.004) * min(1 + attempts / 50, 5))  # noqa: S311
    return True


def _damaged() -> Refusal:
    return Refusal(
        Failure.CORRUPT, "The data file is damaged; `memotheca doctor` says which backup to restore, and how."
    )


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
            return _damaged()
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


def log_of(path: Path) -> Path:
    """Where the log of a database is: beside the file itself, wherever links to it are."""
    return Path(f"{os.path.realpath(path)}-wal")


class SQLiteDatabase:
    """A file and the connections this process has on it."""

    def __init__(self, path: Path, *, vfs: str = "", patience: float = _PATIENCE, accept_part: bool = False) -> None:
        refuse_unsafe(apsw.sqlite_lib_version())
        self.path = path
        self._log = log_of(path)
        self._vfs = vfs or None
        self._patience = patience
        self._signature = WriterMark(path.parent)
        self._idle: list[apsw.Connection] = []
        self._everyone: list[apsw.Connection] = []
        self._guard = threading.Condition()
        self._writer_turn = threading.Lock()
        self._closed = False
        self._log_pages = FOLD_AT
        self._is_part_told, self._fold_from = True, 0.0
        lacks_log = not vfs and not self._has_log()
        connection = self._connect()
        if accept_part:
            _execute(connection, f"PRAGMA application_id={_APPLICATION}")
            _execute(connection, f"PRAGMA user_version={_WHOLE}")
        elif lacks_log:
            self._refuse_part(connection)
        self._release(connection)

    def _has_log(self) -> bool:
        try:
            return self._log.stat().st_size > 0
        except OSError:
            return False

    def _refuse_part(self, connection: apsw.Connection) -> None:
        """A file that says it has a log but has none was copied alone, or its log was taken away."""
        version, application, pages = _execute(
            connection,
            "SELECT user_version, application_id, page_count "
            "FROM pragma_user_version, pragma_application_id, pragma_page_count",
        )[0]
        # Before there was that sign, a copy of what was never moved out of the log was one page without a table.
        is_bare = application != _APPLICATION and pages <= 1
        if (version == _PART or is_bare) and not self._has_log():
            with self._guard:
                self._everyone.remove(connection)
            connection.close()
            raise LogMissing(self._log.name)

    def _connect(self) -> apsw.Connection:
        connection = None
        try:
            connection = apsw.Connection(str(self.path), vfs=self._vfs)
            self._make_patient(connection)
            if not _execute(connection, "PRAGMA page_count")[0][0]:
                self._set(connection, f"PRAGMA application_id={_APPLICATION}")
            for setting in _SETTINGS:
                self._set(connection, setting)
            connection.set_wal_hook(self._hear_of_log)
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
            if self._closed:
                raise Refusal(Failure.UNAVAILABLE, "The data is closed; this program is ending.")
            if self._idle:
                return self._idle.pop()
        return self._connect()

    def _release(self, connection: apsw.Connection) -> None:
        # One opened while the directory was read-only stays so for ever; one that cannot roll back is of no use.
        usable = not connection.readonly("main") and not connection.in_transaction
        with self._guard:
            if usable and (self._closed or len(self._idle) < _IDLE_READERS):
                self._idle.append(connection)
                self._guard.notify_all()
                return
            self._everyone.remove(connection)
            self._guard.notify_all()
        connection.close()

    def _hear_of_log(self, connection: apsw.Connection, name: str, pages: int) -> int:
        del connection, name
        self._log_pages = pages
        return apsw.SQLITE_OK

    def _must_fold(self) -> bool:
        return (self._log_pages >= FOLD_AT or not self._is_part_told) and time.monotonic() >= self._fold_from

    def _fold(self, connection: apsw.Connection) -> None:
        """Move the log into the file, and let the file alone say that it is a part, which a log that is in use belongs
        to. Whatever is in the way, the commits stand: it is tried again after the next one."""
        connection.set_busy_handler(None)
        try:
            _execute(connection, f"PRAGMA user_version={_PART}")
            self._is_part_told = self._move_log(connection)
            self._make_patient(connection)
            _execute(connection, f"PRAGMA user_version={_WHOLE}")
            self._fold_from = 0.0 if self._is_part_told else time.monotonic() + _FOLD_AGAIN
        except apsw.Error as error:
            log.debug("the log stays as it is: %s", error)
        finally:
            self._make_patient(connection)

    @staticmethod
    def _move_log(connection: apsw.Connection) -> bool:
        """What somebody who reads has not seen yet stays in the log; they are soon done, as a rule."""
        deadline, attempts = time.monotonic() + _FOLD_PATIENCE, 0
        with suppress(apsw.Error):
            while True:
                _, pages, moved = _execute(connection, "PRAGMA wal_checkpoint(PASSIVE)")[0]
                if pages == moved:
                    return True
                if not _wait_a_little(deadline, attempts):
                    return False
                attempts += 1
        return False

    @contextmanager
    def _session(self, begin: str) -> Generator[SQLiteSession]:
        connection = self._acquire()
        writes = begin == _WRITE
        try:
            if writes and self._must_fold():
                self._fold(connection)
            _execute(connection, begin)
            try:
                yield SQLiteSession(connection)
                _execute(connection, "COMMIT")
            except BaseException:
                if connection.in_transaction:
                    with suppress(apsw.Error):
                        _execute(connection, "ROLLBACK")
                raise
        except (apsw.BusyError, apsw.LockedError) as error:
            raise self._too_long() from error
        except apsw.Error as error:
            raise to_refusal(error) from error
        finally:
            self._release(connection)

    def _too_long(self) -> Refusal:
        """Who writes, as far as it has said so; the lock of a suspended process cannot be taken from it."""
        writer = self._signature.read()
        named = f" ({writer})" if writer else ""
        return Refusal(
            Failure.BUSY,
            f"Another program kept the data locked for too long{named}; try again. If it is suspended, wake or end it.",
        )

    def read(self) -> AbstractContextManager[Session]:
        return self._session("BEGIN")

    def write_apart(self) -> AbstractContextManager[Session]:
        return self.write()

    @contextmanager
    def write(self, collection: str | None = None) -> Generator[Session]:
        del collection  # A file has one lock.
        with self._writer_turn, self._session(_WRITE) as session:
            self._signature.sign()
            yield session

    def lease(self, folder: Path, name: str) -> AbstractContextManager[Lease | None]:
        return lease(folder, name)

    def holder(self, folder: Path, name: str) -> str:
        return str(holder_of(folder, name) or "")

    def others(self) -> str:
        with gate(self.path.parent):
            return "; ".join(str(each) for each in present(self.path.parent) if each.pid != os.getpid())

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
            return self._truncate(connection)
        except apsw.Error as error:
            raise to_refusal(error) from error
        finally:
            self._release(connection)

    def _truncate(self, connection: apsw.Connection) -> bool:
        busy, _, _ = _execute(connection, "PRAGMA wal_checkpoint(TRUNCATE)")[0]
        # Nobody syncs a truncated log, and it could come back after a power cut; the next commit does.
        _execute(connection, f"PRAGMA user_version={_WHOLE}")
        self._fold(connection)
        return not busy

    def shorten_log(self) -> bool:
        connection = self._acquire()
        try:
            # Whoever reads now reads on; calls are not to wait for that.
            connection.set_busy_handler(None)
            return self._truncate(connection)
        except apsw.BusyError:
            return False
        except apsw.Error as error:
            raise to_refusal(error) from error
        finally:
            self._make_patient(connection)
            self._release(connection)

    def log_size(self) -> int:
        try:
            return self._log.stat().st_size
        except OSError:
            return 0

    def size(self) -> int:
        with self.read() as session:
            pages, page_size = session.rows("SELECT * FROM pragma_page_count, pragma_page_size")[0]
        return int(pages) * int(page_size)

    def may_lose(self) -> str:
        return ""  # Each connection is told how to write, whatever else is set.

    def pragmas(self) -> dict[str, object]:
        with self._guard:
            connections = list(self._everyone)
        reported: dict[str, set[object]] = {name: set() for name in PRAGMAS}
        for connection in connections:
            for name, values in reported.items():
                values.add(_execute(connection, f"PRAGMA {name}")[0][0])
        return {name: values.pop() if len(values) == 1 else values for name, values in reported.items()}

    def close(self) -> None:
        """Let calls under way come to their end, stop those that do not, and leave the file whole: whoever closes last
        moves the log into it."""
        with self._guard:
            self._closed = True
            if not self._guard.wait_for(self._is_at_rest, _FAREWELL):
                for connection in self._everyone:
                    if connection not in self._idle:
                        connection.interrupt()
                self._guard.wait_for(self._is_at_rest, _FAREWELL)
            connections, self._idle = self._idle, []
            self._everyone = [each for each in self._everyone if each not in connections]
        for place, connection in enumerate(connections):
            if place == len(connections) - 1:
                _make_whole(connection)
            connection.close()
        self._signature.close()

    def _is_at_rest(self) -> bool:
        return len(self._idle) == len(self._everyone)


def _make_whole(connection: apsw.Connection) -> None:
    """Where a move of the log was cut off, the file would say for ever that it is a part."""
    try:
        if _execute(connection, "PRAGMA user_version")[0][0] != _WHOLE:
            _execute(connection, f"PRAGMA user_version={_WHOLE}")
    except apsw.Error:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)


def is_database(path: Path) -> bool:
    """Whether the file says of itself that we made it."""
    with path.open("rb") as file:
        header = file.read(100)
    return header.startswith(b"SQLite format 3\0") and header[68:72] == _APPLICATION.to_bytes(4)


@contextmanager
def _looking_at(path: Path) -> Generator[apsw.Connection]:
    """A connection to a file that nobody has open, which changes nothing."""
    # Without a log it is read as it lies there: otherwise a look would leave files beside it.
    address = f"file:{quote(os.path.realpath(path))}" + ("" if log_of(path).exists() else "?immutable=1")
    connection = apsw.Connection(address, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    try:
        yield connection
    finally:
        connection.close()


def find_faults(path: Path) -> list[str]:
    """What is wrong with a file that nobody has open, without changing it: nothing if it can be restored."""
    try:
        with _looking_at(path) as connection:
            found = [str(row[0]) for row in _execute(connection, "PRAGMA integrity_check(20)")]
            version = _execute(connection, "PRAGMA user_version")[0][0]
            tables = _execute(connection, "SELECT 1 FROM sqlite_master WHERE name = 'meta'")
            sound = found == ["ok"] and bool(tables)
            damage = find_damage(SQLiteSession(connection)) if sound else []
    except apsw.Error as error:
        return [str(error)]
    part = ["it was copied without its log"] if version == _PART and not log_of(path).exists() else []
    return ([] if found == ["ok"] else found) + part + ([] if tables else ["it holds no data of Memotheca"]) + damage


def is_consistent(path: Path) -> bool:
    """Whether a file without faults needs no repair either."""
    with _looking_at(path) as connection:
        return not find_differences(SQLiteSession(connection))


def count_history(path: Path) -> int:
    """How many transactions a file without faults holds."""
    with _looking_at(path) as connection:
        return count_all_transactions(SQLiteSession(connection))


def copy_live(source: Path, target: Path) -> None:
    """Copy a database that has a log beside it, and leave both as they are."""
    try:
        connection = apsw.Connection(str(source), apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            _execute(connection, "BEGIN")
            SQLiteSession(connection).copy_to(target)
        finally:
            connection.close()
    except apsw.Error as error:
        raise to_refusal(error) from error
