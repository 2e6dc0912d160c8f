"""The sleeper: whether this program dreams, the thread that does, and how it is woken. Light; what a dream does is
`night.py`."""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, field
from typing import Literal

from memotheca.jobs.workbench import Workbench
from memotheca.kernel.kernel import Kernel
from memotheca.memory.dream.dream_log import (
    dream_role,
    dream_to_wake,
    is_asked_to_wake,
    queried_at,
    tell_of_query,
)
from memotheca.memory.session.wake import bell_of
from memotheca.model.clock import SECOND
from memotheca.model.errors import Refusal
from memotheca.storage.database import HeldRole

log = logging.getLogger(__name__)

WakeReason = Literal["external_query", "manual_abort", "time_over", "shutdown", "resource_pressure", "error"]

LOOKED_FOR = 0.05  # chosen: seconds between two looks whether another program wants us awake
WAKES_WITHIN = 0.1  # specification: of the memories family


@dataclass(slots=True)
class Sleep:
    """One dream under way: who may wake it, since when it was to wake, and whether it has ended."""

    run: str
    kernel: Kernel
    held: HeldRole
    minutes: float
    wakes_on_query: bool
    began: float = field(default_factory=time.monotonic)
    ended: threading.Event = field(default_factory=threading.Event)
    reason: WakeReason | None = None
    woken_at: float | None = None
    _asked: float = 0.0
    _queries: int = 0

    def __post_init__(self) -> None:
        self._queries = bell_of(self.kernel).heard()[0]

    def wake(self, reason: WakeReason, at: float | None = None) -> None:
        if self.reason is None:
            self.reason, self.woken_at = reason, time.monotonic() if at is None else at

    def must_wake(self) -> WakeReason | None:
        """Asked between any two slices, so it is cheap."""
        if self.reason is None:
            now = time.monotonic()
            times, last = bell_of(self.kernel).heard()
            if self.wakes_on_query and times > self._queries:
                self.wake("external_query", last)
            elif now - self.began > self.minutes * 60:
                self.wake("time_over")
            elif now - self._asked > LOOKED_FOR:
                self._asked = now
                self._look_outside()
        return self.reason

    def _look_outside(self) -> None:
        if not self.held.is_held:
            self.wake("resource_pressure")
            return
        with self.kernel.store.database.read() as session:
            if is_asked_to_wake(session, self.kernel.collection, self.run):
                self.wake("manual_abort")
            elif self.wakes_on_query and (at := queried_at(session, self.kernel.collection, self.run)) is not None:
                since = max(0, self.kernel.now() - at) / SECOND
                self.wake("external_query", time.monotonic() - since)

    @property
    def latency_ms(self) -> float | None:
        """How long it took to wake, where something woke it."""
        return None if self.woken_at is None else round((time.monotonic() - self.woken_at) * 1000, 2)


class Sleeper:
    """At most one dream of a collection in this program."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._sleep: Sleep | None = None
        self._is_closed = False

    @property
    def sleep(self) -> Sleep | None:
        with self._guard:
            return self._sleep

    def fall_asleep(self, kernel: Kernel, run: str, minutes: float, *, wakes_on_query: bool) -> "Slumber | None":
        """Take the role of who dreams; none where another dream goes on, in this program or in another."""
        leaving = ExitStack()
        held = leaving.enter_context(_role_of(kernel))
        with self._guard:
            if held is None or self._is_closed:
                leaving.close()
                return None
            self._sleep = Sleep(run, kernel, held, minutes, wakes_on_query)
            return Slumber(self, self._sleep, leaving)

    def rise(self, sleep: Sleep, leaving: ExitStack) -> None:
        with self._guard:
            if self._sleep is sleep:
                self._sleep = None
        leaving.close()
        sleep.ended.set()

    def close(self) -> None:
        """At the end of a program: whoever dreams wakes, and nobody falls asleep any more."""
        with self._guard:
            self._is_closed = True
            sleep = self._sleep
        if sleep is not None:
            sleep.wake("shutdown")
            sleep.ended.wait(5)


@dataclass(frozen=True, slots=True)
class Slumber:
    """The role while it is held, and what is done in it: here, or in a thread of its own."""

    sleeper: Sleeper
    sleep: Sleep
    leaving: ExitStack

    def spend(self, dream: Callable[[Sleep], None]) -> None:
        try:
            dream(self.sleep)
        finally:
            self.sleeper.rise(self.sleep, self.leaving)

    def spend_apart(self, dream: Callable[[Sleep], None]) -> None:
        threading.Thread(target=self._spend_quietly, args=(dream,), name="dream", daemon=True).start()

    def _spend_quietly(self, dream: Callable[[Sleep], None]) -> None:
        try:
            self.spend(dream)
        except Refusal as refusal:
            # Such as that the data is closed, since the program ends.
            log.warning("a dream could not be told to its end: %s", refusal.message)


def _role_of(kernel: Kernel) -> AbstractContextManager[HeldRole | None]:
    return kernel.store.database.lease(kernel.part(Workbench).data, dream_role(kernel.collection))


def sleeper_of(kernel: Kernel) -> Sleeper:
    return kernel.keep(Sleeper, kernel.collection)


def wake_for_query(kernel: Kernel) -> None:
    """Somebody asks: whoever dreams wakes, in this program or, told once, in another on the same data."""
    bell_of(kernel).ring()
    sleep = sleeper_of(kernel).sleep
    with kernel.store.database.read() as session:
        run = dream_to_wake(session, kernel)
    if run is not None and (sleep is None or sleep.run != run):
        # A question is answered also where nothing can be written.
        with suppress(Refusal):
            kernel.store.operate(lambda session: tell_of_query(session, kernel, run))


def is_somebody_dreaming(kernel: Kernel) -> bool:
    """Of this collection, in this program or in another that shares the data."""
    return bool(kernel.store.database.holder(kernel.part(Workbench).data, dream_role(kernel.collection)))
