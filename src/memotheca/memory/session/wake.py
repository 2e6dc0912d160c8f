"""Waking: that somebody asks the memory something, for whatever goes on only while nobody does."""

import time
from threading import Lock

from memotheca.kernel.kernel import Kernel

# Under which name it is kept how many dreams went through, and when the last.
DREAMS_COMPLETED = "dreams_completed"


class QueryBell:
    """How often the memory was asked something in this process, and when last, by a clock that only goes on."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._times = 0
        self._last = 0.0

    def ring(self) -> None:
        with self._guard:
            self._times += 1
            self._last = time.monotonic()

    def heard(self) -> tuple[int, float]:
        with self._guard:
            return self._times, self._last


def bell_of(kernel: Kernel) -> QueryBell:
    return kernel.keep(QueryBell, kernel.collection)
