"""Time as int64 microseconds UTC, and its ISO-8601 spelling."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache

Clock = Callable[[], int]

SECOND = 1_000_000  # specification: a moment is a number of microseconds
MINUTE = 60 * SECOND  # specification: the unit
HOUR = 60 * MINUTE  # specification: the unit
DAY = 24 * HOUR  # specification: the unit

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BEGINNING = _EPOCH.replace(tzinfo=None)


def system_clock() -> int:
    return time.time_ns() // 1000


@lru_cache(maxsize=1024)
def to_iso(moment: int) -> str:
    # Without a zone, which takes half as long to spell, and kept for a while: every answer has some of these, and the
    # next one the same.
    return f"{(_BEGINNING + timedelta(0, 0, moment)).isoformat()}Z"


def from_iso(text: str) -> int:
    """Read a date or an instant; a missing zone means UTC. Raises ValueError."""
    moment = datetime.fromisoformat(text.strip())
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(microseconds=1)
