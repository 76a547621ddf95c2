"""An order that is paid in another currency ends at 0.00 on its debtor; the difference has its own account (D-99)."""

from __future__ import annotations

from collections import Counter
from datetime import date
from decimal import Decimal
from typing import Final

from paymatch.domain.reports.asked import month_end
from paymatch.formats.camt.writer import CamtMessage
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.reports import exports, journal
from paymatch.usecases.shops import shops
from tests.formats.accounting import datev_reader
from tests.usecases.conftest import Books, camt, paid

FIRST: Final = date(2026, 3, 1)
LAST: Final = month_end(FIRST)


def sold_and_paid(books: Books, rates: str, **order: object) -> None:
    """An order of 54.00 dollars, for which 48.70 euros came: what the bank says was instructed pays it."""
    with books.database.of_shop(books.shop) as tx:
        shops.change(tx, {"datev-consultant": "29098", "datev-client": "55003", "datev-rates": rates})
    books.order("SO-471203", "54.00", currency="USD", **order)
    payment = paid(4870, "Bestellung SO-471203", instructed_amount_minor=5400, instructed_currency="USD")
    books.bring(camt(CamtMessage.STATEMENT, payment))
    ((posting, status),) = books.rows("SELECT id, status FROM postings WHERE shop_id = $1")
    if status != "matched":
        assigning.match(books.database, books.shop, posting, [Part("SO-471203", 4870)], books.now)
    assert books.status("SO-471203") == "PAID"


def in_journal(books: Books) -> dict[tuple[str, str], int]:
    found: Counter[tuple[str, str]] = Counter()
    with books.database.of_shop(books.shop) as tx:
        for each in journal.bookings(tx, FIRST, LAST, sales=True):
            found[each.debit.number, each.currency] += each.minor
            found[each.credit.number, each.currency] -= each.minor
    return {key: minor for key, minor in found.items() if minor}


def in_datev(books: Books) -> dict[str, Decimal]:
    found: dict[str, Decimal] = {}
    with books.database.of_shop(books.shop) as tx:
        content = b"".join(exports.as_datev(tx, FIRST, LAST, books.now, sales=True))
    for each in datev_reader.read(content).bookings:
        found[each.debit] = found.get(each.debit, Decimal(0)) + each.base
        found[each.credit] = found.get(each.credit, Decimal(0)) - each.base
    return {account: base for account, base in found.items() if base}


def test_the_debtor_ends_at_nothing_and_the_difference_is_at_the_orders_own_rate(books: Books) -> None:
    sold_and_paid(books, "USD:1.2000", exchangeRate=1.08)
    assert in_journal(books) == {
        ("1800", "EUR"): 4870, ("4400", "USD"): -5400, ("6880", "EUR"): -4870, ("6880", "USD"): 5400,
    }  # fmt: skip
    assert in_datev(books) == {"1800": Decimal("48.70"), "4400": Decimal("-50.00"), "6880": Decimal("1.30")}


def test_without_a_rate_of_the_order_that_of_its_month_counts_then_the_usual_one(books: Books) -> None:
    sold_and_paid(books, "USD:1.2000,2026-03:USD:1.1250")
    assert in_datev(books) == {"1800": Decimal("48.70"), "4400": Decimal("-48.00"), "6880": Decimal("-0.70")}
    with books.database.of_shop(books.shop) as tx:
        shops.change(tx, {"datev-rates": "USD:1.2000"})
    assert in_datev(books)["4400"] == Decimal("-45.00")


def test_what_is_undone_leaves_no_difference(books: Books) -> None:
    sold_and_paid(books, "USD:1.2000", exchangeRate=1.08)
    ((posting,),) = books.rows("SELECT id FROM postings WHERE shop_id = $1")
    assigning.unmatch(books.database, books.shop, posting, books.now)
    assert "6880" not in {account for account, _ in in_journal(books)}
