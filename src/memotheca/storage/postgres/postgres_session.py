"""A transaction of PostgreSQL as storage speaks with it, and what it keeps in the place of files."""

import json
from collections.abc import Iterable, Iterator, Sequence

from memotheca.storage.database import Row, Value
from memotheca.storage.postgres.postgres_dialect import from_stored, to_stored, translate
from memotheca.storage.postgres.postgres_listener import CHANNEL
from memotheca.storage.postgres.postgres_patience import PatientConnection
from memotheca.storage.roles import patience_of_roles

# What is a file where the database is one, by the name of its table.
INSTEAD_OF_FILES = {
    "shared_file": """CREATE TABLE IF NOT EXISTS shared_file (
        name TEXT NOT NULL,
        piece BIGINT NOT NULL,
        content BLOB NOT NULL,
        PRIMARY KEY (name, piece)
    )""",
    "role_lease": """CREATE TABLE IF NOT EXISTS role_lease (
        name TEXT NOT NULL PRIMARY KEY,
        token TEXT NOT NULL,
        holder TEXT NOT NULL,
        seen TIMESTAMPTZ NOT NULL
    )""",
    "sent_file": """CREATE TABLE IF NOT EXISTS sent_file (
        name TEXT NOT NULL PRIMARY KEY,
        size BIGINT NOT NULL,
        whole SMALLINT NOT NULL,
        sent BIGINT NOT NULL
    )""",
    "shared_text": "CREATE TABLE IF NOT EXISTS shared_text (name TEXT NOT NULL PRIMARY KEY, content TEXT NOT NULL)",
}
_SILENT = "seen < clock_timestamp() - CAST(? AS DOUBLE PRECISION) * interval '1 second'"


class PostgresSession:
    """One connection, used inside one transaction."""

    def __init__(self, connection: PatientConnection) -> None:
        self._connection = connection

    def rows(self, sql: str, *values: Value) -> list[Row]:
        cursor = self._connection.execute(translate(sql), [to_stored(each) for each in values], binary=True)
        return from_stored(cursor.fetchall()) if cursor.description is not None else []

    def run(self, sql: str, *values: Value) -> None:
        self._connection.execute(translate(sql), [to_stored(each) for each in values])

    def run_many(self, sql: str, batches: Sequence[tuple[Value, ...]]) -> None:
        if not batches:
            return
        with self._connection.cursor() as cursor:
            cursor.executemany(translate(sql), [[to_stored(each) for each in values] for values in batches])

    def announce(self) -> None:
        """Heard when this transaction is committed; who hears it looks what there is, so that nothing is said."""
        self._connection.execute(b"SELECT pg_notify($1, '')", (CHANNEL,))

    def take_time(self) -> None:
        """Whether the way is still there is seen by TCP then."""
        self._connection.patience = 0.0
        self._connection.execute(b"SET LOCAL statement_timeout = 0")

    def keep_file(self, name: str, pieces: Iterable[bytes]) -> None:
        for number, piece in enumerate(pieces):
            self.run("INSERT INTO shared_file (name, piece, content) VALUES (?, ?, ?)", name, number, piece)

    def fetch_file(self, name: str) -> Iterator[bytes]:
        number = 0
        while rows := self.rows("SELECT content FROM shared_file WHERE name = ? AND piece = ?", name, number):
            yield rows[0][0]
            number += 1

    def drop_files(self, *, but: Iterable[str]) -> None:
        self.run(
            "DELETE FROM shared_file WHERE name NOT IN (SELECT value FROM json_each(?)) "
            "AND name NOT IN (SELECT name FROM sent_file)",
            json.dumps(list(but)),
        )

    def living_roles(self) -> set[str]:
        rows = self.rows(f"SELECT name FROM role_lease WHERE NOT {_SILENT}", patience_of_roles())
        return {str(name) for (name,) in rows}

    def drop_silent_roles(self) -> None:
        self.run(f"DELETE FROM role_lease WHERE {_SILENT}", patience_of_roles())
