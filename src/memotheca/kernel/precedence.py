"""Precedence: who waits for an answer goes before what is calculated for later."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from threading import Condition, get_native_id

# How long one piece of work for later waits at most, in seconds: a piece takes some 20 ms, so that with nothing but
# calls to answer it still has a tenth of the time. Chosen.
PATIENCE = 0.2
# A thread that is put aside while it holds the interpreter keeps all others waiting with it, the longer the less of a
# processor it is due. Five is a third of another's share; at fifteen, a twenty-eighth, others waited up to 0.37 s
# where they wait 0.07 s at five (measured: docs/benchmarks.md, "Searching while files are embedded").
NICENESS = 5


class Precedence:
    """The calls that are being answered now."""

    def __init__(self) -> None:
        self._calls = 0
        self._changed = Condition()

    @property
    def is_answering(self) -> bool:
        return self._calls > 0

    @contextmanager
    def answering(self) -> Generator[None]:
        """While it lasts, others give way."""
        with self._changed:
            self._calls += 1
        try:
            yield
        finally:
            with self._changed:
                self._calls -= 1
                if not self._calls:
                    self._changed.notify_all()

    def give_way(self) -> None:
        """Before a piece of work for later: wait until nobody is being answered, though not for ever."""
        with self._changed:
            self._changed.wait_for(lambda: not self.is_answering, PATIENCE)


def step_back() -> None:
    """Let this thread have less of a processor than those that answer; only Linux has priorities of threads."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, get_native_id(), os.getpriority(os.PRIO_PROCESS, 0) + NICENESS)
