"""Rows of reports: how values are told, which rows a filter takes, what is advised, and what seals a month."""

from __future__ import annotations

import hashlib
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from paymatch.domain.money import EUR, Currency
from paymatch.domain.reports.catalogue import REPORTS, ReportPeriodKind, cell, parts_text, plain
from paymatch.domain.reports.evidence import AUTOMATIC, MatchedBy, matched_by
from paymatch.domain.reports.overpaid import OverpaymentAdvice, advice
from paymatch.domain.reports.row_filter import ALL, FilterRefused, row_filter
from paymatch.domain.reports.seal import seal

BERLIN = ZoneInfo("Europe/Berlin")
ROW = {
    "id": "po_1", "bookingDate": date(2026, 3, 31), "account": "DE89", "originator": "Erika Mustermann", "text": "",
    "amount": 1750, "currency": "EUR", "state": "matched", "forOrders": 1750, "fee": 0, "reason": None,
    "orders": [("A-1", 1000, 0, None), ("A-2", 750, 25, "commission")],
}  # fmt: skip
CLOSED = {"month": date(2026, 3, 1), "closedAt": datetime(2026, 4, 30, 22, 30, tzinfo=UTC), "postings": 12}


def test_each_report_is_made_of_a_period_a_day_both_or_neither() -> None:
    """With the months of its usual period; those that may be long are read in pages."""
    assert {name: (each.span, each.months, each.pages) for name, each in REPORTS.items()} == {
        "cash": (ReportPeriodKind.BOTH, 12, False),
        "postings": (ReportPeriodKind.BOTH, 2, True),
        "unexplained": (ReportPeriodKind.BOTH, 2, True),
        "open": (ReportPeriodKind.STANDING, 2, True),
        "customers": (ReportPeriodKind.STANDING, 2, False),
        "reconciliation": (ReportPeriodKind.STANDING, 2, False),
        "ageing": (ReportPeriodKind.STANDING, 2, False),
        "overpaid": (ReportPeriodKind.STANDING, 2, True),
        "fees": (ReportPeriodKind.PERIOD, 2, False),
        "cash-in": (ReportPeriodKind.PERIOD, 12, False),
        "matched": (ReportPeriodKind.PERIOD, 2, False),
        "set-paid": (ReportPeriodKind.PERIOD, 2, False),
        "dso": (ReportPeriodKind.PERIOD, 6, False),
        "reminders": (ReportPeriodKind.PERIOD, 2, False),
        "close": (ReportPeriodKind.ALL, 2, False),
    }


def test_an_overpaid_order_has_no_due_date_any_more() -> None:
    keys = [column.key for column in REPORTS["overpaid"].columns]
    assert keys[:6] == ["number", "customer", "type", "status", "date", "amount"]


def test_tables_hold_amounts_as_decimals_and_parts_as_text() -> None:
    cells = [cell(column, ROW) for column in REPORTS["postings"].columns]
    assert cells == [
        "po_1", date(2026, 3, 31), "DE89", "Erika Mustermann", "", Decimal("17.50"), "EUR", "matched",
        "A-1 10.00; A-2 7.50", Decimal("17.50"), None, None, None, Decimal("0.00"), None,
    ]  # fmt: skip
    assert parts_text([("A-1", 100, 0, None)], Currency("JPY")) == "A-1 100"


def test_programs_read_the_parts_of_a_posting_and_nothing_that_is_not_set() -> None:
    assert plain(REPORTS["postings"], ROW) == {
        "id": "po_1", "bookingDate": date(2026, 3, 31), "account": "DE89", "originator": "Erika Mustermann",
        "amount": Decimal("17.50"), "currency": "EUR", "state": "matched", "forOrders": Decimal("17.50"),
        "fee": Decimal("0.00"),
        "orders": [
            {"orderNumber": "A-1", "amount": Decimal("10.00")},
            {"orderNumber": "A-2", "amount": Decimal("7.50"), "fee": Decimal("0.25"), "feeKind": "commission"},
        ],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("where", "taken"),
    [
        ("amount=17.50", True), ("amount!=17.50", False), ("amount>17.50", False), ("amount>=17.5", True),
        ("amount<17.50", False), ("amount<=17.50", True), ("fee=0", True), ("fee>0", False),
        ("bookingDate=2026-03-31", True), ("bookingDate<2026-03-31", False), (" bookingDate > 2026-03-30 ", True),
        ("originator=erika MUSTERMANN", True), ("originator=Erika", False), ("originator~MUSTER", True),
        ("originator~Max", False), ("orders~a-2", True), ("orders~a-3", False),
        # What is not set equals nothing.
        ("reason=", False), ("reason!=x", True), ("reason~x", False), ("open>=0", False),
        # All conditions must hold.
        ("amount=17.50;currency=EUR", True), ("amount=17.50;currency=USD", False), ("amount=1; currency=EUR;", False),
    ],
)  # fmt: skip
def test_rows_are_taken_by_conditions_on_their_columns(where: str, taken: bool) -> None:
    wanted = row_filter(REPORTS["postings"], [where], "")
    assert (wanted.takes(ROW, BERLIN), wanted.takes_all) == (taken, False)


@pytest.mark.parametrize(
    ("word", "taken"),
    [("mustermann", True), ("ERIKA  mustermann ", True), ("erika m", True), ("a-2 7.50", True), ("max", False),
     ("17.50", False)],
)  # fmt: skip
def test_a_word_is_looked_for_in_all_texts(word: str, taken: bool) -> None:
    wanted = row_filter(REPORTS["postings"], [], word)
    assert (wanted.takes(ROW, BERLIN), wanted.takes_all) == (taken, False)


def test_conditions_and_the_word_must_hold_together() -> None:
    given = [(["amount=17.50"], "erika"), (["amount=1"], "erika"), (["amount=17.50"], "max")]
    assert [row_filter(REPORTS["postings"], *each).takes(ROW, BERLIN) for each in given] == [True, False, False]


def test_without_a_condition_and_a_word_all_rows_are_taken() -> None:
    for nothing in (ALL, row_filter(REPORTS["postings"], ["", " ; "], "  ")):
        assert (nothing.takes(ROW, BERLIN), nothing.takes_all) == (True, True)


def test_moments_are_compared_by_their_day_in_the_shops_zone() -> None:
    """22:30 UTC of the last of April is half past midnight of the first of May in Berlin."""
    wanted = row_filter(REPORTS["close"], ["closedAt=2026-05-01;postings=12"], "")
    assert wanted.takes(CLOSED, BERLIN)
    assert not wanted.takes(CLOSED, ZoneInfo("UTC"))


@pytest.mark.parametrize(
    ("where", "text", "expected"),
    [
        ("amount", "Filter 'amount' is not a condition", "a column, one of = != >= <= > < ~ and a value"),
        ("profit=1", "There is no column 'profit' in postings", ""),
        ("amount~1", "amount is not a text", "= != >= <= > or <"),
        ("bookingDate~1", "bookingDate is not a text", "= != >= <= > or <"),
        ("amount=much", "'much' is not a value of amount", "a number as 1234.50"),
        ("amount=NaN", "'NaN' is not a value of amount", "a number as 1234.50"),
        ("amount>Infinity", "'Infinity' is not a value of amount", "a number as 1234.50"),
        ("bookingDate=31.03.2026", "'31.03.2026' is not a value of bookingDate", "a date as 2026-03-31"),
    ],
)
def test_a_filter_that_means_nothing_is_refused(where: str, text: str, expected: str) -> None:
    with pytest.raises(FilterRefused) as refused:
        row_filter(REPORTS["postings"], [where], "")
    assert (str(refused.value), refused.value.parameter) == (text, "where")
    assert (refused.value.expected or "").startswith(expected)


def test_a_filter_of_a_moment_expects_a_date() -> None:
    with pytest.raises(FilterRefused, match="'soon' is not a value of closedAt") as refused:
        row_filter(REPORTS["close"], ["closedAt=soon"], "")
    assert refused.value.expected == "a date as 2026-03-31"


@pytest.mark.parametrize(
    ("overpaid", "planned", "tolerance", "other_order", "next_step"),
    [
        (500, 500, 0, True, OverpaymentAdvice.WAIT),
        (500, 499, 0, True, OverpaymentAdvice.MOVE),
        (500, 0, 500, True, OverpaymentAdvice.MOVE),
        (500, 499, 500, False, OverpaymentAdvice.KEEP),
        (500, 0, 499, False, OverpaymentAdvice.REFUND),
    ],
)
def test_what_was_paid_too_much_is_waited_for_moved_kept_or_refunded(
    overpaid: int, planned: int, tolerance: int, other_order: bool, next_step: OverpaymentAdvice
) -> None:
    assert advice(overpaid, planned, tolerance, other_order=other_order) is next_step


@pytest.mark.parametrize(
    ("codes", "families"),
    [
        ("number-reference", [MatchedBy.REFERENCE]), ("number-invoice", [MatchedBy.INVOICE_NUMBER]),
        ("number-customer", [MatchedBy.OTHER_NUMBER]), ("iban-known", [MatchedBy.PAYER]),
        ("name-equal surname-in-text", [MatchedBy.PAYER]), ("amount-exact", [MatchedBy.AMOUNT]),
        ("sum-exact", [MatchedBy.SEVERAL]), ("refund", [MatchedBy.REFUND]), ("returned", [MatchedBy.REFUND]),
        ("amount-exact iban-known name-equal number-order twin-turn",
         [MatchedBy.ORDER_NUMBER, MatchedBy.PAYER, MatchedBy.AMOUNT]),
        ("date-named", [MatchedBy.OTHER]), ("", [MatchedBy.OTHER]),
    ],
)  # fmt: skip
def test_what_spoke_for_a_match_is_told_together(codes: str, families: list[MatchedBy]) -> None:
    assert list(matched_by(codes)) == families


def test_automatic_is_what_is_matched_without_a_person() -> None:
    assert set(MatchedBy) - set(AUTOMATIC) == {MatchedBy.PERSON, MatchedBy.OPEN}
    assert AUTOMATIC[0] is MatchedBy.REFERENCE and len(AUTOMATIC) == 9


def test_a_seal_is_a_hash_of_each_part_with_its_length() -> None:
    """The length stands before each part as eight bytes, so that no two months have the same bytes."""
    parts: list[tuple[str, str]] = [("po_1", "matched"), ("po_2", "ä")]
    told = b"\0\0\0\0\0\0\0\x0a2026-03-01\0\0\0\0\0\0\0\x0312 "
    told += b"\0\0\0\0\0\0\0\x04po_1\0\0\0\0\0\0\0\x07matched\0\0\0\0\0\0\0\x04po_2\0\0\0\0\0\0\0\x02\xc3\xa4"
    sealed = seal(b"before", date(2026, 3, 1), "12 ", parts)
    assert sealed == hashlib.sha256(b"before" + told).digest()
    others: list[Any] = [
        seal(b"", date(2026, 3, 1), "12 ", parts), seal(b"before", date(2026, 4, 1), "12 ", parts),
        seal(b"before", date(2026, 3, 1), "12 ", parts[:1]), seal(b"before", date(2026, 3, 1), "12", parts),
    ]  # fmt: skip
    assert len({sealed, *others}) == 5


def test_amounts_of_rows_are_whole_minor_units_of_their_currency() -> None:
    column = next(each for each in REPORTS["postings"].columns if each.key == "amount")
    assert cell(column, {"amount": -1, "currency": EUR}) == Decimal("-0.01")
    assert cell(column, {"amount": 1500, "currency": "KWD"}) == Decimal("1.500")
