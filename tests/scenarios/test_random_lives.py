"""Random lives of shops against a reference model of the ledger: two, 22 in `make long`, 5,000 in `make soak`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
import structlog

from paymatch.store.database import Database
from tests.keys import KEYRING
from tests.length import times
from tests.scenarios.lives import live

LIVES = times(2, 10)


@pytest.fixture
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=2, keyring=KEYRING)
    with structlog.testing.capture_logs():
        yield opened
    opened.close()


@pytest.mark.parametrize("seed", range(LIVES))
def test_random_life_agrees_with_the_model(database: Database, seed: int) -> None:
    live(database, seed)


@pytest.mark.long
def test_a_seed_replays_its_life_exactly(database: Database) -> None:
    assert live(database, 7).record == live(database, 7).record


@pytest.mark.long
def test_lives_are_eventful(database: Database) -> None:
    did: Counter[str] = Counter()
    statuses: set[str] = set()
    for seed in range(1000, 1010):
        life = live(database, seed)
        did += life.did
        did["crash"] += life.boundaries.crashes
        statuses |= {status for order in life.model.orders.values() for status in [*order.changes, order.status]}
        for refund in life.model.refunds.values():
            did["refund executed"] += len(refund.debited)
            did["refund rejected"] += len(refund.rejected)
            did["refund returned"] += len(refund.returned)
            did["refund tried again"] += len(refund.sent) > 1
    assert statuses == {
        "UNPAID", "PAID", "PAID_PARTIAL", "CANCELLED", "DISAPPEARED", "LEGACY", "REFUNDED", "REFUNDED_PARTIAL",
    }  # fmt: skip
    wanted = (
        "crash", "meanwhile", "receiver down", "receiver 500", "receiver 410", "refund executed", "refund rejected",
        "refund returned", "refund tried again", "_undo", "_redeliver", "_let_worker_work", "_pay_several",
        "_synchronise", "_run_refunds", "run while in process", "run while held",
    )  # fmt: skip
    assert [each for each in wanted if not did[each]] == [], did
