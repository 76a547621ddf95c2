"""The page Payouts: payouts in their states, one taken apart, and the way from a posting there and back."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest

from paymatch.area.people.roles import TeamRole
from paymatch.area.service import Service
from paymatch.domain.payouts.tie_evidence import TieEvidence, TieFact
from paymatch.domain.payouts.ties import PayoutState
from paymatch.domain.shops.shop import Shop
from paymatch.formats.camt.writer import CamtMessage
from paymatch.usecases.payouts import payout_lists, provider_fees
from paymatch.usecases.reports.journal import bookings
from paymatch.usecases.reports.payout_bookings import bookings_of_payout
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
    assert "Its bank posting Open posting 16 Nov 107.60 EUR Found by the payout's number in its text." in said
    assert "On its way 45.30 EUR" in said
    assert "None in this state." in text(person.get("payouts?state=look"))


def test_other_payouts_of_the_same_amount_are_counted(service: Service) -> None:
    from paymatch.area.views.payouts.payouts import evidence_values
    from paymatch.store.payouts.payouts import PayoutRow
    from paymatch.usecases.payouts.payout_lists import ShownPayout

    row = PayoutRow("stripe:Stripe", "EUR", "po_1", 1, 1, 0, 0, 1, 0, 0, 1, 1, DAY, "")
    shown = ShownPayout(row, "Stripe", PayoutState.ARRIVED)
    found = evidence_values([TieEvidence(TieFact.TWINS, n) for n in (1, 2)], shown)
    assert [(each["text"], each["side"], each["word"]) for each in found] == [
        ("1 other payout has this amount", "lacks", ""), ("2 other payouts have this amount", "lacks", ""),
    ]  # fmt: skip


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


def test_a_payouts_posting_shows_its_bookings(books: Books, sign_in: Callable[..., Person]) -> None:
    books.order("SO-103", "39.90")
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    said = text(sign_in(TeamRole.CLERK, books.shop).get(f"postings/{arrive(books, 'STRIPE PO_1QLBWM4C')}"))
    assert (
        "Text Day Debit account Credit account Amount Left on 1485"
        " SO-101 14 Nov 1485 Clearing 10000 Debtors 41.71 41.71 SO-101 14 Nov 6855 Fees 10000 Debtors 0.89 –"
    ) in said
    assert "Account 1485 107.60 107.60 Left" not in said and "Account 1485 107.60 107.60 0.00 EUR" in said
    assert "1800 Bank 1370 Clearing 107.60 –" in said


def test_the_bookings_of_a_payout_are_those_of_the_journal(books: Books) -> None:
    books.order("SO-103", "39.90")
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    arrive(books, "STRIPE PO_1QLBWM4C")
    with books.database.of_shop(books.shop) as tx:
        [row] = [each.row for each in payout_lists.all_payouts(tx) if each.row.payout_id == "po_1QLbWm4c"]
        found = bookings_of_payout(tx, row, 500)
        journal = list(bookings(tx, date(2026, 11, 1), date(2026, 11, 30)))
        assert bookings_of_payout(tx, row, 2) is None
    assert found is not None and (found.account, found.in_minor, found.out_minor, found.left_minor) == (
        "1485", 10760, 10760, 0,
    )  # fmt: skip
    assert len(found.bookings) == 8 and all(each in journal for each in found.bookings)
    assert found.left[-2:] in [(None, 0), (0, None)]


def test_the_rows_of_a_payout_leave_as_a_file(books: Books, sign_in: Callable[..., Person]) -> None:
    books.order("SO-103", "39.90")
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    posting, person = arrive(books, "STRIPE PO_1QLBWM4C"), sign_in(TeamRole.VIEWER, books.shop)
    address = "payouts?account=stripe%3AStripe&currency=EUR&payout=po_1QLbWm4c&format="
    assert f"{address}csv".replace("&", "&amp;") in person.get(f"postings/{posting}").content.decode()
    answer = person.get(f"{address}csv")
    assert answer["Content-Disposition"] == 'attachment; filename="payout-rows.csv"'
    head, *rows = b"".join(answer.streaming_content).decode().splitlines()  # type: ignore[attr-defined]
    assert head == "order,customer,status,match,booked,text,gross,fee,net,currency,posting,service,payout,bankPosting"
    cells = [row.split(",") for row in rows]
    assert [cell[:10] for cell in cells] == [
        ["SO-101", "Muster", "REFUNDED", "matched", "2026-11-14", "SO-101 Tea", "42.60", "0.89", "41.71", "EUR"],
        ["SO-102", "Muster", "PAID", "matched", "2026-11-14", "Order SO-102", "27.50", "0.66", "26.84", "EUR"],
        ["SO-103", "Muster", "PAID", "matched", "2026-11-15", "SO-103", "39.90", "0.85", "39.05", "EUR"],
    ]
    assert {tuple(cell[11:]) for cell in cells} == {("Stripe", "po_1QLbWm4c", posting)}
    sheet = person.get(f"{address}xlsx")
    assert sheet["Content-Disposition"] == 'attachment; filename="payout-rows.xlsx"'
    sheet.close()


def test_payouts_can_be_searched_and_exported(books: Books, sign_in: Callable[..., Person]) -> None:
    books.bring(files.STRIPE_PAYOUTS_RECONCILED.encode())
    arrive(books, "STRIPE PO_1QLBWM4C")
    person = sign_in(TeamRole.VIEWER, books.shop)
    for words, found in (("45.30", ["po_1QN2xK9d"]), ("stripe", ["po_1QN2xK9d", "po_1QLbWm4c"]), ("klarna", [])):
        answer = person.get(f"payouts?q={words}&format=csv")
        rows = b"".join(answer.streaming_content).decode().splitlines()[1:]  # type: ignore[attr-defined]
        assert [row.split(",")[0] for row in rows] == found
    answer = person.get("payouts?state=arrived&format=csv")
    head, row = b"".join(answer.streaming_content).decode().splitlines()  # type: ignore[attr-defined]
    assert head.startswith("payout,service,account,sent,booked,state,rows,orders,gross,fee,amount,short,currency")
    assert row.startswith("po_1QLbWm4c,Stripe,stripe:Stripe,2026-11-16,2026-11-16,arrived,3,3,110.00,2.40,107.60,0.00")
    page = person.get("payouts?q=2xk9").content.decode()
    assert "po_1QN2xK9d" in page and "q=2xk9" in page and "Nothing found" in text(person.get("payouts?q=klarna"))
