"""Rules and dashboard ask for what /metrics really tells, in PromQL that Prometheus understands."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import promql_parser
import pytest
from prometheus_client.parser import text_string_to_metric_families
from tools.documents.watching import PANELS, RULES, rules

from paymatch.cli.main import COMMANDS
from paymatch.pages.metrics import Metrics, ServiceState
from paymatch.store.database import Database
from paymatch.usecases.work.free_space import service_folders
from paymatch.usecases.work.job_kinds import BY_NAME
from tests.keys import KEYRING
from tests.usecases.callbacks.callback_world import START

ROOT = RULES.parents[2]
QUERIES = {rule["alert"]: rule["expr"] for rule in rules()} | {
    f"{panel.title} {number}": query for panel in PANELS for number, (query, _) in enumerate(panel.queries)
}
OF_PROMETHEUS = {"up"}


def selected(query: str) -> list[tuple[str, dict[str, str]]]:
    """(metric, label -> pattern) of every selector of a query; ValueError if it is no PromQL."""
    found = []

    def walk(node: Any) -> None:
        if isinstance(node, promql_parser.VectorSelector):
            found.append((node.name or "", {each.name: each.value for each in node.matchers.matchers}))
        for name in ("expr", "lhs", "rhs", "vector_selector", "args"):
            below = getattr(node, name, None)
            for each in below if isinstance(below, list) else [below]:
                if each is not None:
                    walk(each)

    walk(promql_parser.parse(query))
    return found


@pytest.fixture(scope="module")
def told(module_url: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, str]]]:
    """Sample of the real /metrics -> the labels that it has."""
    database = Database(module_url, size=2, keyring=KEYRING)
    text = (
        Metrics(database, lambda: START, ServiceState(folders=service_folders(tmp_path_factory.mktemp("data"))))
        .text()
        .decode()
    )
    database.close()
    found: dict[str, list[dict[str, str]]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, []).append(sample.labels)
    # This installation has made no backup, and no worker was ever at work.
    return found | {"paymatch_backup_age_seconds": [{}], "paymatch_worker_seen_seconds": [{}]}


@pytest.mark.parametrize("name", QUERIES)
def test_every_query_selects_what_there_is(name: str, told: dict[str, list[dict[str, str]]]) -> None:
    for metric, wanted in selected(QUERIES[name]):
        if metric in OF_PROMETHEUS:
            continue
        for label, pattern in wanted.items():
            values = [labels[label] for labels in told[metric]]
            for each in pattern.split("|"):
                assert each in values, f"{metric} has no {label} {each}"
        assert told[metric]


def test_every_metric_is_watched(told: dict[str, list[dict[str, str]]]) -> None:
    watched = {metric for query in QUERIES.values() for metric, _ in selected(query)}
    assert set(told) - watched == set()


def test_jobs_are_told_by_kind(told: dict[str, list[dict[str, str]]]) -> None:
    assert {labels["kind"] for labels in told["paymatch_jobs_due"]} == set(BY_NAME)


def test_a_query_of_what_is_not_there_is_found() -> None:
    assert selected('max(rate(paymatch_gone{kind="x"}[5m])) > 1') == [("paymatch_gone", {"kind": "x"})]
    with pytest.raises(ValueError, match="unclosed left parenthesis"):
        selected("max(")


def test_every_alert_says_what_to_do() -> None:
    for rule in rules():
        assert rule["labels"]["severity"] in ("page", "ticket")
        action = rule["annotations"]["action"]
        for command in re.findall(r"`paymatch ([a-z-]+)", action):
            assert command in COMMANDS, action
        for page in re.findall(r"docs/[a-z-]+\.md", action):
            assert (ROOT / page).exists(), page


def test_dashboard_shows_every_panel_once_beside_the_others() -> None:
    panels = json.loads(Path(ROOT / "deploy" / "watching" / "dashboard.json").read_text("utf-8"))["panels"]
    assert sorted(panel["title"] for panel in panels) == sorted(panel.title for panel in PANELS)
    taken = [
        (x, y)
        for place in (panel["gridPos"] for panel in panels)
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(taken) == len(set(taken))
    assert max(x for x, _ in taken) == 23
