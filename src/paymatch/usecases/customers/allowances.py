"""Rate limits of customers' pages, shared by all server processes (D-51)."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from paymatch.domain.customers.allowances import Allowance
from paymatch.store.customers import allowances as store
from paymatch.store.database import Database

ASKS: Final = Allowance(at_once=60, per_minute=60)  # of an address, and of a link
WRONG_LINKS: Final = Allowance(at_once=20, per_minute=5)  # of an address: mistyped, expired, guessed
CHANGES: Final = Allowance(at_once=10, per_minute=4)  # of a link


def let_in(database: Database, address: str, link: str, now: datetime) -> bool:
    """Counts a request, to a page (`link` is its token) or to none (""); False if there were too many.

    After too many wrong links no page is shown either, so a right guess looks like a wrong one. Rows are
    locked in one order, those of addresses first. LockNotAcquired.
    """
    with database.of_all_shops() as tx:
        asks = store.take(tx, f"asks of {address}", ASKS, now)
        if not link:
            return asks and store.take(tx, f"wrong links of {address}", WRONG_LINKS, now)
        return (
            asks
            and store.has(tx, f"wrong links of {address}", WRONG_LINKS, now)
            and store.take(tx, f"asks for {link}", ASKS, now)
        )


def let_change(database: Database, link: str, now: datetime) -> bool:
    """Counts a POST to a page; False if there were too many. LockNotAcquired."""
    with database.of_all_shops() as tx:
        return store.take(tx, f"changes by {link}", CHANGES, now)
