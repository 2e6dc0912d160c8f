"""How much clients may take of the process together and each, and how often the log says the same."""

import logging
import sys
import time
from dataclasses import dataclass

from memotheca.settings import Settings

if sys.platform != "win32":
    import resource

log = logging.getLogger(__name__)

MEGABYTE = 1024 * 1024  # specification: the unit

# Chosen: descriptors that connections leave to files, the database and what is accepted only to be sent away.
RESERVE = 256
# Where a stream's request keeps a function that says whether its client has asked nothing yet.
IS_IDLE = "is_idle"
MOST_DESCRIPTORS = 65_536  # chosen: where the system has no limit or does not tell it


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """The settings that bound what clients take: counts, seconds, bytes."""

    connections: int
    connections_per_client: int
    sessions: int
    header_seconds: int
    body_seconds: int
    stall_seconds: int
    buffer: int
    buffers: int


def limits_of(settings: Settings) -> ClientLimits:
    connections = _within_descriptors(settings.positive("max-connections"))
    return ClientLimits(
        connections=connections,
        connections_per_client=min(settings.positive("max-connections-per-client"), connections),
        sessions=settings.positive("max-sessions"),
        header_seconds=settings.positive("header-timeout"),
        body_seconds=settings.positive("body-timeout"),
        stall_seconds=settings.positive("stall-timeout"),
        buffer=settings.positive("max-buffer") * MEGABYTE,
        buffers=settings.positive("max-buffers") * MEGABYTE,
    )


def _within_descriptors(connections: int) -> int:
    """As many connections as are asked for and there are descriptors for, beside those that are kept in reserve."""
    allowed = _raise_descriptors()
    most = max(allowed - RESERVE, allowed // 2)
    if connections <= most:
        return connections
    log.warning("the system allows %d open files, so that at most %d connections are taken", allowed, most)
    return most


def _raise_descriptors() -> int:
    """Ask the system for as many open files as this user may have; says how many it allows."""
    if sys.platform == "win32":
        return MOST_DESCRIPTORS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MOST_DESCRIPTORS
    wanted = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, MOST_DESCRIPTORS)
    if soft >= wanted:
        return soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):
        return soft
    return wanted


class ByteBudget:
    """Bytes that all clients together may have waiting here."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.taken = 0

    def take(self, size: int) -> bool:
        if self.taken + size > self.most:
            return False
        self.taken += size
        return True

    def give(self, size: int) -> None:
        self.taken -= size


class Sparing(logging.Filter):
    """Lets the log say a thing a few times, then only how often it was not said: clients can cause as much as they
    like of it."""

    TIMES = 5
    SECONDS = 10.0

    def __init__(self) -> None:
        super().__init__()
        self._said: dict[str, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        key = str(record.msg).partition("\n")[0]
        now = time.monotonic()
        since, times = self._said.get(key, (now, 0))
        if now - since >= self.SECONDS:
            if times > self.TIMES:
                record.msg = f"{record.msg} (and {times - self.TIMES} times before)"
            since, times = now, 0
        self._said[key] = (since, times + 1)
        return times < self.TIMES
