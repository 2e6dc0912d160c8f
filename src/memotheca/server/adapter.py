"""The official SDK behind one module: our tools, resources and prompts as handlers of its low-level server."""

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from typing import Any, get_args

import anyio
import anyio.to_thread
import mcp_types as types
from anyio.abc import TaskGroup
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from memotheca import __version__
from memotheca.app import App, follow_vaults, look_after, write_down
from memotheca.kernel.callers import Callers
from memotheca.kernel.precedence import Precedence
from memotheca.model.errors import Failure, Refusal, refuse_for_memory
from memotheca.notes.mounts import vaults_of
from memotheca.server import prompts, resources
from memotheca.server.access.holders import actor_of, is_admin, may_write, refuse_strangers, welcome_of
from memotheca.server.access.quotas import within_quotas
from memotheca.server.access.shown_tools import list_collections, list_tools
from memotheca.server.apps.app_views import announce, read_view, with_views
from memotheca.server.background import Works
from memotheca.server.content_types import carry_types, restore_types
from memotheca.server.elicitation import QuestionReply, converse, seal_state
from memotheca.server.events import TOOLS_CHANGED, Hub, Note, Subscriber
from memotheca.server.faults import INTERNAL_ERROR, INVALID_PARAMS, fault_details
from memotheca.server.guidance import compose_instructions
from memotheca.server.operation.call_watch import FAILED, OK, name_tool, note_outcome
from memotheca.server.operation.operation import Operation
from memotheca.server.progress import Teller
from memotheca.server.sessions import HERE, MessageOrigin, connection_of, session_of
from memotheca.server.task_protocol import Errands, hide_tasks, is_before_tasks
from memotheca.toolkit.ask import Dialogue
from memotheca.toolkit.contract import Reply
from memotheca.toolkit.dispatch import UnknownTool
from memotheca.toolkit.tool import Call, Listing

log = logging.getLogger(__name__)

UPKEEP_SECONDS = 2.0  # chosen: late vectors and seals come soon, and looking costs little

Context = ServerRequestContext[Any, Any]
Handler = Callable[[Context, Any], Awaitable[Any]]

# The last revision in which a resource that is not there has a code of its own.
LAST_WITH_NOT_FOUND = "2025-06-18"
RESOURCE_NOT_FOUND = -32002  # specification: MCP, Resources


CHANGE = "knowledge/change"
IDEMPOTENCY_KEY = "knowledge/idempotency-key"
SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId"

OLDER_TASKS = types.ServerTasksCapability(
    list=types.TasksListCapability(),
    cancel=types.TasksCancelCapability(),
    requests=types.ServerTasksRequestsCapability(tools=types.TasksToolsCapability(call=types.TasksCallCapability())),
)


class MemothecaServer(Server[Any]):
    """The SDK's server, announcing that its list of tools can change, and no other."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> Any:
        announced = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(announced, experimental_capabilities, extensions)

    def get_capabilities(self, *arguments: Any, **options: Any) -> types.ServerCapabilities:
        """In the newer protocol the SDK announces every list as soon as anything can be listened to."""
        capabilities = super().get_capabilities(*arguments, **options)
        for announced in (capabilities.prompts, capabilities.resources):
            if announced is not None:
                announced.list_changed = False
        if options.get("protocol_version") is None:
            capabilities.tasks = OLDER_TASKS
        return capabilities


class Adapter:
    """Translates between the protocol and the app; one for each collection that is served."""

    def __init__(self, app: App, *, does_jobs: bool = True, operation: Operation | None = None) -> None:
        self.app = app
        self.operation = operation or Operation()
        self.hub = Hub(app.kernel)
        self._threads = anyio.CapacityLimiter(16)
        # Who writes may have to wait for another program, and whoever only reads not for them.
        self._writing = anyio.CapacityLimiter(16)
        # Calls that may wait for a job have threads of their own, so that nobody else waits with them.
        self._waiting = anyio.CapacityLimiter(256)
        self._upkeep = anyio.CapacityLimiter(1)
        self._precedence = app.kernel.keep(Precedence)
        self._members: dict[int, Subscriber] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: TaskGroup | None = None
        app.catalog.watch(self._tools_changed)
        self.server = MemothecaServer(
            "memotheca",
            version=__version__,
            title="Memotheca",
            instructions=self._instructions(),
            get_tool_input_schema=lambda name: None,
            # The newer protocol asks how long answers may be kept: not at all, since anybody may change what is stored.
            cache_hints=dict.fromkeys(get_args(CacheableMethod), CacheHint(ttl_ms=0, scope="private")),
            on_list_tools=_completed(self._list_tools),
            on_call_tool=_completed(self._call_tool),
            on_list_resources=_completed(self._list_resources),
            on_list_resource_templates=_completed(self._list_templates),
            on_read_resource=_completed(self._read_resource),
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=self._listen,
            on_list_prompts=_completed(self._list_prompts),
            on_get_prompt=_completed(self._get_prompt),
            on_completion=_completed(self._complete),
        )
        self.works = Works(app, self._in_thread, does_jobs=does_jobs)
        self.works.register(self.server)
        self.errands = Errands(app, self._in_thread)
        self.errands.register(self.server)
        self.server.middleware[:] = [self._observe, self._guard, self._limit, self._begin_older_task, seal_state()]

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """While a transport serves: the journal is followed and notifications flow."""
        with ExitStack() as leaving:
            leaving.callback(write_down, self.app)
            async with self.works.going_on(), anyio.create_task_group() as tasks:
                self._loop, self._tasks = asyncio.get_running_loop(), tasks
                tasks.start_soon(self.hub.run)
                tasks.start_soon(self._keep_up)
                tasks.start_soon(self._follow_vaults)
                try:
                    yield
                finally:
                    self._loop = self._tasks = None
                    tasks.cancel_scope.cancel()

    async def _keep_up(self) -> None:
        """Make the vectors that are late and seal what is due, in a thread, whenever there is something to do."""
        stopped = threading.Event()
        try:
            while True:
                await anyio.sleep(UPKEEP_SECONDS)
                work = partial(_look_after, self.app, stopped.is_set)
                await anyio.to_thread.run_sync(work, limiter=self._upkeep, abandon_on_cancel=True)
        finally:
            stopped.set()

    async def _follow_vaults(self) -> None:
        """Take in what people do in the mounted vaults, in a thread that ends with the server."""
        stopped = threading.Event()
        try:
            work = partial(follow_vaults, self.app, stopped)
            await anyio.to_thread.run_sync(work, limiter=anyio.CapacityLimiter(1), abandon_on_cancel=True)
        finally:
            stopped.set()

    async def _observe(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Have every call told to whoever watches; what a client calls a tool that is not there is not repeated."""
        who, collection = actor_of(ctx), self.app.kernel.collection
        tool = name_tool(ctx, self.app.catalog.find)
        self.app.kernel.keep(Callers, collection).note(who, self.app.kernel.now())
        return await self.operation.watch.answer(ctx, call_next, who=who, collection=collection, tool=tool)

    async def _guard(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Complete every error with its type and details; what nobody expected is logged, never sent."""
        try:
            refuse_strangers(ctx)
            with self.operation.drain.running_call(ctx):
                result = await call_next(ctx)
            if ctx.method == "notifications/initialized":
                self._member(ctx).wants_tools = True
            if ctx.method in ("initialize", "server/discover"):
                hide_tasks(result)
                announce(ctx, result)
            return restore_types(result) if ctx.method == "tools/call" else result
        except MCPError as error:
            if error.code == INVALID_PARAMS and _is_too_early(ctx):
                details = "Send initialize first: nothing else is answered before it."
                raise MCPError(
                    INVALID_PARAMS, "Not initialized", fault_details(INVALID_PARAMS, details=details)
                ) from None
            raise MCPError(error.code, error.message, fault_details(error.code, error.data)) from None
        except ValidationError as error:
            spelled = "; ".join(".".join(str(part) for part in e["loc"]) + f": {e['type']}" for e in error.errors())
            raise MCPError(INVALID_PARAMS, "Invalid params", fault_details(INVALID_PARAMS, details=spelled)) from None
        except Refusal as refusal:
            raise _to_protocol_error(refusal, ctx) from None
        except UnicodeEncodeError:
            details = "The parameters hold text that is not Unicode (half a surrogate pair)."
            raise MCPError(INVALID_PARAMS, "Invalid params", fault_details(INVALID_PARAMS, details=details)) from None
        except MemoryError:
            raise _to_protocol_error(refuse_for_memory(), ctx) from None
        except Exception:
            log.exception("%s failed", ctx.method)
            raise MCPError(INTERNAL_ERROR, "Internal error", fault_details(INTERNAL_ERROR)) from None

    async def _limit(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        if (member := self._members.get(connection_of(ctx))) is not None:
            member.is_welcome = welcome_of(ctx)  # Tokens are renewed.
        async with within_quotas(ctx, self.app, self.operation.quotas, self._in_thread):
            return await call_next(ctx)

    async def _in_thread(self, work: Callable[[], Any]) -> Any:
        return await _in_turn(partial(self._answer, work), self._threads, leave=False)

    def _answer(self, work: Callable[[], Any]) -> Any:
        with self._precedence.answering():
            return work()

    async def _list_tools(self, ctx: Context, params: Any) -> Any:
        hidden = "execution" if is_before_tasks(ctx.protocol_version) else None
        tools = with_views(ctx, list_tools(ctx, self.app.catalog, hidden=hidden))
        return {"tools": tools, **await list_collections(ctx)}

    async def _call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> Any:
        if self.errands.wanted(ctx, self.app.catalog.find(params.name)):
            reply = await self._run_tool(ctx, params, detached=True)
            begun = None if isinstance(reply, QuestionReply) else await self.errands.begin(ctx, reply)
            if begun is not None:
                return begun
        else:
            reply = await self._run_tool(ctx, params)
            if not isinstance(reply, QuestionReply):
                self._tell_afterwards(ctx, reply)
        return _to_wire(reply)

    async def _begin_older_task(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """The older protocol's answer to a call that becomes a task has a shape of its own, which the SDK's check of
        tools/call would refuse; so it is given here, where nothing checks it any more."""
        if ctx.method != "tools/call" or "task" not in (ctx.params or {}):
            return await call_next(ctx)
        params = types.CallToolRequestParams.model_validate(ctx.params, by_name=False)
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS or not self.errands.wanted(
            ctx, self.app.catalog.find(params.name)
        ):
            return await call_next(ctx)
        reply = await self._run_tool(ctx, params, detached=True)
        begun = None if isinstance(reply, QuestionReply) else await self.errands.begin(ctx, reply)
        return begun or _to_wire(reply)

    async def _run_tool(
        self, ctx: Context, params: types.CallToolRequestParams, *, detached: bool = False
    ) -> Reply | QuestionReply:
        stopped = threading.Event()
        teller = Teller(ctx)

        async def run(conversation: Dialogue) -> Reply:
            call = Call(
                kernel=self.app.kernel,
                actor=actor_of(ctx),
                session=session_of(ctx),
                key=_key(ctx),
                cancelled=stopped.is_set,
                detached=detached,
                report=teller.report,
                show=teller.show,
                conversation=conversation,
                is_local=HERE.get().is_local or is_admin(ctx),
                may_write=may_write(ctx),
            )
            work = partial(self.app.dispatcher.run, params.name, params.arguments or {}, call)
            # Who waits for a job must not keep the job from going on.
            turn = work if threads is self._waiting else partial(self._answer, work)
            return await _in_turn(turn, threads, leave=True)

        listing = self.app.catalog.find(params.name)
        threads = self._threads_for(listing)
        try:
            reply = await converse(ctx, params, run)
            note_outcome(_outcome_of(reply))
            return reply
        except UnknownTool:
            details = f"There is no tool {params.name!r}; tools/list names them."
            raise MCPError(
                INVALID_PARAMS, f"Unknown tool: {params.name}", fault_details(INVALID_PARAMS, details=details)
            ) from None
        finally:
            stopped.set()

    def _threads_for(self, listing: Listing | None) -> anyio.CapacityLimiter:
        if listing is not None and listing.job:
            return self._waiting
        return self._writing if listing is not None and listing.writes else self._threads

    def _tell_afterwards(self, ctx: Context, reply: Reply) -> None:
        """Let a caller who gave a token hear of the task that its call has left."""
        task = self.works.queued_by(ctx, reply)
        if task is not None and ctx.meta is not None and self._tasks is not None:
            connection = ctx.session._connection  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
            self._tasks.start_soon(self.works.tell, connection, ctx.meta.get("progress_token"), task)

    async def _list_resources(self, ctx: Context, params: Any) -> Any:
        return {"resources": await self._in_thread(partial(resources.list_resources, self.app.kernel))}

    async def _list_templates(self, ctx: Context, params: Any) -> Any:
        return {"resourceTemplates": resources.list_templates()}

    async def _read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> Any:
        view = read_view(ctx, str(params.uri), self.app.catalog)
        if view is not None:
            return {"contents": [view]}
        # The SDK's model has the address alone; what stands beside it is read as it was sent.
        beside = {name: value for name, value in (ctx.params or {}).items() if name in resources.PAGING}
        read = partial(resources.read_resource, self.app.kernel, str(params.uri), beside)
        return {"contents": [await self._in_thread(read)]}

    async def _list_prompts(self, ctx: Context, params: Any) -> Any:
        return {"prompts": prompts.list_prompts()}

    async def _get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> Any:
        return prompts.get_prompt(params.name, params.arguments or {}, self._shown())

    async def _complete(self, ctx: Context, params: types.CompleteRequestParams) -> Any:
        if params.ref.type != "ref/prompt":
            return {"completion": {"values": []}}
        name, argument = params.ref.name, params.argument
        found = await self._in_thread(partial(prompts.complete, self.app.kernel, name, argument.name, argument.value))
        shown, has_more = found[: prompts.MAX_COMPLETIONS], len(found) > prompts.MAX_COMPLETIONS
        counted = {} if has_more else {"total": len(shown)}
        return {"completion": {"values": shown, **counted, "hasMore": has_more}}

    async def _subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> Any:
        await self.hub.follow(self._member(ctx), str(params.uri))
        return types.EmptyResult()

    async def _unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> Any:
        await self.hub.unfollow(self._member(ctx), str(params.uri))
        return types.EmptyResult()

    async def _listen(self, ctx: Context, params: types.SubscriptionsListenRequestParams) -> Any:
        """One listen stream of a modern client: acknowledged first, then every note it asked for."""
        wanted = params.notifications
        meta: dict[str, Any] = {SUBSCRIPTION_ID: ctx.request_id}
        subscriber = self.hub.join(welcome_of(ctx))
        try:
            for uri in wanted.resource_subscriptions or []:
                await self.hub.follow(subscriber, str(uri))
            subscriber.wants_tools = bool(wanted.tools_list_changed)
            honoured = wanted.model_copy(update={"prompts_list_changed": None, "resources_list_changed": None})
            await ctx.session.send_notification(
                types.SubscriptionsAcknowledgedNotification(
                    params=types.SubscriptionsAcknowledgedNotificationParams(notifications=honoured, _meta=meta)
                ),
                related_request_id=ctx.request_id,
            )
            await subscriber.deliver(partial(_notify_stream, ctx, meta))
        finally:
            self.hub.leave(subscriber)
        return types.SubscriptionsListenResult(_meta=meta)

    def _member(self, ctx: Context) -> Subscriber:
        """The subscriber behind a connection of the older protocol, made on first use and gone with it."""
        connection = ctx.session._connection  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        if id(connection) not in self._members:
            assert self._tasks is not None
            subscriber = self.hub.join(welcome_of(ctx))
            self._members[id(connection)] = subscriber
            self._tasks.start_soon(subscriber.deliver, partial(_notify_connection, connection))

            def part() -> None:
                self.hub.leave(self._members.pop(id(connection)))

            connection.exit_stack.callback(part)
        return self._members[id(connection)]

    def _shown(self) -> set[str]:
        return {listing.called for listing in self.app.catalog.listed()}

    def _instructions(self) -> str:
        """For whoever begins a session now; a session that is under way is told that its tools have changed."""
        return compose_instructions(
            self._shown(),
            has_vault=vaults_of(self.app.kernel).has_notes,
            is_read_only=self.app.catalog.is_read_only,
        )

    def _tools_changed(self) -> None:
        """Called from any thread when a toolset is switched or writing is forbidden."""
        self.server.instructions = self._instructions()
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self.hub.announce_tools)


async def _in_turn(work: Callable[[], Any], threads: anyio.CapacityLimiter, *, leave: bool) -> Any:
    """Work in a thread once the client has read what was made for it before: looked at when a thread is free, since
    all that waited for one would else be made at once."""
    place = HERE.get()
    while True:
        await place.catch_up()
        turn = partial(_unless_behind, place, work)
        made = await anyio.to_thread.run_sync(turn, limiter=threads, abandon_on_cancel=leave)
        if made is not _BEHIND:
            return made


_BEHIND = object()


def _unless_behind(place: MessageOrigin, work: Callable[[], Any]) -> Any:
    return _BEHIND if place.is_behind() else work()


def _completed(handler: Handler) -> Handler:
    """Our answers are plain dictionaries; the newer protocol wants each to say that it is the whole answer."""

    async def answer(ctx: Context, params: Any) -> dict[str, Any]:
        return {"resultType": "complete", **await handler(ctx, params)}  # a task says so itself

    return answer


async def _notify_connection(connection: Any, uri: str, note: Note) -> None:
    if note is TOOLS_CHANGED:
        await connection.send_tool_list_changed()
    else:
        await connection.send_resource_updated(uri, meta={CHANGE: note})


async def _notify_stream(ctx: Context, meta: dict[str, Any], uri: str, note: Note) -> None:
    if note is TOOLS_CHANGED:
        notification: Any = types.ToolListChangedNotification(params=types.NotificationParams(_meta=meta))
    else:
        params = types.ResourceUpdatedNotificationParams(uri=uri, _meta={**meta, CHANGE: note})
        notification = types.ResourceUpdatedNotification(params=params)
    await ctx.session.send_notification(notification, related_request_id=ctx.request_id)


def _key(ctx: Context) -> str:
    """Under which key a call is to be carried out only once."""
    key: Any = (ctx.meta or {}).get(IDEMPOTENCY_KEY, "")
    if not isinstance(key, str) or (IDEMPOTENCY_KEY in (ctx.meta or {}) and not key.strip()):
        raise Refusal(Failure.INVALID, f"_meta.{IDEMPOTENCY_KEY} must be a string with something in it.")
    return key


def _is_too_early(ctx: Context) -> bool:
    connection = ctx.session._connection  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    return ctx.method != "initialize" and not connection.initialize_accepted


def _to_protocol_error(refusal: Refusal, ctx: Context) -> MCPError:
    """A refusal outside of a tool: the caller's fault is invalid params, ours an internal error."""
    params: Any = ctx.params
    code = INTERNAL_ERROR if refusal.failure.retryable or refusal.failure is Failure.INTERNAL else INVALID_PARAMS
    data: dict[str, Any] = {"code": refusal.failure.code, "retryable": refusal.failure.retryable}
    if refusal.field is not None:
        data["field"] = refusal.field
    if params and "uri" in params:
        data["uri"] = params["uri"]
        if refusal.failure is Failure.NOT_FOUND and ctx.protocol_version <= LAST_WITH_NOT_FOUND:
            return MCPError(RESOURCE_NOT_FOUND, refusal.message, {"error_type": "resource_not_found", **data})
    return MCPError(code, refusal.message, fault_details(code, data, details=refusal.message))


def _outcome_of(reply: Reply | QuestionReply) -> str:
    if isinstance(reply, QuestionReply):
        return "asked"
    return (reply.code or FAILED) if reply.failed else OK


def _to_wire(reply: Reply | QuestionReply) -> dict[str, Any]:
    if isinstance(reply, QuestionReply):
        return reply.to_wire()
    return {
        "content": carry_types(reply.blocks),
        "structuredContent": reply.structured,
        "isError": reply.failed,
    }


def _look_after(app: App, stop: Callable[[], bool]) -> None:
    """No call depends on upkeep, so that nothing that goes wrong in it may end the server; it is tried again."""
    try:
        look_after(app, stop)
    except Refusal as refusal:
        if not stop():
            log.warning("upkeep waits and will be tried again: %s", refusal.message)
    except Exception:
        if not stop():
            log.exception("upkeep failed and will be tried again")
