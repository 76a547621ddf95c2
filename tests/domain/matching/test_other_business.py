"""Payments that say themselves that they are for no order: a proposal, never a decision."""

from __future__ import annotations

from datetime import date

import pytest

from paymatch.domain.matching.text.other_business import OtherBusiness, other_business
from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting

CARDS, OFFICE = OtherBusiness.CARDS, OtherBusiness.OFFICE


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("Kartenabrechnung", "Terminal 5540012 Umsatz der Vorwoche", CARDS),
        ("PAYONE", "Händlerabrechnung 11/2026 girocard", CARDS),
        ("Worldline", "TERMINAL-ID 65012345 vom 03.11.", CARDS),
        ("Finanzkasse Dithmarschen", "Umsatzsteuer-Erstattung 10/2026", OFFICE),
        ("HMRC", "VAT refund", OFFICE),
        ("Erika Mustermann", "Bestellung WT-11616", None),
        ("Karten-Müller GmbH", "Rechnung 4711 Terminal 2", None),  # a customer who is called so
        ("Ina Steuer", "Danke", None),
    ],
)
def test_what_a_payment_says_of_itself(name: str, text: str, expected: OtherBusiness | None) -> None:
    posting = Posting(
        account="DE02120300000000202051", currency=EUR, amount_minor=4990, booking_date=date(2026, 11, 3),
        value_date=date(2026, 11, 3), bank_reference="1", counterparty_name=name, remittance_lines=(text,),
    )  # fmt: skip
    assert other_business(posting) is expected
