"""Random lives of shops against a reference model of the ledger: 200 of them; `make soak` lives 5,000."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
import structlog

from paymatch.store.database import Database
from tests.scenarios.lives import live

LIVES = 10
CHUNKS = 20


@pytest.fixture
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=2)
    with structlog.testing.capture_logs():
        yield opened
    opened.close()


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_lives_agree_with_the_model(database: Database, chunk: int) -> None:
    for seed in range(chunk * LIVES, (chunk + 1) * LIVES):
        live(database, seed)


def test_a_seed_replays_its_life_exactly(database: Database) -> None:
    assert live(database, 7).record == live(database, 7).record


def test_lives_are_eventful(database: Database) -> None:
    did: Counter[str] = Counter()
    statuses: set[str] = set()
    refunds: set[str] = set()
    for seed in range(1000, 1008):
        life = live(database, seed)
        did += life.did
        did["crash"] += life.boundaries.crashes
        statuses |= {status for order in life.model.orders.values() for status in [*order.changes, order.status]}
        refunds |= {refund.status for refund in life.model.refunds.values()}
    assert statuses == {
        "UNPAID", "PAID", "PAID_PARTIAL", "CANCELLED", "DISAPPEARED", "LEGACY", "REFUNDED", "REFUNDED_PARTIAL",
    }  # fmt: skip
    assert {"PROCESSED", "RETURNED", "ERROR", "CANCELLED"} <= refunds
    assert min(did[each] for each in ("crash", "meanwhile", "receiver down", "receiver 500", "receiver 410")) > 3
    assert min(did[each] for each in ("_undo", "_redeliver", "_let_worker_work", "_pay_several", "_synchronise")) > 3
