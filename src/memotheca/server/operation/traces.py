"""Traces through OpenTelemetry's own libraries: a span for each call, below the one its client is in."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode, get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from memotheca import __version__
from memotheca.server.operation.call_watch import OK, CallRecord, RefusalRecord

_HEADERS = ("traceparent", "tracestate")


class Traces:
    """Spans, sent to a collector in batches; nothing waits for it."""

    def __init__(self, endpoint: str) -> None:
        resource = Resource.create({SERVICE_NAME: "memotheca", SERVICE_VERSION: __version__})
        self._provider = TracerProvider(resource=resource)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
        self._tracer = self._provider.get_tracer("memotheca", __version__)

    @contextmanager
    def surround(self, tool: str, ctx: Any) -> Generator[None]:
        given: Mapping[str, Any] = ctx.meta or {}
        carried = {name: str(given[name]) for name in _HEADERS if isinstance(given.get(name), str)}
        parent = TraceContextTextMapPropagator().extract(carried)
        with self._tracer.start_as_current_span(
            tool, parent, SpanKind.SERVER, record_exception=False, set_status_on_exception=False
        ):
            yield

    def answered(self, record: CallRecord) -> None:
        span = get_current_span()
        span.set_attributes(
            {
                "enduser.id": record.who,
                "memotheca.collection": record.collection,
                "memotheca.tool": record.tool,
                "memotheca.answer_bytes": record.bytes,
                "memotheca.outcome": record.outcome,
            }
        )
        if record.outcome != OK:
            span.set_status(Status(StatusCode.ERROR))

    def refused(self, record: RefusalRecord) -> None:
        """Who is turned away makes no span: there is nothing to look into."""

    def close(self) -> None:
        self._provider.shutdown()
