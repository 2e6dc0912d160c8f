"""Whatever a client sends the memory's tools over HTTP, sense or nonsense, each call has an answer that fits its schema
or is refused for a reason, and the server goes on."""

import json
import random
from pathlib import Path
from typing import Any

import jsonschema_rs
import mcp_types as types
import pytest
from mcp import Client

from tests.server.conftest import OVER_HTTP, Serve
from tests.server.connecting import LEGACY, connected

pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")]

CALLS = 400
INTERNAL = -32115
MEMORIES = (
    "The broker was full because the nightly export kept its files.",
    "The nightly export keeps its files because the clean-up job was switched off in May.",
    "The gateway listens on port 8080.",
    "The gateway listens on port 9090 now.",
    "Ada takes her tea black.",
    "`flush_cache` raises an error when the disk is full.",
)
NONSENSE: tuple[Any, ...] = (
    None, True, -1, 1e308, -0.0001, "", "x" * 70_000, [], {}, {"a": 1}, "\u0000", "'; DROP TABLE entry;--", 10**30,
    ["x", 3], "%s%n", "../../etc/passwd", "9999-99-99",
)  # fmt: skip
# Minutes of work, or what reads and writes files of the person.
LEFT_OUT = {"reload_manifest"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Caller:
    """Makes up arguments from schemas, of what it was told before."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.known: dict[str, list[str]] = {"id": [], "hash": ["zz"], "prediction": ["pred_0"], "tag": []}

    def arguments(self, schema: dict[str, Any]) -> dict[str, Any]:
        wrong, share = self.chance.random() < 0.25, self.chance.choice((0, 0.2, 0.5, 0.9))
        required = schema.get("required", ())
        return {
            name: self.chance.choice(NONSENSE) if wrong and self.chance.random() < 0.4 else self.value(name, rule)
            for name, rule in schema.get("properties", {}).items()
            if name in required or self.chance.random() < share
        }

    def value(self, name: str, rule: dict[str, Any]) -> Any:
        held = rule.get("type")
        kind = held[0] if isinstance(held, list) else held
        if "enum" in rule:
            return self.chance.choice(rule["enum"])
        if kind in ("integer", "number"):
            least, most = rule.get("minimum", -10), rule.get("maximum", 50)
            found = self.chance.choice((least, most, least + (most - least) * self.chance.random()))
            return int(found) if kind == "integer" else found
        if kind == "boolean":
            return self.chance.random() < 0.5
        if kind == "array":
            size = max(rule.get("minItems", 0), self.chance.randint(0, 3))
            return [self.value(name.removesuffix("s"), rule.get("items", {"type": "string"})) for _ in range(size)]
        if kind == "object":
            return {key: self.value(key, each) for key, each in rule.get("properties", {}).items()}
        return self.text(name)[: rule.get("maxLength", 5000)]

    def text(self, name: str) -> str:
        for part, known in (("hash", "hash"), ("prediction", "prediction"), ("tag", "tag")):
            if part in name and name != "tags":
                return self.chance.choice(self.known[known])
        if name.endswith("_id") or name in ("source", "target", "link_to", "supersedes"):
            return self.chance.choice(self.known["id"])
        if "time" in name or name in ("since", "occurred_at", "valid_from", "valid_to", "deleted_after"):
            return self.chance.choice(("2026-01-01T00:00:00Z", "yesterday"))
        return self.chance.choice(MEMORIES)

    def hear(self, told: dict[str, Any]) -> None:
        for name, known in (("reversal_hash", "hash"), ("prediction_id", "prediction")):
            if told.get(name):
                self.known[known].append(told[name])


@pytest.mark.parametrize("seed", [1, 2])
async def test_every_call_is_answered_or_refused(seed: int, memotheca: str, serve: Serve, tmp_path: Path) -> None:
    command = [memotheca, "serve", "--data", str(tmp_path / "data"), "--toolsets", "memories", *OVER_HTTP]
    caller = Caller(seed)
    with serve(command, tmp_path) as endpoint:
        async with connected(endpoint, LEGACY, tmp_path / "stderr") as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools if tool.name not in LEFT_OUT}
            answered = await play(client, caller, tools)
            assert (await client.call_tool("get_health_status", {})).is_error is False
    assert len(answered) > 50


async def play(client: Client, caller: Caller, tools: dict[str, types.Tool]) -> set[str]:
    """The tools that had an answer at least once."""
    for content in MEMORIES:
        told = await client.call_tool("store_memory", {"content": content, "rationale": "Told in a meeting."})
        assert told.structured_content is not None
        caller.known["id"].append(told.structured_content["node_id"])
        caller.known["tag"].append(told.structured_content["citation"])
    answered: set[str] = set()
    for _ in range(CALLS):
        name = caller.chance.choice(sorted(tools))
        arguments = caller.arguments(tools[name].input_schema)
        result = await client.call_tool(name, arguments)
        said = result.structured_content
        assert said is not None, (name, arguments)
        if result.is_error:
            assert said["error"]["code"] != INTERNAL, (name, json.dumps(arguments)[:500])
            continue
        schema = tools[name].output_schema
        assert schema is not None
        jsonschema_rs.validator_for(schema).validate(said)
        caller.hear(said)
        answered.add(name)
    return answered
