"""Tasks that wait for a person, most urgent first where shown; and the age of the bank data."""

from __future__ import annotations

from typing import Any, Final

from paymatch.domain.refunds.money_out import WAITS_FOR_RELEASE
from paymatch.domain.shops.shop import Shop
from paymatch.store.transactions import ShopTx
from paymatch.store.work import todo as store

_REASONS: Final = sorted(str(reason) for reason in WAITS_FOR_RELEASE)


def shop_with_todo(tx: ShopTx) -> tuple[Shop, dict[str, Any]]:
    """The shop with its waiting work, by one statement; ShopUnknown.

    Counts, and sums in minor units of the shop's currency; `accounts` with the last day of their statements.
    """
    return store.shop_with_todo(tx, _REASONS)
