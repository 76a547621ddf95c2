"""The page Payouts: payouts in their states, one taken apart, and the way from a posting there and back."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.shops.shop import Shop
from paymatch.formats.camt.writer import CamtMessage
from paymatch.usecases.payouts import provider_fees
from tests.area.conftest import Person
from tests.area.test_postings import text
from tests.contract.client import Clock
from tests.formats.settlements import files
from tests.usecases.conftest import ACCOUNT, Books, camt, paid

DAY = date(2026, 11, 16)


@pytest.fixture
def books(service: Service, new_shop: Callable[..., Shop], area_clock: Clock) -> Books:
    area_clock.now = datetime(2026, 11, 20, 9, tzinfo=UTC)
    found = Books(service.database, new_shop(ibans=[ACCOUNT]), now=area_clock.now)
    for number, amount in (("SO-101", "42.60"), ("SO-102", "27.50"), ("SO-104", "100.00")):
        found.order(number, amount)
    return found


def arrive(books: Books, words: str) -> str:
    """The bank books the payout; the id of its posting."""
    posting = paid(10760, words, booking_date=DAY, counterparty_name="Stripe Payments", counterparty_iban="")
    books.bring(camt(CamtMessage.STATEMENT, posting, days=(DAY, DAY)))
    [(found,)] = books.rows("SELECT id FROM postings WHERE shop_id = $1 AND account LIKE 'DE%'")
    return str(found)


def test_the_page_is_there_once_a_provider_is(books: Books, sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.CLERK, books.shop)
    assert "Payouts" not in text(person.get("orders"))
    assert "No payouts yet" in text(person.get("payouts"))
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    assert "Payouts" in text(person.get("orders"))


def test_a_payout_and_its_posting_lead_to_each_other(books: Books, sign_in: Callable[..., Person]) -> None:
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    posting, person = arrive(books, "STRIPE PO_1QLBWM4C"), sign_in(TeamRole.CLERK, books.shop)
    there = person.get(f"postings/{posting}")
    assert "Payout po_1QLbWm4c: 2 orders" not in text(there)
    assert "Payout po_1QLbWm4c: 3 orders, 2.40 kept, rest 0.00. This is not income" in text(there)
    assert "What the payout is made of" in text(there) and "SO-101 Muster Refunded 42.60 0.89 41.71" in text(there)
    assert (
        "Why it is this payout Strength The text names the payout's number strong"
        " The amount is the payout's, to the cent strong The payer is Stripe medium"
        " Booked on the day it was sent, 16 Nov medium No other payout has this amount medium"
    ) in text(there).replace("&#x27;", "'")
    address = "payouts?account=stripe%3AStripe&currency=EUR&payout=po_1QLbWm4c"
    assert address.replace("&", "&amp;") in there.content.decode()
    page = person.get(address)
    assert f"postings/{posting}" in page.content.decode()
    said = text(page)
    assert "paid by customers 110.00 fees withheld − 2.40 payout = 107.60 rest 0.00" in said
    assert "SO-101 Muster Refunded 42.60 0.89 41.71" in said
    assert re.findall(r"\d rows [\d. ]+", said) == []  # one row has no order, so its fee is not known by order
    assert (
        "The bank posting that it is Open posting 16 Nov 107.60 EUR Found by the payout's number in its text." in said
    )
    assert "On its way 45.30 EUR" in said
    assert "None in this state." in text(person.get("payouts?state=look"))


def test_rows_that_add_up_to_the_payout_have_their_sums(books: Books, sign_in: Callable[..., Person]) -> None:
    books.order("SO-103", "39.90")
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    said = text(
        sign_in(TeamRole.CLERK, books.shop).get("payouts?account=stripe%3AStripe&currency=EUR&payout=po_1QLbWm4c")
    )
    assert re.findall(r"\d rows [\d. ]+", said) == ["3 rows 110.00 2.40 107.60 "]


def test_an_unknown_payout_is_not_found(books: Books, sign_in: Callable[..., Person]) -> None:
    assert sign_in(TeamRole.CLERK, books.shop).get("payouts?account=a&currency=EUR&payout=b").status_code == 404


def test_a_clerk_says_which_posting_it_is(books: Books, sign_in: Callable[..., Person]) -> None:
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    day = date(2026, 11, 17)
    twins = [
        paid(10760, f"STRIPE {word}", booking_date=day, counterparty_name="Stripe", counterparty_iban="")
        for word in ("one", "two")
    ]
    books.bring(camt(CamtMessage.STATEMENT, *twins, days=(day, day)))
    person, address = (
        sign_in(TeamRole.CLERK, books.shop),
        "payouts?account=stripe%3AStripe&currency=EUR&payout=po_1QLbWm4c",
    )
    assert "Which posting is it?" in text(person.get(address))
    sql = "SELECT id FROM postings WHERE shop_id = $1 AND remittance = 'STRIPE two'"
    [(posting,)] = books.rows(sql)
    assert "The payout is tied to its posting" in text(person.post(address, {"posting": posting}, follow=True))
    assert "Matched by hand." in text(person.get(address))
    assert person.post(address, {"posting": "pst_none"}).status_code == 422
    books.sound()


def test_fees_stand_per_service_and_month(books: Books, sign_in: Callable[..., Person]) -> None:
    person = sign_in(TeamRole.VIEWER, books.shop)
    assert "No fees yet" in text(person.get("payouts/fees"))
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    with books.database.of_shop(books.shop) as tx:
        [judged] = provider_fees.fees_by_month(tx)
    assert (judged.fees.fee_minor, judged.fees.gross_minor, judged.usual_rate) == (450, 15_740, None)
    page = text(person.get("payouts/fees?sort=-fee"))
    assert "Stripe" in page and "2.86 %" in page and "1–1 of 1 · together 4.50 EUR" in page
    assert "payouts/fees" in person.get("payouts").content.decode()
