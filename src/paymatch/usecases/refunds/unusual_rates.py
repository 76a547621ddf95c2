"""Orders whose exchangeRate is far away from the last one used: an alert, and refunds wait for a person (D-85)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from typing import Final

from paymatch.domain.money import Currency, digits_of
from paymatch.domain.orders.exchange import is_unusual
from paymatch.domain.postings import Posting
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.store.database import ShopId, Tx
from paymatch.store.orders.orders import OrderRecord
from paymatch.store.refunds import exchange_rates

_ONE: Final = Decimal(1)


def note_rates(tx: Tx, shop: Shop, orders: Sequence[OrderRecord], today: date) -> None:
    """Marks the stored orders whose rate is unusual; a usual one is what later days are compared with.

    An order in the shop's own currency costs what it says: any rate but about 1 is unusual.
    """
    shop_id, rated = ShopId(shop.id), {order.number: order for order in orders if order.exchange_rate}
    for number in sorted(exchange_rates.unusual_of(tx, shop_id, [each.number for each in orders]) - rated.keys()):
        exchange_rates.mark(tx, shop_id, number, None)
    if not rated:
        return
    last = exchange_rates.last_before(tx, [each.currency for each in rated.values()], shop.currency, today)
    last[shop.currency] = _ONE
    usual: dict[str, Decimal] = {}
    for number, order in sorted(rated.items()):
        assert order.exchange_rate is not None
        before = last.get(order.currency)
        unusual = before is not None and is_unusual(order.exchange_rate, before)
        exchange_rates.mark(tx, shop_id, number, before if unusual else None)
        if not unusual:
            usual.setdefault(order.currency, order.exchange_rate)
    for currency, rate in sorted(usual.items()):
        if currency != shop.currency:
            exchange_rates.keep(tx, currency, shop.currency, today, rate)


def keep_bank_rates(tx: Tx, postings: Sequence[Posting], today: date) -> None:
    """Keeps the rates at which the bank exchanged: its word needs no comparison. Only of trusted channels (D-37)."""
    found: dict[tuple[str, str], Decimal] = {}
    for posting in postings:
        rate = _rate_of(posting)
        if rate is not None:
            found.setdefault((posting.instructed_currency, str(posting.currency)), rate)
    for (currency, other), rate in sorted(found.items()):
        exchange_rates.keep(tx, currency, other, today, rate)


def _rate_of(posting: Posting) -> Decimal | None:
    """Units of the instructed currency for one unit of the account's; None without an exchange, or with charges."""
    sent, own = posting.instructed_amount_minor, abs(posting.amount_minor)
    exchanged = posting.instructed_currency and posting.instructed_currency != posting.currency
    if not (sent and own and exchanged) or posting.charges_minor:
        return None
    sent_units, own_units = (
        Decimal(abs(minor)) / 10 ** digits_of(Currency(currency))
        for minor, currency in ((sent, posting.instructed_currency), (own, posting.currency))
    )
    rate: Decimal = sent_units / own_units
    return rate


def unusual_rate_alerts(tx: Tx, shop: Shop) -> Iterator[Alert]:
    """An alert per order whose rate is unusual, as long as money may come or go for it."""
    for order in exchange_rates.unusual_open(tx, ShopId(shop.id)):
        rate, before = (f"{each.normalize():f}" for each in (order.rate, order.before))
        said = Message("alert-exchange-rate", order=order.number, currency=order.currency, rate=rate, before=before)
        yield Alert(AlertKind.EXCHANGE_RATE, f"{order.number} {rate}", said)
