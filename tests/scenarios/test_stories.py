"""The scenarios that come along, half of them, all by `make long`; and what the runner says of one that is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from paymatch.cli.scenario.command import SHIPPED
from paymatch.cli.scenario.play import Failure, play
from paymatch.cli.scenario.reading import read_scenario
from paymatch.domain.shops.sandbox import SandboxRefused
from paymatch.store.database import Database
from paymatch.store.shops import shops as shop_store
from tests.keys import KEYRING
from tests.length import some

STORIES = sorted(SHIPPED.glob("*.yaml"))


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=2, keyring=KEYRING)
    yield opened
    opened.close()


@pytest.mark.parametrize("path", some(STORIES, 30), ids=lambda path: path.stem)
def test_story(database: Database, path: Path) -> None:
    failure = play(database, read_scenario(path))
    assert failure is None, str(failure)


def test_there_are_stories_enough() -> None:
    assert len(STORIES) >= 25
    assert len({read_scenario(path).title for path in STORIES}) == len(STORIES)


def told(database: Database, folder: Path, text: str) -> Failure | None:
    path = folder / "story.yaml"
    path.write_text(text, "utf-8")
    return play(database, read_scenario(path))


def test_a_story_that_comes_out_otherwise_says_where_and_how(database: Database, tmp_path: Path) -> None:
    text = """
title: Not so
day 0:
  - order: {number: A-1, amount: 10.00}
day 3:
  - expect: {A-1: PAID, A-2: UNPAID, callbacks: {A-1: [PAID]}}
"""
    assert str(told(database, tmp_path, text)) == (
        "day 3, step 1 (expect):\n"
        "  A-1 paymentStatus\n    - expected  PAID\n    + is        UNPAID\n"
        "  A-2\n    - expected  {'paymentStatus': 'UNPAID'}\n    + is        Order 'A-2' not found\n"
        "  callbacks of A-1\n    - expected  [PAID]\n    + is        []"
    )


@pytest.mark.parametrize(
    ("step", "expected", "actual"),
    [
        ("- cancel: A-9", "accepted", "404 Order 'A-9' not found"),
        ("- cancel: A-1\n    refused: no", "refused: no", "accepted"),
        (
            "- refund: {order: A-1, amount: 1.00, in: 0}\n    refused: no",
            "no",
            "400 Planned date must be in the future",
        ),
    ],
)
def test_a_step_that_comes_out_otherwise(
    database: Database, tmp_path: Path, step: str, expected: str, actual: str
) -> None:
    failure = told(database, tmp_path, f"day 0:\n  - order: {{number: A-1, amount: 10.00}}\n  {step}\n")
    assert failure is not None
    assert [(each.expected, each.actual) for each in failure.differences] == [(expected, actual)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "a scenario is a mapping of title, start, shop and days"),
        ("title: x", "nothing happens: `day 0:` is missing"),
        ("day: []", "'day': `day 2` or `day 2 19:00` is expected, or one of shop, start, title"),
        ("day 0 25:00: []", "'day 0 25:00': there is no such time of day"),
        ("day 0: order", "day 0: a list of steps is expected"),
        ("day 0: [order]", "day 0: a step such as `- order: {number: A-1, amount: 49.90}` is expected"),
        ("start: soon\nday 0: []", "start: 'soon' is not a moment such as 2026-03-02 09:00"),
        ("day 0: [{dance: A-1}]", "'dance' is not a step; steps are expect, order, "),
        ("day 0: [{pays: {amount: 1.00}}]", "pays: KeyError('order') is missing or not of the expected form"),
        ("day 0: [{receiver: maybe}]", "receiver: up, down or an HTTP status is expected"),
        ("day 0: {", "expected"),
    ],
)
def test_files_that_are_no_story(database: Database, tmp_path: Path, text: str, reason: str) -> None:
    if "receiver" in text:
        failure = told(database, tmp_path, text)
        assert failure is not None and reason in str(failure)
        return
    with pytest.raises(SandboxRefused) as refused:
        told(database, tmp_path, text)
    assert reason in str(refused.value)


def test_nothing_but_the_audit_log_is_left_of_a_story(database: Database) -> None:
    with database.of_all_shops() as tx:
        tables = [
            row[0]
            for row in tx.rows("SELECT table_name FROM information_schema.columns WHERE column_name = 'shop_id'"
                               " AND table_schema = current_schema()")
        ]  # fmt: skip
        assert {"orders", "audit_log", "audit_heads"} <= set(tables)
        assert shop_store.every(tx) == []
        emptied = [name for name in tables if not name.startswith("audit_")]
        assert {name: tx.value(f'SELECT count(*) FROM "{name}"') for name in emptied} == dict.fromkeys(emptied, 0)
        logged = {row[0] for row in tx.rows("SELECT DISTINCT shop_id FROM audit_log")}
        assert logged == {row[0] for row in tx.rows("SELECT shop_id FROM audit_heads")}
        assert logged
