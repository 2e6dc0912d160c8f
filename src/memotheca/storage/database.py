"""The port behind which a database hides: how to read, how to take the one-writer lock, how to copy."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from memotheca.model.errors import Failure, Interruption, Refusal

Value = str | int | float | bytes | None
Row = tuple[Any, ...]

# At the end of a query: of rows that others are changing none is found, and what is found is kept for this
# transaction. To a database with one writer it says nothing.
SKIP_LOCKED = "/* skip locked */"


class Session(Protocol):
    """A connection inside one transaction; SQL uses `?` placeholders and the common subset."""

    def rows(self, sql: str, *values: Value) -> list[Row]: ...

    def run(self, sql: str, *values: Value) -> None: ...

    def run_many(self, sql: str, batches: Sequence[tuple[Value, ...]]) -> None: ...


class HeldRole(Protocol):
    """A role that this process holds, as long as nobody has taken it over."""

    @property
    def is_held(self) -> bool: ...

    def refuse_lost(self, session: Session | None = None) -> None: ...


class Database(Protocol):
    """What differs between engines."""

    def read(self) -> AbstractContextManager[Session]:
        """One snapshot that never waits for a writer."""
        ...

    def write(self, collection: str | None = None) -> AbstractContextManager[Session]:
        """The one-writer lock, of a collection or of everything; commits durably on leaving, rolls back on an
        exception. Raises `TryAgain` where nothing was kept and the same may succeed at once."""
        ...

    def write_apart(self) -> AbstractContextManager[Session]:
        """A durable transaction in which no collection's order matters: what it changes is locked row by row, where
        the engine can. Raises `TryAgain` as `write` does."""
        ...

    def lease(self, folder: Path, name: str) -> AbstractContextManager[HeldRole | None]:
        """Try to take, without waiting, what one process at a time may do of all that share the database."""
        ...

    def holder(self, folder: Path, name: str) -> str:
        """Who holds such a role, in words; nothing where nobody does."""
        ...

    def others(self) -> str:
        """Which other programs have the data open, in words; nothing where none is known of."""
        ...

    def has_table(self, session: Session, name: str) -> bool: ...

    def check(self) -> list[str]:
        """What the engine's own integrity check complains about."""
        ...

    def copy_to(self, target: Path) -> None:
        """A consistent copy, durable when this returns."""
        ...

    def forget_log(self) -> bool:
        """Make overwritten content leave the pages and the write-ahead log; False while a reader holds the log."""
        ...

    def size(self) -> int: ...

    def log_size(self) -> int:
        """How many bytes the write-ahead log takes beside the file."""
        ...

    def shorten_log(self) -> bool:
        """Move the log into the file and give its room back; False while a reader holds the log."""
        ...

    def may_lose(self) -> str:
        """Why a commit that was acknowledged may be lost with the machine that keeps it; nothing where it cannot."""
        ...

    def pragmas(self) -> dict[str, object]:
        """The durability settings as a connection of this database reports them."""
        ...

    def close(self) -> None: ...


@runtime_checkable
class TellingDatabase(Protocol):
    """A database that tells of what is committed, by whatever machine, so that nobody has to look."""

    def heard(self) -> int:
        """How much was heard so far; from the first time on, it listens."""
        ...

    def wait_for_change(self, since: int) -> None:
        """Until more was heard than that, or until it is time to look all the same."""
        ...


@runtime_checkable
class TellingSession(Protocol):
    """A transaction that can tell the others when it is committed."""

    def announce(self) -> None: ...


@runtime_checkable
class HurriedSession(Protocol):
    """A transaction whose statements are ended where they take too long."""

    def take_time(self) -> None: ...


def take_time(session: Session) -> None:
    """What follows in this transaction goes through whole tables, and may take as long as it needs."""
    if isinstance(session, HurriedSession):
        session.take_time()


class TryAgain(Interruption):
    """Nothing of a transaction was kept, for a reason that passes: it may be run again as it is."""

    def __init__(self, cause: Refusal) -> None:
        super().__init__(cause.failure, cause.message)


class LogMissing(Refusal):
    """A data file was copied alone, or its log was taken away, so that it is not the whole."""

    def __init__(self, log: str) -> None:
        message = (
            "The data file is incomplete: it was copied while a program had it open, without its log "
            f"({log}), so that what was in the log is missing. `memotheca doctor` says what to do."
        )
        super().__init__(Failure.CORRUPT, message, details={"incomplete": True})


def first(session: Session, sql: str, *values: Value) -> Row | None:
    rows = session.rows(sql, *values)
    return rows[0] if rows else None


def scalar(session: Session, sql: str, *values: Value) -> Any:
    row = first(session, sql, *values)
    return None if row is None else row[0]
