"""The end of a server: calls that run are let finish, within a bound, and new ones are asked to come again."""

import asyncio
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from memotheca.model.errors import Failure, Refusal

# They last as long as their client likes.
ENDLESS = ("subscriptions/listen",)
LOOK_SECONDS = 0.05  # chosen: not felt by who waits for the end
SENT_SECONDS = 0.1  # chosen: what was just answered leaves before its connection is closed


class Drain:
    """How many calls run, and whether new ones are taken."""

    def __init__(self) -> None:
        self.running = 0
        self.is_closing = False
        self.is_hurried = False

    @contextmanager
    def running_call(self, ctx: Any) -> Generator[None]:
        """While it lasts, the server does not end; raises Refusal where it is about to."""
        if ctx.request_id is None or ctx.method in ENDLESS:
            yield
            return
        self.refuse_new()
        with self.working():
            yield

    def refuse_new(self) -> None:
        if self.is_closing:
            raise Refusal(Failure.UNAVAILABLE, "This server is about to end. Connect again and repeat the call.")

    @contextmanager
    def working(self) -> Generator[None]:
        self.running += 1
        try:
            yield
        finally:
            self.running -= 1

    async def wait(self, seconds: float) -> bool:
        """Take no new calls and wait for those that run; says whether they have all ended in time."""
        self.is_closing = True
        if not self.running:
            return True
        deadline = time.monotonic() + seconds
        while self.running and not self.is_hurried and time.monotonic() < deadline:
            await asyncio.sleep(LOOK_SECONDS)
        await asyncio.sleep(SENT_SECONDS)
        return not self.running
