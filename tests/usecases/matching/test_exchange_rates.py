"""Rates that shops send are compared with the last ones of the installation."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from paymatch.domain.orders.exchange import PairRate
from paymatch.domain.shops.alerts import AlertKind
from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.matching import exchange_rates
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from tests.usecases.conftest import Books, camt, paid


def alerts(books: Books) -> list[tuple[str, str]]:
    found = list_alerts(books.database, books.shop)
    return [(each["subject"], each["text"]) for each in found if each["kind"] == AlertKind.EXCHANGE_RATE]


def last(books: Books, base: str, quoted: str) -> Decimal | None:
    with books.database.of_shop(books.shop) as tx:
        found = exchange_rates.last(tx, [(base, quoted)])
    return found[base, quoted].rate if found else None


def known(books: Books, base: str, quoted: str, rate: str, **age: Any) -> None:
    """A rate that was seen before; the table is the installation's, so each test has a pair of its own."""
    with books.database.of_shop(books.shop) as tx:
        exchange_rates.keep(tx, [PairRate(base, quoted, Decimal(rate))], books.now - timedelta(**age))


def test_a_rate_far_from_the_last_one_raises_one_alert_a_day(books: Books) -> None:
    known(books, "EUR", "GBP", "0.85", days=1)
    books.order("X-1", "100.00", currency="GBP", exchangeRate=0.93)
    assert (alerts(books), last(books, "EUR", "GBP")) == ([], Decimal("0.93"))
    books.order("X-2", "100.00", currency="GBP", exchangeRate=1.17)
    books.order("X-3", "100.00", currency="GBP", exchangeRate=500)
    assert alerts(books) == [
        (
            f"rate EUR/GBP {books.shop.today(books.now).isoformat()}",
            "Order X-2 came with exchangeRate 1.17, more than 10 % away from the last rate of EUR/GBP:"
            " its customer may be asked for a wrong amount. Its refunds wait for a release",
        )
    ]
    assert last(books, "EUR", "GBP") == Decimal("0.93")
    with books.database.of_shop(books.shop, at=books.now) as tx:
        keep_alerts(tx)
    assert len(alerts(books)) == 1


def test_usual_rates_raise_nothing_and_are_the_next_ones_measure(books: Books) -> None:
    for number, rate in enumerate((1.0, 1.09, 1.19, 1.3)):
        books.order(f"U-{number}", "100.00", currency="USD", exchangeRate=rate)
    assert (alerts(books), last(books, "EUR", "USD")) == ([], Decimal("1.3"))


def test_an_unusual_rate_counts_once_the_last_one_is_old(books: Books) -> None:
    known(books, "EUR", "NOK", "11.5", days=8)
    books.order("O-1", "100.00", currency="NOK", exchangeRate=15)
    assert (len(alerts(books)), last(books, "EUR", "NOK")) == (1, Decimal(15))


def test_a_pair_is_compared_in_one_direction(books: Books) -> None:
    known(books, "CAD", "EUR", "0.5", days=1)
    books.order("D-1", "100.00", currency="CAD", exchangeRate=2)
    assert alerts(books) == []
    books.order("D-2", "100.00", currency="CAD", exchangeRate=0.5)
    assert len(alerts(books)) == 1


@pytest.mark.parametrize(("sent", "kept"), [(54_00, Decimal("1.08")), (5_40, None)])
def test_the_rate_of_a_bank_is_kept(books: Books, sent: int, kept: Decimal | None) -> None:
    currency = "AUD" if kept else "NZD"
    books.order("B-1", "54.00", currency=currency)
    more = {"instructed_amount_minor": sent, "instructed_currency": currency}
    books.bring(camt(CamtMessage.STATEMENT, paid(sent * 100 // 108, "Bestellung B-1", **more)))
    pair = ("AUD", "EUR") if kept else ("EUR", "NZD")
    assert last(books, *pair) == (Decimal(50) / 54 if kept else None)
