"""Nobody misses a change: who was slow hears that it missed something and from where to read, everybody else all of
it, once."""

import json
import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from memotheca import settings
from memotheca.admin.history import undo
from memotheca.admin.transfer import import_lines
from memotheca.app import App, build
from memotheca.entries.entries import NewEntry, store_entry
from memotheca.model.clock import system_clock
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.server import events
from memotheca.server.events import Hub
from memotheca.toolkit.tool import Call
from tests.patience import PATIENCE
from tests.server.raw import RawServer

ENTRIES = "knowledge://entries"
TRANSACTIONS = "knowledge://history/transactions"
Told = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    found = build(settings.load({"data": str(tmp_path / "data")}, {}), clock=system_clock)
    choose_embedder(found.kernel.store, found.kernel.collection, "none")
    yield found
    found.kernel.store.close()


def write(app: App, count: int) -> int:
    """So many transactions; returns the number of the last."""
    made = [store_entry(app.kernel, NewEntry(title="t", body=str(n)), actor="x").version.tx for n in range(count)]
    return made[-1]


def write_at_once(app: App, count: int) -> None:
    """So many entries in one transaction."""
    about = {"type": "entity", "name": "many", "entityType": "x", "observations": [f"number {n}" for n in range(count)]}
    import_lines(app.kernel, [json.dumps(about)], actor="x", report=lambda done, total, said: None)


async def listening(
    app: App, uris: list[str], act: Callable[[], Awaitable[None]], until: Callable[[Told], bool]
) -> Told:
    """What a subscriber hears that begins to read only after `act`, up to what it waits for."""
    told: Told = []
    hub = Hub(app.kernel)
    subscriber = hub.join()
    enough = anyio.Event()

    async def hear(uri: str, note: dict[str, Any]) -> None:
        told.append((uri, note))
        if until(told):
            enough.set()

    for uri in uris:
        await hub.follow(subscriber, uri)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(hub.run)
        await act()
        tasks.start_soon(subscriber.deliver, hear)
        with anyio.fail_after(PATIENCE):
            await enough.wait()
        tasks.cancel_scope.cancel()
    return told


async def seen(app: App, hub_polls: int = 3) -> None:
    """Leave the hub time to look, more than once."""
    await anyio.sleep(events.POLL_SECONDS * hub_polls)


def test_who_is_too_slow_is_told_what_it_missed_and_then_goes_on(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "BACKLOG", 100)
    last: list[int] = []

    async def act() -> None:
        last.append(await anyio.to_thread.run_sync(write, app, 250))
        await seen(app)

    told = anyio.run(listening, app, [ENTRIES], act, lambda told: told[-1][1]["tx_id"] >= 250)
    whole, missed = told[:-1], told[-1][1]
    assert [note["tx_id"] for _, note in whole] == list(range(1, len(whole) + 1))
    assert len(whole) >= 100
    assert missed["missed"] is True
    assert (missed["missed_from_tx_id"], missed["tx_id"]) == (len(whole) + 1, 250)


def test_every_subscription_hears_of_one_large_undo_once(app: App) -> None:
    write_at_once(app, 1_200)
    uris = [f"{ENTRIES}/e-{number}" for number in range(1, 1_201)]

    async def act() -> None:
        await anyio.to_thread.run_sync(lambda: undo(app.kernel, actor="x"))
        await seen(app)

    told = anyio.run(listening, app, uris, act, lambda told: len(told) == 1_200)
    assert sorted(uri for uri, _ in told) == sorted(uris)
    assert {(note["tx_id"], note["change_type"]) for _, note in told} == {(2, "delete")}


def test_ten_thousand_subscriptions_hear_everything(app: App) -> None:
    write_at_once(app, 10_000)
    uris = [f"{ENTRIES}/e-{number}" for number in range(1, 10_001)]

    async def act() -> None:
        await anyio.to_thread.run_sync(lambda: undo(app.kernel, actor="x"))

    told = anyio.run(listening, app, uris, act, lambda told: len(told) == 10_000)
    assert {uri for uri, _ in told} == set(uris)


def test_a_suspended_server_tells_everything_when_it_wakes(tmp_path: Path) -> None:
    server = RawServer(tmp_path / "data").begin()
    assert server.request("resources/subscribe", {"uri": TRANSACTIONS})["result"] == {}
    pid = server.child.pid
    app = build(settings.load({"data": str(tmp_path / "data")}, {}), clock=system_clock)
    os.kill(pid, signal.SIGSTOP)
    try:
        write(app, 400)
    finally:
        os.kill(pid, signal.SIGCONT)
    told_of: list[int] = []
    while not told_of or told_of[-1] < 400:
        note = server.notification()["params"]["_meta"]["knowledge/change"]
        told_of += range(note.get("missed_from_tx_id", note["tx_id"]), note["tx_id"] + 1)
    assert told_of == list(range(1, 401))
    server.close()
    app.kernel.store.close()


def test_a_part_of_a_list_is_followed_alone(app: App) -> None:
    def say(topic: str, **more: Any) -> None:
        store_entry(app.kernel, NewEntry(title=topic, body="x", **more), actor="x")

    async def act() -> None:
        def several() -> None:
            say("Deployment on Monday")
            say("Tea")
            say("Milk", tags=("ops",))
            app.dispatcher.run("update", {"id": "e-1", "topic": "Holidays"}, call(app))
            app.dispatcher.run("update", {"id": "e-1", "content": "y"}, call(app))
            app.dispatcher.run("update", {"id": "e-2", "topic": "The deployment"}, call(app))
            app.dispatcher.run("relate", {"subject": "Ada", "predicate": "likes", "object": "tea"}, call(app))
            app.dispatcher.run("relate", {"subject": "Bob", "predicate": "likes", "object": "milk"}, call(app))

        await anyio.to_thread.run_sync(several)

    topic, tag, triple = f"{ENTRIES}?topic=deployment", f"{ENTRIES}?tags=ops", "knowledge://graph/triples?subject=ada"
    triples = f"{TRANSACTIONS}?entity_type=triple"
    uris = [topic, tag, triple, triples, TRANSACTIONS]
    told = anyio.run(listening, app, uris, act, lambda told: len([1 for uri, _ in told if uri == TRANSACTIONS]) == 8)
    heard = {uri: [note["tx_id"] for named, note in told if named == uri] for uri in uris}
    assert heard == {topic: [1, 4, 6], tag: [3], triple: [7], triples: [7, 8], TRANSACTIONS: list(range(1, 9))}


def call(app: App) -> Any:
    return Call(kernel=app.kernel, actor="x")
