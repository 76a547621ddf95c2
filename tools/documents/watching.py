"""docs/watching.md and the Grafana dashboard: every metric, alert and panel, printed from what there is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import yaml
from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families

from paymatch.failed_requests import REASONS
from paymatch.pages.metrics import ServiceFigures, metrics_text
from paymatch.store.work.metrics import Failures, Feeds, JobFigures, QueueFigures, WaitingCallbacks
from paymatch.usecases.work.free_space import FreeSpace
from paymatch.usecases.work.metrics import Figures, WorkFigures

RULES: Final = Path(__file__).resolve().parents[2] / "deploy" / "watching" / "alerts.yaml"
_NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
_QUIET: Final = Figures(
    work=WorkFigures({}, WaitingCallbacks(0, 0, None, 0), [JobFigures("reminders", 0, 0, 0, 0, 0, None)], {}),
    queues=[QueueFigures("mails", "pending", 0, None)],
    open_alerts={},
    feeds=Feeds(0, 0, None),
    failures=Failures(0),
    database_bytes=0,
    backed_up_at=_NOW,
    worker_seen_at=_NOW,
)
_SERVICE: Final = ServiceFigures(dict.fromkeys(REASONS, 0), takes_changes=True, folders=[FreeSpace("data", 0, 0)])
_INTRODUCTION: Final = """\
# Watching

Written by `make docs` from the code. `/metrics` speaks the format of Prometheus, with the token
([serving](serving.md)). The figures of shops are read from the database, so that they are the same whichever process
answers; an answer is given again for five seconds. Failed requests are counted in memory and free space is asked of the
disks: both are shown while the database is away, and the figures of shops are missing then. Those cover
all shops but sandboxes. The operator's page and `paymatch alerts SHOP` name the shop.

```yaml
scrape_configs:
  - job_name: paymatch
    authorization: {credentials_file: /etc/prometheus/paymatch-token}
    static_configs: [{targets: ["pay.example.com"]}]
    scheme: https
rule_files: [alerts.yaml]
```

`deploy/watching/alerts.yaml` holds the rules below, `deploy/watching/dashboard.json` a dashboard for Grafana (import it
and choose the data source). Every request and every job writes one line of JSON to the log with its shop, key, address
and duration, and errors with their trace. Probes, metrics and what pages are made of have a line at level `debug`.

## Traces

With `pip install 'paymatch[traces]'` and `PAYMATCH_TRACES_URL=http://collector:4318/v1/traces` server and worker send
OpenTelemetry traces by OTLP over HTTP: a span for each request (a `traceparent` of the caller is carried on; what is
refused by its headers alone, and probes, have none), for its transactions, for each job of a shop, and for each call to
the outside such as a callback. They carry the caller's address and the ids of shop, key and request, nothing of orders
and their customers but numbers in paths. Log lines then name their `trace` and `span`. Sampling, headers for the
collector and names are set by OpenTelemetry's own variables: `OTEL_TRACES_SAMPLER=parentbased_traceidratio`,
`OTEL_TRACES_SAMPLER_ARG=0.01`, `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME`.
"""


@dataclass(frozen=True, slots=True)
class Panel:
    """A chart of the dashboard: its queries in PromQL, each with the name of its line; the unit in Grafana's words."""

    title: str
    queries: tuple[tuple[str, str], ...]
    unit: str = "short"
    kind: str = "timeseries"


PANELS: Final = (
    Panel("Open alerts", (("sum(max by (kind) (paymatch_alerts_open))", "open"),), kind="stat"),
    Panel("Postings to decide", (("sum(max by (status) (paymatch_postings_open))", "open"),), kind="stat"),
    Panel("Work waits", (("max(paymatch_jobs_oldest_due_seconds)", "oldest"),), "s", "stat"),
    Panel("Callbacks wait", (("max(paymatch_callbacks_oldest_due_seconds)", "oldest"),), "s", "stat"),
    Panel("Last backup", (("min(paymatch_backup_age_seconds)", "age"),), "s", "stat"),
    Panel("Version", (("max by (version) (paymatch_build_info)", "{{version}}"),), kind="stat"),
    Panel(
        "Decisions of the matching, a minute",
        (("60 * max by (outcome) (rate(paymatch_postings_decided_total[5m]))", "{{outcome}}"),),
    ),
    Panel(
        "Callbacks, a minute",
        (
            ("60 * max by (outcome) (rate(paymatch_callback_attempts_total[5m]))", "{{outcome}}"),
            ("60 * max(rate(paymatch_callbacks_given_up_total[5m]))", "given up"),
        ),
    ),
    Panel(
        "Callbacks that wait",
        (
            ("max(paymatch_callbacks_pending)", "pending"),
            ("max(paymatch_callbacks_overdue)", "overdue"),
            ("max(paymatch_callbacks_paused_shops)", "paused shops"),
        ),
    ),
    Panel(
        "Jobs, a minute",
        (("60 * max by (kind, outcome) (rate(paymatch_job_runs_total[5m]))", "{{kind}} {{outcome}}"),),
    ),
    Panel(
        "Jobs that wait or fail",
        (
            ("max by (kind) (paymatch_jobs_due)", "{{kind}} due"),
            ("max by (kind) (paymatch_jobs_overdue)", "{{kind}} overdue"),
            ("max by (kind) (paymatch_jobs_failing)", "{{kind}} failing"),
        ),
    ),
    Panel("Queues", (("max by (queue, state) (paymatch_queue_items)", "{{queue}} {{state}}"),)),
    Panel(
        "Waiting times of queues",
        (("max by (queue, state) (paymatch_queue_oldest_seconds)", "{{queue}} {{state}}"),),
        "s",
    ),
    Panel("Alerts by kind", (("max by (kind) (paymatch_alerts_open) > 0", "{{kind}}"),)),
    Panel(
        "Failures of late",
        (
            ("sum by (reason) (increase(paymatch_requests_failed_total[5m]))", "requests: {{reason}}"),
            ("max(paymatch_imports_refused_recent)", "bank files refused"),
        ),
    ),
    Panel(
        "Connections to banks",
        (("max(paymatch_bank_connections)", "all"), ("max(paymatch_bank_connections_stale)", "stale")),
    ),
    Panel("Oldest fetch from a bank", (("max(paymatch_bank_connections_oldest_fetch_seconds)", "age"),), "s"),
    Panel("Free space", (("min by (folder) (paymatch_free_bytes)", "{{folder}}"),), "bytes"),
    Panel(
        "Free space of the disk",
        (("min by (folder) (paymatch_free_bytes / paymatch_capacity_bytes)", "{{folder}}"),),
        "percentunit",
    ),
    Panel("Database takes changes", (("min(paymatch_database_writable)", "writable"),)),
    Panel("Worker last at work", (("min(paymatch_worker_seen_seconds)", "age"),), "s"),
    Panel("Size of the database", (("max(paymatch_database_bytes)", "bytes"),), "bytes"),
)


def watching() -> str:
    """docs/watching.md: metrics, alerts, panels."""
    rows = [f"| `{_named(family)}` | {family.documentation} |" for family in families()]
    lines = [_INTRODUCTION, "## Metrics", "", "| name | what it tells |", "|---|---|", *rows, ""]
    lines += ["## Alerts", "", "`page` wakes a person, `ticket` is for the next morning.", ""]
    lines += ["| alert | severity | says | what to do |", "|---|---|---|---|", *_alerts(), ""]
    lines += ["## Dashboard", "", "; ".join(panel.title for panel in PANELS) + "."]
    return "\n".join(lines) + "\n"


def families() -> list[Metric]:
    """All metrics, as an installation tells them in which nothing happens."""
    return list(text_string_to_metric_families(metrics_text(_QUIET, _SERVICE, _NOW).decode()))


def rules() -> list[dict[str, Any]]:
    """The alerting rules as written in the file."""
    [group] = yaml.safe_load(RULES.read_text("utf-8"))["groups"]
    return list(group["rules"])


def dashboard() -> str:
    """deploy/watching/dashboard.json: a row of figures, and below them charts side by side."""
    figures = [panel for panel in PANELS if panel.kind == "stat"]
    charts = [panel for panel in PANELS if panel.kind != "stat"]
    width = 24 // len(figures)
    places = [{"x": at * width, "y": 0, "w": width, "h": 4} for at in range(len(figures))]
    places += [{"x": at % 2 * 12, "y": 4 + at // 2 * 8, "w": 12, "h": 8} for at in range(len(charts))]
    shown = [_panel(at, *pair) for at, pair in enumerate(zip(figures + charts, places, strict=True), 1)]
    source = {"name": "source", "label": "Data source", "type": "datasource", "query": "prometheus"}
    found = {
        "uid": "paymatch", "title": "paymatch", "schemaVersion": 39, "timezone": "browser", "refresh": "1m",
        "time": {"from": "now-24h", "to": "now"}, "templating": {"list": [source]}, "panels": shown,
    }  # fmt: skip
    return json.dumps(found, indent=1) + "\n"


def _panel(number: int, panel: Panel, place: dict[str, int]) -> dict[str, Any]:
    source = {"type": "prometheus", "uid": "${source}"}
    targets = [
        {"refId": chr(ord("A") + at), "expr": query, "legendFormat": name, "datasource": source}
        for at, (query, name) in enumerate(panel.queries)
    ]
    return {
        "id": number, "type": panel.kind, "title": panel.title, "gridPos": place, "datasource": source,
        "fieldConfig": {"defaults": {"unit": panel.unit}, "overrides": []}, "targets": targets,
    } | ({"options": {"textMode": "name"}} if panel.title == "Version" else {})  # fmt: skip


def _named(family: Metric) -> str:
    name = family.name + ("_total" if family.type == "counter" else "")
    labels = ",".join(family.samples[0].labels)
    return f"{name}{{{labels}}}" if labels else name


def _alerts() -> Iterator[str]:
    for rule in rules():
        said = rule["annotations"]
        yield f"| {rule['alert']} | {rule['labels']['severity']} | {said['summary']} | {said['action']} |"
