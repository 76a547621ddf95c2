"""Counters of events since a shop's creation, counted in the transaction of the event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.store.transactions import ShopTx

DELIVERED: Final = "callback attempts delivered"
FAILED: Final = "callback attempts failed"
GIVEN_UP: Final = "callbacks given up"
DECIDED: Final = "postings "  # followed by the outcome: matched, suggested, unmatched


def add(tx: ShopTx, counts: Mapping[str, int]) -> None:
    """Adds to the shop's tallies; nothing is written for zeros."""
    for name in sorted(counts):
        if counts[name]:
            tx.put(
                "INSERT INTO tallies (shop_id, name, total) VALUES ($1, $2, $3)"
                " ON CONFLICT (shop_id, name) DO UPDATE SET total = tallies.total + excluded.total",
                tx.shop_id,
                name,
                counts[name],
            )
