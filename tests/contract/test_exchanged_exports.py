"""Journal, DATEV and beancount of an order in pounds: due is the amount divided by its exchangeRate (D-85)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from decimal import Decimal

from tests.contract.bank import pay
from tests.contract.client import ShopClient
from tests.contract.test_reports import ledger_of
from tests.formats.accounting import datev_reader

DAYS = "from=01-03-2026&to=31-03-2026"


def test_journal_datev_and_beancount_book_what_was_due_in_euros(make_shop: Callable[..., ShopClient]) -> None:
    shop = make_shop()
    shop.submit("GB-1", amount=100, currency="GBP", exchangeRate=0.855)
    pay(shop, "GB-1", 11_696)
    assert shop.get("order/GB-1").json["paymentStatus"] == "PAID"
    shop.change(datev_consultant="29098", datev_client="55003", datev_rates="GBP:0.855")
    rows = list(csv.DictReader(io.StringIO(shop.get(f"exports/journal?{DAYS}").body.decode("utf-8-sig"))))
    paid, off, on = [(row["amount"], row["currency"]) for row in rows]
    assert (paid, off, on) == (
        ("116.96", "EUR"),
        ("116.96", "EUR"),
        ("100.00", "GBP"),
    )  # D-99: over the exchange account
    batch = datev_reader.read(shop.get(f"exports/datev?{DAYS}").body)
    assert [(each.amount, each.currency, each.base) for each in batch.bookings] == [
        (Decimal("116.96"), "EUR", Decimal("116.96")),
        (Decimal("116.96"), "EUR", Decimal("116.96")),
        (Decimal("116.96"), "EUR", Decimal("116.96")),  # GBP 100.00 at the order's rate
    ]
    sold = datev_reader.read(shop.get(f"exports/datev?{DAYS}&sales=true").body).bookings
    assert {each.base for each in sold} == {Decimal("116.96")}  # the sale of GBP 100.00 as well as its payment
    moved = ledger_of(shop.get(f"exports/beancount?{DAYS}").body)
    assert moved == {
        "10000": Decimal("-100.00"),
        "1800": Decimal("116.96"),
        "6880": Decimal("-16.96"),
    }  # GBP, EUR, both
