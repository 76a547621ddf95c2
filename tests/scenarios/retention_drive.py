"""A run of the retention as a process of its own. Run again after a hard stop."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from paymatch.store.database import Database
from paymatch.store.fault import boundary_from_environment
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopId
from paymatch.usecases.privacy.retention import forget_old
from tests.keys import KEYRING


def main(url: str, shop_text: str, now: datetime) -> None:
    """Two rows per transaction until nothing is left."""
    database = Database(url, size=2, at_boundary=boundary_from_environment(), keyring=KEYRING)
    shop_id = ShopId(UUID(shop_text))
    with database.of_shop(shop_id) as tx:
        shop = shop_store.load(tx)
    assert shop is not None
    while forget_old(database, shop, now, batch=2).more:
        pass
    database.close()
