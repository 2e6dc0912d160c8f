"""Fixture tools: listed by our own catalogue, run by our own dispatcher, able to talk back to the client."""

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from memotheca.app import CONTRACTS, App
from memotheca.jobs.queue import bench_of
from memotheca.model.errors import Refusal
from memotheca.server.adapter import Adapter
from memotheca.toolkit.catalog import Catalog
from memotheca.toolkit.contract import Block, Contract, Reply
from memotheca.toolkit.dispatch import Dispatcher
from memotheca.toolkit.fields import Schema, input_schema
from memotheca.toolkit.tool import Answer, BackgroundTask, Call, Example, Listing, Tool, Toolset

SHOWN = "fixtures"
SWITCHED = "switched"
CONTRACT = "fixtures"

Body = Callable[[Call[Any], Any], list[Block]]


@dataclass(slots=True)
class Exchange:
    """The request that a fixture tool is answering, and what is to be answered instead of its blocks."""

    ctx: ServerRequestContext[Any, Any]
    params: types.CallToolRequestParams
    catalog: Catalog
    outcome: types.InputRequiredResult | MCPError | None = None

    @property
    def responses(self) -> types.InputResponses:
        return self.params.input_responses or {}


EXCHANGE: ContextVar[Exchange] = ContextVar("exchange")


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """A tool without arguments."""


class FixtureContract(Contract):
    """Blocks as the tool made them; what the suite wants on the wire is its own affair."""

    def success(self, answer: Answer) -> Reply:
        content: Any = answer.content
        if isinstance(content, dict):
            return Reply(blocks=[text("It goes on.")], structured=content)
        return Reply(blocks=content)

    def failure(self, refusal: Refusal) -> Reply:
        return Reply(blocks=[text(refusal.message)], failed=True)

    def output_schema(self, models: tuple[type, ...]) -> Schema:
        return {"type": "object"}


_registered: list[tuple[Listing, Tool]] = []

# What the jobs of fixture tools do, by their kind.
ACTS: dict[str, Callable[..., dict[str, Any]]] = {}


def text(words: str) -> Block:
    return {"type": "text", "text": words}


def fixture(
    name: str,
    *,
    input: type = Nothing,
    schema: Schema | None = None,
    toolset: str = SHOWN,
    task: BackgroundTask | None = None,
) -> Callable[[Body], Body]:
    """Register a function as a tool of the suite under the name that the suite calls."""

    def register(body: Body) -> Body:
        description = " ".join((body.__doc__ or name).split())
        tool = Tool(
            name=name,
            title=name,
            description=description,
            contract=CONTRACT,
            effect="read",
            idempotent=True,
            input=input,
            outputs=(),
            example=Example(arguments={}),
            handler=lambda call, given: Answer("", "", body(call, given)),
            task=task,
        )
        wire = {"name": name, "description": description, "inputSchema": schema or input_schema(input)}
        if task is not None:
            wire["execution"] = {"taskSupport": "required" if task.required else "optional"}
        job = "" if task is None else task.job
        _registered.append((Listing(name, toolset, body.__module__, CONTRACT, writes=False, wire=wire, job=job), tool))
        return body

    return register


def with_fixtures(app: App) -> App:
    """The app with the fixture tools in its catalogue and their contract in its dispatcher."""
    catalog = app.catalog
    catalog.toolsets[SHOWN] = Toolset(SHOWN, "What the suite calls.", default=True)
    catalog.toolsets[SWITCHED] = Toolset(SWITCHED, "What appears while the suite is watching.", default=False)
    for listing, tool in _registered:
        catalog.add(listing, tool)
    catalog.choose(["entries", SHOWN])
    contracts = {**CONTRACTS, CONTRACT: FixtureContract()}
    bench = bench_of(app.kernel)
    kernel = app.kernel.having(replace(bench, acts={**bench.acts, **ACTS}))
    return App(kernel, Dispatcher(catalog, contracts), app.data)


def lend_exchange(adapter: Adapter) -> None:
    """Let fixture tools see the request they answer; threads inherit the context variable."""
    entry = adapter.server.get_request_handler("tools/call")
    assert entry is not None

    async def call_tool(ctx: ServerRequestContext[Any, Any], params: types.CallToolRequestParams) -> Any:
        exchange = Exchange(ctx, params, adapter.app.catalog)
        token = EXCHANGE.set(exchange)
        try:
            # A fixture's own state is none of the product's, which keeps the answers of earlier rounds in it.
            own = exchange.catalog.find(params.name)
            foreign = own is not None and own.module == "dialogue"
            result = await entry.handler(ctx, params.model_copy(update={"request_state": None}) if foreign else params)
        finally:
            EXCHANGE.reset(token)
        if isinstance(exchange.outcome, MCPError):
            raise exchange.outcome
        return exchange.outcome or result

    adapter.server.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)
