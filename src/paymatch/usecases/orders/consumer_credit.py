"""Due dates that make an order a consumer credit: an alert, once per country (D-131)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import msgspec

from paymatch.domain.orders.consumer_credit import (
    FREE_DAYS_OF_LARGE_SELLERS,
    PutOffPayment,
    free_days,
    is_consumer_credit,
)
from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.words.message import Message
from paymatch.store.shops import shops
from paymatch.store.transactions import ShopTx
from paymatch.store.work import alerts


class _Billing(msgspec.Struct):
    company: str | None = None
    countryCode: str | None = None  # noqa: N815  the contract's spelling


class _Document(msgspec.Struct):
    billing: _Billing | None = None


_DECODE = msgspec.json.Decoder(_Document).decode

Dated = tuple[str, date, date | None, bytes]
"""(number, order date, due date, document) of an order."""


def note_terms(tx: ShopTx, orders: Iterable[Dated]) -> None:
    """Raises an alert for each country in which one of the orders is due so late that it is a consumer credit.

    Once for each country and limit: a person who closes it has decided for all later orders.
    """
    late = [
        _payment(number, ordered, due, document)
        for number, ordered, due, document in orders
        if due is not None and (due - ordered).days > FREE_DAYS_OF_LARGE_SELLERS
    ]
    if not late:
        return
    free = free_days(is_large_seller=shops.is_large_seller(tx))
    for country in sorted({each.country for each in late if is_consumer_credit(each, free)}):
        first = next(each for each in late if each.country == country and is_consumer_credit(each, free))
        said = Message(
            "alert-consumer-credit", order=first.order_number, days=first.days, free=free, country=country
        )  # fmt: skip
        alerts.add(tx, AlertKind.CONSUMER_CREDIT, f"{country} {free}", said, tx.now)


def _payment(number: str, order_date: date, due_date: date, document: bytes) -> PutOffPayment:
    billing = _DECODE(document).billing or _Billing()
    return PutOffPayment(number, order_date, due_date, billing.countryCode or "", bool((billing.company or "").strip()))
