"""Traces: a request, a job and a callback arrive at a collector as spans, and log lines name the trace."""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from paymatch import traces
from paymatch.clock import utc_now
from paymatch.store.database import Database
from tests.fakes.receivers import answering, plain, receiver
from tests.fakes.trace_collector import collecting
from tests.front.service import service
from tests.keys import KEYRING, SECRET_KEY
from tests.usecases.callbacks.callback_world import new_world

CALLER = "4bf92f3577b34da6a3ce929d0e0e4736"


def test_a_request_is_traced_from_its_caller_to_the_database(
    migrated_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer of-the-collector")
    with (
        collecting() as collector,
        service(migrated_url, tmp_path, traces_url=collector.url, log_level="info", log_format="json") as running,
    ):
        key = running.shop("Traced")
        answer = running.ask("/api/v2/orders?limit=1", key, traceparent=f"00-{CALLER}-00f067aa0ba902b7-01")
        assert answer.status == 200
        request, transaction = collector.wait_for("GET /api/v2/orders", "transaction")
        running.ask("/p/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
        collector.wait_until(lambda span: span.said.get("url.path") == "/p/[secret]")
        lines = [json.loads(line) for line in running.log.read_text("utf-8").splitlines() if '"request"' in line]
    assert (request.kind, request.trace, request.parent, request.failed) == (2, CALLER, "00f067aa0ba902b7", False)
    said = {name: request.said.get(name) for name in ("http.response.status_code", "http.route", "client.address")}
    assert said == {"http.response.status_code": 200, "http.route": "/api/v2/orders", "client.address": "127.0.0.1"}
    (line,) = [line for line in lines if line["path"] == "/api/v2/orders"]
    assert (line["trace"], line["shop"], line["key"]) == (
        CALLER, request.said["paymatch.shop"], request.said["paymatch.key"],
    )  # fmt: skip
    assert (transaction.kind, transaction.trace, transaction.said) == (3, CALLER, {"db.system.name": "postgresql"})
    assert (request.process["service.name"], request.process["paymatch.part"]) == ("paymatch", "server")
    assert collector.headers[0]["authorization"] == "Bearer of-the-collector"
    assert not any("AAAA" in str(span) for span in collector.spans)
    assert key not in str(collector.spans)


def test_jobs_and_callbacks_are_traced(migrated_url: str, tmp_path: Path, warm_program: Path) -> None:
    with collecting() as collector, receiver(answering(plain())) as shop:
        port = shop.port
        with closing(Database(migrated_url, size=2, keyring=KEYRING)) as database:
            world = new_world(database, shop.url)
            world.now = utc_now() - timedelta(minutes=1)
            world.add_order("S-1")
            world.set_paid("S-1")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PAYMATCH_")} | {
            "PAYMATCH_DATABASE_URL": migrated_url, "PAYMATCH_SECRET_KEY": SECRET_KEY,
            "PAYMATCH_DATA_DIR": str(tmp_path / "data"), "PAYMATCH_TRACES_URL": collector.url,
            "PAYMATCH_CALLBACK_ALLOW_PRIVATE": "1",
        }  # fmt: skip
        subprocess.run([str(warm_program), "worker", "--once"], env=environment, check=True, timeout=120)
        (callback,) = collector.wait_for("POST 127.0.0.1")
    said = callback.said
    assert (callback.kind, said["server.port"], said["http.response.status_code"]) == (3, port, 200)
    jobs = [span for span in collector.spans if span.name.startswith("job ")]
    assert {span.said["paymatch.shop"] for span in jobs} == {str(world.shop.id)}
    assert {span.process["paymatch.part"] for span in jobs} == {"worker"}


def test_without_the_extra_the_service_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "find_spec", lambda _: None)
    with pytest.raises(traces.TracesMissing, match=r"pip install 'paymatch\[traces\]'"):
        traces.check_traces("http://127.0.0.1:4318/v1/traces")
    traces.check_traces("")


def test_nothing_is_measured_unless_it_is_wanted() -> None:
    with traces.span("GET", traces.SpanKind.SERVER) as found:
        found.set_attribute("http.response.status_code", 200)
        traces.note("GET /api/v2/orders", paymatch__shop="none")
    assert traces.add_trace(None, "info", {"event": "request"}) == {"event": "request"}
