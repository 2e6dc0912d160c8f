"""Metrics for Prometheus, through its own library: how many calls, how long, how large, how they ended."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from memotheca.server.operation.call_watch import CallRecord, RefusalRecord

# Chosen: from what a status call takes to what an agent still waits for, each about three times the one before.
SECONDS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
# Chosen: from an acknowledgement to the longest message, in steps of eight.
BYTES = (128, 1024, 8192, 65_536, 524_288, 4_194_304, 16_777_216)


class Metrics:
    """The counts of one server, in a registry of its own."""

    media_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        known = self._registry
        labels = ("collection", "tool", "outcome")
        self._calls = Counter("memotheca_calls", "Calls by how they ended", labels, registry=known)
        self._seconds = Histogram(
            "memotheca_call_seconds", "How long calls took", ("tool",), buckets=SECONDS, registry=known
        )
        self._bytes = Histogram(
            "memotheca_answer_bytes", "How large answers were", ("tool",), buckets=BYTES, registry=known
        )
        self._refusals = Counter("memotheca_refusals", "Requests that were turned away", ("status",), registry=known)
        self._running = Gauge("memotheca_calls_running", "Calls under way", registry=known)

    def count(self, name: str, what: str, read: Callable[[], float]) -> None:
        """Show a number as it is when it is asked for."""
        Gauge(f"memotheca_{name}", what, registry=self._registry).set_function(read)

    @contextmanager
    def surround(self, tool: str, ctx: Any) -> Generator[None]:
        with self._running.track_inprogress():
            yield

    def answered(self, record: CallRecord) -> None:
        self._calls.labels(record.collection, record.tool, record.outcome).inc()
        self._seconds.labels(record.tool).observe(record.ms / 1000)
        self._bytes.labels(record.tool).observe(record.bytes)

    def refused(self, record: RefusalRecord) -> None:
        self._refusals.labels(str(record.status)).inc()

    def spell(self) -> bytes:
        return generate_latest(self._registry)
