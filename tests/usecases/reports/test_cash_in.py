"""Cash in counts customers' payments; transfers between own accounts are none (D-100)."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from paymatch.domain.reports.asked import ask, report_of
from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.database import Database
from paymatch.usecases.matching import assigning
from paymatch.usecases.reports import closing, journal, reports
from paymatch.usecases.shops import shops
from tests.usecases.conftest import ACCOUNT, Books, camt, paid

SAVINGS = "DE02120300000000202051"
FIRST, LAST = date(2026, 3, 1), date(2026, 3, 31)
OWN = {"counterparty_name": "Books", "counterparty_iban": SAVINGS}


@pytest.fixture
def books(database: Database, books: Books) -> Books:
    """1,000.00 went from one account to the other; a customer paid 50.00, another 7.00, the landlord 9.00."""
    shop = shops.create(database, "Two accounts", books.now, ibans=[ACCOUNT, SAVINGS]).shop
    found = Books(database, shop, books.now)
    found.order("SO-471102", "50.00", billing={"firstName": "Eva", "lastName": "Muster", "countryCode": "DE"})
    found.bring(
        camt(
            CamtMessage.STATEMENT, paid(-100_000, "to savings", **OWN), paid(5000, "SO-471102"), paid(700, "hello"),
            paid(900, "deposit back", counterparty_name="Landlord"),
        )
    )  # fmt: skip
    back = paid(100_000, "to savings", counterparty_name="Books", counterparty_iban=ACCOUNT)
    found.bring(camt(CamtMessage.STATEMENT, replace(back, account=SAVINGS), account=SAVINGS))
    ((landlord,),) = found.rows("SELECT id FROM postings WHERE shop_id = $1 AND amount_minor = 900")
    assigning.set_aside(database, shop, landlord, "deposit", found.now)
    return found


def report(books: Books, name: str) -> list[dict[str, Any]]:
    wanted = report_of(name)
    with books.database.of_shop(books.shop) as tx:
        rows = reports.rows(tx, wanted, ask(wanted, books.now.date(), FIRST, LAST))
        return [dict(row) for row in rows]


def booked(books: Books) -> list[tuple[str, str, int]]:
    with books.database.of_shop(books.shop) as tx:
        return [(e.debit.number, e.credit.number, e.minor) for e in journal.bookings(tx, FIRST, LAST)]


def test_transfers_between_own_accounts_are_booked_over_transit_and_are_in_no_report_of_customers(books: Books) -> None:
    assert sorted(booked(books)) == [
        ("1460", "1800", 100_000), ("1800", "10000", 5000), ("1800", "1370", 700), ("1800", "1370", 900),
        ("1800", "1460", 100_000),
    ]  # fmt: skip
    [month] = report(books, "cash-in")
    assert (month["postings"], month["amount"], month["matched"], month["open"]) == (2, 5700, 5000, 700)
    assert sum(row["postings"] for row in report(books, "matched")) == 2
    assert report(books, "unexplained")[0]["amount"] == 700
    reasons = {row["reason"] for row in report(books, "postings") if row["state"] == "set aside"}
    assert reasons == {"transfer between own accounts", "deposit"}
    books.sound()


def test_cash_in_cash_and_journal_agree(books: Books) -> None:
    cash = [row for row in report(books, "cash") if row["postings"]]
    assert [(row["in"], row["out"], row["orders"], row["aside"], row["open"]) for row in cash] == [
        (100_000, 0, 0, 100_000, 0), (6600, -100_000, 5000, -99_100, 700),
    ]  # fmt: skip
    [month] = report(books, "cash-in")
    assert month["matched"] == sum(row["orders"] for row in cash)
    assert month["open"] == sum(row["open"] for row in cash)
    assert month["matched"] == sum(minor for _, credit, minor in booked(books) if credit == "10000")


def test_a_person_may_say_that_it_is_none(books: Books) -> None:
    ((posting,),) = books.rows("SELECT id FROM postings WHERE shop_id = $1 AND amount_minor = 100000")
    assigning.reconsider(books.database, books.shop, posting, books.now)
    books.bring(camt(CamtMessage.STATEMENT, paid(100, "later"), number=2))
    assert books.rows(f"SELECT aside_reason, status FROM postings WHERE shop_id = $1 AND id = '{posting}'")[0][0] == ""


def test_what_was_set_aside_and_pays_an_order_is_set_aside_no_longer(books: Books) -> None:
    books.order("SO-471103", "9.00")
    ((landlord,),) = books.rows("SELECT id FROM postings WHERE shop_id = $1 AND amount_minor = 900")
    closing.close(books.database, books.shop, FIRST, books.now + timedelta(days=40))
    assigning.match(books.database, books.shop, landlord, [assigning.Part("SO-471103")], books.now)
    [row] = [row for row in report(books, "postings") if row["id"] == landlord]
    assert (row["state"], row["reason"], row["aside"], row["forOrders"]) == ("matched", "", 0, 900)
    with books.database.of_shop(books.shop) as tx:
        [changed] = closing.changes(tx, FIRST)
    assert (changed["before"]["state"], changed["after"]["state"]) == ("set-aside", "matched")
    books.sound()


def test_a_payment_from_an_account_that_is_not_the_shops_is_a_payment(books: Books) -> None:
    assert books.status("SO-471102") == "PAID"
