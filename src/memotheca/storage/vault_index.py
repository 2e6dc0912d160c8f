"""What is known of a vault: an index of its notes, what the disk looked like, and changes on their way to it."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from memotheca.model.knowledge import Entry
from memotheca.storage.database import Row, Session, first, scalar
from memotheca.storage.serialization import to_text

TABLES = (
    """CREATE TABLE vault_note (
        collection TEXT NOT NULL,
        id TEXT NOT NULL,
        path TEXT NOT NULL,
        vault TEXT NOT NULL,
        title TEXT NOT NULL,
        digest TEXT NOT NULL,
        tags TEXT NOT NULL,
        names TEXT NOT NULL,
        links TEXT NOT NULL,
        PRIMARY KEY (collection, id)
    )""",
    "CREATE INDEX vault_note_by_path ON vault_note (collection, path)",
    """CREATE TABLE vault_file (
        collection TEXT NOT NULL,
        path TEXT NOT NULL,
        signature TEXT NOT NULL,
        digest TEXT NOT NULL,
        PRIMARY KEY (collection, path)
    )""",
    """CREATE TABLE vault_intent (
        collection TEXT NOT NULL,
        number BIGINT NOT NULL,
        tx BIGINT NOT NULL,
        vault TEXT NOT NULL,
        root TEXT NOT NULL,
        path TEXT NOT NULL,
        before TEXT NOT NULL,
        after TEXT NOT NULL,
        content BLOB,
        PRIMARY KEY (collection, number)
    )""",
    """CREATE TABLE vault_warning (
        collection TEXT NOT NULL,
        number BIGINT NOT NULL,
        path TEXT NOT NULL,
        message TEXT NOT NULL,
        PRIMARY KEY (collection, number)
    )""",
    "CREATE INDEX vault_warning_by_path ON vault_warning (collection, path)",
)

_ROW = "id, path, vault, title, digest, tags, names, links"
MAX_WARNINGS = 1000  # chosen with the next two: a vault in disorder does not fill the table, and no note hides others
MAX_WARNINGS_EACH = 20  # chosen: as above
MAX_WARNINGS_ALL = 100  # chosen: as above


# Its target, its form, and whether it names an attachment.
Link = tuple[str, str, bool]


@dataclass(frozen=True, slots=True)
class NoteRow:
    """A note without its text: enough to walk the graph."""

    id: str
    path: str
    vault: str
    title: str
    digest: str
    tags: tuple[str, ...]
    names: tuple[str, ...]
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """One file as it is to be: `before` and `after` are digests, empty where there is no file. One that leaves has no
    content where it is deleted, and an empty one where it goes to the trash."""

    tx: int
    vault: str
    root: str
    path: str
    before: str
    after: str
    content: bytes | None
    number: int = 0


def row_of(entry: Entry) -> NoteRow | None:
    """The row of an entry that a file owns."""
    held = entry.attributes
    if held.get("owner") != "file":
        return None
    links = tuple((str(target), str(form), bool(attached)) for target, form, attached in held["links"])
    return NoteRow(
        entry.id, held["path"], held["vault"], entry.title, held["digest"], entry.tags, tuple(held["names"]), links
    )


def follow(session: Session, collection: str, entry: Entry) -> None:
    """Keep the row of an entry that was put."""
    row = row_of(entry)
    if row is not None:
        put_row(session, collection, row)


def put_row(session: Session, collection: str, row: NoteRow) -> None:
    session.run(
        f"INSERT INTO vault_note (collection, {_ROW}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (collection, id) DO UPDATE SET path = excluded.path, vault = excluded.vault, "
        "title = excluded.title, digest = excluded.digest, tags = excluded.tags, names = excluded.names, "
        "links = excluded.links",
        collection,
        row.id,
        row.path,
        row.vault,
        row.title,
        row.digest,
        to_text(row.tags),
        to_text(row.names),
        to_text(row.links),
    )


def drop_row(session: Session, collection: str, id: str) -> None:
    session.run("DELETE FROM vault_note WHERE collection = ? AND id = ?", collection, id)


def read_rows(session: Session, collection: str) -> list[NoteRow]:
    """Every row; a link that many notes have is one in memory."""
    rows = session.rows(f"SELECT {_ROW} FROM vault_note WHERE collection = ?", collection)
    known: dict[str, Link] = {}
    return [_to_row(row, known) for row in rows]


def read_row(session: Session, collection: str, id: str) -> NoteRow | None:
    row = first(session, f"SELECT {_ROW} FROM vault_note WHERE collection = ? AND id = ?", collection, id)
    return None if row is None else _to_row(row)


def rows_at(session: Session, collection: str, path: str) -> list[NoteRow]:
    rows = session.rows(f"SELECT {_ROW} FROM vault_note WHERE collection = ? AND path = ?", collection, path)
    return [_to_row(row) for row in rows]


def known_notes(session: Session, collection: str, within: Sequence[str] | None = None) -> dict[str, tuple[str, ...]]:
    """The vault, id and digest of every note, or of those at these paths and in these folders, by path."""
    rows = _rows_within(session, "SELECT path, vault, id, digest FROM vault_note", collection, within)
    return {path: (vault, id, digest) for path, vault, id, digest in rows}


def _rows_within(session: Session, select: str, collection: str, within: Sequence[str] | None) -> Iterator[Row]:
    if within is None:
        yield from session.rows(f"{select} WHERE collection = ?", collection)
        return
    for path in within:
        # Whatever begins with the folder and a slash lies before the folder and the character after the slash.
        yield from session.rows(
            f"{select} WHERE collection = ? AND (path = ? OR path > ? AND path < ?)",
            collection,
            path,
            f"{path}/",
            f"{path}0",
        )


def missing_rows(session: Session, collection: str, kind: str) -> list[str]:
    """Ids of notes that have no row, as after an import."""
    rows = session.rows(
        "SELECT h.id FROM entry_head h LEFT JOIN vault_note n ON n.collection = h.collection AND n.id = h.id "
        "WHERE h.collection = ? AND h.kind = ? AND n.id IS NULL",
        collection,
        kind,
    )
    return [row[0] for row in rows]


def _to_row(row: Row, known: dict[str, Link] | None = None) -> NoteRow:
    id, path, vault, title, digest, *lists = row
    tags, names, written = json.loads(f"[{','.join(lists)}]")
    held = {} if known is None else known
    links = tuple([_same(held.get(link[0]), link, held) for link in written])
    return NoteRow(id, path, vault, title, digest, tuple(tags), tuple(names), links)


def _same(held: Link | None, link: Sequence[Any], known: dict[str, Link]) -> Link:
    """The link that is known already, or this one."""
    target, form, attached = link
    if held is None or held[1] != form or held[2] != attached:
        held = known[target] = (target, form, attached)
    return held


@dataclass(frozen=True, slots=True)
class MountedFolders:
    """The folders mounted in a collection by their prefixes; where machines share a database, on which of them."""

    roots: dict[str, str]
    machine: str = ""
    host: str = ""


def read_mounted(session: Session, collection: str) -> MountedFolders:
    """A machine's own affair, so no part of an export."""
    said = scalar(session, "SELECT value FROM meta WHERE name = ?", f"vaults:{collection}")
    held: dict[str, str] = json.loads(said or "{}")
    # No prefix is spelled so: it is empty or ends in a slash.
    machine, host = held.pop("machine", ""), held.pop("host", "")
    return MountedFolders(held, machine, host)


def write_mounted(session: Session, collection: str, mounted: MountedFolders) -> None:
    """Remember the folders; what is on its way to files follows a vault to its new place."""
    on = {"machine": mounted.machine, "host": mounted.host} if mounted.machine else {}
    for prefix, root in mounted.roots.items():
        session.run("UPDATE vault_intent SET root = ? WHERE collection = ? AND vault = ?", root, collection, prefix)
    session.run(
        "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        f"vaults:{collection}",
        to_text({**mounted.roots, **on}),
    )


def forget_vaults(session: Session, collection: str) -> None:
    """Nothing is mounted any more, and nothing is known of any file."""
    for table in ("vault_file", "vault_intent", "vault_warning"):
        session.run(f"DELETE FROM {table} WHERE collection = ?", collection)
    for name in ("vaults", "indexed", "standing"):
        session.run("DELETE FROM meta WHERE name = ?", f"{name}:{collection}")


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultState:
    """How a vault's folder was when it was looked at last: which folder it was, at which commit, which folders in it
    were mounted by themselves, and how many notes were missed and not removed, and why."""

    identity: str = ""
    revision: str = ""
    shares: tuple[str, ...] = ()
    withheld: int = 0
    reason: str = ""


def read_standing(session: Session, collection: str, prefix: str) -> VaultState:
    held = _read_standings(session, collection).get(prefix)
    return VaultState() if held is None else replace(VaultState(**held), shares=tuple(held["shares"]))


def _read_standings(session: Session, collection: str) -> dict[str, dict[str, Any]]:
    return json.loads(scalar(session, "SELECT value FROM meta WHERE name = ?", f"standing:{collection}") or "{}")


def write_standing(session: Session, collection: str, prefix: str, standing: VaultState) -> None:
    session.run(
        "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        f"standing:{collection}",
        to_text({**_read_standings(session, collection), prefix: asdict(standing)}),
    )


def count_notes(session: Session, collection: str, prefix: str) -> int:
    """How many notes a vault has."""
    counted = "SELECT count(*) FROM vault_note WHERE collection = ? AND vault = ?"
    return int(scalar(session, counted, collection, prefix) or 0)


def has_other_notes(session: Session, collection: str, prefix: str, paths: Collection[str]) -> bool:
    """Whether a vault has notes besides those at these paths."""
    rows = session.rows("SELECT path FROM vault_note WHERE collection = ? AND vault = ?", collection, prefix)
    return any(path not in paths for (path,) in rows)


def read_indexed(session: Session, collection: str) -> list[str]:
    """The vaults that were looked through at least once, by their prefixes."""
    return json.loads(scalar(session, "SELECT value FROM meta WHERE name = ?", f"indexed:{collection}") or "[]")


def mark_indexed(session: Session, collection: str, prefix: str) -> None:
    session.run(
        "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        f"indexed:{collection}",
        to_text(sorted({*read_indexed(session, collection), prefix})),
    )


def known_files(session: Session, collection: str, within: Sequence[str] | None = None) -> dict[str, tuple[str, str]]:
    """What each file looked like when it was last read: its signature and digest."""
    rows = _rows_within(session, "SELECT path, signature, digest FROM vault_file", collection, within)
    return {path: (signature, digest) for path, signature, digest in rows}


def know_files(session: Session, collection: str, seen: Iterable[tuple[str, str, str]]) -> None:
    session.run_many(
        "INSERT INTO vault_file (collection, path, signature, digest) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (collection, path) DO UPDATE SET signature = excluded.signature, digest = excluded.digest",
        [(collection, path, signature, digest) for path, signature, digest in seen],
    )


def forget_files(session: Session, collection: str, paths: Iterable[str]) -> None:
    session.run_many("DELETE FROM vault_file WHERE collection = ? AND path = ?", [(collection, path) for path in paths])


def add_intents(session: Session, collection: str, intents: Sequence[Intent]) -> None:
    newest = int(scalar(session, "SELECT max(number) FROM vault_intent WHERE collection = ?", collection) or 0)
    session.run_many(
        "INSERT INTO vault_intent (collection, number, tx, vault, root, path, before, after, content) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                collection,
                newest + place,
                each.tx,
                each.vault,
                each.root,
                each.path,
                each.before,
                each.after,
                each.content,
            )
            for place, each in enumerate(intents, start=1)
        ],
    )


def pending_intents(session: Session, collection: str) -> list[Intent]:
    rows = session.rows(
        "SELECT number, tx, vault, root, path, before, after, content FROM vault_intent "
        "WHERE collection = ? ORDER BY number",
        collection,
    )
    return [
        Intent(number=number, tx=tx, vault=vault, root=root, path=path, before=before, after=after, content=content)
        for number, tx, vault, root, path, before, after, content in rows
    ]


def pending_paths(session: Session, collection: str) -> set[str]:
    """Paths of files that a committed change has not reached yet."""
    return {
        vault + path
        for vault, path in session.rows("SELECT vault, path FROM vault_intent WHERE collection = ?", collection)
    }


def drop_intents(session: Session, collection: str, numbers: Iterable[int]) -> None:
    session.run_many(
        "DELETE FROM vault_intent WHERE collection = ? AND number = ?", [(collection, number) for number in numbers]
    )


def add_warnings(session: Session, collection: str, warnings: Iterable[tuple[str, str]]) -> None:
    """Keep what should be said once, of a path or, where that is empty, of the vault; the oldest give way."""
    fresh = list(dict.fromkeys(warnings))[-MAX_WARNINGS:]
    held = session.rows("SELECT path, message FROM vault_warning WHERE collection = ? ORDER BY number", collection)
    kept = [each for each in held if each not in set(fresh)] + fresh
    session.run("DELETE FROM vault_warning WHERE collection = ?", collection)
    session.run_many(
        "INSERT INTO vault_warning (collection, number, path, message) VALUES (?, ?, ?, ?)",
        [(collection, number, path, message) for number, (path, message) in enumerate(_bounded(kept), start=1)],
    )


def _bounded(warnings: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The newest, at most so many of each path and in all."""
    counted: dict[str, int] = {}
    kept: list[tuple[str, str]] = []
    for path, message in reversed(warnings[-MAX_WARNINGS:]):
        counted[path] = counted.get(path, 0) + 1
        if counted[path] <= (MAX_WARNINGS_EACH if path else MAX_WARNINGS_ALL):
            kept.append((path, message))
    return kept[::-1]


def read_warnings(session: Session, collection: str, paths: Sequence[str]) -> list[tuple[int, str, str]]:
    """Numbers, paths and words of the warnings of these paths and of the vault."""
    marks = ", ".join("?" for _ in ("", *paths))
    rows = session.rows(
        f"SELECT number, path, message FROM vault_warning WHERE collection = ? AND path IN ({marks}) ORDER BY number",
        collection,
        "",
        *paths,
    )
    return [(int(number), path, message) for number, path, message in rows]


def drop_warnings(session: Session, collection: str, numbers: Iterable[int]) -> None:
    session.run_many(
        "DELETE FROM vault_warning WHERE collection = ? AND number = ?", [(collection, number) for number in numbers]
    )


def forget_warnings(session: Session, collection: str, paths: Iterable[str]) -> None:
    """A file that was read anew is judged anew."""
    session.run_many(
        "DELETE FROM vault_warning WHERE collection = ? AND path = ?", [(collection, path) for path in paths]
    )
