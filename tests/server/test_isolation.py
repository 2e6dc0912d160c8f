"""Nothing of one collection is reached from another: by no id, handle, cursor, hash, task, key, resource or undo."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from memotheca import settings
from memotheca.app import build, open_collection
from memotheca.jobs.file_access import Upload
from memotheca.jobs.ingest_job import IngestJob
from memotheca.jobs.queue import bench_of, enqueue
from memotheca.memory.dream.sleeper import sleeper_of
from memotheca.model.errors import Refusal
from memotheca.search.chosen_embedder import choose_embedder
from memotheca.server.events import POLL_SECONDS, Hub
from memotheca.server.resources import RESOURCES, read_resource
from memotheca.toolkit.tool import Call
from tests.conftest import BEGAN, Agent, Time
from tests.patience import PATIENCE

SECRET = "zanzibar"
# What is said of it, which nobody else can know.
KNOWN = "quagga"


def open_in(folder: Path, collection: str, time: Time) -> Agent:
    given = {"data": str(folder / "data"), "collection": collection, "toolsets": "all"}
    agent = Agent(build(settings.load(given, {}), clock=time))
    choose_embedder(agent.kernel.store, collection, "none")
    return agent


def open_beside(agent: Agent, folder: Path, collection: str) -> Agent:
    """Another collection in the same program, as a server opens it."""
    given = {"data": str(folder / "data"), "collection": "mine", "toolsets": "all"}
    beside = Agent(open_collection(agent.app, settings.load(given, {}), collection))
    choose_embedder(beside.kernel.store, collection, "none")
    return beside


@pytest.fixture(params=["two programs", "one server"])
def pair(request: pytest.FixtureRequest, tmp_path: Path, time: Time) -> Iterator[tuple[Agent, Agent]]:
    """Whose secret it is, and who is curious."""
    owner = open_in(tmp_path, "mine", time)
    is_one = request.param == "one server"
    curious = open_beside(owner, tmp_path, "yours") if is_one else open_in(tmp_path, "yours", time)
    yield owner, curious
    for agent in (owner,) if is_one else (owner, curious):
        agent.kernel.store.close()


def hidden(owner: Agent) -> list[str]:
    """Everything by which something in the owner's collection can be named."""
    entry = owner.store(SECRET, f"The plan of the {KNOWN}.")
    owner.store(f"{SECRET} two", f"More of the {KNOWN}.")
    triple = owner.call("relate", subject=SECRET, predicate="leads to", object=KNOWN)
    clash = owner.call("relate", subject=SECRET, predicate="leads to", object=f"no {KNOWN}")
    memory = owner.call("store_memory", content=f"The {KNOWN} leaves at two.", rationale="Told in secret.")
    gone = owner.call("store_memory", content=f"The {KNOWN} was old.", rationale="Told in secret.")
    forgotten = owner.call("forget_concept", node_id=gone["node_id"], reason="obsolete", rationale="Not true any more.")
    job = enqueue(owner.kernel, "ingest", IngestJob(path=f"/{KNOWN}").to_arguments(), actor="tester")
    cursor = owner.call("query", limit=1)["next_cursor"]
    shown = owner.call("inject_context", query=KNOWN)["prediction_id"]
    upload = Upload(bench_of(owner.kernel), "plan.txt", 10)
    upload.write(KNOWN.encode())
    sent = upload.finish()
    owner.call("reload_manifest")
    with owner.kernel.read() as snapshot:
        ids = [id for (id,) in snapshot.session.rows("SELECT DISTINCT id FROM version WHERE collection = 'mine'")]
    named = [
        entry,
        triple["id"],
        clash["conflict_id"],
        memory["node_id"],
        forgotten["reversal_hash"],
        job.id,
        cursor,
        shown,
        sent,
    ]
    return [str(name) for name in (*named, *ids, SECRET) if name]


def guesses(schema: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Arguments with a name wherever a text, or a list of texts, is taken, one at a time."""
    properties: dict[str, Any] = schema["properties"]
    rest = {each: usual(properties[each], name) for each in schema.get("required", ())}
    return [
        {**rest, each: usual(rule, name)} for each, rule in properties.items() if "string" in str(rule.get("type"))
    ] + [{**rest, each: [name, "e-1"]} for each, rule in properties.items() if rule.get("type") == "array"]


def usual(rule: dict[str, Any], name: str) -> Any:
    if "enum" in rule:
        return rule["enum"][0]
    kinds = {"string": name, "integer": rule.get("minimum", 1), "number": 0.5, "boolean": True, "object": {}}
    kind = rule.get("type")
    return [name] if kind == "array" else kinds.get(kind if isinstance(kind, str) else "string", name)


def everything(agent: Agent) -> list[Any]:
    """All that is stored in a collection, in an order that no database chooses."""
    with agent.kernel.read() as snapshot:
        found = [snapshot.session.rows(f"SELECT * FROM {table} WHERE collection = 'mine'") for table in TABLES]
    return [sorted(rows, key=repr) for rows in found]


TABLES = ("version", "tx", "entry_head", "edge_head", "alias", "pending_conflict", "job")


def test_no_tool_reaches_another_collection(pair: tuple[Agent, Agent]) -> None:
    owner, curious = pair
    names = hidden(owner)
    before = everything(owner)
    for listing in curious.app.catalog.listed():
        for name in names:
            for arguments in guesses(listing.wire["inputSchema"], name):
                call = Call(kernel=curious.kernel, actor="curious")
                told = curious.app.dispatcher.run(listing.name, arguments, call)
                said = str((told.blocks, told.structured))
                assert KNOWN not in said, (listing.name, arguments, said[:300])
                assert "went wrong here" not in said, (listing.name, arguments)
    assert everything(owner) == before


def test_undo_and_keys_stay_in_their_collection(pair: tuple[Agent, Agent]) -> None:
    owner, curious = pair
    hidden(owner)
    before = everything(owner)
    for tx in range(1, 10):
        curious.reply("undo", tx_id=tx)
    curious.reply("undo", count=50)
    assert everything(owner) == before
    said = {"topic": SECRET, "content": "x"}
    first = owner.app.dispatcher.run("store", said, Call(kernel=owner.kernel, actor="tester", key="k"))
    again = curious.app.dispatcher.run("store", said, Call(kernel=curious.kernel, actor="curious", key="k"))
    assert first.structured != again.structured


def test_no_resource_shows_another_collection(pair: tuple[Agent, Agent]) -> None:
    owner, curious = pair
    names = hidden(owner)
    for resource in RESOURCES:
        assert KNOWN not in str(read_resource(curious.kernel, resource.uri))
        for name in names:
            for uri in (f"{resource.uri}/{name}", f"{resource.uri}?cursor={name}"):
                try:
                    assert KNOWN not in read_resource(curious.kernel, uri)["text"], uri
                except Refusal:
                    continue


def test_no_subscription_hears_of_another_collection(pair: tuple[Agent, Agent]) -> None:
    owner, curious = pair
    told: list[Any] = []

    async def hear(uri: str, note: Any) -> None:
        told.append(note)

    async def listen() -> None:
        hub = Hub(curious.kernel)
        subscriber = hub.join()
        for resource in RESOURCES:
            await hub.follow(subscriber, resource.uri)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(hub.run)
            tasks.start_soon(subscriber.deliver, hear)
            await anyio.to_thread.run_sync(lambda: hidden(owner))
            await anyio.to_thread.run_sync(lambda: curious.store("tea", "black"))
            with anyio.fail_after(PATIENCE):
                while len(told) < 2:
                    await anyio.sleep(POLL_SECONDS)
            tasks.cancel_scope.cancel()

    anyio.run(listen)
    assert {note["tx_id"] for note in told} == {1}
    assert KNOWN not in str(told)


TIMES = re.compile(r'("[a-z_]*ms": )[0-9.e-]+|[0-9a-f]{6,}(?:-[0-9a-f]{4,})*')


class Standing(Time):
    """A clock that others do not move."""

    def __call__(self) -> int:
        return BEGAN


def wake_up(agent: Agent) -> None:
    """Until its dream is over, so that no answer depends on how far a dream has come."""
    sleep = sleeper_of(agent.kernel).sleep
    assert sleep is None or sleep.ended.wait(PATIENCE)


def answers_beside(folder: Path, time: Time, *, is_full: bool) -> dict[str, str]:
    """What every tool answers in one collection of a server, beside another that holds much or nothing."""
    owner = open_in(folder, "mine", time)
    try:
        curious = open_beside(owner, folder, "yours")
        if is_full:
            hidden(owner)
            owner.reply("trigger_dream", phase="full_cycle")
            wake_up(owner)
            owner.reply("query", search=KNOWN)
        curious.store("tea", "black")
        curious.call("store_memory", content="Bo takes milk.", rationale="Said at lunch.")
        told: dict[str, str] = {}
        for listing in curious.app.catalog.listed():
            schema = listing.wire["inputSchema"]
            arguments = {each: usual(schema["properties"][each], "tea") for each in schema.get("required", ())}
            call = Call(kernel=curious.kernel, actor="curious", session="one", is_local=False)
            reply = curious.app.dispatcher.run(listing.name, arguments, call)
            wake_up(curious)
            told[listing.name] = TIMES.sub(r"\1", json.dumps(reply.structured, sort_keys=True))
        return told
    finally:
        owner.app.close()


def test_no_answer_depends_on_what_another_collection_holds(tmp_path: Path) -> None:
    beside_nothing = answers_beside(tmp_path / "empty", Standing(), is_full=False)
    beside_much = answers_beside(tmp_path / "full", Standing(), is_full=True)
    assert beside_much == beside_nothing
