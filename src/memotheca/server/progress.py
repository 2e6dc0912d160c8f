"""What a client hears of its call before the answer: progress, and results as they are found."""

import json
from collections.abc import Mapping
from typing import Any

import anyio.from_thread

from memotheca.server.sessions import HERE


class Teller:
    """Speaks to whoever called, from the thread in which the tool runs; without a token there is no progress."""

    def __init__(self, ctx: Any) -> None:
        self._ctx = ctx
        self._has_token = bool(ctx.meta) and ctx.meta.get("progress_token") is not None
        self._show = HERE.get().show

    def report(self, done: float, total: float | None, message: str) -> None:
        if self._has_token:
            anyio.from_thread.run(self._ctx.session.report_progress, done, total, message)

    def show(self, number: int, result: Mapping[str, Any]) -> None:
        """One result: as an event of its own where the connection has such, and as progress to a token."""
        if self._show is not None:
            anyio.from_thread.run_sync(self._show, self._ctx.request_id, number, result)
        if self._has_token:
            self.report(number, None, json.dumps(result, ensure_ascii=False))
