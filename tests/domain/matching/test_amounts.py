"""How an amount paid fits an amount due."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.matching.text.wording import RemittanceSignals
from paymatch.domain.matching.weigh.amounts import Grade, Terms, relate, relate_exchanged
from paymatch.domain.orders.fees import FeeKind, KeptPayout, PayerTerms, StatedFee, tariffs_of


def confirmed(kind: FeeKind, *kept: int) -> PayerTerms:
    """A payer of whom a person has confirmed payouts of 100.00 less these fees."""
    return PayerTerms(kind, 100, tariffs_of([KeptPayout(10000, 1, each) for each in kept]))


CARRIER = confirmed(FeeKind.DELIVERY_FEE, 50, 200, 616)
MARKETPLACE = confirmed(FeeKind.COMMISSION, 1500)
NEWCOMER = PayerTerms(FeeKind.DELIVERY_FEE, 100)


def terms(text: str = "", charges: int = 0, tolerance: int = 0, payer: PayerTerms | None = None) -> Terms:
    return Terms(100, RemittanceSignals(frozenset(text.split())), charges, tolerance, payer)


@pytest.mark.parametrize(
    ("amounts", "given", "code", "grade"),
    [
        ((4990, 4990, 4990), terms(), "amount-exact", Grade.EXACT),
        ((4990, 0, 4990), terms(), "amount-total", Grade.EXACT),
        ((4990, 1495, 4990), terms(), "amount-total-again", Grade.PART),
        ((7866, 7889, 7889), terms(), "amount-cents", Grade.NEAR),
        ((54500, 54000, 54000), terms(), "amount-rounded", Grade.NEAR),
        ((3000, 2990, 2990), terms(), "amount-cents", Grade.NEAR),
        ((41900, 14900, 14900), terms(), "amount-swapped", Grade.NEAR),
        ((9800, 10000, 10000), terms(), "amount-cash-discount", Grade.NEAR),
        ((405838, 418390, 418390), terms("SKONTO"), "amount-cash-discount", Grade.NEAR),
        ((1395, 2595, 2595), terms("OUR SHA"), "amount-fee", Grade.NEAR),
        ((9250, 10000, 10000), terms(charges=750), "amount-charges", Grade.NEAR),
        ((9250, 10000, 10000), terms(tolerance=800), "amount-fee-tolerance", Grade.NEAR),
        ((9150, 10000, 10000), terms(), "amount-short", Grade.PART),
        ((5480, 5840, 5840), terms(payer=CARRIER), "amount-kept", Grade.NEAR),
        ((9800, 10000, 10000), terms(payer=CARRIER), "amount-kept", Grade.NEAR),
        ((9800, 10000, 10000), terms("SKONTO", payer=CARRIER), "amount-kept", Grade.NEAR),
        ((9950, 10000, 10000), terms(payer=CARRIER), "amount-kept", Grade.NEAR),
        ((8500, 10000, 10000), terms(payer=MARKETPLACE), "amount-kept", Grade.NEAR),
        ((7500, 10000, 10000), terms(payer=CARRIER), "amount-kept-in-doubt", Grade.PART),
        (
            (9800, 10000, 10000),
            terms(payer=replace(CARRIER, stated=StatedFee(300))),
            "amount-kept-in-doubt",
            Grade.PART,
        ),
        ((9400, 10000, 10000), terms(payer=replace(CARRIER, stated=StatedFee(600))), "amount-kept", Grade.NEAR),
        (
            (7000, 10000, 10000),
            terms(payer=replace(CARRIER, stated=StatedFee(3000))),
            "amount-kept-in-doubt",
            Grade.PART,
        ),
        ((9800, 10000, 10000), terms(payer=NEWCOMER), "amount-kept-in-doubt", Grade.PART),
        ((9800, 10000, 10000), terms(payer=replace(CARRIER, collects=False)), "amount-kept-in-doubt", Grade.PART),
        ((5905, 6000, 6000), terms(charges=95), "amount-charges", Grade.NEAR),
        ((5999, 6000, 6000), terms(charges=1), "amount-charges", Grade.NEAR),
        ((5910, 6000, 6000), terms(tolerance=100), "amount-cents", Grade.NEAR),  # 1.5 %: a cash discount, else borne
        ((5913, 6000, 6000), terms(tolerance=100), "amount-fee-tolerance", Grade.NEAR),
        ((100, 10000, 10000), terms(charges=9900)._replace(accepted=False), "amount-charges", Grade.PART),
        ((3333, 10000, 10000), terms(), "amount-instalment", Grade.PART),
        ((2600, 10000, 10000), terms(), "amount-partial", Grade.ODD),
        ((300, 10000, 10000), terms(), "amount-tiny", Grade.ODD),
        ((2980, 1490, 1490), terms(), "amount-double", Grade.PART),
        ((9500, 8500, 8500), terms(), "amount-over", Grade.ODD),
        ((99999, 1000, 1000), terms(), "amount-far-over", Grade.ODD),
    ],
)
def test_relation(amounts: tuple[int, int, int], given: Terms, code: str, grade: Grade) -> None:
    fit = relate(*amounts, given)
    assert (fit.reason.code, fit.grade) == (code, grade)


@pytest.mark.parametrize(
    ("paid", "given", "words"),
    [
        (9800, terms(), "the amount is the order's total less a usual cash discount"),
        (9800, terms("SKONTO"), "the amount is the order's total less a cash discount, and the text says so"),
        (9250, terms(charges=750), "the amount is the order's total less the charges the bank took"),
        (8500, terms(payer=MARKETPLACE), "the amount is the order's total less 15.0 % commission"),
        (9150, terms(), "the amount is less than the order's total, and nothing of it is open"),
        (2600, terms(), "the amount is less than the order's total"),
        (300, terms(), "the amount is a small fraction of the order's total"),
        (12000, terms(), "the amount is more than what is open"),
    ],
)
def test_of_an_order_that_is_paid_nothing_is_said_to_be_open(paid: int, given: Terms, words: str) -> None:
    settled, still_open = relate(paid, 0, 10000, given), relate(paid, 10000, 10000, given)
    assert settled.reason.words == words
    assert (settled.kind, settled.grade) == (still_open.kind, still_open.grade)


def test_rates_of_two_banks_differ_a_little() -> None:
    near = relate_exchanged(1553, 1569, 1569)
    assert near is not None
    assert near.reason.words == "the amount is near what is open at the order's rate"
    assert relate_exchanged(1300, 1569, 1569) is None
    settled = relate_exchanged(1569, 0, 1569)
    assert settled is not None
    assert settled.reason.words == "the amount is the order's total at its exchange rate"


@given(
    paid=st.integers(1, 40_000), total=st.integers(1, 20_000), charges=st.integers(0, 4_000),
    text=st.sampled_from(["", "OUR SHA", "SKONTO", "RATE", "TEILZAHLUNG"]), tolerance=st.integers(0, 600),
)  # fmt: skip
def test_of_a_settled_order_nothing_is_called_short_or_open(
    paid: int, total: int, charges: int, text: str, tolerance: int
) -> None:
    """All of it is too much: the amount is compared with the order's total, in words that say so."""
    said = str(relate(paid, 0, total, terms(text, charges, tolerance)).reason.words)
    assert "short" not in said
    assert "is open" not in said.removesuffix("nothing of it is open").replace("more than what is open", "")
