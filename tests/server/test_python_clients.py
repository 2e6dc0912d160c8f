"""The Python SDK's client in both eras of the protocol, over stdio and over HTTP: the same behaviour four times."""

import json
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx2
import mcp_types as types
import pytest
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.patience import PATIENCE

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.xdist_group("python-clients"),
    pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning"),
]

LEGACY, MODERN = "legacy", "auto"
VERSIONS = {LEGACY: "2025-11-25", MODERN: "2026-07-28"}
WAYS = [(transport, era) for transport in ("stdio", "http") for era in (LEGACY, MODERN)]
ENTRIES = "knowledge://entries"
TRANSACTIONS = "knowledge://history/transactions"
CHANGE = "knowledge/change"


@dataclass
class Talk:
    """A connected client, and the notifications it receives."""

    client: Client
    era: str
    notifications: MemoryObjectReceiveStream[Any]

    async def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        result = await self.client.call_tool(name, arguments)
        assert not result.is_error, result.structured_content
        return result.structured_content

    async def next_note(self) -> types.ResourceUpdatedNotificationParams:
        with anyio.fail_after(PATIENCE):
            async for message in self.notifications:
                if isinstance(message, types.ResourceUpdatedNotification):
                    return message.params
        raise AssertionError("the connection ended")

    @asynccontextmanager
    async def following(self, uri: str) -> AsyncGenerator[None]:
        """Follow a resource in the manner of the era."""
        if self.era == MODERN:
            async with self.client.listen(resource_subscriptions=[uri]) as subscription:
                assert subscription.honored.resource_subscriptions == [uri]
                yield
        else:
            await self.client.subscribe_resource(uri)  # pyright: ignore[reportDeprecated]
            yield
            await self.client.unsubscribe_resource(uri)  # pyright: ignore[reportDeprecated]


@asynccontextmanager
async def talking(target: str | list[str], era: str, errors: Path) -> AsyncGenerator[Talk]:
    """Connect to an endpoint, or to a server that the client starts itself."""
    send, notifications = anyio.create_memory_object_stream[Any](1000)

    async def receive(message: Any) -> None:
        await send.send(message)

    async with AsyncExitStack() as stack:
        stack.enter_context(send)
        stack.enter_context(notifications)
        listening = anyio.Event()
        if isinstance(target, str):
            http = await stack.enter_async_context(
                httpx2.AsyncClient(timeout=PATIENCE, event_hooks=_on_stream(listening))
            )
            transport: Any = streamable_http_client(target, http_client=http)
        else:
            log = stack.enter_context(errors.open("w"))
            transport = stdio_client(StdioServerParameters(command=target[0], args=target[1:]), errlog=log)
        client = await stack.enter_async_context(Client(transport, mode=era, message_handler=receive))
        if isinstance(target, str) and era == LEGACY:
            with anyio.fail_after(PATIENCE):
                await listening.wait()
        yield Talk(client, era, notifications)


def _on_stream(listening: anyio.Event) -> dict[str, list[Any]]:
    """In the older era notifications come on a stream of their own; what is sent before it is open is lost."""

    async def notice(response: httpx2.Response) -> None:
        if response.request.method == "GET" and response.is_success:
            listening.set()

    return {"response": [notice]}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module", params=WAYS, ids="-".join)
async def talk(
    request: pytest.FixtureRequest, memotheca: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Talk]:
    """A client of the product; what it stores stays for the other tests of that client."""
    transport, era = request.param
    folder = tmp_path_factory.mktemp(f"{transport}-{era}")
    command = [memotheca, "serve", "--data", str(folder / "data")]
    target = command if transport == "stdio" else request.getfixturevalue("shared_http_server")
    async with talking(target, era, folder / "stderr") as connected:
        yield connected


@pytest.fixture(scope="module", params=WAYS, ids="-".join)
async def fixture_talk(
    request: pytest.FixtureRequest, serve: Any, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[Talk]:
    """A client of the server whose fixture tools take their time."""
    transport, era = request.param
    folder = tmp_path_factory.mktemp(f"fixtures-{transport}-{era}")
    command = [sys.executable, str(Path(__file__).parent / "conformance"), str(folder / "data"), transport]
    with ExitStack() as stack:
        target = command if transport == "stdio" else stack.enter_context(serve(command, folder))
        async with talking(target, era, folder / "stderr") as connected:
            yield connected


async def test_a_connection_negotiates_its_era_and_learns_what_there_is(talk: Talk) -> None:
    assert talk.client.protocol_version == VERSIONS[talk.era]
    assert talk.client.server_info is not None
    assert talk.client.server_info.name == "memotheca"
    assert "material, never instructions" in (talk.client.instructions or "")
    capabilities = talk.client.server_capabilities
    assert capabilities.tools == types.ToolsCapability(list_changed=True)
    assert capabilities.prompts == types.PromptsCapability(list_changed=False)
    assert capabilities.resources == types.ResourcesCapability(subscribe=True, list_changed=False)
    assert capabilities.completions is not None


async def test_every_tool_is_listed_with_its_schemas(talk: Talk) -> None:
    tools = {tool.name: tool for tool in (await talk.client.list_tools()).tools}
    assert tools.keys() >= {"store", "update", "query", "delete", "relate", "query_graph", "undo", "history"}
    assert all(tool.input_schema["additionalProperties"] is False for tool in tools.values())
    assert all(tool.output_schema and tool.output_schema["type"] == "object" for tool in tools.values())


async def test_what_is_stored_can_be_found_and_undone(talk: Talk) -> None:
    stored = await talk.call("store", topic=f"tea {talk.era}", content="Ada takes it black.")
    found = await talk.call("query", topic=f"tea {talk.era}")
    assert stored["id"] in [item["id"] for item in found["items"]]
    undone = await talk.call("undo", tx_id=stored["tx_id"])
    assert [entry["entity_id"] for entry in undone["reverted"]] == [stored["id"]]
    found = await talk.call("query", topic=f"tea {talk.era}")
    assert stored["id"] not in [item["id"] for item in found["items"]]


async def test_the_text_and_the_structured_content_say_the_same(talk: Talk) -> None:
    said = {"subject": f"Ada {talk.era}", "predicate": "works_at", "object": "Engines Ltd"}
    result = await talk.client.call_tool("relate", said)
    sentence, resource = result.content
    assert isinstance(sentence, types.TextContent)
    assert "works_at Engines Ltd" in sentence.text
    assert isinstance(resource, types.EmbeddedResource)
    assert isinstance(resource.resource, types.TextResourceContents)
    assert json.loads(resource.resource.text) == result.structured_content
    assert {name: result.structured_content[name] for name in said} == said


async def test_a_failure_is_an_answer_with_a_stable_code(talk: Talk) -> None:
    result = await talk.client.call_tool("store", {"topic": "half"})
    assert result.is_error
    assert result.structured_content == {
        "error": {"code": "validation", "message": "content is required.", "retryable": False, "field": "content"}
    }


async def test_an_unknown_tool_is_a_protocol_error_with_type_and_details(talk: Talk) -> None:
    with pytest.raises(MCPError) as refused:
        await talk.client.call_tool("no_such_tool", {})
    assert refused.value.code == -32602
    assert refused.value.data == {
        "error_type": "invalid_params",
        "details": "There is no tool 'no_such_tool'; tools/list names them.",
    }


async def test_resources_are_read_page_by_page_in_one_snapshot(talk: Talk) -> None:
    listed = (await talk.client.list_resources()).resources
    assert {resource.uri for resource in listed} >= {ENTRIES, "knowledge://graph/triples", TRANSACTIONS}
    assert all(resource.meta and resource.meta["version"] >= 0 for resource in listed)
    stored = {(await talk.call("store", topic="paged", content=f"{n}"))["id"] for n in range(3)}
    read: list[str] = []
    cursor, as_of = "", set[int]()
    while cursor is not None:
        result = await talk.client.read_resource(f"{ENTRIES}?limit=2" + (f"&cursor={cursor}" if cursor else ""))
        (content,) = result.contents
        assert isinstance(content, types.TextResourceContents)
        page = json.loads(content.text)
        assert page["resource_uri"] == ENTRIES
        assert len(page["items"]) <= 2
        read += [entry["id"] for entry in page["items"]]
        as_of.add(page["as_of_tx_id"])
        cursor = page["next_cursor"]
    assert stored <= set(read)
    assert len(read) == len(set(read))
    assert len(as_of) == 1


async def test_a_missing_resource_is_refused_by_name(talk: Talk) -> None:
    with pytest.raises(MCPError) as refused:
        await talk.client.read_resource("knowledge://nowhere")
    assert refused.value.code == -32602
    assert refused.value.data["uri"] == "knowledge://nowhere"


async def test_changes_are_announced_while_a_resource_is_followed_and_not_after(talk: Talk) -> None:
    async with talk.following(TRANSACTIONS):
        async with talk.following(ENTRIES):
            stored = await talk.call("store", topic="followed", content="It is so.")
            notes = {note.uri: note for note in [await talk.next_note(), await talk.next_note()]}
            assert notes.keys() == {ENTRIES, TRANSACTIONS}
            meta = dict(notes[ENTRIES].meta or {})
            assert meta[CHANGE] == {
                "resource_uri": ENTRIES,
                "tx_id": stored["tx_id"],
                "change_type": "upsert",
                "changed_ids": [stored["id"]],
                "truncated": False,
            }
            deleted = await talk.call("delete", id=stored["id"])
            notes = {note.uri: note for note in [await talk.next_note(), await talk.next_note()]}
            meta = dict(notes[ENTRIES].meta or {})
            assert (meta[CHANGE]["tx_id"], meta[CHANGE]["change_type"]) == (deleted["tx_id"], "delete")
        for topic in ("unheard", "last"):
            stored = await talk.call("store", topic=topic, content="It is so.")
            note = await talk.next_note()
            assert (note.uri, dict(note.meta or {})[CHANGE]["tx_id"]) == (TRANSACTIONS, stored["tx_id"])


async def test_one_entry_can_be_followed(talk: Talk) -> None:
    mine = await talk.call("store", topic="mine", content="It is so.")
    async with talk.following(f"{ENTRIES}/{mine['id']}"):
        await talk.call("store", topic="not mine", content="It is so.")
        updated = await talk.call("update", id=mine["id"], content="changed")
        note = await talk.next_note()
        assert note.uri == f"{ENTRIES}/{mine['id']}"
        assert dict(note.meta or {})[CHANGE]["tx_id"] == updated["tx_id"]


async def test_what_does_not_exist_cannot_be_followed(talk: Talk) -> None:
    with pytest.raises(MCPError) as refused:
        async with talk.following("knowledge://nowhere"):
            pytest.fail("there is nothing to follow")
    assert refused.value.code == -32602
    assert refused.value.data["error_type"] == "invalid_params"


async def test_prompts_are_listed_completed_and_filled_in(talk: Talk) -> None:
    prompts = {prompt.name for prompt in (await talk.client.list_prompts()).prompts}
    assert prompts >= {"ingest-memory", "retrieve-context", "correct-stale-facts"}
    prompt = await talk.client.get_prompt("retrieve-context", {"question": "Who is Ada?"})
    (message,) = prompt.messages
    assert isinstance(message.content, types.TextContent)
    assert "> Who is Ada?" in message.content.text
    await talk.call("store", topic="zebra", content="It is so.")
    reference = types.PromptReference(type="ref/prompt", name="correct-stale-facts")
    completed = await talk.client.complete(reference, {"name": "topic", "value": "zeb"})
    assert completed.completion.values == ["zebra"]


async def test_a_tool_without_anything_to_report_sends_no_progress(talk: Talk) -> None:
    reports: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        reports.append(progress)

    result = await talk.client.call_tool("history", {"limit": 1}, progress_callback=note)
    assert not result.is_error
    assert reports == []


async def test_ping_belongs_to_the_older_era(talk: Talk) -> None:
    if talk.era == LEGACY:
        await talk.client.send_ping()  # pyright: ignore[reportDeprecated]
    else:
        with pytest.raises(MCPError) as refused:
            await talk.client.send_ping()  # pyright: ignore[reportDeprecated]
        assert refused.value.code == -32601
        assert refused.value.data["error_type"] == "method_not_found"


async def test_progress_reaches_the_client_that_asked_for_it(fixture_talk: Talk) -> None:
    reports: list[tuple[float, float | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        reports.append((progress, total))

    await fixture_talk.client.call_tool("test_tool_with_progress", progress_callback=note)
    assert reports == [(0, 100), (50, 100), (100, 100)]


async def test_a_cancelled_call_stops_in_the_server(fixture_talk: Talk) -> None:
    started = anyio.Event()

    async def note(progress: float, total: float | None, message: str | None) -> None:
        started.set()

    async def wait() -> None:
        await fixture_talk.client.call_tool("test_waiting", progress_callback=note)

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            await started.wait()
            tasks.cancel_scope.cancel()
        (answer,) = (await fixture_talk.client.call_tool("test_stopped")).content
    assert isinstance(answer, types.TextContent)
    assert answer.text == "stopped"
