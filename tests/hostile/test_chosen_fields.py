"""What customers choose for their orders takes no other customer's money, and changes no page, mail or table (D-80)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import pytest

from paymatch.domain.orders.submission import OrderRefused
from paymatch.domain.postings import Posting
from paymatch.formats.camt.writer import CamtMessage
from paymatch.usecases.matching.matching import match_due
from tests.usecases.conftest import Books, camt, paid

EVA: Final = {"firstName": "Eva", "lastName": "Muster", "countryCode": "DE"}
TOM: Final = {"firstName": "Tom", "lastName": "Thief", "countryCode": "DE"}


class Case(NamedTuple):
    """Orders of 100.00 besides Eva's SW-1001, payments of 100.00, and the orders that are paid by them."""

    name: str
    orders: Mapping[str, Mapping[str, Any]]
    payments: tuple[Posting, ...]
    paid: tuple[str, ...]


def thief(number: str = "EVIL-1", more: Mapping[str, Any] | None = None, **chosen: Any) -> dict[str, dict[str, Any]]:
    """Tom's order with what he chose for it."""
    return {number: {"billing": TOM, **(more or {}), **chosen}}


def called(**chosen: str) -> dict[str, dict[str, Any]]:
    """Tom's order under another name."""
    return thief(billing={"countryCode": "DE", **chosen})


def bought(name: str) -> dict[str, dict[str, Any]]:
    """An order of a company of this name, under a number of its own kind."""
    return thief("ORD-48151", billing={"countryCode": "DE", "company": name})


def eva(text: str = "SW-1001", minor: int = 100_00, **more: Any) -> tuple[Posting, ...]:
    """Eva pays."""
    return (paid(minor, text, **more),)


def payout(name: str, text: str = "Sammelauszahlung", minor: int = 100_00, iban: str = "") -> tuple[Posting, ...]:
    """Another pays, for many orders at once."""
    return (paid(minor, text, counterparty_name=name, counterparty_iban=iban or "DE02120300000000202051"),)


OWN: Final = ("SW-1001",)
NUMBERS: Final = tuple(
    Case(f"Eva's number as his {field}", thief(more={field: value}), eva(), OWN)
    for field, value in {
        "customerNumber": "SW-1001",
        "invoiceNumber": "SW-1001",
        "proformaNumber": "SW-1001",
        "marketplaceNumber": "SW-1001",
        "shippingNumber": "SW-1001",
        "externalReference": "SW-1001",
        "customerEmail": "SW-1001@thief.example",
        "customerUserName": "SW-1001",
        "orderItems": [{"number": "SW-1001", "name": "x", "quantity": 1, "amount": "100.00"}],
        "items": [{"number": "SW-1001", "name": "SW-1001"}],
    }.items()
)
OWN_NUMBERS: Final = tuple(
    Case(f"his order is called {number!r}", thief(number), eva(text), OWN)
    for number, text in (
        ("1001", "SW-1001"),
        ("SW", "SW-1001"),
        ("SW-100", "SW-1001"),
        ("SW-10011", "SW-1001"),
        ("sw-1001 ", "SW-1001"),
        ("SW1001", "SW-1001 Eva Muster"),
        ("MUSTER", "SW-1001 Eva Muster"),
        ("SW–1001", "SW-1001"),
        ("SW-１００１", "SW-1001"),
        ("100,00", "SW-1001 100,00 EUR"),
        ("10000", "SW-1001 EUR 100,00"),
        ("10.03.2026", "SW-1001 vom 10.03.2026"),
        ("2026", "SW-1001 2026"),
        ("%", "SW-1001 100 %"),
        ("*", "SW-1001 *"),
        ("_", "SW-1001 _"),
        ("SW-1001/2", "SW-1001"),
        ("RF", "SW-1001 RF"),
    )
)
WORDS: Final = tuple(
    Case(f"his {field} is {word!r}", thief(more={field: word}), eva(f"{word} danke"), OWN)
    for field in ("customerNumber", "invoiceNumber")
    for word in ("RECHNUNG", "DANKE", "SEPA", "2026", "EUR")
)
NAMES: Final = tuple(
    Case(f"he is called {name!r}", called(company=name), payout(name), ())
    for name in (
        "PayPal Europe",
        "Stripe Payments",
        "Finanzamt Köln",
        "DHL Paket GmbH",
        "Amazon Payments Europe",
        "Books",
        "Sparkasse KölnBonn",
        "Klarna Bank AB",
        "Kasse",
        "Deutsche Post AG",
        "Hermes Germany GmbH",
        "Bundeskasse Trier",
        "Inkasso Blitz GmbH",
        "Mollie",
        "Adyen N.V.",
        "SumUp",
        "eBay S.a.r.l.",
        "GLS Germany",
    )
)
EVAS_NAME: Final = tuple(
    Case(f"he writes Eva's name as {first!r} {last!r}", called(firstName=first, lastName=last), eva("Danke"), ())
    for first, last in (
        ("Eva", "Muster"),
        ("E\u200bva", "Muster"),
        ("\u202eEva", "Muster"),
        ("EVA", "MUSTER"),
        ("Eva Muster", "Thief"),
        ("", "Eva Muster"),
        ("Muster", "Eva"),
    )
)
PLACES: Final = (
    Case("Eva's IBAN is his number", thief("DE75512108001245126199"), eva(), OWN),
    Case("Eva's IBAN is his customer number", thief(customerNumber="DE75512108001245126199"), eva(), OWN),
    Case("Eva's IBAN is his name", called(lastName="DE75512108001245126199"), eva(), OWN),
    Case("Eva's IBAN is his company, no number", called(company="DE75512108001245126199"), eva("Danke"), OWN),
    Case(
        "Eva pays twice, her number is his customer number",
        thief(customerNumber="SW-1001"),
        (*eva(), *eva("SW-1001 nochmal")),
        OWN,
    ),
    Case(
        "Eva pays twice, her number is his invoice",
        thief(invoiceNumber="SW-1001"),
        (*eva(), *eva("SW-1001 2. Mal")),
        OWN,
    ),
    Case("Eva has a typing error that is his number", thief("SW-1010"), eva("SW-1010 Eva Muster"), ()),
    Case("her number is in his name, and she pays without", called(lastName="SW-1001 Muster"), eva("Eva"), OWN),
    Case("he pays less for his own by a service's name", thief(), payout("PayPal Europe", "EVIL-1", 60_00), ()),
    Case("he states a fee", thief(), payout("Tom Thief", "EVIL-1 abzgl. Gebuehr 40,00", 60_00), ()),
    Case("he states charges", thief(), payout("Tom Thief", "EVIL-1 CHGS 40,00 OCMT EUR100,00", 60_00), ()),
    Case("he states a discount", thief(), payout("Tom Thief", "EVIL-1 abzgl. 40 % Skonto", 60_00), ()),
    Case("he names hers with his sum", thief(), payout("Tom Thief", "EVIL-1 SW-1001", 100_00), ("EVIL-1",)),
    Case("he writes Eva in Cyrillic letters", called(firstName="Еvа", lastName="Muster"), eva("Danke"), OWN),
    Case("he pays one cent for both", thief(), payout("Tom Thief", "EVIL-1 SW-1001", 1), ()),
)

HONEST: Final = (
    Case("Eva names her order", thief(), eva(), OWN),
    Case("Eva names nothing, and no one is called so", thief(), eva("Danke"), OWN),
    Case("he names his order", thief(), payout("Tom Thief", "EVIL-1"), ("EVIL-1",)),
    Case("he names his customer number", thief(customerNumber="K-47110"), payout("Tom Thief", "K-47110"), ("EVIL-1",)),
    Case("he names his invoice", thief(invoiceNumber="RE-2026-77"), payout("Tom Thief", "RE-2026-77"), ("EVIL-1",)),
    *(
        Case(f"{name!r} buys and names the order", bought(name), payout(name, "Bestellung ORD-48151"), ("ORD-48151",))
        for name in ("Finanzamt Köln", "Stripe Payments", "Deutsche Post AG", "Sparkasse KölnBonn", "Books", "Mollie")
    ),
    *(
        Case(
            f"{last!r} pays without a number",
            called(firstName="Ida", lastName=last),
            payout(f"Ida {last}", "Danke"),
            ("EVIL-1",),
        )
        for last in ("Otto", "Post", "Hermes", "Wise", "Six", "Bank")
    ),
    Case("numbers that contain each other", thief("SW-10011"), payout("Tom Thief", "SW-10011"), ("SW-10011",)),
    Case("a number with signs", thief("A/7 #1 (ü)"), payout("Tom Thief", "A/7 #1 (ü)"), ("A/7 #1 (ü)",)),
    Case("both pay", thief(), (*eva(), *payout("Tom Thief", "EVIL-1")), ("EVIL-1", "SW-1001")),
    Case("a bidi name", called(firstName="\u202eIda", lastName="Post"), payout("Ida Post", "EVIL-1"), ("EVIL-1",)),
)

ATTACKS: Final = (*NUMBERS, *OWN_NUMBERS, *WORDS, *NAMES, *EVAS_NAME, *PLACES)


@pytest.mark.parametrize("case", [*ATTACKS, *HONEST], ids=lambda case: case.name)
def test_what_a_customer_chooses_takes_no_other_money(books: Books, case: Case) -> None:
    books.order("SW-1001", "100.00", billing=EVA)
    for number, chosen in case.orders.items():
        books.order(number, "100.00", **chosen)
    books.bring(camt(CamtMessage.STATEMENT, *case.payments))
    match_due(books.database, books.shop, books.now)
    found = books.rows("SELECT number FROM orders WHERE shop_id = $1 AND status = 'PAID' ORDER BY number")
    assert tuple(number for (number,) in found) == case.paid
    books.sound()


@pytest.mark.parametrize("number", ["SW-1001\u200b", "\u202eSW-1001", "SW-1001\n", "SW\x00-1001", "\x1b[2J", ""])
def test_an_order_number_that_cannot_be_seen_is_refused(books: Books, number: str) -> None:
    with pytest.raises(OrderRefused):
        books.order(number, "100.00")
    assert books.rows("SELECT number FROM orders WHERE shop_id = $1") == []
