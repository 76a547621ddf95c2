"""Traces: durations of requests, jobs and outgoing calls, as OpenTelemetry spans for any collector.

Nothing is collected unless `PAYMATCH_TRACES_URL` is set, which needs the extra `paymatch[traces]`. Sampling, headers
for the collector and further attributes are set by the variables of OpenTelemetry (`OTEL_TRACES_SAMPLER` and others).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from enum import StrEnum
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, Protocol

from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

Value = str | int | float | bool

_SERVICE: Final = "paymatch"


class TracesMissing(Refused):
    """Traces are wanted, and what sends them is not installed."""

    def __init__(self) -> None:
        super().__init__(Message("traces-extra"))


class SpanKind(StrEnum):
    """The caller of what a span measures."""

    SERVER = "SERVER"  # a caller of ours
    CLIENT = "CLIENT"  # we, and another process answers
    INTERNAL = "INTERNAL"


class TraceSpan(Protocol):
    """What took time, while it does."""

    def set_attribute(self, key: str, value: Value) -> None:
        """Says one more thing of it."""


class _NoSpan:
    def set_attribute(self, key: str, value: Value) -> None:
        """It is not collected."""


_NOTHING: Final = _NoSpan()
_tracer: Tracer | None = None


def check_traces(url: str) -> None:
    """TracesMissing if spans cannot be sent there for want of the extra."""
    if url and find_spec("opentelemetry") is None:
        raise TracesMissing


def set_up_traces(url: str, part: str) -> None:
    """Spans of this process go to `url` by OTLP over HTTP, as `part` of the service: server or worker. "": none do."""
    global _tracer  # noqa: PLW0603  like logging, set up once per process
    check_traces(url)
    if not url:
        _tracer = None
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415  an extra
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    name = os.environ.get("OTEL_SERVICE_NAME", _SERVICE)
    resource = Resource.create({SERVICE_NAME: name, "process.pid": os.getpid(), "paymatch.part": part})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=url)))
    _tracer = provider.get_tracer(_SERVICE)


@contextmanager
def span(
    name: str,
    kind: SpanKind = SpanKind.INTERNAL,
    *,
    caller: Mapping[str, str] | None = None,
    alone: bool = True,
    **attributes: Value,
) -> Iterator[TraceSpan]:
    """Measures what happens inside. `caller`: headers of a request, whose `traceparent` it belongs to.

    What is not `alone` is measured as a part of something only. Names of attributes are written with two underscores
    for a dot: `http__route`. An exception is noted and raised.
    """
    if _tracer is None:
        yield _NOTHING
        return
    from opentelemetry import trace  # noqa: PLC0415
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415

    if not alone and not trace.get_current_span().is_recording():
        yield _NOTHING
        return
    context = TraceContextTextMapPropagator().extract(caller) if caller is not None else None
    said = {key.replace("__", "."): value for key, value in attributes.items()}
    with _tracer.start_as_current_span(name, context, trace.SpanKind[kind], said) as found:
        yield found


def note(name: str | None = None, /, **attributes: Value | None) -> None:
    """Says more of what is being measured just now, and calls it `name`; None says nothing."""
    if _tracer is None:
        return
    from opentelemetry import trace  # noqa: PLC0415

    current = trace.get_current_span()
    if name is not None:
        current.update_name(name)
    for key, value in attributes.items():
        if value is not None:
            current.set_attribute(key.replace("__", "."), value)


def add_trace(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A log line with the ids of the trace that it belongs to."""
    if _tracer is not None:
        from opentelemetry import trace  # noqa: PLC0415

        context = trace.get_current_span().get_span_context()
        if context.is_valid:
            event["trace"] = f"{context.trace_id:032x}"
            event["span"] = f"{context.span_id:016x}"
    return event
