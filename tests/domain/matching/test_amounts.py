"""How an amount paid fits an amount due."""

from __future__ import annotations

from dataclasses import replace

import pytest

from paymatch.domain.matching.text.wording import RemittanceSignals
from paymatch.domain.matching.weigh.amounts import Grade, Terms, relate, relate_exchanged
from paymatch.domain.orders.fees import FeeKind, PayerTerms

CARRIER = PayerTerms(FeeKind.DELIVERY_FEE, 100)
MARKETPLACE = PayerTerms(FeeKind.COMMISSION, 100)


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
        ((9800, 10000, 10000), terms(payer=replace(CARRIER, stated_minor=300)), "amount-kept-in-doubt", Grade.PART),
        ((7000, 10000, 10000), terms(payer=replace(CARRIER, stated_minor=3000)), "amount-kept", Grade.NEAR),
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


def test_rates_of_two_banks_differ_a_little() -> None:
    assert relate_exchanged(1553, 1569) is not None
    assert relate_exchanged(1300, 1569) is None
