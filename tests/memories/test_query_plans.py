"""However many edges and memories there are, no instrument looks for one in all of them again and again."""

import asyncio
from typing import Any

import pytest

from memotheca.storage import sqlite
from tests.memories.librarian import Librarian
from tests.server.instrument_steps import play

# A search that is bound by nothing but the collection goes through all that the collection has.
OF_ALL = "(collection=?)"


def test_what_is_asked_for_each_of_many_is_found_by_an_index(
    librarian: Librarian, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if database != "sqlite":
        pytest.skip("it asks SQLite how it would go about it")
    asked: dict[str, tuple[Any, ...]] = {}
    execute = sqlite._execute  # pyright: ignore[reportPrivateUsage]

    def note(connection: Any, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        asked.setdefault(sql, values)
        return execute(connection, sql, values)

    monkeypatch.setattr(sqlite, "_execute", note)

    async def ask(name: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        return "", librarian.call(name, **arguments)

    asyncio.run(play(ask))
    monkeypatch.undo()
    with librarian.kernel.read() as snapshot:
        plans = {
            sql: [row[3] for row in snapshot.session.rows(f"EXPLAIN QUERY PLAN {sql}", *values)]
            for sql, values in asked.items()
            if sql.startswith(("SELECT", "DELETE", "UPDATE", "INSERT", "WITH"))
        }
    assert len(plans) > 50
    assert [sql for sql, steps in plans.items() if _goes_through_all(steps)] == []


def _goes_through_all(steps: list[str]) -> bool:
    """Whether something that is asked for each row of another search has to be looked for in everything."""
    places = [place for place, step in enumerate(steps) if step.startswith("CORRELATED")]
    inner = [steps[place + 1] for place in places if place + 1 < len(steps)]
    return any(step.endswith(OF_ALL) or step.startswith("SCAN") for step in inner)
