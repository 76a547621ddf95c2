"""Advices that strangers write: no file stops mailbox or matching, and no name for a deduction keeps money (D-94)."""

from __future__ import annotations

import time
from datetime import date
from email.message import EmailMessage

import pytest

from paymatch.formats.camt.writer import CamtMessage
from paymatch.store.advices import advices as store
from paymatch.usecases.advices.advices import list_advices, show_advice
from paymatch.usecases.advices.mailed import confirm_sender, take_mail
from paymatch.usecases.matching.matching import match_due
from tests.usecases.advices.mails import HOST, mail
from tests.usecases.advices.test_advices import CARRIER, advise, bank, orders
from tests.usecases.conftest import Books, camt, paid
from tests.waiting import PATIENCE_SECONDS


def remadv(number: str = "AV-1", day: str = "20260302", payer: str = "Kurier Blitz GmbH", account: str = "") -> str:
    """The carrier's advice of two orders, as an interchange."""
    return (
        f"UNB+UNOC:3+a+b+260302:1000+1'UNH+1+REMADV:D:96A:UN'BGM+481+{number}+9'DTM+137:{day}:102'NAD+PR+++{payer}'"
        f"FII+OR+{account}'CUX+2:EUR'DOC+380+SW-1001'MOA+9:100'MOA+12:98'DOC+380+SW-1002'MOA+9:50'MOA+12:49'"
        "UNS+S'MOA+12:147'UNT+9+1'UNZ+1+1'"
    )


def take(books: Books, data: str, name: str) -> None:
    """A stranger's mail with the file arrives."""
    made = EmailMessage()
    made["From"], made["To"] = "a@evil.example", f"advices+{books.shop.id}@shop.example"
    made.set_content("See the attachment.")
    made.add_attachment(data.encode("latin-1"), maintype="application", subtype="octet-stream", filename=name)
    assert take_mail(books.database, made.as_bytes(), HOST, books.now) == 1


@pytest.mark.parametrize(
    "data",
    [
        remadv(number="A\x00V-12345"), remadv(payer="Kurier\x00 Blitz GmbH"), remadv(account="DE\x0012"),
        remadv(day="00010101"), remadv(day="99991231"), remadv(number="(a|b)*.{0,255}" * 300),
        remadv().replace("MOA+12:147", "MOA+12:146").replace("SW-1001", "SW\x00-1001"),
    ],
    ids=["number", "payer", "account", "first day", "last day", "pattern", "unproved"],
)  # fmt: skip
def test_a_strangers_file_is_kept_and_stops_nothing(books: Books, data: str) -> None:
    orders(books)
    take(books, data, "avis.edi")
    bank(books, 100_00, name="Eva Post", text="Bestellung SW-1004")
    assert books.status("SW-1004") == "PAID"
    (kept,) = list_advices(books.database, books.shop)
    assert "\x00" not in str(show_advice(books.database, books.shop, kept["id"]))


@pytest.mark.parametrize("day", ["00010101", "20260302"])
def test_an_advice_whose_program_knows_no_day_explains_its_payment(books: Books, day: str) -> None:
    orders(books)
    advise(books, remadv(day=day))
    bank(books)
    assert [books.status(f"SW-100{n}") for n in (1, 2)] == ["PAID", "PAID"]


def test_numbers_of_many_advices_are_looked_for_as_they_are_written(books: Books) -> None:
    orders(books)
    bank(books, text="Sammelauszahlung 100%_A/7")
    wanted = {f"N{each:05d}" + "X9" * 60 for each in range(2_000)}
    with books.database.of_shop(books.shop) as tx:
        days, begin = (date(2000, 1, 1), date(2199, 1, 1)), time.monotonic()
        found = [
            len(store.candidates(tx, days, (), (), (), wanted | {number}, ())) for number in ("100%_a/7", "1%7", "____")
        ]
    assert (found, time.monotonic() - begin < PATIENCE_SECONDS) == ([1, 0, 0], True)


CUSTOMER = """Absender: Eva Post
Bestellnummer;Betrag;{};Zahlbetrag
SW-1001;100,00;{};{}
SW-1002;50,00;0,00;50,00
"""


@pytest.mark.parametrize(
    ("heading", "kept", "left"), [("Gebühr", "39,00", "61,00"), ("Gebühr", "3,00", "97,00"), ("Abzug", "9,00", "91,00")]
)
def test_attack_a_customer_keeps_nothing_by_calling_it_a_fee(books: Books, heading: str, kept: str, left: str) -> None:
    orders(books)
    advise(books, CUSTOMER.format(heading, kept, left))
    bank(books, 15_000 - int(kept.replace(",", "")), name="Eva Post", text="Zahlung")
    assert [books.status(f"SW-100{n}") for n in (1, 2)] == ["UNPAID", "UNPAID"]
    (shown,) = list_advices(books.database, books.shop)
    assert shown["state"] == "suggested"


GREEDY = CARRIER.replace("2,00;98,00", "39,00;61,00").replace("3,00;147,00", "40,00;110,00")


def test_attack_a_carrier_keeps_no_more_than_carriers_do(books: Books) -> None:
    orders(books)
    advise(books, GREEDY)
    bank(books, 110_00)
    assert [books.status(f"SW-100{n}") for n in (1, 2)] == ["UNPAID", "UNPAID"]


def test_attack_a_confirmed_sender_raises_its_fee_by_itself(books: Books) -> None:
    orders(books)
    bank(books)
    assert take_mail(books.database, mail(books.shop, CARRIER), HOST, books.now) == 1
    (shown,) = list_advices(books.database, books.shop)
    confirm_sender(books.database, books.shop, shown["id"], shown["postings"][0], books.now)
    assert [books.status(f"SW-100{n}") for n in (1, 2)] == ["PAID", "PAID"]
    greedy = GREEDY.replace("SW-1001", "SW-1004").replace("SW-1002", "SW-1003")
    assert take_mail(books.database, mail(books.shop, greedy), HOST, books.now) == 1
    books.bring(camt(CamtMessage.STATEMENT, paid(110_00, "Auszahlung 2", counterparty_name="Kurier Blitz GmbH")))
    match_due(books.database, books.shop, books.now)
    assert [books.status(f"SW-100{n}") for n in (3, 4)] == ["UNPAID", "UNPAID"]


def test_attack_a_discount_is_no_fee_because_a_cent_of_its_order_is_one(books: Books) -> None:
    orders(books)
    advise(
        books,
        "Auftraggeber: Kurier Blitz GmbH\n10.03.2026\nSW-1001  50,00  5,00  45,00 Skonto\n"
        "SW-1001  50,00  0,01  49,99 Gebühr\nSW-1002  50,00  0,00  50,00\nSumme  144,99\n",
    )
    bank(books, 144_99)
    assert books.status("SW-1001") == "UNPAID"
