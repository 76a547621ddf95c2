"""Exchange rates that were used, by pair of currencies and day, and orders whose rate is unusual (D-85)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Final, NamedTuple

from paymatch.store.database import ShopId, Tx

REMEMBERED: Final = timedelta(days=30)
"""An older rate is compared with nothing: currencies move."""


class RatedOrder(NamedTuple):
    """An order with an exchangeRate that is unusual, and the rate that was used before."""

    number: str
    currency: str
    rate: Decimal
    before: Decimal


def last_before(tx: Tx, currencies: Sequence[str], other: str, day: date) -> dict[str, Decimal]:
    """Currency -> the rate used on the last earlier day: units of it for one unit of `other`. Of all shops."""
    rows = tx.rows(
        "SELECT DISTINCT ON (currency) currency, rate FROM exchange_rates WHERE currency = ANY($1)"
        " AND other_currency = $2 AND day < $3 AND day >= $4 ORDER BY currency, day DESC",
        sorted(set(currencies)),
        other,
        day,
        day - REMEMBERED,
    )
    return {row[0]: row[1] for row in rows}


def keep(tx: Tx, currency: str, other: str, day: date, rate: Decimal) -> None:
    """Keeps the first rate of a pair and day, which later days are compared with."""
    tx.run(
        "INSERT INTO exchange_rates (currency, other_currency, day, rate) SELECT $1, $2, $3, $4 WHERE NOT EXISTS"
        " (SELECT FROM exchange_rates WHERE currency = $1 AND other_currency = $2 AND day = $3)"
        " ON CONFLICT DO NOTHING",
        currency,
        other,
        day,
        rate,
    )


def mark(tx: Tx, shop: ShopId, number: str, before: Decimal | None) -> None:
    """Writes the rate that the order's own is far away from; None if it is usual."""
    tx.run(
        "UPDATE orders SET rate_before = $3 WHERE shop_id = $1 AND number = $2 AND rate_before IS DISTINCT FROM $3",
        shop,
        number,
        before,
    )


def unusual_of(tx: Tx, shop: ShopId, numbers: Sequence[str]) -> frozenset[str]:
    """Those of the orders whose rate is unusual."""
    rows = tx.rows(
        "SELECT number FROM orders WHERE shop_id = $1 AND number = ANY($2) AND rate_before IS NOT NULL",
        shop,
        list(numbers),
    )
    return frozenset(row[0] for row in rows)


def unusual_open(tx: Tx, shop: ShopId) -> list[RatedOrder]:
    """Orders of an unusual rate that are open, or have a refund that is not sent yet."""
    rows = tx.rows(
        "SELECT o.number, o.currency, o.exchange_rate, o.rate_before FROM orders o WHERE o.shop_id = $1"
        " AND o.rate_before IS NOT NULL AND o.exchange_rate IS NOT NULL AND (o.status IN ('UNPAID', 'PAID_PARTIAL')"
        " OR EXISTS (SELECT FROM refunds r WHERE r.shop_id = $1 AND r.order_number = o.number AND r.status = 'NEW'))"
        " ORDER BY o.number",
        shop,
    )
    return [RatedOrder(number, currency, rate, before) for number, currency, rate, before in rows]
