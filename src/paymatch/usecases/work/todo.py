"""What waits for a person, most urgent first where it is shown; and how fresh the bank's data are."""

from __future__ import annotations

from typing import Any

from paymatch.domain.money_out import WAITS_FOR_RELEASE
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import ShopId, Tx
from paymatch.store.work import todo as store


def todo(tx: Tx, shop: Shop) -> dict[str, Any]:
    """Counts and sums, in minor units of the shop's currency; `accounts` with the last day of their statements."""
    return store.todo(tx, ShopId(shop.id), shop.currency, sorted(str(reason) for reason in WAITS_FOR_RELEASE))
