"""The log of retrievals: what was asked and shown lately, and what of it was used, kept until it is written; no read
waits for it (memory-model: Retrievals)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from threading import Lock

from memotheca.model.clock import DAY
from memotheca.storage.database import Session
from memotheca.storage.instruments.retrievals import (
    FirstShown,
    LeadingShown,
    RetrievalRow,
    add_retrievals,
    find_retrieval,
    judged_retrievals,
    mark_used,
    recent_firsts,
    recent_leading,
    recent_ratings,
    recent_retrievals,
)

# How surely something is of use that was opened, that a new memory was linked to or cites, whose importance was raised.
OPENED, CITED, BOOSTED = 0.5, 0.9, 0.9  # chosen: to open something is to look whether it is of use
LASTING = DAY  # specification: what was predicted is settled within a day (memory-model: Retrievals)
LATEST = 20  # chosen: of a session, what something that is used now may have been shown by
HELD = 1_000  # chosen: where nothing can be written for long, the newest are kept

Place = tuple[str, str]
Mark = tuple[str, str]


class RetrievalLog:
    """What this process has retrieved and not yet written, of each collection; it can be read until it is."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._rows: dict[str, dict[str, RetrievalRow]] = {}
        self._marks: dict[str, dict[Mark, float]] = {}

    def keep(self, collection: str, row: RetrievalRow) -> None:
        with self._guard:
            rows = self._rows.setdefault(collection, {})
            rows[row.id] = row
            for id in list(rows)[:-HELD]:
                del rows[id]

    def find(self, session: Session, collection: str, id: str) -> RetrievalRow | None:
        with self._guard:
            row = self._rows.get(collection, {}).get(id)
        # What is being written meanwhile is in the one place or in the other.
        row = row or find_retrieval(session, collection, id)
        return None if row is None else self._marked(collection, [row])[0]

    def last(
        self, session: Session, collection: str, *, limit: int, since: int = 0, of_session: str | None = None
    ) -> list[RetrievalRow]:
        """The newest retrievals, of all sessions or of one, newest first."""
        with self._guard:
            fresh = [
                row
                for row in reversed(self._rows.get(collection, {}).values())
                if row.time >= since and of_session in (None, row.session)
            ]
        known = {row.id for row in fresh}
        written = recent_retrievals(session, collection, limit=limit, since=since, of_session=of_session)
        rows = [*fresh, *(row for row in written if row.id not in known)]
        rows.sort(key=lambda row: -row.time)
        return self._marked(collection, rows[:limit])

    def judged(self, session: Session, collection: str, *, among: int, since: int = 0) -> list[RetrievalRow]:
        """Of the newest retrievals those of which something is known: of use, or said to have helped or not. What
        nothing is known of, which is most, is not read."""
        with self._guard:
            held = [row for row in self._rows.get(collection, {}).values() if row.time >= since]
            marked = {id for id, _ in self._marks.get(collection, {})}
        fresh = {row.id: row for row in held if row.how or row.outcome is not None or row.id in marked}
        left = max(0, among - len(held))
        written = judged_retrievals(session, collection, among=left, since=since, marked=sorted(marked))
        rows = [*reversed(fresh.values()), *(row for row in written if row.id not in fresh)]
        return self._marked(collection, sorted(rows, key=lambda row: -row.time)[:among])

    def count(self, collection: str, domain: str | None = None) -> int:
        """How many are not yet written, of a domain or of all."""
        with self._guard:
            return sum(domain in (None, row.domain) for row in self._rows.get(collection, {}).values())

    def firsts(
        self, session: Session, collection: str, *, limit: int, of_session: str | None = None
    ) -> list[FirstShown]:
        """What the newest retrievals showed first, of all sessions or of one, newest first."""
        with self._guard:
            fresh = {
                row.id: FirstShown(row.id, row.time, row.session, row.shown[0].entry_id)
                for row in reversed(self._rows.get(collection, {}).values())
                if row.shown and of_session in (None, row.session)
            }
        written = recent_firsts(session, collection, limit=limit, of_session=of_session)
        found = [*fresh.values(), *(each for each in written if each.id not in fresh)]
        return sorted(found, key=lambda each: -each.time)[:limit]

    def leading(self, session: Session, collection: str, *, limit: int, since: int, places: int) -> list[LeadingShown]:
        """What the newest retrievals showed in their first places, newest first."""
        with self._guard:
            held = [row for row in self._rows.get(collection, {}).values() if row.time >= since]
        fresh = {
            row.id: LeadingShown(
                row.id, row.time, tuple((each.entry_id, each.signals.get("cosine")) for each in row.shown[:places])
            )
            for row in reversed(held)
        }
        written = recent_leading(session, collection, limit=limit, since=since, places=places)
        found = [*fresh.values(), *(each for each in written if each.id not in fresh)]
        return sorted(found, key=lambda each: -each.time)[:limit]

    def ratings(self, session: Session, collection: str, *, among: int) -> list[tuple[float, float]]:
        """What was predicted and what came of it, of those of the newest retrievals whose outcome is known."""
        with self._guard:
            fresh = {
                row.id: (row.predicted, row.outcome)
                for row in self._rows.get(collection, {}).values()
                if row.predicted is not None and row.outcome is not None
            }
        return list((recent_ratings(session, collection, among=among) | fresh).values())

    def mark(self, session: Session, place: Place, ids: Iterable[str], sure: float, *, now: int) -> None:
        """Entries were of use: a weak label for the latest retrieval of their session that showed them."""
        collection, name = place
        wanted = set(ids)
        for row in self.last(session, collection, limit=LATEST, since=now - LASTING, of_session=name):
            shown = wanted & {each.entry_id for each in row.shown}
            with self._guard:
                marks = self._marks.setdefault(collection, {})
                for id in shown:
                    marks[row.id, id] = max(sure, marks.get((row.id, id), 0.0))
            wanted -= shown

    def waiting(self) -> tuple[dict[str, list[RetrievalRow]], dict[str, dict[Mark, float]]]:
        """What is to be written now."""
        with self._guard:
            rows = {collection: list(held.values()) for collection, held in self._rows.items() if held}
            marks = {collection: dict(held) for collection, held in self._marks.items() if held}
        return rows, marks

    def let_go(self, rows: Mapping[str, Sequence[RetrievalRow]], marks: Mapping[str, Mapping[Mark, float]]) -> None:
        """What is written can be read again."""
        with self._guard:
            for collection, written in rows.items():
                for row in written:
                    self._rows[collection].pop(row.id, None)
            for collection, marked in marks.items():
                for mark, sure in marked.items():
                    if self._marks[collection].get(mark) == sure:
                        del self._marks[collection][mark]

    def _marked(self, collection: str, rows: Sequence[RetrievalRow]) -> list[RetrievalRow]:
        with self._guard:
            marks = dict(self._marks.get(collection, {}))
        if not marks:
            return list(rows)
        return [
            replace(
                row,
                shown=tuple(
                    replace(each, used=max(each.used, marks.get((row.id, each.entry_id), 0.0))) for each in row.shown
                ),
            )
            for row in rows
        ]


def write_retrievals(
    session: Session, rows: Mapping[str, Sequence[RetrievalRow]], marks: Mapping[str, Mapping[Mark, float]]
) -> None:
    for collection, made in rows.items():
        add_retrievals(session, collection, made)
    for collection, marked in marks.items():
        mark_used(session, collection, [(*mark, sure) for mark, sure in marked.items()])
