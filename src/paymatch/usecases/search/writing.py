"""Backfill of search texts: orders and postings without one, or with one under an earlier key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from paymatch.store.database import Database
from paymatch.store.search import order_texts, posting_texts
from paymatch.store.statements import postings as postings_store
from paymatch.store.transactions import ShopId

BATCH: Final = 500
BATCHES: Final = 100
"""Transactions of one run; the rest is due again at once."""


@dataclass(frozen=True, slots=True)
class SearchTextsWritten:
    """How many texts a run has written; `more` if it ended before all were."""

    orders: int
    postings: int
    more: bool


def write_missing(database: Database, shop: ShopId, *, batch: int = BATCH) -> SearchTextsWritten:
    """Writes what is missing, in transactions of `batch` rows."""
    orders = postings = 0
    for _ in range(BATCHES):
        with database.of_shop(shop) as tx:
            numbers = order_texts.without_text(tx, batch)
            order_texts.renew(tx, numbers)
        with database.of_shop(shop) as tx:
            ids = posting_texts.without_text(tx, batch)
            booked = postings_store.booked_by_id(tx, ids) if ids else {}
            vault = tx.vault()
            posting_texts.save(tx, [(each.id, each.open_posting(vault)) for each in booked.values()])
        orders, postings = orders + len(numbers), postings + len(ids)
        if max(len(numbers), len(ids)) < batch:
            return SearchTextsWritten(orders, postings, more=False)
    return SearchTextsWritten(orders, postings, more=True)
