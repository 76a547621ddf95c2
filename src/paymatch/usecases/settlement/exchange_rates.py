"""Rates that shops send are compared with the last ones of the same two currencies; an unusual one raises an alert."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Final

from paymatch.domain.money import Currency, Money
from paymatch.domain.orders.exchange import PairRate, applied_rate, is_unusual, pair_rate, replaces
from paymatch.domain.postings import Posting
from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.words.message import Message
from paymatch.store.matching import exchange_rates as store
from paymatch.store.refunds import clearance as marks
from paymatch.store.transactions import ShopTx, Tx
from paymatch.store.work import alerts

_ONE: Final = Decimal(1)


def compare_rates(tx: ShopTx, sent: Iterable[tuple[str, str, Decimal | None]]) -> None:
    """Compares each (order, its currency, its exchangeRate) with the last rate of the pair (D-85).

    An order with an unusual rate is marked, so its refunds wait for a person, and an alert is raised once a day per
    pair. Later rates are compared with the last usual ones. In the shop's own currency any rate but about 1 is unusual.
    """
    before: dict[str, Decimal | None] = {}
    found: dict[str, tuple[Decimal, PairRate]] = {}
    for number, currency, rate in sent:
        own = currency == tx.shop.currency
        before[number] = _ONE if own and rate is not None and is_unusual(rate, _ONE) else None
        if rate is not None and not own:
            found[number] = rate, pair_rate(currency, tx.shop.currency, rate)
    known = store.last(tx, {each[:2] for _, each in found.values()}) if found else {}
    kept: dict[store.Pair, PairRate] = {}
    for number, (rate, each) in found.items():
        last = known.get(each[:2])
        if last is not None and is_unusual(each.rate, last.rate):
            before[number] = last.rate
            _alert(tx, number, each, rate)
        if replaces(each, last, tx.wall_time):
            kept[each[:2]] = each
    if kept:
        store.keep(tx, kept.values(), tx.wall_time)
    marks.mark_unusual_rates(tx, before)


def _alert(tx: ShopTx, number: str, each: PairRate, rate: Decimal) -> None:
    pair = f"{each.base}/{each.quoted}"
    said = Message("alert-exchange-rate", order=number, rate=f"{rate.normalize():f}", pair=pair)
    subject = f"rate {pair} {tx.today.isoformat()}"
    alerts.add(tx, AlertKind.EXCHANGE_RATE, subject, said, tx.now)


def note_bank_rates(tx: Tx, postings: Iterable[Posting], now: datetime) -> None:
    """Keeps the rates at which banks exchanged these payments, for the orders that come later."""
    found: dict[store.Pair, PairRate] = {}
    for posting in postings:
        if posting.instructed_amount_minor and posting.instructed_currency not in ("", posting.currency):
            sent = Money(abs(posting.instructed_amount_minor), Currency(posting.instructed_currency))
            applied = applied_rate(Money(abs(posting.amount_minor), posting.currency), sent)
            if applied is not None:
                found[applied[:2]] = applied
    if found:
        store.keep(tx, found.values(), now)
