"""Quotas: how often and how much the holder of a token may ask, and how much may be there because of them. Counted by
each server for itself."""

import json
import math
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from mcp.shared.exceptions import MCPError

from memotheca.admin.access_tokens import AccessToken
from memotheca.app import App
from memotheca.jobs.queue import unsettled_jobs
from memotheca.kernel.kernel import Kernel
from memotheca.search.census import take_census
from memotheca.server.access.holders import holder_of
from memotheca.server.faults import INVALID_REQUEST, fault_details

MINUTE = 60.0  # specification: rates are told for a minute


class QuotaExceeded(MCPError):
    """More was asked than a token is good for."""

    def __init__(self, message: str, code: str, *, after: float | None = None) -> None:
        data: dict[str, Any] = {"code": code, "retryable": after is not None}
        if after is not None:
            data["retry_after_seconds"] = max(1, math.ceil(after))
        super().__init__(INVALID_REQUEST, message, fault_details(INVALID_REQUEST, data, details=message))


@dataclass(slots=True)
class _Lately:
    """What one holder has asked within the last minute."""

    calls: deque[tuple[float, int]] = field(default_factory=deque[tuple[float, int]])
    bytes: int = 0


class Quotas:
    """The rates of all holders of one server."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lately: dict[str, _Lately] = {}

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


def refuse_excess(kernel: Kernel, token: AccessToken, *, leaves_job: bool) -> None:
    """Raise QuotaExceeded where a holder may not add more: too many of their jobs wait or run, or the collection holds
    as many entries as they may fill it with."""
    if leaves_job and token.jobs and sum(job.actor == token.name for job in unsettled_jobs(kernel)) >= token.jobs:
        message = f"{token.jobs} tasks of this token wait or run; wait for one of them to end."
        raise QuotaExceeded(message, "too_many_tasks", after=1.0)
    if token.entries:
        with kernel.read() as snapshot:
            held = sum(take_census(kernel, snapshot).entries.values())
        if held >= token.entries:
            message = f"The collection holds {held} entries; with this token nothing is added from {token.entries} on."
            raise QuotaExceeded(message, "quota_exceeded")


async def hold_against_quotas(ctx: Any, app: App, quotas: Quotas, in_thread: Callable[..., Awaitable[Any]]) -> None:
    """Hold a request against what the token it came with is good for; raises QuotaExceeded."""
    holder = holder_of(ctx)
    if holder is None or ctx.request_id is None:
        return
    params: dict[str, Any] = ctx.params or {}
    quotas.admit(holder.token, len(json.dumps(params, default=str).encode("utf-8", "replace")) if params else 0)
    name = params.get("name") if ctx.method == "tools/call" else None
    listing = app.catalog.find(name) if isinstance(name, str) else None
    # Who may add no more may still take away.
    if listing is not None and listing.writes and not listing.wire["annotations"]["destructiveHint"]:
        await in_thread(partial(refuse_excess, app.kernel, holder.token, leaves_job=bool(listing.job)))
