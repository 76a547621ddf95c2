"""Corrections go forward (D-86): spans of days that have left, the first open day, reversals and new bookings."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from paymatch.domain.reports.corrections import BookedPeriod, DaySpan, corrections, day_spans, first_open_day
from paymatch.domain.reports.ledger import AccountRole, LedgerAccount, LedgerBooking, book

BANK = LedgerAccount(AccountRole.BANK, "1800")
DEBTORS = LedgerAccount(AccountRole.DEBTORS, "10000")
CLEARING = LedgerAccount(AccountRole.CLEARING, "1370")
OCTOBER = BookedPeriod(date(2026, 10, 1), date(2026, 10, 31), date(2026, 11, 4))
DAY, FORWARD = date(2026, 10, 7), date(2026, 11, 1)


def booking(debit: LedgerAccount, credit: LedgerAccount, minor: int, document: str = "A-1") -> LedgerBooking:
    return book(DAY, debit, credit, minor, "EUR", document, "Eva Muster", "p1")


def moved(bookings: list[LedgerBooking]) -> Counter[tuple[str, str]]:
    """(account, document) -> debit less credit."""
    found: Counter[tuple[str, str]] = Counter()
    for each in bookings:
        found[each.debit.number, each.document] += each.minor
        found[each.credit.number, each.document] -= each.minor
    return Counter({key: minor for key, minor in found.items() if minor})


def test_days_that_have_left_and_days_that_have_not() -> None:
    september = BookedPeriod(date(2026, 9, 1), date(2026, 9, 30), date(2026, 10, 2))
    spans = list(day_spans(date(2026, 9, 15), date(2026, 11, 3), [OCTOBER, september]))
    assert spans == [
        DaySpan(date(2026, 9, 15), date(2026, 9, 30), has_left=True),
        DaySpan(date(2026, 10, 1), date(2026, 10, 31), has_left=True),
        DaySpan(date(2026, 11, 1), date(2026, 11, 3), has_left=False),
    ]
    assert list(day_spans(DAY, DAY, [])) == [DaySpan(DAY, DAY, has_left=False)]
    assert first_open_day(date(2026, 9, 3), [OCTOBER, september]) == FORWARD
    assert first_open_day(date(2026, 9, 3), [OCTOBER]) == date(2026, 9, 3)


def test_what_was_matched_later_is_reversed_and_booked_anew() -> None:
    found = corrections([booking(BANK, CLEARING, 5000, "p1")], [booking(BANK, DEBTORS, 5000)], FORWARD)
    assert [(each.date, each.debit.number, each.credit.number, each.minor, each.document) for each in found] == [
        (FORWARD, "1370", "1800", 5000, "p1"),
        (FORWARD, "1800", "10000", 5000, "A-1"),
    ]


def test_what_is_as_it_has_left_is_not_corrected() -> None:
    left = [booking(BANK, DEBTORS, 9700), booking(CLEARING, DEBTORS, 300)]
    assert corrections(left, left, FORWARD) == []
    there_and_back = corrections(left, [], FORWARD)
    assert corrections([*left, *there_and_back], [], FORWARD) == []
    assert moved(corrections([*left, *there_and_back], left, FORWARD)) == moved(left)


accounts = st.sampled_from([BANK, DEBTORS, CLEARING])
some = st.lists(
    st.builds(booking, accounts, accounts, st.integers(-9, 9).filter(bool), st.sampled_from("AB")), max_size=6
).map(lambda rows: [row for row in rows if row.debit != row.credit])


@given(some, some, some)
def test_left_and_corrections_are_what_is_now(left: list[LedgerBooking], once: list[LedgerBooking],
                                              now: list[LedgerBooking]) -> None:  # fmt: skip
    books = [*left, *corrections(left, once, FORWARD)]
    assert moved(books) == moved(once)
    later = corrections(books, now, FORWARD + timedelta(days=30))
    assert moved([*books, *later]) == moved(now)
    assert all(each.minor > 0 for each in later)
