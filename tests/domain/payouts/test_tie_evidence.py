"""Why a posting is a payout, fact by fact."""

from __future__ import annotations

from datetime import date

import pytest

from paymatch.domain.payouts.tie_evidence import TieEvidence, TieFact, evidence_of
from paymatch.domain.payouts.ties import BankPosting, ProviderPayout, TieReason
from tests.domain.payouts.test_ties import booked, sent

OWN = sent("po_1QLbWm4c")
NUMBER, AMOUNT, PAYER = (TieEvidence(each) for each in (TieFact.NUMBER, TieFact.AMOUNT, TieFact.PAYER))
ALONE, NEXT_DAY = TieEvidence(TieFact.ALONE), TieEvidence(TieFact.DAYS, 1)


@pytest.mark.parametrize(
    ("posting", "reason", "others", "expected"),
    [
        (booked(1, text="STRIPE PO_1QLBWM4C"), TieReason.ID, [OWN], [NUMBER, AMOUNT, PAYER, NEXT_DAY, ALONE]),
        (
            booked(1, name="", text="PO_1QLBWM4C", amount=9760, day=date(2026, 11, 16)), TieReason.ID, [OWN],
            [NUMBER, TieEvidence(TieFact.OTHER_AMOUNT), TieEvidence(TieFact.DAYS), ALONE],
        ),
        (
            booked(1), TieReason.AMOUNT, [OWN, sent("po_2"), sent("po_3"), sent("po_4", amount=1)],
            [AMOUNT, PAYER, NEXT_DAY, TieEvidence(TieFact.TWINS, 2)],
        ),
        (
            booked(1, name="Muster", day=date(2026, 11, 20)), TieReason.PERSON, [],
            [TieEvidence(TieFact.PERSON), AMOUNT, TieEvidence(TieFact.DAYS, 4), ALONE],
        ),
        (booked(1, day=date(2027, 1, 20)), TieReason.AMOUNT, [], [AMOUNT, PAYER, TieEvidence(TieFact.LATE), ALONE]),
        (booked(1, day=date(2026, 11, 13)), TieReason.AMOUNT, [], [AMOUNT, PAYER, TieEvidence(TieFact.LATE), ALONE]),
    ],
)  # fmt: skip
def test_each_fact_of_a_tie(
    posting: BankPosting, reason: TieReason, others: list[ProviderPayout], expected: list[TieEvidence]
) -> None:
    assert evidence_of(OWN, posting, reason, others) == expected


def test_how_much_a_fact_says() -> None:
    facts = [TieEvidence(fact) for fact in TieFact]
    assert {each.fact for each in facts if each.is_strong} == {TieFact.PERSON, TieFact.NUMBER, TieFact.AMOUNT}
    assert {each.fact for each in facts if each.is_against} == {TieFact.OTHER_AMOUNT, TieFact.LATE}
    assert {each.fact for each in facts if each.is_neutral} == {TieFact.TWINS}
