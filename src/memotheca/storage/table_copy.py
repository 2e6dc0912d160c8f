"""Everything that is in one database, brought to another: table by table, in steps that can be cut off and gone on
with, and compared afterwards. What the tables are is read off the steps that make them. And
what is done with one collection in every table."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from memotheca.model.errors import Failure, Refusal
from memotheca.storage import shared_files
from memotheca.storage.database import Row, Session, Value, scalar, take_time
from memotheca.storage.migrations import STEPS, Step
from memotheca.storage.segments import SUFFIX, read_names
from memotheca.storage.store import ARRIVING, Store

BATCH = 500  # chosen: some megabytes of the largest rows, and a commit for every few hundred rows
LETTERS = 32  # chosen: a digest that no two contents share

_TABLE = re.compile(r"\s*CREATE TABLE (?:IF NOT EXISTS )?(\w+) \((.*)\)\s*$", re.DOTALL)
_COLUMN = re.compile(r"\s*ALTER TABLE (\w+) ADD COLUMN (\w+)")
_KEY = "PRIMARY KEY ("
_NAME = re.compile(r"\s*(\w+) (?:TEXT|BIGINT|SMALLINT|INTEGER|REAL|BLOB)\b")
# What is not a row that moves: the format is the target's own, and the mark says how far the move is.
_OWN = ("format", ARRIVING)
_RENAMED = "renamed"

Report = Callable[[float, float | None, str], None]
# What a row becomes on its way, by its table.
Change = Callable[[str, Row], Row]


@dataclass(frozen=True, slots=True)
class TableShape:
    """A table: its columns in their order, and those that name a row."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]

    def after(self, values: Sequence[Value]) -> str:
        """The next rows in the order of their key."""
        key, marks = ", ".join(self.key), ", ".join("?" for _ in self.key)
        where = f"WHERE ({key}) > ({marks}) " if values else ""
        return f"SELECT {', '.join(self.columns)} FROM {self.name} {where}ORDER BY {key} LIMIT {BATCH}"

    @property
    def insert(self) -> str:
        marks = ", ".join("?" for _ in self.columns)
        return f"INSERT INTO {self.name} ({', '.join(self.columns)}) VALUES ({marks})"

    def key_of(self, row: Row) -> Row:
        return tuple(row[self.columns.index(name)] for name in self.key)


class _Listener:
    """Hears the steps say what they make, and makes nothing."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def rows(self, sql: str, *values: Value) -> list[Row]:
        del sql, values
        return []

    def run(self, sql: str, *values: Value) -> None:
        del values
        self.said.append(sql)

    def run_many(self, sql: str, batches: Sequence[tuple[Value, ...]]) -> None:
        """Rows are no tables."""


def list_tables(steps: Sequence[Step] = STEPS) -> list[TableShape]:
    """Every table but `meta`, whose rows are brought last."""
    listener = _Listener()
    for step in steps:
        step(listener)
    columns: dict[str, list[str]] = {}
    keys: dict[str, tuple[str, ...]] = {}
    for statement in listener.said:
        if found := _TABLE.match(statement):
            name, body = found[1], found[2]
            columns[name] = [column[1] for part in body.split(",") if (column := _NAME.match(part))]
            key = body.partition(_KEY)[2].partition(")")[0]
            keys[name] = tuple(key.split(", ")) if key else (columns[name][0],)
        elif found := _COLUMN.match(statement):
            columns[found[1]].append(found[2])
    return [TableShape(name, tuple(columns[name]), keys[name]) for name in columns if name != "meta"]


@dataclass(frozen=True, slots=True)
class MoveMark:
    """How far a move has come: from where, which table, after which key."""

    origin: str
    table: str = ""
    after: tuple[Value, ...] = ()

    def to_text(self) -> str:
        after = [{"hex": each.hex()} if isinstance(each, bytes) else each for each in self.after]
        return json.dumps({"origin": self.origin, "table": self.table, "after": after})


def _read_mark(session: Session) -> MoveMark | None:
    said = scalar(session, "SELECT value FROM meta WHERE name = ?", ARRIVING)
    if said is None:
        return None
    told: dict[str, Any] = json.loads(said)
    after = tuple(each if isinstance(each, str | int) else bytes.fromhex(each["hex"]) for each in told["after"])
    return MoveMark(told["origin"], told["table"], after)


def _write_mark(session: Session, mark: MoveMark) -> None:
    session.run("DELETE FROM meta WHERE name = ?", ARRIVING)
    session.run("INSERT INTO meta (name, value) VALUES (?, ?)", ARRIVING, mark.to_text())


def begin(target: Store, origin: str) -> tuple[MoveMark, bool]:
    """Where to go on, and whether there was something to go on with. Refuses what is not empty."""

    def act(session: Session) -> tuple[MoveMark, bool]:
        mark = _read_mark(session)
        if mark is not None and mark.origin == origin:
            return mark, True
        if mark is not None:
            raise Refusal(
                Failure.CONFLICT,
                f"Another move, from {mark.origin}, was cut off there. Finish that, or name an empty target.",
                field="to",
            )
        taken = next((each.name for each in list_tables() if scalar(session, f"SELECT 1 FROM {each.name} LIMIT 1")), "")
        if taken:
            raise Refusal(
                Failure.ALREADY_EXISTS,
                "There is something in the target already; nothing was moved. Name one that is empty.",
                field="to",
            )
        _write_mark(session, MoveMark(origin))
        return MoveMark(origin), False

    return target.operate(act)


def count_rows(session: Session) -> int:
    return sum(int(scalar(session, f"SELECT count(*) FROM {table.name}")) for table in list_tables())


def copy_rows(source: Session, target: Store, mark: MoveMark, *, change: Change, report: Report) -> None:
    """All that is missing yet; each batch is committed with how far that is."""
    tables = list_tables()
    names = [table.name for table in tables]
    total, done = count_rows(source), 0
    with target.database.read() as session:
        done = count_rows(session)
    for table in tables[names.index(mark.table) if mark.table else 0 :]:
        after = mark.after if table.name == mark.table else ()
        while rows := source.rows(table.after(after), *after):
            after = table.key_of(rows[-1])
            changed = [change(table.name, row) for row in rows]

            def keep(session: Session, here: TableShape = table, to: Row = after, rows: list[Row] = changed) -> None:
                session.run_many(here.insert, rows)
                _write_mark(session, MoveMark(mark.origin, here.name, to))

            target.operate(keep)
            done += len(rows)
            report(done, total, table.name)


Account = dict[str, dict[str, tuple[int, str]]]


def take_account(session: Session, change: Change = lambda table, row: row) -> Account:
    """For each table and collection: how many rows, and a digest of them that does not depend on their order."""
    account: Account = {}
    for table in list_tables():
        sums: dict[str, tuple[int, int]] = {}
        for row in _all_rows(session, table):
            said = repr(tuple(_plain(each) for each in change(table.name, row))).encode()
            number = int.from_bytes(hashlib.blake2b(said, digest_size=LETTERS // 2).digest())
            count, summed = sums.get(str(row[0]), (0, 0))
            sums[str(row[0])] = (count + 1, (summed + number) % (1 << 4 * LETTERS))
        account[table.name] = {name: (count, f"{summed:0{LETTERS}x}") for name, (count, summed) in sums.items()}
    return account


def _plain(value: Any) -> Any:
    """One spelling for what databases give back in several."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _all_rows(session: Session, table: TableShape) -> Iterator[Row]:
    after: Row = ()
    while rows := session.rows(table.after(after), *after):
        yield from rows
        after = table.key_of(rows[-1])


def differences(one: Account, other: Account) -> list[str]:
    """Which tables of which collections are not alike."""
    return [
        f"{table} of {name}"
        for table in one
        for name in sorted(one[table].keys() | other[table].keys())
        if one[table].get(name) != other[table].get(name)
    ]


def finish(source: Session, target: Store, *, left_out: str) -> None:
    """Bring what stands beside the tables, but names that begin so; from now on the target can be opened."""
    rows = [row for row in source.rows("SELECT name, value FROM meta") if row[0] not in _OWN]
    rows = [row for row in rows if not left_out or not str(row[0]).startswith(left_out)]

    def act(session: Session) -> None:
        session.run("DELETE FROM meta WHERE name <> 'format'")
        session.run_many("INSERT INTO meta (name, value) VALUES (?, ?)", rows)

    target.operate(act)


def clear(target: Store) -> None:
    """Of a move that came to nothing, nothing is left."""

    def act(session: Session) -> None:
        take_time(session)
        for table in list_tables():
            session.run(f"DELETE FROM {table.name}")
        session.run("DELETE FROM meta WHERE name <> 'format'")

    target.operate(act)


def has_collection(session: Session, name: str) -> bool:
    return bool(scalar(session, "SELECT 1 FROM collection WHERE name = ?", name))


def rename_rows(session: Session, name: str, wanted: str) -> None:
    take_time(session)
    session.run("UPDATE collection SET name = ? WHERE name = ?", wanted, name)
    for table in _shared_tables():
        session.run(f"UPDATE {table} SET collection = ? WHERE collection = ?", wanted, name)
    for said in _names_of(session, name):
        session.run("UPDATE meta SET name = ? WHERE name = ?", f"{said.partition(':')[0]}:{wanted}", said)
    end_renaming(session)
    session.run("INSERT INTO meta (name, value) VALUES (?, ?)", _RENAMED, json.dumps([name, wanted]))


def read_renaming(session: Session) -> tuple[str, str] | None:
    """From what to what a collection was renamed last, until that is ended."""
    said = scalar(session, "SELECT value FROM meta WHERE name = ?", _RENAMED)
    if said is None:
        return None
    name, wanted = json.loads(said)
    return name, wanted


def end_renaming(session: Session) -> None:
    """What stands outside of the tables knows the new name too."""
    session.run("DELETE FROM meta WHERE name = ?", _RENAMED)


def delete_rows(session: Session, name: str) -> tuple[int, tuple[str, ...]]:
    """How many rows there were, and the files of the index that nobody needs any more."""
    take_time(session)
    sealed = session.rows("SELECT segments FROM manifest WHERE collection = ?", name)
    counted = 0
    for table in _shared_tables():
        counted += int(scalar(session, f"SELECT count(*) FROM {table} WHERE collection = ?", name))
        session.run(f"DELETE FROM {table} WHERE collection = ?", name)
    session.run("DELETE FROM collection WHERE name = ?", name)
    for said in _names_of(session, name):
        session.run("DELETE FROM meta WHERE name = ?", said)
    shared_files.unshare(session, but=[each + SUFFIX for each in read_names(session)])
    return counted, tuple(each + SUFFIX for (held,) in sealed for each in json.loads(held))


def _shared_tables() -> list[str]:
    return [table.name for table in list_tables() if table.name != "collection"]


def _names_of(session: Session, collection: str) -> list[str]:
    """What is noted of a collection beside its rows, each by what it is and the collection's name."""
    names = [name for (name,) in session.rows("SELECT name FROM meta")]
    return [name for name in names if name.partition(":")[1:] == (":", collection)]
