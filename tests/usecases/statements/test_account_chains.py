"""The chain of an account's last statements, and what is missing in it."""

from __future__ import annotations

from datetime import date

from paymatch.domain.money import EUR
from paymatch.formats.mt940.writer import EntryToWrite, StatementToWrite, write_mt940
from paymatch.usecases.statements.account_chains import KnownAccount, known_accounts
from tests.usecases.conftest import ACCOUNT, Books


def bring(books: Books, day: int, opening: int, amount: int, number: int) -> None:
    entry = EntryToWrite(amount, date(2026, 3, day), bank_reference=f"R{day}", name="Eva", remittance="x")
    when = date(2026, 3, day)
    books.bring(write_mt940([StatementToWrite(ACCOUNT, EUR, opening, when, when, number, (entry,))]))


def account(books: Books, links: int = 5) -> KnownAccount:
    with books.database.of_shop(books.shop) as tx:
        (found,) = known_accounts(tx, links=links)
    return found


def test_an_account_without_statements_has_no_chain(books: Books) -> None:
    found = account(books)
    assert (found.account, found.is_confirmed, found.as_of, found.statements, list(found.chain)) == (
        ACCOUNT, True, None, 0, [],
    )  # fmt: skip


def test_statements_meet_or_are_apart(books: Books) -> None:
    bring(books, 9, 0, 1000, 1)
    bring(books, 10, 1000, 500, 2)
    bring(books, 12, 1743, 100, 4)
    found = account(books)
    assert (found.as_of, found.statements, found.is_complete) == (date(2026, 3, 12), 3, False)
    assert [(link.last_date.day, link.closing_minor, link.booked_minor, link.meets, link.apart_minor)
            for link in found.chain] == [
        (9, 1000, 1000, False, None), (10, 1500, 500, True, None), (12, 1843, 100, False, 243),
    ]  # fmt: skip
    (gap,) = [link.missing for link in found.chain if link.missing]
    assert (gap.first_date, gap.last_date) == (date(2026, 3, 11), date(2026, 3, 11))
    assert [link.last_date.day for link in account(books, links=2).chain] == [10, 12]
    bring(books, 11, 1500, 243, 3)
    found = account(books)
    assert (found.is_complete, [link.meets for link in found.chain]) == (True, [False, True, True, True])
