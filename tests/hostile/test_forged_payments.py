"""Payments whose typed words point to another's order, each beside an honest payment of the same kind (D-80).

Each goes through a camt statement, matching and the order's status. A row names the orders that are paid.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from paymatch.domain.money import Currency, minor_to_text
from paymatch.formats.camt.writer import WrittenEntry
from paymatch.store.database import Database
from tests.usecases.refunds.refund_world import RefundWorld

STRANGER: Final = "DE02120300000000202051"
INA, CLAUS, DORA = "Ina Lorenz", "Claus Voss", "Dora Egger"
Orders = Mapping[str, tuple[int, str]]
"""Order number -> cents, customer."""


@dataclass(frozen=True)
class Forged:
    """A payment of 50.00, the open orders, and the numbers of those that it pays."""

    text: str
    payer: str
    orders: Orders
    paid: tuple[str, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)  # further fields of the posting
    customers: Mapping[str, str] = field(default_factory=dict)  # order number -> customerNumber


def one(number: str, customer: str = INA) -> Orders:
    return {number: (5_000, customer)}


CASES: Final = {
    # what no one sees separates nothing
    "number with a zero-width space, whose end is another order": Forged(
        "Bestellung 10\u200b502", CLAUS, {"10502": (7_000, INA), "502": (5_000, DORA)}
    ),
    "number with a zero-width space": Forged("Bestellung 10\u200b502", CLAUS, one("10502"), ("10502",)),
    "number with marks of direction": Forged("\u2068SW-10502\u2069", CLAUS, one("SW-10502"), ("SW-10502",)),
    "number with soft hyphens": Forged("SW\u00ad-\u00ad10502 danke", CLAUS, one("SW-10502"), ("SW-10502",)),
    "two numbers and a zero-width space between words": Forged(
        "SW-10502\u200b und\u200b mehr", CLAUS, one("SW-10502"), ("SW-10502",)
    ),
    "name with a zero-width space": Forged("Danke", "Ina\u200b Lo\u00adrenz", one("SW-1"), ("SW-1",)),
    "name with separate accents": Forged("Danke", "Ju\u0308rgen Gro\u00df", one("SW-1", "Jürgen Groß"), ("SW-1",)),
    # digits and letters of all scripts
    "full-width digits before a part that is another order": Forged(
        "Bestellung \uff11\uff12345", CLAUS, {"12345": (7_000, INA), "345": (5_000, DORA)}
    ),
    "Arabic digits before a part that is another order": Forged(
        "Bestellung \u0661\u0662345", CLAUS, {"12345": (7_000, INA), "345": (5_000, DORA)}
    ),
    "full-width digits": Forged("\uff11\uff12\uff13\uff14\uff15", CLAUS, one("12345"), ("12345",)),
    "Arabic digits": Forged("\u0661\u0662\u0663\u0664\u0665", CLAUS, one("12345"), ("12345",)),
    "full-width name": Forged(
        "Danke", "\uff29\uff4e\uff41 \uff2c\uff4f\uff52\uff45\uff4e\uff5a", one("SW-1"), ("SW-1",)
    ),
    "letters O where two orders differ by them": Forged(
        "SW-1OO01", CLAUS, {"SW-10001": (5_000, INA), "SW-1OO01": (5_000, DORA)}
    ),
    "letters O for zeros": Forged("SW-1OOO1", INA, one("SW-10001"), ("SW-10001",)),
    # the amount is not a number
    "amount whose digits are an order": Forged("Zahlung EUR 50.00", CLAUS, one("5000")),
    "amount with a currency behind it": Forged("50.00 EUR Einkauf", CLAUS, one("5000")),
    "whole amount whose digits are an order": Forged("Einkauf 50 EUR", CLAUS, one("50")),
    "number that is also the amount's digits": Forged("Bestellung 5000", CLAUS, one("5000"), ("5000",)),
    "number and amount": Forged("Bestellung 5000 EUR 50.00", CLAUS, one("5000"), ("5000",)),
    "other amount whose digits are the order": Forged("Bestellung 5000 EUR 49.00", CLAUS, one("5000"), ("5000",)),
    # dates, telephones, places, identifiers
    "date that is an order": Forged("Kauf vom 20260301", CLAUS, one("20260301")),
    "bare date that is an order": Forged("20260301 Einkauf", CLAUS, one("20260301")),
    "order that reads as a date": Forged("Bestellung 20260301", CLAUS, one("20260301"), ("20260301",)),
    "order that reads as a date, with filler": Forged("Rechnung Nr. 20260301", CLAUS, one("20260301"), ("20260301",)),
    "order that reads as a date, of the payer": Forged("20260301", INA, one("20260301"), ("20260301",)),
    "telephone number that is an order": Forged("Rückruf 0171 2345", CLAUS, one("01712345")),
    "postcode that is an order": Forged("Lieferung nach 50667 Köln", CLAUS, one("50667")),
    "order like a postcode": Forged("Bestellung 50667", CLAUS, one("50667"), ("50667",)),
    "creditor identifier with an order's digits": Forged("DE98ZZZ00000010841", CLAUS, one("10841")),
    "order behind a creditor identifier": Forged(
        "DE98ZZZ09999999999 Bestellung 10841", CLAUS, one("10841"), ("10841",)
    ),
    # two customers
    "another's customer number, and an order of the payer": Forged(
        "K20417", CLAUS, {"SW-1001": (5_000, INA), "SW-1002": (5_000, CLAUS)},
        customers={"SW-1001": "K20417", "SW-1002": "K20418"},
    ),
    "the payer's customer number": Forged(
        "K20418", CLAUS, {"SW-1001": (5_000, INA), "SW-1002": (5_000, CLAUS)}, ("SW-1002",),
        customers={"SW-1001": "K20417", "SW-1002": "K20418"},
    ),
    "another's customer number of another amount": Forged(
        "K20417", CLAUS, {"SW-1001": (7_000, INA), "SW-1002": (5_000, CLAUS)}, ("SW-1002",),
        customers={"SW-1001": "K20417", "SW-1002": "K20418"},
    ),
    "EndToEndId of one order, text of another": Forged(
        "SW-1001", DORA, {"SW-1001": (5_000, INA), "SW-1002": (5_000, CLAUS)}, more={"end_to_end_id": "SW-1002"}
    ),
    "stale EndToEndId of the payer": Forged(
        "SW-1001", INA, {"SW-1001": (5_000, INA), "SW-1002": (7_000, INA)}, ("SW-1001",),
        {"end_to_end_id": "SW-1002"},
    ),
    "document number of one order, text of another": Forged(
        "SW-1001", DORA, {"SW-1001": (5_000, INA), "SW-1002": (5_000, CLAUS)}, more={"referred_documents": ("SW-1002",)}
    ),
    "mandate that is an order": Forged("Danke", DORA, one("SW-1001"), more={"mandate_id": "SW-1001"}),
    "ultimate debtor, and an order of the payer": Forged(
        "Danke", CLAUS, {"SW-1001": (5_000, INA), "SW-1002": (5_000, CLAUS)}, more={"ultimate_name": INA}
    ),
    "ultimate debtor with the number": Forged("SW-1001", CLAUS, one("SW-1001"), ("SW-1001",), {"ultimate_name": INA}),
    "one of two numbers": Forged("SW-1001 oder SW-1002", DORA, {"SW-1001": (5_000, INA), "SW-1002": (5_000, CLAUS)}),
    "both numbers": Forged(
        "SW-1001 und SW-1002", DORA, {"SW-1001": (2_000, INA), "SW-1002": (3_000, INA)}, ("SW-1001", "SW-1002")
    ),
    "number less another's credit": Forged(
        "SW-1001 minus Gutschrift SW-1002", DORA, {"SW-1001": (8_000, INA), "SW-1002": (5_000, CLAUS)}
    ),
    "longer number": Forged("SW-10011", DORA, one("SW-1001")),
    "number with an unknown suffix": Forged("SW-1001-2", DORA, one("SW-1001")),
    "number with a known suffix": Forged(
        "SW-1001-2", DORA, {"SW-1001": (5_000, INA), "SW-1001-2": (5_000, CLAUS)}, ("SW-1001-2",)
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_typed_words_pay_only_the_order_that_they_prove(database: Database, tmp_path: Path, case: str) -> None:
    forged, world = CASES[case], RefundWorld(database, tmp_path)
    for number, (minor, name) in forged.orders.items():
        first, last = name.split()
        world.client.submit(
            number, amount=minor_to_text(minor, Currency("EUR")), customerNumber=forged.customers.get(number),
            billing={"firstName": first, "lastName": last, "countryCode": "DE"},
        )  # fmt: skip
    fields = {"counterparty_name": forged.payer, "counterparty_iban": STRANGER, **forged.more}
    world.camt(WrittenEntry((world.posting(5_000, remittance_lines=(forged.text,), **fields),)))
    expected = {number: "PAID" if number in forged.paid else "UNPAID" for number in forged.orders}
    assert {number: world.client.status(number) for number in forged.orders} == expected
    assert world.client.rows("SELECT count(*) FROM callbacks WHERE shop_id = $1") == [(len(forged.paid),)]
    world.check()
