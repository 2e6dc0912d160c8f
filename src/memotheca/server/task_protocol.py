"""Tasks of the protocol itself, in both of its forms: each is a durable job, so that it outlives the server."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, cast

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from memotheca.app import App
from memotheca.jobs.queue import call_off, look_up, newest_jobs
from memotheca.model.clock import to_iso
from memotheca.model.errors import Refusal
from memotheca.server.faults import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, fault_details
from memotheca.storage.jobs import Job
from memotheca.toolkit.contract import Reply
from memotheca.toolkit.tool import Call, Listing

EXTENSION = "io.modelcontextprotocol/tasks"
WITH_TASKS = "2025-11-25"  # the first revision that knows tasks
RELATED = "io.modelcontextprotocol/related-task"
HEADER_MISMATCH = -32020  # specification: MCP, 2026-07-28
MISSING_CAPABILITY = -32021  # specification: MCP, 2026-07-28
TTL_MS = 30 * 24 * 3600 * 1000  # chosen: as long as jobs are kept (`jobs/workers.py`)
POLL_MS = 500  # chosen: what a client may ask without being a burden
LOOK_SECONDS = 0.1  # chosen: not felt beside the job that is waited for
LISTED = 100  # chosen: one page

STATUS = {"queued": "working", "running": "working"}

Ask = Callable[[Callable[[], Any]], Awaitable[Any]]


class UpdateParams(types.RequestParams):
    """Answers to what a task asked; ours ask nothing once they have begun."""

    task_id: str
    input_responses: dict[str, Any] | None = None


class Errands:
    """Calls that become tasks, and the methods by which clients follow them."""

    def __init__(self, app: App, in_thread: Ask) -> None:
        self._app = app
        self._in_thread = in_thread

    def register(self, server: Server[Any]) -> None:
        server.extensions[EXTENSION] = {}
        server.add_request_handler("tasks/get", types.GetTaskRequestParams, self._get)
        server.add_request_handler("tasks/update", UpdateParams, self._update)
        server.add_request_handler("tasks/cancel", types.GetTaskRequestParams, self._cancel)
        server.add_request_handler("tasks/result", types.GetTaskRequestParams, self._result)
        server.add_request_handler("tasks/list", types.PaginatedRequestParams, self._list)

    def wanted(self, ctx: Any, listing: Listing | None) -> bool:
        """Whether a call is to become a task: the newer protocol leaves that to us where the client knows tasks, in the
        older one the client asks for it."""
        if listing is None or not listing.job:
            return False
        if _is_modern(ctx):
            if not _declares(ctx) and listing.wire["execution"]["taskSupport"] == "required":
                raise _incapable()
            return _declares(ctx)
        given: dict[str, Any] = ctx.params or {}
        return given.get("task") is not None

    async def begin(self, ctx: Any, reply: Reply) -> dict[str, Any] | None:
        """The answer to a call that has left a job, or None where it was refused and has left none."""
        id = (reply.structured or {}).get("task_id")
        if reply.failed or id is None:
            return None
        job: Job = await self._in_thread(partial(look_up, self._app.kernel, id))
        if _is_modern(ctx):
            return {"resultType": "task", **_modern_fields(job)}
        return {"task": _legacy_fields(job)}

    async def _get(self, ctx: Any, params: types.GetTaskRequestParams) -> dict[str, Any]:
        job = await self._find(ctx, params.task_id)
        if not _is_modern(ctx):
            return _legacy_fields(job)
        shown = {"resultType": "complete", **_modern_fields(job)}
        if job.state in ("completed", "failed"):
            shown |= await self._ended(job)
        return shown

    async def _ended(self, job: Job) -> dict[str, Any]:
        """A tool that refused has completed with an error; only what nobody foresaw has failed."""
        if job.state == "failed" and (job.outcome or {}).get("failure") == "INTERNAL":
            message = str((job.outcome or {}).get("message", "Internal error"))
            return {"status": "failed", "error": {"code": INTERNAL_ERROR, "message": message}}
        return {"status": "completed", "result": {"resultType": "complete", **await self._answer(job)}}

    async def _answer(self, job: Job) -> dict[str, Any]:
        listing = self._app.catalog.leaving(job.kind)
        assert listing is not None
        call: Call[Any] = Call(kernel=self._app.kernel, actor=job.actor)
        reply: Reply = await self._in_thread(partial(self._app.dispatcher.finish, listing, job.id, call))
        answer: dict[str, Any] = {"content": reply.blocks, "isError": reply.failed}
        return answer if reply.structured is None else {**answer, "structuredContent": reply.structured}

    async def _update(self, ctx: Any, params: UpdateParams) -> dict[str, Any]:
        if not _is_modern(ctx):
            raise _no_method("tasks/update")
        await self._find(ctx, params.task_id)
        return {"resultType": "complete"}

    async def _cancel(self, ctx: Any, params: types.GetTaskRequestParams) -> dict[str, Any]:
        job = await self._find(ctx, params.task_id)
        if not _is_modern(ctx) and job.is_settled:
            details = f"The task is {job.state}; it cannot be cancelled."
            raise MCPError(INVALID_PARAMS, details, fault_details(INVALID_PARAMS, details=details))
        job = await self._in_thread(partial(call_off, self._app.kernel, job.id))
        return {"resultType": "complete"} if _is_modern(ctx) else _legacy_fields(job)

    async def _result(self, ctx: Any, params: types.GetTaskRequestParams) -> dict[str, Any]:
        if _is_modern(ctx):
            raise _no_method("tasks/result")
        job = await self._find(ctx, params.task_id)
        while not job.is_settled:
            await anyio.sleep(LOOK_SECONDS)
            job = await self._find(ctx, job.id)
        return {**await self._answer(job), "_meta": {RELATED: {"taskId": job.id}}}

    async def _list(self, ctx: Any, params: types.PaginatedRequestParams) -> dict[str, Any]:
        if _is_modern(ctx):
            raise _no_method("tasks/list")
        jobs: list[Job] = await self._in_thread(partial(newest_jobs, self._app.kernel, LISTED))
        return {"tasks": [_legacy_fields(job) for job in jobs if self._app.catalog.leaving(job.kind)]}

    async def _find(self, ctx: Any, id: str) -> Job:
        if _is_modern(ctx):
            if not _declares(ctx):
                raise _incapable()
            _check_header(ctx, id)
        try:
            job: Job = await self._in_thread(partial(look_up, self._app.kernel, id))
        except Refusal as refusal:
            raise MCPError(INVALID_PARAMS, refusal.message, fault_details(INVALID_PARAMS)) from None
        if self._app.catalog.leaving(job.kind) is None:
            raise MCPError(INVALID_PARAMS, f"Task with ID '{id}' not found", fault_details(INVALID_PARAMS))
        return job


def is_before_tasks(revision: str) -> bool:
    return revision < WITH_TASKS


def hide_tasks(result: Any) -> None:
    """Clients of a revision without tasks are not told of them."""
    if isinstance(result, dict):
        initialized = cast(dict[str, Any], result)
        if is_before_tasks(initialized.get("protocolVersion", WITH_TASKS)):
            initialized.get("capabilities", {}).pop("tasks", None)


def _is_modern(ctx: Any) -> bool:
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def _declares(ctx: Any) -> bool:
    capabilities = ctx.session.client_capabilities
    return EXTENSION in ((capabilities.extensions if capabilities is not None else None) or {})


def _check_header(ctx: Any, id: str) -> None:
    """Over HTTP a header repeats which task is meant, and must agree with the body."""
    if ctx.request is not None and ctx.request.headers.get("mcp-name") != id:
        raise MCPError(HEADER_MISMATCH, "Mcp-Name must equal params.taskId")


def _incapable() -> MCPError:
    needed: dict[str, Any] = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
    return MCPError(MISSING_CAPABILITY, "This needs the tasks extension.", needed)


def _no_method(name: str) -> MCPError:
    return MCPError(METHOD_NOT_FOUND, "Method not found", fault_details(METHOD_NOT_FOUND, details=name))


def _common(job: Job) -> dict[str, Any]:
    return {
        "taskId": job.id,
        "status": STATUS.get(job.state, job.state),
        "statusMessage": job.step,
        "createdAt": to_iso(job.created),
        "lastUpdatedAt": to_iso(job.settled or job.started or job.created),
    }


def _modern_fields(job: Job) -> dict[str, Any]:
    return {**_common(job), "ttlMs": TTL_MS, "pollIntervalMs": POLL_MS}


def _legacy_fields(job: Job) -> dict[str, Any]:
    return {**_common(job), "ttl": TTL_MS, "pollInterval": POLL_MS}
