"""Server-sent events: what a client hears, how it speaks, and what becomes of a connection that is cut."""

import json
from contextlib import aclosing
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.sse import sse_client

from memotheca.admin.access_tokens import AccessToken, add_token, revoke_token
from memotheca.admin.token_shelves import FileShelf
from memotheca.model.clock import system_clock
from memotheca.server.channel import Channel
from memotheca.server.limits import ByteBudget
from memotheca.server.messages import Incoming
from memotheca.server.web import MAX_BODY
from tests.server.connecting import LEGACY, MODERN
from tests.server.streaming import House, Stream, open_session, request, serving, structured

pytestmark = pytest.mark.anyio

FACTS = [
    "Deploys fail while the nightly job holds the migration lock.",
    "Ada takes her tea black, without sugar.",
    "The staging database is restored every Sunday night.",
]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


async def remember(house: House, stream: Stream, path: str) -> dict[str, Any]:
    """Store something; the pulse of the answer."""
    await house.call(path, 1, "store_memory", content=FACTS[0], rationale="Seen on Tuesday night.")
    return structured(await stream.answer(1))["pulse"]


async def test_the_first_event_is_a_heartbeat_and_the_second_says_where_to_post(tmp_path):
    async with serving(tmp_path) as house, house.stream() as stream:
        first, second = await stream.next(), await stream.next()
        assert stream.response.headers["content-type"].startswith("text/event-stream")
        assert first["event"] == "heartbeat"
        assert json.loads(first["data"])["type"] == "ping"
        assert isinstance(json.loads(first["data"])["timestamp"], int)
        id = stream.response.headers["mcp-session-id"]
        assert (second["event"], second["data"]) == ("endpoint", f"/messages?session_id={id}")


async def test_a_heartbeat_comes_every_thirty_seconds(tmp_path):
    async with serving(tmp_path) as house, house.stream() as stream:
        await stream.until("endpoint")
        numbers = []
        for _ in range(3):
            await house.time.until_waited_for(30)
            house.time.turn(30)
            event = await stream.next()
            assert event["event"] == "heartbeat"
            numbers.append(int(event["id"].split("-")[1]))
        assert numbers == sorted(set(numbers))


async def test_a_request_is_answered_by_an_event(tmp_path):
    async with serving(tmp_path) as house, house.stream() as stream:
        path = await open_session(house, stream)
        await house.call(path, 7, "store_memory", content=FACTS[0], rationale="Seen on Tuesday night.")
        assert "error" not in structured(await stream.answer(7))


async def test_a_script_may_begin_without_a_handshake(tmp_path):
    async with serving(tmp_path) as house, house.stream() as stream:
        path = (await stream.until("endpoint"))["data"]
        await house.call(path, 1, "search_graph", query="deploys")
        assert structured(await stream.answer(1))["count"] == 0


@pytest.mark.parametrize("era", [LEGACY, MODERN])
async def test_the_client_of_the_sdk_works_unchanged(tmp_path, era):
    async with serving(tmp_path) as house, Client(sse_client(f"{house.address}/sse"), mode=era) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"store_memory", "search_graph"} <= names
        for fact in FACTS:
            await client.call_tool("store_memory", {"content": fact, "rationale": "A test wants it."})
        heard: list[str] = []

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            heard.append(json.loads(message or "")["id"])

        question = {"query": "tea of Ada, the staging database, deploys that fail"}
        answer = await client.call_tool("search_graph", question, progress_callback=hear)
        assert answer.structured_content is not None
        assert [result["id"] for result in answer.structured_content["results"]] == heard
        assert len(heard) == len(FACTS)


async def test_results_are_streamed_as_they_are_found_and_again_in_the_answer(tmp_path):
    async with serving(tmp_path) as house, house.stream() as stream:
        path = await open_session(house, stream)
        for number, fact in enumerate(FACTS, 1):
            await house.call(path, number, "store_memory", content=fact, rationale="A test wants it.")
            await stream.answer(number)
        await house.call(path, 9, "search_graph", query="tea of Ada, the staging database, deploys that fail")
        partial = [json.loads((await stream.until("partial"))["data"]) for _ in FACTS]
        answer = structured(await stream.answer(9))
        assert [part["result"] for part in partial] == answer["results"]
        assert [(part["request_id"], part["number"]) for part in partial] == [(9, 1), (9, 2), (9, 3)]


async def test_a_client_that_returns_within_the_grace_hears_what_it_missed_in_its_own_session(tmp_path):
    async with serving(tmp_path) as house:
        async with house.stream() as stream:
            path = await open_session(house, stream)
            felt = await remember(house, stream, path)
            await house.call(path, 2, "search_graph", query="deploys")
            last = (await stream.until("message"))["id"]
        await house.time.until_waited_for(60)
        house.time.turn(59)
        await house.call(path, 3, "search_graph", query="deploys")
        async with house.stream(Last_Event_ID=last) as stream:
            assert (await stream.next())["event"] == "heartbeat"
            assert (await stream.next())["data"] == path
            missed = structured(await stream.answer(3))
            assert missed["count"] == 1
            assert missed["pulse"]["learning_score"] == felt["learning_score"] > 0
            house.time.turn(59)
            await house.call(path, 4, "search_graph", query="deploys")
            assert structured(await stream.answer(4))["count"] == 1


async def test_what_was_sent_but_not_seen_is_sent_again_and_nothing_twice(tmp_path):
    async with serving(tmp_path) as house:
        async with house.stream() as stream:
            path = await open_session(house, stream)
            seen = []
            for id in (1, 2, 3):
                await house.post(path, {"jsonrpc": "2.0", "id": id, "method": "ping"})
                seen.append(await stream.until("message"))
        async with house.stream(Last_Event_ID=seen[0]["id"]) as stream:
            assert [await stream.until("message"), await stream.until("message")] == seen[1:]


async def test_a_client_that_is_cut_again_before_what_it_missed_still_hears_it(tmp_path):
    async with serving(tmp_path) as house:
        async with house.stream() as stream:
            path = await open_session(house, stream)
            await house.post(path, {"jsonrpc": "2.0", "id": 1, "method": "ping"})
            last = (await stream.until("message"))["id"]
        await house.time.until_waited_for(60)
        await house.post(path, {"jsonrpc": "2.0", "id": 50, "method": "ping"})
        async with house.stream(Last_Event_ID=last) as stream:
            heard = [await stream.next(), await stream.next()]
            assert [event["event"] for event in heard] == ["heartbeat", "endpoint"]
        async with house.stream(Last_Event_ID=heard[-1]["id"]) as stream:
            heard += [await stream.next(), await stream.next(), await stream.until("message")]
            assert json.loads(heard[-1]["data"])["id"] == 50
        numbers = [int(event["id"].split("-")[1]) for event in heard]
        assert numbers == sorted(numbers)


async def test_what_passes_while_an_event_is_being_sent_has_no_lower_number():
    to_server, incoming = anyio.create_memory_object_stream[Incoming](0)
    async with incoming, Channel(to_server, most=1_000, budget=ByteBudget(1_000)) as channel:
        await channel.publish({"jsonrpc": "2.0", "id": 1, "result": {}})
        async with aclosing(channel.follow(*channel.attach(None))) as events:
            sent = await anext(events)
            assert channel.passing("heartbeat", "{}").number >= sent.number


async def test_a_connection_can_be_taken_up_by_its_id_alone(tmp_path):
    async with serving(tmp_path) as house:
        async with house.stream() as stream:
            path = await open_session(house, stream)
            id = stream.response.headers["mcp-session-id"]
        await house.time.until_waited_for(60)
        await house.post(path, {"jsonrpc": "2.0", "id": 5, "method": "ping"})
        async with house.stream(f"?session_id={id}") as stream:
            assert "result" in await stream.answer(5)


async def test_after_a_minute_the_session_has_expired(tmp_path, golden):
    async with serving(tmp_path) as house:
        async with house.stream() as stream:
            path = await open_session(house, stream)
            felt = await remember(house, stream, path)
            last = stream.response.headers["mcp-session-id"] + "-1"
        await house.time.until_waited_for(60)
        house.time.turn(60)
        answer = await house.post(path, request(9, "search_graph", query="deploys"))
        while answer.status_code == 202:
            answer = await house.post(path, request(9, "search_graph", query="deploys"))
        assert (answer.status_code, answer.json()["id"]) == (404, 9)
        golden("memories/error-32016", answer.json())
        async with house.stream(Last_Event_ID=last) as stream:
            await stream.response.aread()
            for error in (answer.json()["error"], stream.response.json()["error"]):
                assert error["code"] == -32016
                assert error["data"]["name"] == "SSE_SESSION_EXPIRED"
                assert error["data"]["recovery"] == "Reconnect with new session"
        async with house.stream() as stream:
            path = await open_session(house, stream)
            await house.call(path, 1, "search_graph", query="deploys")
            fresh = structured(await stream.answer(1))
            assert (fresh["count"], fresh["pulse"]["learning_score"]) == (1, 0.0)
            assert felt["learning_score"] > 0


@pytest.mark.parametrize("last", ["nonsense", "17", "0" * 32 + "-17", "-1", "x" * 5000])
async def test_whoever_names_an_event_that_never_was_is_told_to_begin_anew(tmp_path, last):
    async with serving(tmp_path) as house, house.stream(Last_Event_ID=last) as stream:
        await stream.response.aread()
        assert (stream.response.status_code, stream.response.json()["error"]["code"]) == (404, -32016)


async def test_whoever_has_missed_more_than_is_kept_is_told_so(tmp_path):
    async with serving(tmp_path) as house:
        async with house.stream() as stream:
            path = await open_session(house, stream)
            seen = []
            for id in range(1, 110):
                await house.post(path, {"jsonrpc": "2.0", "id": id, "method": "ping"})
                seen.append((await stream.until("message"))["id"])
        async with house.stream(Last_Event_ID=seen[0]) as stream:
            await stream.response.aread()
            assert stream.response.json()["error"]["code"] == -32016
        async with house.stream(Last_Event_ID=seen[-1]) as stream:
            await stream.until("endpoint")


async def test_a_second_stream_takes_over_from_the_first(tmp_path):
    async with serving(tmp_path) as house, house.stream() as first:
        path = await open_session(house, first)
        id = first.response.headers["mcp-session-id"]
        async with house.stream(f"?session_id={id}") as second:
            await second.until("endpoint")
            assert await first.ends()
            house.time.turn(61)
            await second.until("heartbeat")
            await house.post(path, {"jsonrpc": "2.0", "id": 5, "method": "ping"})
            assert "result" in await second.answer(5)


async def test_two_connections_hear_only_their_own(tmp_path):
    async with serving(tmp_path) as house, house.stream() as one, house.stream() as other:
        path, elsewhere = await open_session(house, one), await open_session(house, other)
        felt = await remember(house, one, path)
        await house.call(elsewhere, 2, "search_graph", query="deploys")
        heard = structured(await other.answer(2))
        assert (felt["learning_score"] > 0, heard["pulse"]["learning_score"]) == (True, 0.0)


@pytest.mark.parametrize(
    ("headers", "status"), [({"Host": "evil.example"}, 421), ({"Origin": "http://evil.example"}, 403)]
)
async def test_the_rules_on_host_and_origin_hold(tmp_path, headers, status):
    async with serving(tmp_path) as house, house.stream() as stream:
        path = await open_session(house, stream)
        assert (await house.post(path, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, **headers)).status_code == status
        async with house.stream(**headers) as refused:
            assert refused.response.status_code == status


async def test_the_token_is_asked_for_on_both_paths(tmp_path):
    async with serving(tmp_path, token="open-sesame") as house:
        async with house.stream() as refused:
            assert refused.response.status_code == 401
        assert (await house.post("/messages?session_id=1", {})).status_code == 401
        async with house.stream(Authorization="Bearer open-sesame") as stream:
            assert (await stream.next())["event"] == "heartbeat"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [("{broken", 400, -32700), ("[]", 400, -32600), ('{"jsonrpc":"1.0","id":"\\ud800","method":"ping"}', 400, -32600)],
)
async def test_what_is_no_message_is_answered_at_once(tmp_path, body, status, code):
    async with serving(tmp_path) as house, house.stream() as stream:
        answer = await house.post(await open_session(house, stream), body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


async def test_a_body_that_is_too_large_is_refused(tmp_path):
    async with serving(tmp_path) as house, house.stream() as stream:
        path = await open_session(house, stream)
        assert (await house.post(path, " " * (MAX_BODY + 1))).status_code == 413


async def test_a_post_without_a_session_is_told_where_to_post(tmp_path):
    async with serving(tmp_path) as house:
        answer = await house.post("/messages", {"jsonrpc": "2.0", "id": 3, "method": "ping"})
        assert (answer.status_code, answer.json()["id"]) == (400, 3)
        assert "endpoint event" in answer.json()["error"]["data"]["details"]
        assert (await house.http.get(house.address + "/messages")).status_code == 405


async def hear_dream(stream: Stream, phase: str) -> list[dict[str, Any]]:
    """The events of dreams up to a phase, whatever else comes between."""
    heard: list[dict[str, Any]] = []
    while not heard or heard[-1]["phase"] != phase:
        heard.append(json.loads((await stream.until("dream"))["data"]))
    return heard


async def test_the_phases_of_a_dream_are_streamed_to_everybody(tmp_path):
    async with serving(tmp_path) as house, house.stream() as stream, house.stream() as other:
        path = await open_session(house, stream)
        await other.until("endpoint")
        await house.call(path, 1, "store_memory", content=FACTS[0], rationale="Seen on Tuesday night.")
        await stream.answer(1)
        await house.call(path, 2, "trigger_dream", phase="rem")
        for each in (stream, other):
            heard = await hear_dream(each, "ended")
            assert len({event["dream_id"] for event in heard}) == 1
            assert list(dict.fromkeys(event["phase"] for event in heard)) == ["started", "rem", "ended"]
            assert heard[-1]["completed"]


async def test_a_client_that_was_cut_off_during_a_dream_resumes_at_its_phase(tmp_path, monkeypatch):
    """EC-MCP-005."""
    monkeypatch.setattr("memotheca.memory.dream.night.ids_beyond", lambda snapshot, *said, **more: [newest(snapshot)])
    async with serving(tmp_path) as house:
        async with house.stream() as stream:
            path = await open_session(house, stream)
            await house.call(path, 1, "store_memory", content=FACTS[0], rationale="Seen on Tuesday night.")
            await stream.answer(1)
            await house.call(path, 2, "trigger_dream", phase="nrem", abort_on_query=False)
            before = (await hear_dream(stream, "nrem"))[-1]
        async with house.stream(f"?session_id={path.partition('=')[2]}") as back:
            (resumed,) = await hear_dream(back, "nrem")
            assert (resumed["dream_id"], resumed["state"]) == (before["dream_id"], "NREM")
            await house.call(path, 3, "abort_dream")
            assert structured(await back.answer(3))["aborted"]


def newest(snapshot):
    return snapshot.entries(("memory",))[0].id


async def test_a_stream_whose_token_was_revoked_is_told_no_dream_and_ends(tmp_path):
    shelf = FileShelf(tmp_path / "data")
    (tmp_path / "data").mkdir()
    made = {
        name: {"Authorization": f"Bearer {add_token(shelf, AccessToken(name=name, role='write'), clock=system_clock)}"}
        for name in ("stays", "goes")
    }
    async with (
        serving(tmp_path) as house,
        house.stream(**made["stays"]) as stays,
        house.stream(**made["goes"]) as goes,
    ):
        house.http.headers.update(made["stays"])
        path = await open_session(house, stays)
        await goes.until("endpoint")
        await remember(house, stays, path)
        revoke_token(shelf, "goes")
        await house.call(path, 2, "trigger_dream", phase="rem")
        assert (await hear_dream(stays, "ended"))[-1]["completed"]
        await house.time.until_waited_for(30)
        house.time.turn(30)
        with anyio.fail_after(60):
            assert [line async for line in goes.lines if line.startswith("event:")] == []
        assert (await stays.until("heartbeat"))["event"] == "heartbeat"
