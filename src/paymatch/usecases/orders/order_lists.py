"""Orders for people: lists, what a word finds, how many there are of each state."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Final

from paymatch.domain.money import AmountUnreadable, Currency, text_to_minor
from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import ShopId, Tx
from paymatch.store.orders import order_list as store
from paymatch.store.orders.order_list import ListedOrder
from paymatch.store.statements.postings import ACCOUNT_END

OVERPAID: Final = "OVERPAID"
"""Counted beside the statuses: orders of any status with more paid than is due."""

_ACCOUNT_END: Final = re.compile(rf"[0-9A-Za-z]{{{ACCOUNT_END}}}", re.ASCII)
_AMOUNT: Final = re.compile(r"\d{1,9}[.,]\d{2}", re.ASCII)


def find_orders(
    tx: Tx,
    shop: Shop,
    *,
    statuses: Sequence[str] = (),
    overpaid: bool = False,
    text: str = "",
    after: tuple[date, str] | None = None,
    limit: int = 50,
) -> list[ListedOrder]:
    """Orders, latest first, behind the date and number `after`.

    `text` is part of a number, of anything in the order, of an invoice's number, the amount (19.90 or 19,90), or the
    last four characters of the IBAN that it was paid from.
    """
    return store.page(
        tx, ShopId(shop.id), statuses=statuses, overpaid=overpaid, text=text, amount_minor=_amount(text, shop),
        account_end=text.upper() if _ACCOUNT_END.fullmatch(text) else "", after=after, limit=limit,
    )  # fmt: skip


def counts(tx: Tx, shop: Shop) -> dict[str, int]:
    """Status -> number of orders, with those that are OVERPAID."""
    shop_id = ShopId(shop.id)
    none = {str(status): 0 for status in PaymentStatus}
    return none | store.counts(tx, shop_id) | {OVERPAID: store.count_overpaid(tx, shop_id)}


def overpaid(tx: Tx, shop: Shop) -> tuple[int, int]:
    """(how many orders have more paid than is due, by how much those in the shop's currency, in minor units)."""
    return store.sum_overpaid(tx, ShopId(shop.id), shop.currency)


def _amount(text: str, shop: Shop) -> int | None:
    if not _AMOUNT.fullmatch(text):
        return None
    try:
        return text_to_minor(text.replace(",", "."), Currency(shop.currency))
    except AmountUnreadable:
        return None
