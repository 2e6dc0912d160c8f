"""Tools that ask back: clients that can answer and clients that cannot, in both eras, over both transports."""

import json
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import httpx2
import mcp_types as types
import pytest
from mcp import Client, MCPError

from tests.patience import PATIENCE
from tests.server.connecting import LEGACY, MODERN, WAYS, connected, told, words_of

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.xdist_group("asking"),
    pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning"),
]


class Host:
    """A client of one era and transport, with somebody at it who answers as the test says, and remembers."""

    def __init__(self) -> None:
        self.client: Client
        self.era = ""
        self.answers: list[types.ElicitResult | types.ErrorData] = []
        self.forms: list[types.ElicitRequestFormParams] = []
        self.prompts: list[types.CreateMessageRequestParams] = []
        self.think: Callable[[], Awaitable[None]] = anyio.lowlevel.checkpoint

    async def fill_in(self, context: Any, params: types.ElicitRequestParams) -> types.ElicitResult | types.ErrorData:
        assert isinstance(params, types.ElicitRequestFormParams)
        self.forms.append(params)
        await self.think()
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    async def sample(self, context: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
        self.prompts.append(params)
        content = types.TextContent(type="text", text="wet")
        return types.CreateMessageResult(role="assistant", content=content, model="tiny")

    async def call(self, name: str, *answers: types.ElicitResult | types.ErrorData) -> types.CallToolResult:
        self.answers, self.forms = list(answers), []
        with anyio.fail_after(PATIENCE):
            return await self.client.call_tool(name)

    async def painted(self) -> list[str]:
        found = await self.client.call_tool("query", {"topic": "painted"})
        return [entry["content"] for entry in found.structured_content["items"]]


def accept(**content: Any) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content=content)


DECLINE, CANCEL = types.ElicitResult(action="decline"), types.ElicitResult(action="cancel")


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module", params=WAYS, ids="-".join)
def place(request: pytest.FixtureRequest, serve: Any, tmp_path_factory: Any) -> Iterator[tuple[Any, str, Path]]:
    """Where the server is whose fixture tools ask, and in which era to speak to it."""
    transport, era = request.param
    folder = tmp_path_factory.mktemp(f"{transport}-{era}")
    command = [sys.executable, str(Path(__file__).parent / "conformance"), str(folder / "data"), transport]
    with ExitStack() as stack:
        yield command if transport == "stdio" else stack.enter_context(serve(command, folder)), era, folder


@pytest.fixture(scope="module")
async def host(place: tuple[Any, str, Path]) -> AsyncGenerator[Host]:
    target, era, folder = place
    host = Host()
    callbacks = {"elicitation_callback": host.fill_in, "sampling_callback": host.sample}
    async with connected(target, era, folder / "stderr", **callbacks) as client:
        host.client, host.era = client, era
        yield host


async def test_outcomes_of_a_question_to_a_person_differ(host: Host) -> None:
    outcomes = [told(await host.call("ask_a_person", answer)) for answer in (accept(colour="blue"), DECLINE, CANCEL)]
    assert outcomes == [
        [{"outcome": "accepted", "colour": "blue"}],
        [{"outcome": "declined"}],
        [{"outcome": "cancelled"}],
    ]
    (form,) = host.forms
    assert form.message == "Which colour?"
    described = {"type": "string", "enum": ["red", "blue"], "enumNames": ["Red", "Blue"], "description": "Of the cover"}
    assert form.requested_schema["properties"] == {"colour": described}


async def test_where_nobody_can_be_asked_the_tool_goes_on_without(place: tuple[Any, str, Path]) -> None:
    target, era, folder = place
    async with connected(target, era, folder / "stderr") as client:
        assert told(await client.call_tool("ask_a_person")) == [{"outcome": "unsupported"}]
        assert told(await client.call_tool("ask_a_model")) == [{"outcome": "unsupported"}]


async def test_the_client_s_own_model_is_asked(host: Host) -> None:
    answer = told(await host.call("ask_a_model"))
    assert answer == [{"outcome": "accepted", "text": "wet", "model": "tiny"}]
    (params,) = host.prompts
    assert (params.system_prompt, params.max_tokens) == ("Be brief.", 7)
    (block,) = params.messages[0].content_as_list
    assert isinstance(block, types.TextContent)
    assert block.text == "One word for water."


async def test_nothing_is_written_without_a_yes(host: Host) -> None:
    await host.call("ask_then_write", accept(colour="red"), accept(confirm=False))
    assert await host.painted() == []


async def test_a_tool_that_asks_twice_is_run_again_and_writes_once(host: Host) -> None:
    answers = told(await host.call("ask_then_write", accept(colour="red"), accept(confirm=True)))
    assert answers == [{"outcome": "accepted", "colour": "red"}, {"outcome": "accepted", "confirm": True}]
    assert [form.message for form in host.forms] == ["Which colour?", "Paint it red?"]
    assert await host.painted() == ["red"]


async def test_an_answer_that_does_not_fit_its_form_is_refused(host: Host) -> None:
    refused = await host.call("ask_a_person", accept(colour="green"))
    assert refused.is_error
    assert "does not fit the question" in words_of(refused)


async def test_questions_come_to_an_end(host: Host) -> None:
    assert words_of(await host.call("ask_without_end", accept(confirm=True))) == "8"
    assert len(host.forms) == 8


async def test_a_client_that_fails_to_ask_is_told_apart(host: Host) -> None:
    """In the newer era the client's own call fails then, and nothing of it reaches the server."""
    expected = {-32601: "unsupported", -32602: "unsupported", -1: "declined", -32603: "cancelled"}
    for code, outcome in expected.items():
        failure = types.ErrorData(code=code, message="no")
        if host.era == MODERN:
            with pytest.raises(MCPError):
                await host.call("ask_a_person", failure)
        else:
            assert told(await host.call("ask_a_person", failure)) == [{"outcome": outcome}]


async def test_other_calls_go_on_while_more_people_think_than_there_are_threads(host: Host) -> None:
    thinking, release = anyio.Event(), anyio.Event()

    async def think() -> None:
        if len(host.forms) == 20:
            thinking.set()
        await release.wait()

    host.answers, host.forms, host.think = [DECLINE], [], think
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(host.client.call_tool, "ask_a_person")
            await thinking.wait()
            stored = await host.client.call_tool("store", {"topic": "meanwhile", "content": "not held up"})
            assert not stored.is_error
            release.set()
    host.think = anyio.lowlevel.checkpoint


@pytest.mark.parametrize("era", [LEGACY, MODERN])
async def test_types_of_text_blocks_are_on_the_wire(serve: Any, tmp_path: Path, era: str) -> None:
    command = [sys.executable, str(Path(__file__).parent / "conformance"), str(tmp_path / "data"), "http"]
    bodies: list[str] = []

    async def keep(response: httpx2.Response) -> None:
        if response.request.method == "POST":
            await response.aread()
            bodies.append(response.text)

    with serve(command, tmp_path) as endpoint:
        async with connected(endpoint, era, tmp_path / "stderr", hooks={"response": [keep]}) as client:
            await client.call_tool("typed_blocks")
    line = next(line for body in bodies for line in body.splitlines() if "# Title" in line)
    plain, typed = json.loads(line.removeprefix("data: "))["result"]["content"]
    assert plain == {"type": "text", "text": "plain"}
    assert typed == {"type": "text", "text": "# Title", "mimeType": "text/markdown", "_meta": {"kept": 1}}
