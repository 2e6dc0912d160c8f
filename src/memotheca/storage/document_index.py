"""The list of documents: a derived row for each live one, so that listing and recognising them reads no text."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass

from memotheca.model.knowledge import fold
from memotheca.storage.database import Row, Session, first, scalar
from memotheca.storage.snapshot import escaped

TABLES = (
    """CREATE TABLE document (
        collection TEXT NOT NULL,
        id TEXT NOT NULL,
        handle TEXT NOT NULL,
        filename TEXT NOT NULL,
        path TEXT NOT NULL,
        digest TEXT NOT NULL,
        format TEXT NOT NULL,
        method TEXT NOT NULL,
        size BIGINT NOT NULL,
        chunks BIGINT NOT NULL,
        partial SMALLINT NOT NULL,
        added BIGINT NOT NULL,
        label TEXT NOT NULL,
        PRIMARY KEY (collection, id)
    )""",
    "CREATE INDEX document_by_path ON document (collection, path)",
    "CREATE INDEX document_by_digest ON document (collection, digest)",
    "CREATE INDEX document_by_added ON document (collection, added, id)",
)

ORDERS = {"date_added": "added", "filename": "label", "size": "size"}

_COLUMNS = "id, handle, filename, path, digest, format, method, size, chunks, partial, added"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRow:
    """What a list shows of a document."""

    id: str
    handle: str
    filename: str
    path: str
    digest: str
    format: str
    method: str
    size: int
    chunks: int
    partial: bool
    added: int


def _to_row(row: Row) -> DocumentRow:
    given = dict(zip(_COLUMNS.split(", "), row, strict=True))
    given["partial"] = bool(given["partial"])
    return DocumentRow(**given)


def keep(session: Session, collection: str, row: DocumentRow) -> None:
    drop(session, collection, row.id)
    marks = ", ".join("?" for _ in range(13))
    session.run(
        f"INSERT INTO document (collection, {_COLUMNS}, label) VALUES ({marks})",
        collection,
        *astuple(row),
        fold(row.filename),
    )


def drop(session: Session, collection: str, id: str) -> None:
    session.run("DELETE FROM document WHERE collection = ? AND id = ?", collection, id)


def drop_all(session: Session, collection: str) -> None:
    session.run("DELETE FROM document WHERE collection = ?", collection)


def find(session: Session, collection: str, id: str) -> DocumentRow | None:
    row = first(session, f"SELECT {_COLUMNS} FROM document WHERE collection = ? AND id = ?", collection, id)
    return None if row is None else _to_row(row)


def at_path(session: Session, collection: str, path: str) -> DocumentRow | None:
    """The document that was read from a path; one that was sent has none."""
    if not path:
        return None
    sql = f"SELECT {_COLUMNS} FROM document WHERE collection = ? AND path = ? ORDER BY added DESC LIMIT 1"
    row = first(session, sql, collection, path)
    return None if row is None else _to_row(row)


def with_digest(session: Session, collection: str, digest: str) -> DocumentRow | None:
    sql = f"SELECT {_COLUMNS} FROM document WHERE collection = ? AND digest = ? ORDER BY added LIMIT 1"
    row = first(session, sql, collection, digest)
    return None if row is None else _to_row(row)


def page(
    session: Session, collection: str, *, order: str, descending: bool, window: tuple[int, int]
) -> list[DocumentRow]:
    """So many documents after so many, in an order that is the same every time."""
    direction = "DESC" if descending else "ASC"
    limit, offset = window
    rows = session.rows(
        f"SELECT {_COLUMNS} FROM document WHERE collection = ? "
        f"ORDER BY {ORDERS[order]} {direction}, id {direction} LIMIT ? OFFSET ?",
        collection,
        limit,
        offset,
    )
    return [_to_row(row) for row in rows]


def called(session: Session, collection: str, filename: str, path: str) -> list[DocumentRow]:
    """The documents with this very filename or path."""
    sql = f"SELECT {_COLUMNS} FROM document WHERE collection = ? AND (filename = ? OR path = ?) ORDER BY added"
    return [_to_row(row) for row in session.rows(sql, collection, filename, path)]


def beginning(session: Session, collection: str, handle: str) -> list[DocumentRow]:
    """The documents whose public id begins so; of two or more, enough to know that there are several."""
    sql = f"SELECT {_COLUMNS} FROM document WHERE collection = ? AND handle LIKE ? ESCAPE '!' ORDER BY added LIMIT 10"
    return [_to_row(row) for row in session.rows(sql, collection, f"{escaped(handle)}%")]


def named_like(session: Session, collection: str, text: str) -> list[str]:
    """Ids of the documents whose filename holds a text."""
    sql = "SELECT id FROM document WHERE collection = ? AND label LIKE ? ESCAPE '!' ORDER BY id"
    return [row[0] for row in session.rows(sql, collection, f"%{escaped(fold(text))}%")]


def count(session: Session, collection: str) -> tuple[int, int, int]:
    """How many there are, of how many chunks, from files of how many bytes."""
    row = first(session, "SELECT count(*), sum(chunks), sum(size) FROM document WHERE collection = ?", collection)
    documents, chunks, size = row or (0, 0, 0)
    return int(documents), int(chunks or 0), int(size or 0)


def count_empty(session: Session, collection: str) -> int:
    return int(scalar(session, "SELECT count(*) FROM document WHERE collection = ? AND chunks = 0", collection))


def live_bytes(session: Session, collection: str, ids: Sequence[str]) -> tuple[int, int]:
    """Bytes of the live rows of these entries (newest version, chunks, vectors), and how many vectors there are."""
    total = vectors = 0
    for id in ids:
        total += int(
            scalar(
                session,
                "SELECT sum(octet_length(v.image)) FROM entry_head h "
                "JOIN version v ON v.collection = h.collection AND v.id = h.id AND v.tx = h.tx "
                "WHERE h.collection = ? AND h.id = ?",
                collection,
                id,
            )
            or 0
        )
        row = first(
            session,
            "SELECT sum(coalesce(length(terms), 0) + coalesce(length(columns), 0) + length(digest)) FROM chunk "
            "WHERE collection = ? AND entry_id = ? AND died_tx IS NULL",
            collection,
            id,
        )
        total += int((row or (0,))[0] or 0)
        row = first(
            session,
            "SELECT count(*), sum(length(v.value)) FROM chunk c JOIN vector v ON v.collection = c.collection "
            "AND v.chunk_seq = c.seq WHERE c.collection = ? AND c.entry_id = ? AND c.died_tx IS NULL",
            collection,
            id,
        )
        counted, size = row or (0, 0)
        vectors, total = vectors + int(counted), total + int(size or 0)
    return total, vectors
