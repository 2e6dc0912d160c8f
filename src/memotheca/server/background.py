"""Background work as clients see it: workers while we serve, progress after the answer, and calling it off."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from memotheca.app import App
from memotheca.jobs.queue import call_off, look_up
from memotheca.jobs.workers import Workers
from memotheca.model.errors import Refusal
from memotheca.storage.jobs import Job
from memotheca.toolkit.contract import Reply

CANCEL = "tools/cancel"
POLL_SECONDS = 0.1  # measured: told within 0.15 s, at 1% of a processor

InThread = Callable[[Callable[[], Any]], Awaitable[Any]]


class TaskNotificationParams(types.NotificationParams):
    """Which task is meant."""

    task_id: str


class Works:
    """The jobs of a collection, on behalf of its clients."""

    def __init__(self, app: App, in_thread: InThread, *, does_jobs: bool = True) -> None:
        self._app = app
        # Workers take the jobs of every collection, so that one group of them is enough.
        self._does_jobs = does_jobs
        self._in_thread = in_thread

    def register(self, server: Server[Any]) -> None:
        """Serve the contract's own way of cancelling, as a request and as a notification."""
        server.add_request_handler(CANCEL, types.GetTaskRequestParams, self._cancel)
        server.add_notification_handler(CANCEL, TaskNotificationParams, self._cancel_quietly)

    @asynccontextmanager
    async def going_on(self) -> AsyncGenerator[None]:
        """Work while a transport serves, unless it may not write; what is under way at its end is given back to whoever
        works next."""
        if self._app.catalog.is_read_only or not self._does_jobs:
            yield
            return
        workers = Workers(self._app.kernel).start()
        try:
            yield
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(workers.stop)

    async def _cancel(self, ctx: Any, params: types.GetTaskRequestParams) -> dict[str, Any]:
        job = await self.cancel(params.task_id)
        return {"taskId": job.id, "status": job.state, "cancelled": job.state == "cancelled"}

    async def _cancel_quietly(self, ctx: Any, params: TaskNotificationParams) -> None:
        await self.cancel(params.task_id)

    async def cancel(self, id: str) -> Job:
        return await self._in_thread(partial(call_off, self._app.kernel, id))

    def queued_by(self, ctx: Any, reply: Reply) -> str | None:
        """The task that a call has left behind, where its caller wants to hear of it after the answer. The newer
        protocol ends progress with the answer and has tasks of its own."""
        wants = ctx.meta is not None and ctx.meta.get("progress_token") is not None
        if reply.failed or not wants or ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return None
        structured = reply.structured or {}
        return structured.get("task_id") if "status" not in structured else None

    async def tell(self, connection: Any, token: str | int | None, id: str) -> None:
        """Send progress of a job to its caller's token until it is settled or the caller has gone."""
        told = -1.0
        while True:
            await anyio.sleep(POLL_SECONDS)
            try:
                job: Job = await self._in_thread(partial(look_up, self._app.kernel, id))
            except Refusal:
                return
            reached = job.done / max(job.total, 1)
            if reached > told:
                told = reached
                message = job.step if not job.is_settled else f"Task {job.state}"
                said = {"progressToken": token, "progress": reached, "total": 1.0, "message": message}
                await connection.outbound.notify("notifications/progress", said)
            if job.is_settled:
                return
