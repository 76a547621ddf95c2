"""Words for kinds of rows: the fee for a refund or a chargeback moves no order, in any language and form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.payouts.movements import OF_ORDERS, MovementKind
from paymatch.formats.settlements.kind_words import kind_by_words
from paymatch.formats.settlements.layouts import layouts, plain_kind

_K = MovementKind
EVENTS = {
    "Refund": _K.REFUND, "Chargeback": _K.CHARGEBACK, "Dispute": _K.CHARGEBACK, "Payout": _K.PAYOUT,
    "Payment": _K.SALE, "Erstattung": _K.REFUND, "Rückbuchung": _K.CHARGEBACK, "Rücklastschrift": _K.CHARGEBACK,
    "Auszahlung": _K.PAYOUT, "Zahlung": _K.SALE, "Remboursement": _K.REFUND, "Rétrofacturation": _K.CHARGEBACK,
    "Vente": _K.SALE, "Versement": _K.PAYOUT, "Rimborso": _K.REFUND, "Contestazione": _K.CHARGEBACK,
    "Vendita": _K.SALE, "Reembolso": _K.REFUND, "Contracargo": _K.CHARGEBACK, "Venta": _K.SALE,
    "Terugbetaling": _K.REFUND, "Verkoop": _K.SALE, "Zwrot": _K.REFUND, "Sprzedaż": _K.SALE,
}  # fmt: skip
FEES = (
    "{event} fee", "{event} Fee (Mastercard)", "{event}Fee", "{event}_fee", "Fee for {event}", "{event}gebühr",
    "{event}sgebühr", "{event}sentgelt", "Gebühr für {event}", "Frais de {event}", "Commission sur {event}",
    "Tariffa di {event}", "Tarifa de {event}", "Kosten voor {event}", "Opłata za {event}", "{event} commission",
)  # fmt: skip
GIVEN_BACK = ("{fee} refund", "{fee} reversal", "Refund of {fee}", "Remboursement de {fee}", "{fee} Erstattung")


@pytest.mark.parametrize(("word", "kind"), EVENTS.items())
def test_a_word_for_an_event_is_its_kind(word: str, kind: MovementKind) -> None:
    for written in (word, word.upper(), f"{word}  ", f"Card_{word}", f"Card{word}"):
        assert kind_by_words(plain_kind(written)) is kind, written


@given(event=st.sampled_from(sorted(EVENTS)), form=st.sampled_from(FEES), is_upper=st.booleans())
def test_the_fee_for_an_event_is_a_fee(event: str, form: str, is_upper: bool) -> None:
    said = form.format(event=event)
    assert kind_by_words(plain_kind(said.upper() if is_upper and "_" in said else said)) is _K.FEE, said


@given(fee=st.sampled_from(["Fee", "Commission", "Gebühren", "Frais"]), form=st.sampled_from(GIVEN_BACK))
def test_a_fee_that_is_given_back_moves_no_order(fee: str, form: str) -> None:
    assert kind_by_words(plain_kind(form.format(fee=fee))) is None
    assert kind_by_words(plain_kind("Gebührenerstattung")) is None


@given(event=st.sampled_from(sorted(EVENTS)), form=st.sampled_from(FEES))
def test_no_layout_makes_an_orders_row_of_a_fee(event: str, form: str) -> None:
    moving = {kind.value for kind in OF_ORDERS} | {_K.PAYOUT.value}
    for layout in layouts():
        catch_all = {kind for pattern, kind in layout.kinds if pattern in {"?*", "*"}}
        said = layout.known_kind(form.format(event=event))
        assert said not in moving - catch_all or said == "", (layout.provider, layout.report, said)


@pytest.mark.parametrize("word", ["Coffee order", "Provisional payment", "Versandkosten Zahlung"])
def test_a_word_that_only_looks_like_a_fee_is_none(word: str) -> None:
    assert kind_by_words(plain_kind(word)) is _K.SALE
