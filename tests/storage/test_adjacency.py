"""Edges of many entries at once: the same few are looked at however many there are."""

from typing import Any, cast

import pytest

from memotheca.model.knowledge import Entry
from memotheca.storage.adjacency import predicates_of, triples_at, triples_saying
from memotheca.storage.database import Row, Session, Value
from memotheca.storage.snapshot import Snapshot
from tests.conftest import Agent


class Planned:
    """A session that tells how each statement would be carried out."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.steps: list[str] = []

    def rows(self, sql: str, *values: Value) -> list[Row]:
        self.steps += [row[3] for row in self._session.rows(f"EXPLAIN QUERY PLAN {sql}", *values)]
        return self._session.rows(sql, *values)

    def run(self, sql: str, *values: Value) -> None:
        self._session.run(sql, *values)

    def run_many(self, sql: str, batches: Any) -> None:
        self._session.run_many(sql, batches)


@pytest.fixture
def ada(agent: Agent) -> Agent:
    agent.call("relate", subject="Ada", predicate="works_at", object="Analytical Engines")
    agent.call("relate", subject="Bob", predicate="knows", object="Ada")
    agent.call("relate", subject="Bob", predicate="works_at", object="Harbour")
    return agent


def test_triples_are_found_by_either_end_and_by_what_they_say(ada: Agent) -> None:
    with ada.kernel.read() as snapshot:
        name = next(each.id for each in snapshot.entries(("entity",)) if cast(Entry, each.thing).title == "Ada")
        at = [(each.subject, each.predicate, each.object) for each in triples_at(snapshot, [name], limit=10)]
        assert at == [("ada", "works_at", "analytical engines"), ("bob", "knows", "ada")]
        assert sorted(predicates_of(snapshot)) == ["knows", "works_at"]
        saying = [each.subject for each in triples_saying(snapshot, ["works_at"], limit=10)]
        assert saying == ["ada", "bob"]
        assert [each.subject for each in triples_saying(snapshot, ["works_at"], limit=1)] == ["ada"]


def test_no_question_about_triples_goes_through_all_edges(ada: Agent, database: str) -> None:
    if database != "sqlite":
        pytest.skip("it asks SQLite how it would go about it")
    with ada.kernel.read() as snapshot:
        session = Planned(snapshot.session)
        planned = Snapshot(session, snapshot.collection)
        triples_at(planned, ["x"], limit=10)
        triples_saying(planned, ["works_at"], limit=10)
    edges = [step for step in session.steps if " e " in step]
    assert len(edges) == 3
    assert all("source=?" in step or "target=?" in step for step in edges), edges
