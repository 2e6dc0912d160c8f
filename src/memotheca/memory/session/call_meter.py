"""The meter of calls: how busy this program was lately (memory-model: Dreams)."""

from collections import deque
from threading import Lock
from time import monotonic

MINUTE = 60.0  # chosen: seconds; a program's own pace, whatever its clock is set to
KEPT = 2_000  # chosen: hours of work
WINDOW = 10 * MINUTE  # specification (memory-model: Dreams)
BUSY = 20  # specification (memory-model: Dreams): calls in that time are full activity
IDLE = 0.15  # specification (memory-model: Dreams): activity below which nobody is at work
LONG = 60 * MINUTE  # chosen: over which activity is averaged


class CallMeter:
    """When the memory was called lately."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._since = monotonic()
        self._calls: deque[float] = deque(maxlen=KEPT)

    def count(self) -> None:
        with self._guard:
            self._calls.append(monotonic())

    def level(self) -> float:
        """From 0, nobody calls, to 1."""
        return min(1.0, self._within(WINDOW) / BUSY)

    def is_quiet(self) -> bool:
        """Whether hardly anybody has called for as long as it takes to say so."""
        return monotonic() - self._since >= WINDOW and self.level() < IDLE

    def average(self) -> float:
        """The same over an hour."""
        return min(1.0, self._within(LONG) / (BUSY * LONG / WINDOW))

    def working_for(self) -> float:
        """For how long calls came without a gap, until a moment ago: seconds."""
        now = monotonic()
        with self._guard:
            calls = list(self._calls)
        if not calls or now - calls[-1] > WINDOW:
            return 0.0
        begun = calls[-1]
        for at in reversed(calls):
            if begun - at > WINDOW:
                break
            begun = at
        return now - begun

    def _within(self, seconds: float) -> int:
        since = monotonic() - seconds
        with self._guard:
            return sum(1 for at in self._calls if at >= since)
