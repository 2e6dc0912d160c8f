"""Quotas: how often and how much the holder of a token may ask, and how much may be there because of them. Counted by
each server for itself."""

import json
import math
import time
from collections import defaultdict, deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import anyio
from mcp.shared.exceptions import MCPError

from memotheca.admin.access_tokens import AccessToken
from memotheca.app import App
from memotheca.jobs.queue import unsettled_jobs
from memotheca.kernel.kernel import Kernel
from memotheca.model.kinds import INGEST
from memotheca.search.census import take_census
from memotheca.server.access.holders import holder_of
from memotheca.server.faults import INVALID_REQUEST, fault_details
from memotheca.storage.jobs import Job

MINUTE = 60.0  # specification: rates are told for a minute


class QuotaExceeded(MCPError):
    """More was asked than a token is good for."""

    def __init__(self, message: str, code: str, *, after: float | None = None) -> None:
        data: dict[str, Any] = {"code": code, "retryable": after is not None}
        if after is not None:
            data["retry_after_seconds"] = max(1, math.ceil(after))
        super().__init__(INVALID_REQUEST, message, fault_details(INVALID_REQUEST, data, details=message))


@dataclass(frozen=True, eq=False, slots=True)
class AddingCall:
    """A call that was let through to add something, and has not ended: whose, whether it leaves a task, since when."""

    who: str
    leaves_job: bool
    began: int


@dataclass(slots=True)
class _Lately:
    """What one holder has asked within the last minute."""

    calls: deque[tuple[float, int]] = field(default_factory=deque[tuple[float, int]])
    bytes: int = 0


class Quotas:
    """The rates of all holders of one server, and the calls under way that were let through to add something."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lately: dict[str, _Lately] = {}
        self._turns: defaultdict[str, anyio.Lock] = defaultdict(anyio.Lock)
        self._adding: defaultdict[str, list[AddingCall]] = defaultdict(list[AddingCall])

    @asynccontextmanager
    async def adding(
        self, collection: str, call: AddingCall, check: Callable[[list[AddingCall]], Awaitable[Any]]
    ) -> AsyncGenerator[None]:
        """Let a call through, one after the other, so that each is held against those before it that have not ended."""
        async with self._turns[collection]:
            await check(list(self._adding[collection]))
            self._adding[collection].append(call)
        try:
            yield
        finally:
            self._adding[collection].remove(call)

    def admit(self, token: AccessToken, size: int) -> None:
        """Count a call of so many bytes, or raise QuotaExceeded: what is refused is not counted."""
        if not token.calls_per_minute and not token.bytes_per_minute:
            return
        now, lately = self._clock(), self._lately.setdefault(token.name, _Lately())
        while lately.calls and lately.calls[0][0] <= now - MINUTE:
            lately.bytes -= lately.calls.popleft()[1]
        if token.calls_per_minute and len(lately.calls) >= token.calls_per_minute:
            message = f"This token is good for {token.calls_per_minute} calls a minute."
            raise QuotaExceeded(message, "rate_limited", after=lately.calls[0][0] + MINUTE - now)
        if token.bytes_per_minute and lately.bytes + size > token.bytes_per_minute:
            message = f"This token is good for {token.bytes_per_minute} bytes a minute."
            if size > token.bytes_per_minute:
                raise QuotaExceeded(f"{message} This call alone has {size}.", "too_large")
            raise QuotaExceeded(message, "rate_limited", after=lately.calls[0][0] + MINUTE - now)
        lately.calls.append((now, size))
        lately.bytes += size


def refuse_excess(kernel: Kernel, token: AccessToken, *, leaves_job: bool, beside: Sequence[AddingCall] = ()) -> None:
    """Raise QuotaExceeded where a holder may not add more: too many of their jobs wait or run, or the collection holds
    as many entries as they may fill it with, or soon will."""
    jobs = unsettled_jobs(kernel) if (leaves_job and token.jobs) or token.entries else []
    own = [job for job in jobs if job.actor == token.name]
    if (
        leaves_job
        and token.jobs
        and count_tasks(own, [call for call in beside if call.who == token.name]) >= token.jobs
    ):
        message = f"{token.jobs} tasks of this token wait or run; wait for one of them to end."
        raise QuotaExceeded(message, "too_many_tasks", after=1.0)
    if token.entries:
        with kernel.read() as snapshot:
            held = sum(take_census(kernel, snapshot).entries.values())
        if held >= token.entries:
            message = f"The collection holds {held} entries; with this token nothing is added from {token.entries} on."
            raise QuotaExceeded(message, "quota_exceeded")
        coming = count_tasks([job for job in jobs if job.kind == INGEST], beside)
        coming += sum(not call.leaves_job for call in beside)
        if held + coming >= token.entries:
            message = (
                f"The collection holds {held} entries, and {coming} calls or tasks that may add to it are under way; "
                f"with this token nothing is added from {token.entries} on. Try again when they have ended."
            )
            raise QuotaExceeded(message, "quota_exceeded", after=1.0)


def count_tasks(jobs: Sequence[Job], beside: Sequence[AddingCall]) -> int:
    """Those there are, and those that calls under way have still to leave."""
    leaving = [call for call in beside if call.leaves_job]
    since = min((call.began for call in leaving), default=0)
    left = sum(job.created >= since for job in jobs)
    return len(jobs) + (max(0, len(leaving) - left) if leaving else 0)


@asynccontextmanager
async def within_quotas(
    ctx: Any, app: App, quotas: Quotas, in_thread: Callable[..., Awaitable[Any]]
) -> AsyncGenerator[None]:
    """Hold a request against what the token it came with is good for; raises QuotaExceeded."""
    holder = holder_of(ctx)
    if holder is None or ctx.request_id is None:
        yield
        return
    params: dict[str, Any] = ctx.params or {}
    quotas.admit(holder.token, len(json.dumps(params, default=str).encode("utf-8", "replace")) if params else 0)
    name = params.get("name") if ctx.method == "tools/call" else None
    listing = app.catalog.find(name) if isinstance(name, str) else None
    # Who may add no more may still take away.
    adds = listing is not None and listing.writes and not listing.wire["annotations"]["destructiveHint"]
    if listing is None or not adds or not (holder.token.entries or holder.token.jobs):
        yield
        return
    call = AddingCall(holder.token.name, bool(listing.job), app.kernel.now())

    async def check(beside: list[AddingCall]) -> None:
        work = partial(refuse_excess, app.kernel, holder.token, leaves_job=call.leaves_job, beside=beside)
        await in_thread(work)

    async with quotas.adding(app.kernel.collection, call, check):
        yield
