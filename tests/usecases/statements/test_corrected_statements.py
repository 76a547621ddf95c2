"""Statements that the bank delivers again with other words or references (D-81): each payment is booked once."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting
from paymatch.formats.camt.writer import CamtStatement, WrittenEntry, write_camt
from paymatch.usecases.statements.completeness import KeptGaps, check_statements
from paymatch.usecases.statements.imports import undo_import
from tests.usecases.conftest import ACCOUNT, DAY, Books, paid

ANNA: Final[dict[str, Any]] = {"counterparty_name": "Anna Schulze", "counterparty_iban": "DE02120300000000202051"}


def delivered(name: str, *entries: Posting, number: int = 1, opening: int = 0) -> bytes:
    """A camt.053 of the day in a message of this name."""
    bookings = tuple(WrittenEntry((each,), bank_reference=each.bank_reference) for each in entries)
    statement = CamtStatement(ACCOUNT, EUR, opening, DAY - timedelta(days=1), DAY, f"S{number}", number, bookings)
    return write_camt([statement], datetime(2026, 3, 11, 6, tzinfo=UTC), message_id=name)


def eva(text: str = "SW-60001", reference: str = "", minor: int = 5_000, **more: Any) -> Posting:
    return paid(minor, text, bank_reference=reference, **more)


CORRECTED: Final[dict[str, list[tuple[Posting, ...]]]] = {
    "other words": [(eva(),), (eva("Bestellung SW-60001 Eva"),)],
    "other references": [(eva(reference="R1"),), (eva(reference="R2"),)],
    "another payer": [(eva(),), (eva(**ANNA),)],
    "three times": [(eva(),), (eva("x SW-60001"),), (eva("y SW-60001", "R1"),)],
    "one of two": [(eva(), eva("SW-60002", **ANNA)), (eva(), eva("SW-60002 Anna", **ANNA))],
    "both of two": [(eva(), eva("SW-60002", **ANNA)), (eva("SW-60001 E", "R1"), eva("SW-60002 A", "R2", **ANNA))],
}


@pytest.mark.parametrize("name", CORRECTED)
def test_a_statement_that_comes_again_with_other_words_books_nothing_twice(books: Books, name: str) -> None:
    versions = CORRECTED[name]
    for number in ("SW-60001", "SW-60002"):
        books.order(number, "50.00")
    files = [delivered(f"M{place}", *entries) for place, entries in enumerate(versions)]
    seen = set()
    for order in itertools.permutations(files):
        reports = [books.bring(each) for each in order]
        seen.add(str([row[:2] for row in books.postings()]))
        assert sum(minor for _, minor, *_ in books.postings()) == 5_000 * len(versions[0])
        books.sound()
        for report in reports:
            undo_import(books.database, books.shop, report.import_id, books.now)
        assert books.postings() == []
    assert len(seen) == 1


def test_a_further_payment_of_the_day_is_another_one(books: Books) -> None:
    books.bring(delivered("M1", eva(reference="R1")))
    books.bring(delivered("M2", eva(reference="R2"), number=2, opening=5_000))
    assert [row[1] for row in books.postings()] == [5_000, 5_000]
    books.sound()


def test_a_statement_that_comes_again_with_one_more_entry_adds_it(books: Books) -> None:
    books.bring(delivered("M1", eva(reference="R1")))
    books.bring(delivered("M2", eva(reference="R1"), eva(reference="R2")))
    assert [row[1] for row in books.postings()] == [5_000, 5_000]
    books.sound()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_statement_that_comes_again_with_another_sum_is_an_alert(books: Books, order: tuple[int, int]) -> None:
    """Both sums are booked, and no balance has both: a person undoes one of the imports, and reminders wait."""
    files = delivered("M1", eva(minor=5_000)), delivered("M2", eva(minor=500))
    last = [books.bring(files[place]) for place in order][-1]
    assert [row[1] for row in books.postings()] in ([5_000, 500], [500, 5_000])
    with books.database.of_shop(books.shop) as tx:
        assert KeptGaps().incomplete_days(tx) == {"EUR": {DAY}}
    (account,) = check_statements(books.database, books.shop)
    assert [(gap["kind"], gap["proven"]) for gap in account["gaps"]] == [("sum", True)]
    undo_import(books.database, books.shop, last.import_id, books.now)
    with books.database.of_shop(books.shop) as tx:
        assert KeptGaps().incomplete_days(tx) == {}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_longer_version_of_a_statement_is_no_alert(books: Books, order: tuple[int, int]) -> None:
    files = delivered("M1", eva(reference="R1")), delivered("M2", eva(reference="R1"), eva(minor=700, reference="R2"))
    for place in order:
        books.bring(files[place])
    (account,) = check_statements(books.database, books.shop)
    assert account["gaps"] == []
    books.bring(delivered("M3", eva(minor=300, reference="R3"), number=2, opening=5_700))
    (account,) = check_statements(books.database, books.shop)
    assert account["gaps"] == []
