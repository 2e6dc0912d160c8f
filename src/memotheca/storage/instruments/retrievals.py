"""Retrievals: what was asked, what was shown for it and by which signals, and what became of it. Operational, bounded;
a question is content, so that it goes with whatever it showed."""

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memotheca.storage.activity import kept_ids
from memotheca.storage.database import Row, Session, scalar

KEPT = 5_000  # chosen: months of questions, some MB
# How it is known what became of a retrieval: something it showed was used, or somebody said.
USED, STATED = "used", "stated"
# Pairs of what was shown together are counted among the first so many of each retrieval that is kept.
TOGETHER = 5  # chosen: further down being shown together says little

TABLES = (
    """CREATE TABLE retrieval (
        collection TEXT NOT NULL,
        id TEXT NOT NULL,
        number BIGINT NOT NULL,
        time BIGINT NOT NULL,
        session TEXT NOT NULL,
        way TEXT NOT NULL,
        query TEXT NOT NULL,
        domain TEXT NOT NULL,
        predicted REAL,
        outcome REAL,
        observed BIGINT,
        how TEXT NOT NULL,
        facts TEXT NOT NULL,
        PRIMARY KEY (collection, id)
    )""",
    "CREATE INDEX retrieval_by_number ON retrieval (collection, number)",
    "CREATE INDEX retrieval_by_session ON retrieval (collection, session, number)",
    """CREATE TABLE retrieved (
        collection TEXT NOT NULL,
        retrieval_id TEXT NOT NULL,
        place BIGINT NOT NULL,
        entry_id TEXT NOT NULL,
        score REAL NOT NULL,
        used REAL NOT NULL,
        signals TEXT NOT NULL,
        PRIMARY KEY (collection, retrieval_id, place)
    )""",
    "CREATE INDEX retrieved_by_entry ON retrieved (collection, entry_id)",
    """CREATE TABLE co_retrieval (
        collection TEXT NOT NULL,
        one TEXT NOT NULL,
        other TEXT NOT NULL,
        times BIGINT NOT NULL,
        last BIGINT NOT NULL,
        PRIMARY KEY (collection, one, other)
    )""",
    "CREATE INDEX co_retrieval_by_other ON co_retrieval (collection, other)",
    "CREATE INDEX co_retrieval_by_times ON co_retrieval (collection, times)",
)
QUERY_TYPE = "query_type"
_COLUMNS = "id, time, session, way, query, domain, predicted, outcome, observed, how, facts"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownEntry:
    """An entry that a retrieval showed: its score, the signals behind it, and how surely it was of use."""

    entry_id: str
    score: float
    signals: Mapping[str, float] = field(default_factory=dict[str, float])
    used: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalRow:
    """A question that was answered: in which session and which way, what it showed, how well it was thought to help,
    and what is known by now of whether it did."""

    id: str
    time: int
    session: str
    way: str
    query: str
    domain: str = "General"
    predicted: float | None = None
    outcome: float | None = None
    observed: int | None = None
    how: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    shown: tuple[ShownEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class ObservedOutcome:
    """How well a retrieval was thought to help, and how well it did, as somebody said when."""

    domain: str
    predicted: float | None
    outcome: float
    observed: int
    query_type: str = ""


@dataclass(frozen=True, slots=True)
class FirstShown:
    """What a retrieval showed first."""

    id: str
    time: int
    session: str
    entry_id: str


@dataclass(frozen=True, slots=True)
class LeadingShown:
    """The entries that a retrieval showed first, each with its cosine, where it has one."""

    id: str
    time: int
    shown: tuple[tuple[str, float | None], ...]


def add_retrievals(session: Session, collection: str, rows: Sequence[RetrievalRow]) -> None:
    """Write down what was retrieved, and count what was shown together; the oldest go when there are too many. A
    question that showed what is erased by now is not written; what was only forgotten since tells whether it helped."""
    kept = kept_ids(session, collection, {each.entry_id for row in rows for each in row.shown})
    rows = [row for row in rows if all(each.entry_id in kept for each in row.shown)]
    last = int(scalar(session, "SELECT coalesce(max(number), 0) FROM retrieval WHERE collection = ?", collection))
    session.run_many(
        f"INSERT INTO retrieval (collection, number, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                collection,
                last + place,
                row.id,
                row.time,
                row.session,
                row.way,
                row.query,
                row.domain,
                row.predicted,
                row.outcome,
                row.observed,
                row.how,
                json.dumps(dict(row.facts)),
            )
            for place, row in enumerate(rows, 1)
        ],
    )
    session.run_many(
        "INSERT INTO retrieved (collection, retrieval_id, place, entry_id, score, used, signals) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (collection, row.id, place, each.entry_id, each.score, each.used, json.dumps(dict(each.signals)))
            for row in rows
            for place, each in enumerate(row.shown, 1)
        ],
    )
    session.run_many(
        "INSERT INTO co_retrieval (collection, one, other, times, last) VALUES (?, ?, ?, 1, ?) "
        "ON CONFLICT (collection, one, other) DO UPDATE SET times = co_retrieval.times + 1, last = excluded.last",
        [(collection, *pair, row.time) for row in rows for pair in _pairs(row)],
    )
    if (too_old := last + len(rows) - KEPT) > 0:
        _drop(session, collection, "number <= ?", too_old)


def _pairs(row: RetrievalRow) -> Iterable[tuple[str, str]]:
    return itertools.combinations(sorted({each.entry_id for each in row.shown[:TOGETHER]}), 2)


def _drop(session: Session, collection: str, which: str, *values: int | str) -> None:
    """Forget retrievals, and that what they showed was shown together."""
    rows = session.rows(f"SELECT {_COLUMNS} FROM retrieval WHERE collection = ? AND {which}", collection, *values)
    gone = _with_shown(session, collection, rows)
    pairs = [(collection, *pair) for row in gone for pair in _pairs(row)]
    session.run_many("UPDATE co_retrieval SET times = times - 1 WHERE collection = ? AND one = ? AND other = ?", pairs)
    session.run("DELETE FROM co_retrieval WHERE collection = ? AND times <= 0", collection)
    for table, column in (("retrieval", "id"), ("retrieved", "retrieval_id")):
        session.run_many(
            f"DELETE FROM {table} WHERE collection = ? AND {column} = ?", [(collection, row.id) for row in gone]
        )


def find_retrieval(session: Session, collection: str, id: str) -> RetrievalRow | None:
    rows = session.rows(f"SELECT {_COLUMNS} FROM retrieval WHERE collection = ? AND id = ?", collection, id)
    return next(iter(_with_shown(session, collection, rows)), None)


def recent_retrievals(
    session: Session, collection: str, *, limit: int, since: int = 0, of_session: str | None = None
) -> list[RetrievalRow]:
    """The newest retrievals, of all sessions or of one, newest first."""
    within, values = ("", ()) if of_session is None else (" AND session = ?", (of_session,))
    rows = session.rows(
        f"SELECT {_COLUMNS} FROM retrieval WHERE collection = ?{within} AND time >= ? ORDER BY number DESC LIMIT ?",
        collection,
        *values,
        since,
        limit,
    )
    return _with_shown(session, collection, rows)


def judged_retrievals(
    session: Session, collection: str, *, among: int, since: int, marked: Sequence[str]
) -> list[RetrievalRow]:
    """Of the newest so many retrievals those of which it is known what became of them, or that are marked and not yet
    written so, newest first."""
    rows = session.rows(
        f"SELECT {_COLUMNS} FROM (SELECT {_COLUMNS}, number FROM retrieval WHERE collection = ? AND time >= ? "
        "ORDER BY number DESC LIMIT ?) latest WHERE how <> '' OR outcome IS NOT NULL "
        "OR id IN (SELECT value FROM json_each(?)) ORDER BY number DESC",
        collection,
        since,
        among,
        json.dumps(marked),
    )
    return _with_shown(session, collection, rows)


def recent_firsts(session: Session, collection: str, *, limit: int, of_session: str | None = None) -> list[FirstShown]:
    """What the newest retrievals showed first, of all sessions or of one, newest first; without what showed nothing."""
    within, values = ("", ()) if of_session is None else (" AND r.session = ?", (of_session,))
    rows = session.rows(
        "SELECT r.id, r.time, r.session, s.entry_id FROM retrieval r CROSS JOIN retrieved s ON s.collection = "
        f"r.collection AND s.retrieval_id = r.id AND s.place = 1 WHERE r.collection = ?{within} "
        "ORDER BY r.number DESC LIMIT ?",
        collection,
        *values,
        limit,
    )
    return [FirstShown(*row) for row in rows]


def recent_leading(session: Session, collection: str, *, limit: int, since: int, places: int) -> list[LeadingShown]:
    """What the newest retrievals showed in their first places, newest first; also those that showed nothing."""
    found: dict[tuple[str, int], list[tuple[str, float | None]]] = {}
    for id, time, entry_id, signals in session.rows(
        "SELECT r.id, r.time, s.entry_id, s.signals FROM (SELECT id, time, number FROM retrieval WHERE collection = ? "
        "AND time >= ? ORDER BY number DESC LIMIT ?) r LEFT JOIN retrieved s ON s.collection = ? "
        "AND s.retrieval_id = r.id AND s.place <= ? ORDER BY r.number DESC, s.place",
        collection,
        since,
        limit,
        collection,
        places,
    ):
        shown = found.setdefault((id, time), [])
        if entry_id is not None:
            shown.append((entry_id, json.loads(signals).get("cosine")))
    return [LeadingShown(id, time, tuple(shown)) for (id, time), shown in found.items()]


def recent_ratings(session: Session, collection: str, *, among: int) -> dict[str, tuple[float, float]]:
    """Of the newest so many retrievals those whose outcome is known: what was predicted and what came of it, by id."""
    rows = session.rows(
        "SELECT id, predicted, outcome FROM (SELECT id, predicted, outcome FROM retrieval WHERE collection = ? "
        "ORDER BY number DESC LIMIT ?) latest WHERE predicted IS NOT NULL AND outcome IS NOT NULL",
        collection,
        among,
    )
    return {id: (float(predicted), float(outcome)) for id, predicted, outcome in rows}


def _with_shown(session: Session, collection: str, rows: Sequence[Row]) -> list[RetrievalRow]:
    shown: dict[str, list[ShownEntry]] = {}
    found = session.rows(
        "SELECT r.retrieval_id, r.entry_id, r.score, r.used, r.signals FROM json_each(?) wanted CROSS JOIN retrieved r "
        "ON r.collection = ? AND r.retrieval_id = wanted.value ORDER BY r.retrieval_id, r.place",
        json.dumps([row[0] for row in rows]),
        collection,
    )
    # Read as one text: thousands of small ones take three times as long.
    signals = json.loads(f"[{','.join(row[4] for row in found)}]")
    for (id, entry_id, score, used, _), each in zip(found, signals, strict=True):
        shown.setdefault(id, []).append(ShownEntry(entry_id=entry_id, score=score, used=used, signals=each))
    names = _COLUMNS.split(", ")
    return [
        RetrievalRow(
            **{**dict(zip(names, row, strict=True)), "facts": json.loads(row[-1])}, shown=tuple(shown.get(row[0], ()))
        )
        for row in rows
    ]


def set_outcome(session: Session, collection: str, row: RetrievalRow) -> None:
    """Write down what became of a retrieval: its outcome, when and how that was known, and of which domain it was."""
    session.run(
        "UPDATE retrieval SET outcome = ?, observed = ?, how = ?, domain = ?, facts = ? "
        "WHERE collection = ? AND id = ?",
        row.outcome,
        row.observed,
        row.how,
        row.domain,
        json.dumps(dict(row.facts)),
        collection,
        row.id,
    )


def mark_used(session: Session, collection: str, marks: Iterable[tuple[str, str, float]]) -> None:
    """Entries that turned out to be of use, as (retrieval, entry, how surely); a surer mark stays."""
    marks = list(marks)
    session.run_many(
        "UPDATE retrieval SET how = ? WHERE collection = ? AND id = ? AND outcome IS NULL",
        [(USED, collection, retrieval) for retrieval, _, _ in marks],
    )
    session.run_many(
        "UPDATE retrieved SET used = ? WHERE collection = ? AND retrieval_id = ? AND entry_id = ? AND used < ?",
        [(sure, collection, retrieval, entry, sure) for retrieval, entry, sure in marks],
    )


def observed_outcomes(session: Session, collection: str) -> list[ObservedOutcome]:
    """What is known of how retrievals helped, the latest first."""
    rows = session.rows(
        "SELECT domain, predicted, outcome, observed, facts FROM retrieval "
        "WHERE collection = ? AND outcome IS NOT NULL ORDER BY observed DESC, number DESC",
        collection,
    )
    return [
        ObservedOutcome(domain, predicted, outcome, int(observed), str(json.loads(facts).get(QUERY_TYPE, "")))
        for domain, predicted, outcome, observed, facts in rows
    ]


def count_retrievals(session: Session, collection: str) -> dict[tuple[str, str], int]:
    """How many there are of each domain, by how it is known what became of them."""
    rows = session.rows(
        "SELECT domain, how, count(*) FROM retrieval WHERE collection = ? GROUP BY domain, how", collection
    )
    return {(domain, how): int(count) for domain, how, count in rows}


def labelled_retrievals(
    session: Session, collection: str, *, hows: Sequence[str] = (USED, STATED), limit: int = KEPT
) -> list[RetrievalRow]:
    """Those of which it is known what became of them, newest first, with what they showed."""
    rows = session.rows(
        f"SELECT {_COLUMNS} FROM retrieval WHERE collection = ? AND how IN (SELECT value FROM json_each(?)) "
        "ORDER BY number DESC LIMIT ?",
        collection,
        json.dumps(hows),
        limit,
    )
    return _with_shown(session, collection, rows)


def co_retrieved(session: Session, collection: str, *, least: int, limit: int) -> list[tuple[str, str, int, int]]:
    """Pairs that were shown together at least so often: (one, other, times, last), the most frequent first."""
    rows = session.rows(
        "SELECT one, other, times, last FROM co_retrieval WHERE collection = ? AND times >= ? "
        "ORDER BY times DESC, one, other LIMIT ?",
        collection,
        least,
        limit,
    )
    return [(one, other, int(times), int(last)) for one, other, times, last in rows]


def co_retrieved_with(session: Session, collection: str, id: str) -> dict[str, tuple[int, int]]:
    """What an entry was shown together with: how often, and when last."""
    found: dict[str, tuple[int, int]] = {}
    for own, theirs in (("one", "other"), ("other", "one")):
        sql = f"SELECT {theirs}, times, last FROM co_retrieval WHERE collection = ? AND {own} = ?"
        found |= {other: (int(times), int(last)) for other, times, last in session.rows(sql, collection, id)}
    return found


def most_shown(session: Session, collection: str, kinds: Sequence[str], *, limit: int) -> list[str]:
    """The living entries of some kinds that retrievals showed most often; of equals the later made."""
    rows = session.rows(
        "SELECT s.entry_id FROM (SELECT entry_id, count(*) AS times FROM retrieved WHERE collection = ? "
        "GROUP BY entry_id) s JOIN entry_head e ON e.collection = ? AND e.id = s.entry_id "
        "WHERE e.kind IN (SELECT value FROM json_each(?)) ORDER BY s.times DESC, s.entry_id DESC LIMIT ?",
        collection,
        collection,
        json.dumps(kinds),
        limit,
    )
    return [id for (id,) in rows]


def drop_retrievals(session: Session, collection: str, entry_id: str) -> None:
    """Forget every question that an entry was shown for."""
    showed = "SELECT retrieval_id FROM retrieved WHERE collection = ? AND entry_id = ?"
    _drop(session, collection, f"id IN ({showed})", collection, entry_id)
