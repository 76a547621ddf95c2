"""A collector of OpenTelemetry traces: takes OTLP over HTTP, and keeps the spans."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.fakes.serving import serving
from tests.waiting import wait_until


@dataclass(frozen=True, slots=True)
class SentSpan:
    """A span as it was sent: ids in hexadecimal, "" without a parent."""

    name: str
    kind: int  # 1 internal, 2 server, 3 client
    trace: str
    span: str
    parent: str
    failed: bool
    said: dict[str, Any]
    process: dict[str, Any]


@dataclass
class Collector:
    """What came in."""

    url: str = ""
    spans: list[SentSpan] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def wait_for(self, *names: str) -> list[SentSpan]:
        """The first spans of these names, once all have come."""
        return [self.wait_until(partial(_is_named, name)) for name in names]

    def wait_until(self, fits: Callable[[SentSpan], bool]) -> SentSpan:
        """The first span that fits, once it has come."""
        return wait_until(
            lambda: [span for span in list(self.spans) if fits(span)],
            lambda: sorted({span.name for span in self.spans}),
        )[0]


@contextmanager
def collecting() -> Iterator[Collector]:
    """A collector that takes spans while the block runs."""
    found = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            found.headers.append({name.lower(): value for name, value in self.headers.items()})
            found.spans += _spans(ExportTraceServiceRequest.FromString(body))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as address:
        found.url = f"{address}/v1/traces"
        yield found


def _is_named(name: str, span: SentSpan) -> bool:
    return span.name == name


def _spans(sent: ExportTraceServiceRequest) -> Iterator[SentSpan]:
    for resource in sent.resource_spans:
        process = _said(resource.resource.attributes)
        for scope in resource.scope_spans:
            for one in scope.spans:
                yield SentSpan(
                    one.name, one.kind, one.trace_id.hex(), one.span_id.hex(), one.parent_span_id.hex(),
                    one.status.code == 2, _said(one.attributes), process,
                )  # fmt: skip


def _said(attributes: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in attributes}
