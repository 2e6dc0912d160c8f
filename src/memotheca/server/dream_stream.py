"""Dreams as clients on server-sent events hear of them: each phase that any program's dream has reached, and on coming
back the one it is in."""

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

import anyio
import anyio.to_thread

from memotheca.kernel.kernel import Kernel
from memotheca.memory.dream.dream_log import STATES, WORK, newest_event
from memotheca.memory.dream.sleeper import is_somebody_dreaming
from memotheca.model.errors import Refusal
from memotheca.storage.instruments.work_events import WorkEvent, read_work_events

log = logging.getLogger(__name__)

NAME = "dream"
POLL_SECONDS = 0.2  # chosen: soon enough for a phase, and a read of a tenth of a millisecond
READ = 100  # chosen: events that are read at once
# What of an event a follower needs; what the dream did in the end is told by its status.
TOLD = ("requested", "dry_run", "done", "total", "completed", "wake_reason", "tasks_opened", "shortcuts_created")


def told(event: WorkEvent) -> dict[str, Any]:
    facts = {name: event.facts[name] for name in TOLD if name in event.facts}
    return {
        "dream_id": event.run,
        "event": event.number,
        "phase": event.phase,
        "state": STATES[event.phase],
        **facts,
    }


class DreamFollower:
    """Passes events on to whoever wants them, from the first who came while nobody did."""

    def __init__(
        self, kernel: Kernel, is_wanted: Callable[[], bool], publish: Callable[[dict[str, Any]], None]
    ) -> None:
        self._kernel = kernel
        self._is_wanted = is_wanted
        self._publish = publish
        self._seen = -1

    async def join(self) -> dict[str, Any] | None:
        """Have all that is to come, and now the phase that is being dreamt, if any."""
        try:
            event = await anyio.to_thread.run_sync(self._newest)
        except Refusal as refusal:
            log.debug("following dreams: %s", refusal.message)
            return None
        if self._seen < 0:
            self._seen = 0 if event is None else event.number
        is_over = event is None or event.phase == "ended" or not is_somebody_dreaming(self._kernel)
        return None if event is None or is_over else told(event)

    async def run(self) -> None:
        """For ever; costs nothing while nobody is there."""
        while True:
            await anyio.sleep(POLL_SECONDS)
            if not self._is_wanted():
                self._seen = -1
            elif self._seen >= 0:
                try:
                    fresh = await anyio.to_thread.run_sync(partial(self._read, self._seen))
                except Refusal as refusal:
                    log.debug("following dreams: %s", refusal.message)
                    continue
                for event in fresh:
                    self._seen = event.number
                    self._publish(told(event))

    def _newest(self) -> WorkEvent | None:
        with self._kernel.read() as snapshot:
            return newest_event(snapshot.session, snapshot.collection)

    def _read(self, seen: int) -> list[WorkEvent]:
        with self._kernel.read() as snapshot:
            return read_work_events(snapshot.session, snapshot.collection, WORK, after=seen, limit=READ)
