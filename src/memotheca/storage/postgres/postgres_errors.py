"""What PostgreSQL refuses, in words that name neither an address nor SQL."""

import logging

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

from memotheca.model.errors import Failure, Interruption, Refusal

log = logging.getLogger(__name__)


def is_passing(error: psycopg.Error) -> bool:
    """Whether the same transaction may succeed if it is run again at once."""
    return isinstance(error, errors.SerializationFailure | errors.DeadlockDetected | errors.UniqueViolation)


# External: words of libpq before a connection by TLS is made.
UNSAFE = ("certificate", "does not support SSL")

_SAYINGS: tuple[tuple[tuple[type[psycopg.Error], ...], Failure, str], ...] = (
    (
        (errors.LockNotAvailable,),
        Failure.BUSY,
        "Another server kept the collection locked for too long; nothing was saved. Try again.",
    ),
    ((errors.QueryCanceled,), Failure.TIMEOUT, "The database took too long to answer; nothing was saved. Try again."),
    (
        (errors.TooManyConnections,),
        Failure.BUSY,
        "The database has no connection left; nothing was saved. Try again, or allow it more connections.",
    ),
    ((errors.DiskFull,), Failure.DISK_FULL, "The database's disk is full; nothing was saved. Free some space there."),
    (
        (errors.InvalidPassword, errors.InvalidAuthorizationSpecification),
        Failure.FORBIDDEN,
        "The database refuses the user or the password that it was given.",
    ),
    (
        (errors.InvalidCatalogName,),
        Failure.INVALID,
        "There is no such database there. Make it, or name another with --database.",
    ),
    (
        (errors.InsufficientPrivilege,),
        Failure.FORBIDDEN,
        "The database does not let its user do this; nothing was saved. Give it the rights that docs/team.md names.",
    ),
    (
        (errors.ReadOnlySqlTransaction,),
        Failure.UNAVAILABLE,
        "The database is a copy that cannot be written, as after a change of servers; nothing was saved. Try again.",
    ),
    (
        (errors.CharacterNotInRepertoire, errors.UntranslatableCharacter, psycopg.DataError),
        Failure.INVALID,
        "The database cannot keep this text: it holds a character that no text may have (NUL).",
    ),
    ((errors.IndexCorrupted, errors.DataCorrupted), Failure.CORRUPT, "The database is damaged; restore it."),
)


def to_refusal(error: psycopg.Error) -> Refusal:
    """Say what happened without an address, a name or SQL."""
    for kinds, failure, message in _SAYINGS:
        if isinstance(error, kinds):
            return Interruption(failure, message) if failure.retryable else Refusal(failure, message)
    # The driver has no code for it. To try again would help nobody; a connection that was lost is another matter.
    if error.sqlstate is None and any(sign in str(error) for sign in UNSAFE):
        return Refusal(
            Failure.FORBIDDEN,
            "The way to the database is not as safe as its address asks: there is no TLS, or a certificate that is not "
            "trusted. See sslmode and sslrootcert in docs/team.md.",
        )
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return Interruption(Failure.UNAVAILABLE, "The database cannot be reached; nothing was saved. Try again.")
    log.error("the database refused a statement (%s)", error.sqlstate)
    return Refusal(Failure.INTERNAL, "The database refused a statement.")


def describe_address(address: str) -> str:
    """An address as it may be shown: without its password, and without what else may be secret."""
    try:
        told = conninfo_to_dict(address)
    except psycopg.Error:
        return "postgresql://…"
    user = f"{told['user']}@" if told.get("user") else ""
    port = f":{told['port']}" if told.get("port") else ""
    return f"postgresql://{user}{told.get('host') or 'localhost'}{port}/{told.get('dbname') or ''}"
