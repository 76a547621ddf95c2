"""Which earlier posting a return gives back."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from paymatch.domain.matching.model import AllocationProposal, PastPosting
from paymatch.domain.matching.returns import find_returned, may_give_back
from tests.domain.matching.world import posting


def earlier(posting_id: str, amount: int = 4990, **more: Any) -> PastPosting:
    fields = {"counterparty_iban": "DE1", "booking_date": date(2026, 3, 2), "end_to_end_id": f"E-{posting_id}", **more}
    given = posting("Bestellung 1834", amount, id=posting_id, **fields).posting
    return PastPosting(posting_id, given, (AllocationProposal("1834", amount, amount),))


def back(amount: int = -4990, **more: Any) -> Any:
    return posting("RETOURE Bestellung 1834", amount, counterparty_iban="DE1", is_return=True, **more).posting


CASES: list[tuple[str, Any, list[PastPosting], str]] = [
    ("amount and account", back(), [earlier("A"), earlier("B", 5990)], "A"),
    ("end-to-end id decides", back(original_end_to_end_id="E-B"), [earlier("A"), earlier("B")], "B"),
    ("the latest of equals", back(), [earlier("A"), earlier("B", booking_date=date(2026, 3, 5))], "B"),
    ("with the bank's charge", back(-5375, charges_minor=385), [earlier("A")], "A"),
    ("original amount given", back(-5375, original_amount_minor=4990), [earlier("A"), earlier("B", 5375)], "A"),
    ("another amount", back(-2000), [earlier("A")], ""),
    ("a debit is no return of a debit", back(), [earlier("A", -4990)], ""),
    ("a later posting", back(), [earlier("A", booking_date=date(2026, 4, 1))], ""),
    ("two equals", back(), [earlier("A"), earlier("B")], ""),
]


@pytest.mark.parametrize(("given", "past", "expected"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_posting_given_back(given: Any, past: list[PastPosting], expected: str) -> None:
    found = find_returned(given, past)
    assert (found.id if found else "") == expected
    found = find_returned(given, past[::-1])
    assert (found.id if found else "") == expected


def test_returned_refund_comes_back_as_credit() -> None:
    refund = earlier("A", -4990)
    found = find_returned(back(4990, original_end_to_end_id="E-A"), [refund])
    assert found is refund


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (back(), True),
        (posting("RUECKLASTSCHRIFT 1834", -100).posting, True),
        (posting("1834", 100, return_reason="AC01").posting, True),
        (posting("1834", 100).posting, False),
    ],
)
def test_may_give_back(given: Any, expected: bool) -> None:
    assert may_give_back(given) is expected
