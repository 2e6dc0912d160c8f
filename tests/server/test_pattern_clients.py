"""Patterns for real clients: one that can be asked and one that cannot, in both eras, over both transports."""

import json
import subprocess
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp import Client

from tests.engine.patterns.catalogues import write_many
from tests.server.connecting import LEGACY, MODERN, WAYS, connected

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.xdist_group("pattern-clients"),
    pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning"),
]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def data(memotheca: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with thirty patterns about gadgets."""
    folder = tmp_path_factory.mktemp("patterns")
    write_many(folder / "gadgets", 30)
    command = [memotheca, "patterns", "import", str(folder / "gadgets"), "--data", str(folder / "data"), "--no-wait"]
    subprocess.run(command, check=True, capture_output=True, env={"HOME": str(folder), "PATH": ""})
    return folder / "data"


@pytest.fixture(scope="module")
def http(serve: Any, memotheca: str, data: Path) -> Any:
    with serve(
        [memotheca, "serve", "--data", str(data), "--transport", "http", "--port", "0", "--json"], data.parent
    ) as endpoint:
        yield endpoint


@pytest.fixture(scope="module", params=WAYS, ids="-".join)
def way(request: pytest.FixtureRequest, memotheca: str, data: Path) -> tuple[Any, str]:
    transport, era = request.param
    target = [memotheca, "serve", "--data", str(data)] if transport == "stdio" else request.getfixturevalue("http")
    return target, era


@pytest.fixture(scope="module")
async def silent(way: tuple[Any, str], data: Path) -> AsyncGenerator[Client]:
    """A client with nobody to ask."""
    async with connected(*way, data.parent / "stderr") as client:
        yield client


class Person:
    """Somebody who answers forms from a list."""

    def __init__(self) -> None:
        self.client: Client
        self.answers: list[types.ElicitResult] = []
        self.asked: list[str] = []

    async def __call__(self, context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        self.asked.append(params.message)
        return self.answers.pop(0)

    async def call(self, name: str, arguments: dict[str, Any], *answers: types.ElicitResult) -> Any:
        self.answers, self.asked = list(answers), []
        return (await self.client.call_tool(name, arguments)).structured_content


@pytest.fixture(scope="module")
async def person(way: tuple[Any, str], data: Path) -> AsyncGenerator[Person]:
    person = Person()
    async with connected(*way, data.parent / "stderr", elicitation_callback=person) as client:
        person.client = client
        yield person


def accept(**content: Any) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content=content)


async def test_a_client_that_can_be_asked_is_asked_and_gets_the_answer(person: Person) -> None:
    found = await person.call("search_patterns", {}, accept(q="gadget"), accept(category="paint"))
    assert person.asked == [
        "What pattern are you looking for? Please provide a search query.",
        "Found 30 patterns. Would you like to narrow your search by category or difficulty?",
    ]
    assert (found["kind"], found["metadata"]["totalCount"]) == ("patternSearchResults:v1", 7)
    details = await person.call("get_pattern", {"id": "outbx"}, accept(id="outbox"))
    assert (details["kind"], details["id"]) == ("patternDetails:v1", "outbox")


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_who_declines_gets_the_payload(person: Person, action: Any) -> None:
    refusal = types.ElicitResult(action=action)
    assert (await person.call("search_patterns", {"q": "gadget"}, refusal))["kind"] == "needsInput:v1"
    assert (await person.call("get_pattern", {"id": "outbx"}, refusal))["kind"] == "needsInput:v1"


async def test_a_client_that_cannot_be_asked_gets_the_payload(silent: Client) -> None:
    for name, arguments in (("search_patterns", {"q": ""}), ("search_patterns", {"q": "gadget"}), ("get_pattern", {})):
        result = await silent.call_tool(name, {**arguments, "format": "both"})
        assert not result.is_error
        assert result.structured_content["kind"] == "needsInput:v1"
        last = result.content[-1]
        assert isinstance(last, types.TextContent)
        assert json.loads(last.text) == result.structured_content


async def test_an_error_is_an_answer_that_the_published_schema_admits(silent: Client) -> None:
    result = await silent.call_tool("search_patterns", {"q": "x", "limit": 101, "format": "json"})
    assert result.is_error
    assert result.structured_content["kind"] == "toolError:v1"


@pytest.mark.parametrize("era", [LEGACY, MODERN])
async def test_content_types_are_on_the_wire(http: str, data: Path, era: str) -> None:
    bodies: list[str] = []

    async def keep(response: httpx2.Response) -> None:
        if response.request.method == "POST":
            await response.aread()
            bodies.append(response.text)

    async with connected(http, era, data.parent / "stderr", hooks={"response": [keep]}) as client:
        await client.call_tool("get_pattern", {"id": "outbox", "format": "both"})
    line = next(line for body in bodies for line in body.splitlines() if "patternDetails:v1" in line)
    types_sent = [block["mimeType"] for block in json.loads(line.removeprefix("data: "))["result"]["content"]]
    assert types_sent == ["text/markdown"] * 4 + ["application/json"]
