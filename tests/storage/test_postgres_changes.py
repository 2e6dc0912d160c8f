"""Servers hear of what others commit: at once where PostgreSQL tells, and by looking where a pooler keeps that to
itself or the connection is lost."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from memotheca.entries.entries import NewEntry, store_entry
from memotheca.kernel.kernel import Kernel
from memotheca.server.events import Hub
from memotheca.server.resources import RESOURCES
from memotheca.storage.database import Session
from memotheca.storage.postgres import postgres_listener
from memotheca.storage.postgres.postgres_listener import PostgresListener
from memotheca.storage.store import Store
from tests.patience import PATIENCE, until
from tests.storage.postgres_server import needs_postgres, open_on_postgres, shared_server

pytestmark = needs_postgres


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    yield shared_server().for_data(tmp_path)
    shared_server().clear(tmp_path)


@pytest.fixture
def pair(address: str) -> Iterator[tuple[Any, Store]]:
    """Who listens, and who writes."""
    one, other = open_on_postgres(address), open_on_postgres(address)
    yield one, other
    for store in (one, other):
        store.close()


def put(store: Store, title: str = "tea") -> None:
    store_entry(Kernel(store, "default"), NewEntry(title=title, body=""), actor="test")


def listener_of(store: Any) -> PostgresListener:
    store.database.heard()
    return store.database._listener


def test_a_commit_of_another_server_is_heard(pair: tuple[Any, Store], monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = pair
    listener = listener_of(one)
    until(lambda: listener.is_heard)
    monkeypatch.setattr(postgres_listener, "HEARD_SECONDS", 1000.0)
    since = one.database.heard()
    put(other)
    one.database.wait_for_change(since)
    assert one.database.heard() > since


def test_what_is_rolled_back_is_not_told(pair: tuple[Any, Store]) -> None:
    one, other = pair
    listener = listener_of(one)
    until(lambda: listener.is_heard)
    since = one.database.heard()

    def fail(session: Session) -> None:
        session.rows("SELECT pg_notify('memotheca', '')")
        raise KeyError

    with pytest.raises(KeyError):
        other.operate(fail)
    one.database.wait_for_change(since)
    assert one.database.heard() == since


def test_where_nothing_is_heard_it_is_looked_for(pair: tuple[Any, Store], monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = pair
    monkeypatch.setattr(postgres_listener, "TRIED_SECONDS", 0.2)
    # As a pooler does: it is taken, and on another connection than the next.
    monkeypatch.setattr(type(one.database), "_say", lambda self, word: None)
    listener = listener_of(one)
    began = time.monotonic()
    while time.monotonic() - began < 1:
        one.database.wait_for_change(listener.count)
    assert not listener.is_heard
    put(other)
    assert told_of(one, other) == 2


def test_a_lost_connection_is_made_anew(pair: tuple[Any, Store], address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import psycopg

    one, other = pair
    monkeypatch.setattr(postgres_listener, "AGAIN_SECONDS", 0.1)
    listener = listener_of(one)
    until(lambda: listener.is_heard)
    anew: list[int] = []
    connect = listener._connect
    monkeypatch.setattr(listener, "_connect", lambda: anew.append(1) or connect())
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE query LIKE 'LISTEN%' AND pid <> pg_backend_pid()"
        )
    until(lambda: anew and listener.is_heard)
    since = one.database.heard()
    put(other)
    one.database.wait_for_change(since)
    assert one.database.heard() > since


def told_of(one: Store, other: Store) -> int:
    """The transaction that a subscriber of one server is told of when the other commits."""
    told: list[int] = []

    async def follow() -> None:
        hub = Hub(Kernel(one, "default"))
        subscriber = hub.join()
        await hub.follow(subscriber, RESOURCES[0].uri)

        async def send(uri: str, note: dict[str, Any]) -> None:
            told.append(note["tx_id"])
            group.cancel_scope.cancel()

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as group:
                group.start_soon(hub.run)
                group.start_soon(subscriber.deliver, send)
                await anyio.to_thread.run_sync(put, other, "milk")

    anyio.run(follow)
    return told[0]


def test_a_subscriber_is_told_of_what_another_server_does(pair: tuple[Any, Store]) -> None:
    one, other = pair
    put(other)
    assert told_of(one, other) == 2
