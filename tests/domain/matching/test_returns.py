"""Which earlier posting a return reverses."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest

from paymatch.domain.matching.model import AllocationProposal, PastPosting, Related
from paymatch.domain.matching.returns import find_returned, may_give_back
from paymatch.domain.orders.fees import FeeKind
from tests.domain.matching.decision_text import told
from tests.domain.matching.world import BOOKED, decided, order, outcome, paid, posting


def earlier(posting_id: str, amount: int = 4990, **more: Any) -> PastPosting:
    fields = {"counterparty_iban": "DE1", "booking_date": date(2026, 3, 2), "end_to_end_id": f"E-{posting_id}", **more}
    given = posting("Bestellung 1834", amount, id=posting_id, **fields).posting
    return PastPosting(posting_id, given, (AllocationProposal("1834", amount, amount),))


def back(amount: int = -4990, **more: Any) -> Any:
    return posting("RETOURE Bestellung 1834", amount, counterparty_iban="DE1", is_return=True, **more).posting


def other(iban: str, amount: int = -4990, name: str = "Otto Seiler", text: str = "RETOURE", **more: Any) -> Any:
    """A return that shares no more with the payment than is said."""
    return posting(text, amount, name, counterparty_iban=iban, is_return=True, **more).posting


OTHERS: dict[str, Any] = {
    "counterparty_iban": "DE2",
    "counterparty_name": "Hans Pruschke",
    "remittance_lines": ("Bestellung 1835",),
}
NAMED = other("DE3", name="Claire Gotthard", original_end_to_end_id="E-X")

OF_ANOTHER = (AllocationProposal("1835", 4990, 4990),)
GONE = replace(earlier("B"), returned=True)
RETURN = replace(earlier("R", -5290), allocations=(AllocationProposal("1834", -4990, -4990),), was_return=True)


def received(amount: int) -> Any:
    """A credit that the bank marks as a return."""
    return posting("RETOURE", amount, counterparty_iban="DE1", is_return=True).posting


CASES: list[tuple[str, Any, list[PastPosting], str]] = [
    ("amount and account", back(), [earlier("A"), earlier("B", 5990)], "A"),
    ("end-to-end id decides", back(original_end_to_end_id="E-B"), [earlier("A"), earlier("B")], "B"),
    (
        "the end-to-end id says more than account, name and text",
        posting(
            "RETOURE Bestellung 1834", -4990, counterparty_iban="DE1", is_return=True, original_end_to_end_id="E-B"
        ).posting,
        [earlier("A", end_to_end_id=""), earlier("B", **OTHERS)],
        "B",
    ),
    ("the latest of equals", back(), [earlier("A"), earlier("B", booking_date=date(2026, 3, 5))], "B"),
    ("with the bank's charge", back(-5375, charges_minor=385), [earlier("A")], "A"),
    ("original amount given", back(-5375, original_amount_minor=4990), [earlier("A"), earlier("B", 5375)], "A"),
    ("another amount", back(-2000), [earlier("A")], ""),
    ("a debit is no return of a debit", back(), [earlier("A", -4990)], ""),
    ("a later posting", back(), [earlier("A", booking_date=date(2026, 4, 1))], ""),
    ("two equals of one order", back(), [earlier("A"), earlier("B")], "A"),
    ("two equals of two orders", back(), [earlier("A"), replace(earlier("B"), allocations=OF_ANOTHER)], ""),
    ("two equals that pay nothing", back(), [replace(earlier(each), allocations=()) for each in "AB"], ""),
    ("the id is another's, which came back", back(original_end_to_end_id="E-B"), [earlier("A"), GONE], ""),
    ("the id is nobody's", back(original_end_to_end_id="E-C"), [earlier("A")], "A"),
    ("a part that the bank names", back(-2000, original_end_to_end_id="E-A"), [earlier("A")], "A"),
    ("a return that took a fee along", received(4990), [RETURN], "R"),
    ("a return of another amount", received(4980), [RETURN], ""),
    ("a third party's of an equal amount", other("DE3"), [earlier("A")], ""),
    ("a third party's, with a payment of another customer", other("DE3"), [earlier("A"), earlier("B", **OTHERS)], ""),
    ("nobody's account is not the same account", other(""), [earlier("A", counterparty_iban="")], ""),
    ("the account alone", other("DE1"), [earlier("A"), earlier("B", **OTHERS)], "A"),
    ("the name alone", other("DE3", name="Claire Gotthard"), [earlier("A")], ""),
    ("the name alone, on the same day", other("DE3", name="Claire Gotthard"), [earlier("A", booking_date=BOOKED)], "A"),
    ("a variant of the name", other("DE3", name="Claire Anna Gotthard"), [earlier("A", booking_date=BOOKED)], "A"),
    ("the surname alone", other("DE3", name="Peter Gotthard"), [earlier("A", booking_date=BOOKED)], ""),
    ("no text is not the same text", other("DE3"), [earlier("A", remittance_lines=())], ""),
    ("the text alone", other("DE3", text="Bestellung 1834"), [earlier("A")], "A"),
    ("its own end-to-end id", other("DE3", end_to_end_id="E-B"), [earlier("A"), earlier("B")], "B"),
    ("no id is not the same id", other("DE3"), [earlier("A", end_to_end_id="")], ""),
    ("another id than it gives back, amount and name", NAMED, [earlier("A")], ""),
    ("another id than it gives back, but all else", back(original_end_to_end_id="E-X"), [earlier("A")], "A"),
    (
        "another id than one that has none, amount and account",
        other("DE1", original_end_to_end_id="E-X"),
        [earlier("A", end_to_end_id="")],
        "",
    ),
    (
        "another id than one that has none, but all else",
        back(original_end_to_end_id="E-X"),
        [earlier("A", end_to_end_id="")],
        "A",
    ),
    ("where only the ids differ", back(original_end_to_end_id="E-B"), [earlier(name) for name in "CBA"], "B"),
    (
        "the text alone, though the bank says that another account gets it",
        other("DE02120300000000202051", text="Bestellung 1834"),
        [earlier("A", counterparty_iban="DE75512108001245126199")],
        "",
    ),
    (
        "the text alone, where the bank writes the shop's own account",
        other(posting("", 1).posting.account, text="Bestellung 1834"),
        [earlier("A", counterparty_iban="DE75512108001245126199")],
        "A",
    ),
    (
        "its own end-to-end id and the text in a debit to a stranger, which only its text calls a return",
        posting("RETOURE Bestellung 1834", -4990, "Lieferant GmbH", end_to_end_id="E-A").posting,
        [earlier("A")],
        "",
    ),
    (
        "the text of a debit to a stranger, which only its text calls a return",
        posting("RETOURE Bestellung 1834", -4990, "Lieferant GmbH").posting,
        [earlier("A")],
        "",
    ),
    (
        "the text of a debit that names no other side",
        posting("RETOURE Bestellung 1834", -4990, "").posting,
        [earlier("A")],
        "A",
    ),
    ("given back before", back(), [replace(earlier("A"), returned=True)], ""),
    ("another currency", back(currency="CHF"), [earlier("A")], ""),
    ("on the same day", back(), [earlier("A", booking_date=BOOKED)], "A"),
    ("the day before its payment", back(), [earlier("A", booking_date=BOOKED + timedelta(1))], ""),
    ("after 430 days", back(), [earlier("A", booking_date=BOOKED - timedelta(430))], "A"),
    ("after 431 days", back(), [earlier("A", booking_date=BOOKED - timedelta(431))], ""),
    ("with a charge that is 20.00", back(-6990), [earlier("A")], "A"),
    ("with a charge above 20.00", back(-6991), [earlier("A")], ""),
    ("with a charge that is a quarter", back(-25000), [earlier("A", 20000)], "A"),
    ("with a charge above a quarter", back(-25001), [earlier("A", 20000)], ""),
    ("less than was paid", back(-4989), [earlier("A")], ""),
    ("with its charge, of two amounts", back(-5375, charges_minor=385), [earlier("A"), earlier("B", 5000)], "A"),
    ("another original amount", back(original_amount_minor=4980), [earlier("A")], ""),
    ("older by 100 days, of a nearer amount", other("DE1", -5375), [earlier("A", booking_date=date(2025, 11, 1))], ""),
    ("the account outweighs 100 days", other("DE1"), [earlier("A", booking_date=BOOKED - timedelta(100))], "A"),
    ("the account does not outweigh 300 days", other("DE1"), [earlier("A", booking_date=BOOKED - timedelta(300))], ""),
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
        (posting("Miete", -100).posting, False),
        (posting("Retoure 1834", 100).posting, False),  # the bank would say so
        (posting("Retoure 1834", 1).posting, False),
        (posting("Retoure 1834", -1).posting, True),
        (posting("1834", -1, booking_text="RETURN").posting, True),
        (posting("1834", 100, original_end_to_end_id="E1").posting, True),
    ],
)
def test_may_give_back(given: Any, expected: bool) -> None:
    assert may_give_back(given) is expected


FIRST = order("302-1234567-1234567", 4490)
SECOND = order("302-1234567-7654321", 2000, "Hans Pruschke")
PAID = [replace(FIRST, **paid(FIRST)), replace(SECOND, **paid(SECOND))]
EXACTLY, PART, MORE = (
    "the amount is exactly what was paid",
    "the amount is part of what was paid",
    "the amount is more than what was paid",
)


@pytest.mark.parametrize(
    ("text", "minor", "proposed", "said"),
    [
        ("CHARGEBACK 302-1234567-1234567", -4490, {FIRST.number: -4490}, EXACTLY),
        ("CHARGEBACK 302-1234567-1234567", -1000, {FIRST.number: -1000}, PART),
        ("CHARGEBACK 302-1234567-1234567", -5990, {FIRST.number: -4490}, MORE),  # with a fee, which stays open
        (
            "CHARGEBACK 302-1234567-1234567 302-1234567-7654321",
            -6490,
            {FIRST.number: -4490, SECOND.number: -2000},
            EXACTLY,
        ),
        ("CHARGEBACK 302-1234567-7654321 302-1234567-1234567", -3000, {FIRST.number: -3000}, PART),
    ],
)
def test_a_marketplace_takes_back_what_it_paid_for_an_order(
    text: str, minor: int, proposed: dict[str, int], said: str
) -> None:
    (decision,) = decided(PAID, [posting(text, minor, "Amazon Payments Europe S.C.A.")])
    assert outcome(decision) == ("suggested", tuple(proposed.items()))
    assert decision.review_reason == "it is not paid out to the customer of the order: confirm that it is a chargeback"
    assert said in [reason.words for reason in decision.suggestions[0].reasons]


@pytest.mark.parametrize(
    ("orders", "text", "name"),
    [
        (PAID, "CHARGEBACK 302-1234567-1234567", "Otto Seiler"),  # a stranger: it is no chargeback
        (PAID, "Gebuehren Oktober", "Amazon Payments Europe S.C.A."),
        ([FIRST, SECOND], "CHARGEBACK 302-1234567-1234567", "Amazon Payments Europe S.C.A."),  # nothing was paid
    ],
)
def test_other_money_that_goes_out_is_no_chargeback(orders: list[Any], text: str, name: str) -> None:
    assert outcome(decided(orders, [posting(text, -4490, name)])[0]) == ("unmatched", ())


@pytest.mark.parametrize(("minor", "said"), [(-4490, EXACTLY), (-4400, PART), (-1000, PART), (-5000, MORE)])
def test_a_refund_is_compared_with_what_was_paid(minor: int, said: str) -> None:
    (decision,) = decided(PAID, [posting("Erstattung 302-1234567-1234567", minor)])
    proposal = decision.match or decision.suggestions[0]
    assert [r.words for r in proposal.reasons if "amount" in r.words] == [said]


SHORT, SECOND_SHORT, LONG = order("10480"), order("10490", 3000), order("104905", 3000)


@pytest.mark.parametrize(
    ("other", "text", "minor", "is_return", "decision"),
    [
        (SECOND_SHORT, "Erstattung 10480", -3000, False, "matched refund | 0.999 10480 -3000"),
        (SECOND_SHORT, "10480", -3000, True, "matched returned | 0.999 10480 -3000"),
        # Of two orders that are named alike neither is taken, unless both together are given back.
        (SECOND_SHORT, "Erstattung 10480 10490", -3000, False, "suggested names-several | 0.600 10480 -3000"),
        (SECOND_SHORT, "10480 10490", -3000, True, "suggested names-several | 0.600 10480 -3000"),
        (SECOND_SHORT, "10480 10490", -7990, True, "matched returned | 0.999 10480 -4990, 10490 -3000"),
        (LONG, "Erstattung 10480 104905", -3000, False, "matched refund | 0.999 104905 -3000"),  # the longer number
    ],
)
def test_money_that_goes_out_is_of_the_order_that_it_names(
    other: Any, text: str, minor: int, is_return: bool, decision: str
) -> None:
    were_paid = [replace(each, **paid(each)) for each in (SHORT, other)]
    (found,) = decided(were_paid, [posting(text, minor, is_return=is_return)])
    assert told(found).rpartition(" | ")[0] == decision


@pytest.mark.parametrize("sign", [1, -1])
def test_what_is_given_back_is_taken_from_each_order_with_what_was_withheld(sign: int) -> None:
    """With the sign of the posting that gives it back, in both currencies."""
    were = posting("", sign * 7990, id="P0", counterparty_iban="DE1", end_to_end_id="E1", booking_date=BOOKED).posting
    parts = (
        AllocationProposal("1834", sign * 4990, sign * 21307, sign * 100, FeeKind.COMMISSION),
        AllocationProposal("1835", sign * 3000, sign * 3000),
    )
    given = posting("", -sign * 7990, counterparty_iban="DE1", original_end_to_end_id="E1", is_return=True)
    orders = [order("1834", **paid(order("1834"))), order("1835", 3000, **paid(order("1835", 3000)))]
    (decision,) = decided(orders, [given], related={"P1": Related((PastPosting("P0", were, parts),))})
    assert decision.match is not None
    assert decision.match.allocations == (
        AllocationProposal("1834", -sign * 4990, -sign * 21307, -sign * 100, FeeKind.COMMISSION),
        AllocationProposal("1835", -sign * 3000, -sign * 3000),
    )
    assert decision.flags == (("returned",) if sign > 0 else ("refund-returned",))


HALF_PAID = order("SW-10840", customer_number="20009", paid_minor=2500, open_minor=2490)


@pytest.mark.parametrize(
    ("text", "minor", "proposed"),
    [
        ("Erstattung Kd 20009", -1, True),
        ("Erstattung Kd 20009", -2499, True),
        ("Erstattung Kd 20009", -2500, True),
        ("Erstattung Kd 20009", -2501, False),
        ("Kd 20009", -2499, False),
        ("Kd 20009", -2500, True),
        ("Kd 20009", -2501, False),
    ],
)
def test_money_to_a_customer_may_be_all_that_was_paid_or_a_part_that_is_called_a_refund(
    text: str, minor: int, proposed: bool
) -> None:
    (decision,) = decided([HALF_PAID], [posting(text, minor)])
    assert outcome(decision) == (("suggested", (("SW-10840", minor),)) if proposed else ("unmatched", ()))
