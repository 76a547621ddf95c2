"""Reasons for setting postings aside: ours in the reader's language, those of people as they wrote them."""

from __future__ import annotations

import pytest
from django.utils.translation import override

from paymatch.area.language.aside_reasons import reason_words
from paymatch.domain.payouts.movements import MovementKind
from paymatch.store.payouts.payouts import PayoutRow
from paymatch.usecases.payouts.tying import said_of


@pytest.fixture(autouse=True)
def _django(service: object) -> None:
    """Translations need Django's settings."""


@pytest.mark.parametrize(
    ("stored", "english", "german"),
    [
        ("transfer between own accounts", "transfer between own accounts", "Übertrag zwischen eigenen Konten"),
        ("Asked the customer", "Asked the customer", "Kunde gefragt"),
        ("Kunde gefragt", "Asked the customer", "Kunde gefragt"),
        ("Stripe: fee", "Stripe: fee", "Stripe: Gebühr"),
        ("Stripe: payout po_1", "Stripe: payout po_1", "Stripe: Auszahlung po_1"),
        ("Stripe: lunch", "Stripe: lunch", "Stripe: lunch"),
        ("payout of my uncle", "payout of my uncle", "payout of my uncle"),
    ],
)
def test_our_reasons_are_in_the_readers_language(stored: str, english: str, german: str) -> None:
    with override("en"):
        assert reason_words(stored) == english
    with override("de"):
        assert reason_words(stored) == german


@pytest.mark.parametrize(("orders", "short"), [(1, 0), (3, 1000)])
def test_the_contents_of_a_payout_are_understood_as_they_are_written(orders: int, short: int) -> None:
    row = PayoutRow("stripe:Stripe", "EUR", "po: 1", 10760, 11000, 240, 0, 10760, 0, 0, 3, orders, None, "")
    stored = said_of(row, short)
    with override("en"):
        assert reason_words(stored) == stored
    with override("de"):
        many = "3 Bestellungen" if orders == 3 else "1 Bestellung"
        less = ", 10,00 zu wenig" if short else ""
        assert reason_words(stored) == f"Auszahlung po: 1: {many}, 2,40 einbehalten, Rest 0,00{less}"


def test_every_kind_of_row_has_its_word() -> None:
    with override("de"):
        assert all(reason_words(f"Klarna: {kind}") != f"Klarna: {kind}" for kind in MovementKind)
