"""What a booking says of a posting that waits or was set aside: name and purpose, in the shop's language."""

from __future__ import annotations

import pytest

from paymatch.domain.postings import OWN_TRANSFER
from paymatch.formats.accounting.booking_texts import booking_text
from paymatch.formats.languages.texts import words


@pytest.mark.parametrize(
    ("language", "name", "text", "reason", "is_aside", "said"),
    [
        ("de", "Eva Muster", "danke  fuer\nalles", "no order fits", False, "Eva Muster: danke fuer alles"),
        ("de", "Eva Muster", "", "no order fits", False, "Eva Muster: noch nicht zugeordnet"),
        ("de", "Hausverwaltung", "Rechnung 5", "Miete", True, "Hausverwaltung: Miete"),
        ("de", "Bank", "", "not an order payment", True, "Bank: keine Zahlung zu einer Bestellung"),
        ("de", "Bank", "Entgelt", "not an order payment", True, "Bank: Entgelt"),
        ("de", "", "Entgelt", "", False, "Entgelt"),
        ("de", "Tea Ltd", "Umbuchung", OWN_TRANSFER, True, "Tea Ltd: Übertrag zwischen eigenen Konten"),
        ("en", "Tea Ltd", "", OWN_TRANSFER, True, "Tea Ltd: transfer between own accounts"),
        ("de", "Amazon", "", "Amazon: payout 81021822748", True, "Amazon: payout 81021822748"),
        ("de", "Amazon", "", "Stripe: fee", True, "Amazon: Stripe: fee"),
        ("de", "N" * 40, "P" * 30, "", False, "N" * 28 + ": " + "P" * 30),
    ],
)
def test_text(language: str, name: str, text: str, reason: str, is_aside: bool, said: str) -> None:
    assert booking_text(words(language), name, text, reason, is_aside=is_aside) == said
