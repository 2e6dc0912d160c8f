"""What a server is operated with: who is told of its calls, and how it ends."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from memotheca.model.errors import Failure, Refusal
from memotheca.server.access.quotas import Quotas
from memotheca.server.operation.call_log import CallLog, Style
from memotheca.server.operation.call_watch import CallWatch, Observer
from memotheca.server.operation.drain import Drain
from memotheca.settings import Settings

if TYPE_CHECKING:
    from memotheca.server.operation.metrics import Metrics
    from memotheca.server.operation.traces import Traces


def _nothing() -> None:
    """Where nothing is to be ended."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One for each server, whatever collections it serves."""

    watch: CallWatch = field(default_factory=CallWatch)
    drain: Drain = field(default_factory=Drain)
    quotas: Quotas = field(default_factory=Quotas)
    metrics: "Metrics | None" = None
    drain_seconds: int = 0
    close: Callable[[], None] = _nothing


def build_operation(settings: Settings) -> Operation:
    """As the settings say: nothing is watched unless somebody has asked for it."""
    observers: list[Observer] = []
    style = settings.text("log-calls")
    if style != "no":
        observers.append(CallLog(cast(Style, style)))
    metrics = _build_metrics() if settings.on("metrics") else None
    if metrics is not None:
        observers.append(metrics)
    traces = _build_traces(settings.text("traces")) if settings.text("traces") else None
    if traces is not None:
        observers.append(traces)
    drain = Drain()
    if metrics is not None:
        metrics.count("draining", "Whether the server is about to end", lambda: float(drain.is_closing))
    return Operation(
        CallWatch(observers),
        drain,
        metrics=metrics,
        drain_seconds=settings.positive("drain-timeout"),
        close=traces.close if traces is not None else _nothing,
    )


def _build_metrics() -> "Metrics":
    try:
        from memotheca.server.operation.metrics import Metrics
    except ImportError:
        raise Refusal(Failure.UNSUPPORTED, "For metrics, install memotheca[metrics].", field="metrics") from None
    return Metrics()


def _build_traces(endpoint: str) -> "Traces":
    try:
        from memotheca.server.operation.traces import Traces
    except ImportError:
        raise Refusal(Failure.UNSUPPORTED, "For traces, install memotheca[traces].", field="traces") from None
    return Traces(endpoint)
