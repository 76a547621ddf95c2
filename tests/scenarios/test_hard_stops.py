"""kill -9 at every transaction boundary of submit, import, match and callback, then again: nothing lost or doubled."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest

from paymatch.store.database import Database
from paymatch.usecases.shops import shops
from paymatch.usecases.work.check import check_shop
from tests.fakes.receivers import Receiver, answering, plain, receiver
from tests.hard_stop import KILLED, boundaries, drive
from tests.keys import KEYRING
from tests.scenarios.hard_stop_drive import COUNT, IBAN, NOW, main


def new_shop(database: Database, port: int) -> str:
    """A shop whose callbacks go to the test's receiver."""
    new = shops.create(database, "Hard stops", NOW - timedelta(days=30), ibans=[IBAN])
    with database.of_shop(new.shop) as tx:
        url = f"http://127.0.0.1:{port}/hook"
        shops.change(tx, {"callbacks": "on", "callback-ports": str(port), "callback-url": url})
    return str(new.shop.id)


def state(database: Database, shop: str) -> dict[str, list[tuple[Any, ...]]]:
    """What the books say, without the ids that differ from run to run."""
    with database.of_all_shops() as tx:
        return {
            "orders": tx.rows(
                "SELECT number, status, postings_minor, event_count FROM orders WHERE shop_id = $1 ORDER BY 1", shop
            ),
            "postings": tx.rows(
                "SELECT bank_reference, amount_minor, status, allocated_minor FROM postings WHERE shop_id = $1"
                " ORDER BY 1",
                shop,
            ),
            "events": tx.rows(
                "SELECT order_number, order_seq, from_status, to_status FROM events WHERE shop_id = $1 ORDER BY 1, 2",
                shop,
            ),
            "callbacks": tx.rows(
                "SELECT order_number, order_seq, status FROM callbacks WHERE shop_id = $1 ORDER BY 1, 2", shop
            ),
        }


def delivered(found: Receiver) -> Counter[str]:
    """webhook-id -> how often it came."""
    ids: Counter[str] = Counter()
    for request in found.requests:
        for line in request.decode("latin-1").split("\r\n"):
            if line.lower().startswith("webhook-id:"):
                ids[line.partition(":")[2].strip()] += 1
    return ids


@pytest.fixture
def database(migrated_url: str) -> Any:
    found = Database(migrated_url, size=2, keyring=KEYRING)
    yield found
    found.close()


def test_every_boundary(migrated_url: str, database: Database) -> None:
    with receiver(answering(plain())) as hook:
        reference_shop = new_shop(database, hook.port)
        assert drive(main, migrated_url, reference_shop) == 0
        wanted = state(database, reference_shop)
        assert [row[1] for row in wanted["orders"]] == ["PAID"] * (COUNT - 3) + ["UNPAID"] + ["PAID"] * 2
        assert [row[2] for row in wanted["callbacks"]] == ["DELIVERED"] * (COUNT - 1)
        for boundary in boundaries(7):
            shop = new_shop(database, hook.port)
            hook.requests.clear()
            code = drive(main, migrated_url, shop, stop_at=boundary)
            stopped = code == KILLED
            assert code in (0, KILLED), f"boundary {boundary}: exit code {code}"
            expire_leases(database, shop)
            assert drive(main, migrated_url, shop) == 0
            assert state(database, shop) == wanted, f"boundary {boundary}"
            assert check_shop(database, shops.find(database, shop)) == []
            ids = delivered(hook)
            assert len(ids) == COUNT - 1, f"boundary {boundary}: each callback came, and none that is not in the books"
            if not stopped:
                break
        assert boundary > 12, "submit, import, matching, claiming and recording have their boundaries"


def expire_leases(database: Database, shop: str) -> None:
    """What the killed process had claimed is free again: time goes by without the test waiting for it."""
    with database.of_all_shops() as tx:
        tx.run("UPDATE callbacks SET claimed_until = NULL WHERE shop_id = $1", shop)
