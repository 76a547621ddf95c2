"""Entries that could not be read: a person types what they say, once, and can undo it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date

import pytest

from paymatch.domain.money import EUR
from paymatch.domain.orders.split import AssignmentRefused
from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.mt940.writer import EntryToWrite, StatementToWrite, write_mt940
from paymatch.usecases.statements.imports import undo_import
from paymatch.usecases.statements.resolving import TypedEntry, list_unread, resolve_unread
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from tests.scenarios.crashes import Boundaries, Crash
from tests.usecases.conftest import ACCOUNT, Books

DAY = date(2026, 3, 10)
TABLE = (
    "Buchungstag;Verwendungszweck;Name;Betrag;Währung\n10.03.2026;4711;Eva;19,90;EUR\n10.03.2026;4711;Eva;19,9O;EUR\n"
).encode()
TYPED = TypedEntry(1990, EUR, DAY, name="Eva", text="4711")


@pytest.fixture(autouse=True)
def layout_is_confirmed(books: Books) -> None:
    books.confirm_layout(TABLE)


def alerts(books: Books) -> list[str]:
    with books.database.of_shop(books.shop, at=books.now) as tx:
        keep_alerts(tx)
    return [row["kind"] for row in list_alerts(books.database, books.shop)]


def resolved(books: Books, import_id: str, typed: TypedEntry = TYPED, line: int = 3) -> dict[str, object]:
    return resolve_unread(
        books.database, books.shop, import_id, line, typed, books.now, channel=StatementChannel.COMMAND_LINE
    )


def test_an_unreadable_entry_is_booked_as_typed(books: Books) -> None:
    first = books.bring(TABLE, name="bank.csv")
    assert (first.new, first.errors, alerts(books)) == (1, 1, ["unreadable", "unreadable"])
    (waiting,) = list_unread(books.database, books.shop)
    assert waiting == {
        "importId": first.import_id, "file": "bank.csv", "line": 3, "reason": "line 3: '19,9O' is not an amount",
        "raw": "10.03.2026;4711;Eva;19,9O;EUR", "resolvedBy": "",
        "position": 0, "account": ACCOUNT, "currency": "EUR",
    }  # fmt: skip
    done = resolved(books, first.import_id)
    assert done["new"] == 1  # though one like it was booked from the line before: two payments alike are two
    kept = books.rows("SELECT account, amount_minor, booking_date, import_id FROM postings WHERE shop_id = $1")
    both = (first.import_id, done["resolvedBy"])
    assert sorted(kept) == sorted((ACCOUNT, 1990, DAY, import_id) for import_id in both)
    assert [row["resolvedBy"] for row in list_unread(books.database, books.shop)] == [done["resolvedBy"]]
    assert alerts(books) == []


def test_an_entry_is_resolved_once_and_waits_again_after_the_undo(books: Books) -> None:
    first = books.bring(TABLE)
    done = resolved(books, first.import_id)
    with pytest.raises(AssignmentRefused, match="has no entry in line 3 that waits for a person"):
        resolved(books, first.import_id)
    assert len(books.postings()) == 2
    undo_import(books.database, books.shop, str(done["resolvedBy"]), books.now)
    assert (len(books.postings()), alerts(books)) == (1, ["unreadable", "unreadable"])
    assert resolved(books, first.import_id, TypedEntry(-500, EUR, DAY))["new"] == 1
    assert sorted(books.rows("SELECT amount_minor FROM postings WHERE shop_id = $1")) == [(-500,), (1990,)]


@pytest.mark.parametrize(("import_id", "line"), [("", 2), ("", 4), ("im_x", 3)])
def test_what_is_no_unreadable_entry_is_refused(books: Books, import_id: str, line: int) -> None:
    first = books.bring(TABLE)
    with pytest.raises(AssignmentRefused, match=f"has no entry in line {line} that waits for a person"):
        resolved(books, import_id or first.import_id, line=line)
    assert len(books.postings()) == 1


def test_text_with_the_marks_of_a_table_is_booked_as_typed(books: Books) -> None:
    first = books.bring(TABLE)
    typed = TypedEntry(5, EUR, DAY, name='Meier; "Söhne"', text='RG;1 "x"', iban="DE02120300000000202051")
    resolved(books, first.import_id, typed)
    (row,) = books.rows("SELECT remittance, counterparty_name FROM postings WHERE shop_id = $1 AND amount_minor = 5")
    assert row == ('RG;1 "x"', 'Meier; "Söhne"')


def test_what_another_file_has_brought_is_not_booked_twice(books: Books) -> None:
    first = books.bring(TABLE.replace(b"10.03.2026;4711;Eva;19,90;EUR\n", b""))
    books.bring(TABLE.replace(b"19,9O", b"5,00"))
    assert resolved(books, first.import_id, line=2)["new"] == 0
    assert sorted(books.rows("SELECT amount_minor FROM postings WHERE shop_id = $1")) == [(500,), (1990,)]
    assert alerts(books) == []


@pytest.mark.parametrize(("boundary", "is_booked"), [(1, False), (2, True), (3, True), (4, True)])
def test_an_entry_whose_resolving_breaks_is_booked_and_marked_or_neither(
    books: Books, boundary: int, is_booked: bool
) -> None:
    first = books.bring(TABLE)
    with pytest.raises(Crash), Boundaries(books.database).crash(boundary):
        resolved(books, first.import_id)
    assert len(books.postings()) == 1 + is_booked
    assert [bool(row["resolvedBy"]) for row in list_unread(books.database, books.shop)] == [is_booked]
    again = TypedEntry(1909, EUR, DAY, name="Eva M", text="4711")
    if is_booked:
        with pytest.raises(AssignmentRefused, match="has no entry in line 3 that waits for a person"):
            resolved(books, first.import_id, again)
    else:
        resolved(books, first.import_id, again)
    amounts = books.rows("SELECT amount_minor FROM postings WHERE shop_id = $1")
    assert sorted(amounts) == [(1990,) if is_booked else (1909,), (1990,)]
    books.sound()


def test_two_people_who_resolve_one_entry_at_once_book_it_once(books: Books) -> None:
    first = books.bring(TABLE)

    def resolve(minor: int) -> str:
        try:
            resolved(books, first.import_id, TypedEntry(minor, EUR, DAY))
        except AssignmentRefused as refusal:
            return str(refusal)
        return ""

    with ThreadPoolExecutor(2) as people:
        said = sorted(people.map(resolve, [1990, 500]))
    assert said == ["", f"Import {first.import_id!r} has no entry in line 3 that waits for a person"]
    assert len(books.postings()) == 2


def statement_with_a_torn_entry() -> bytes:
    """10.00 and 19.90 came in; the second amount cannot be read."""
    entries = (
        EntryToWrite(1000, DAY, bank_reference="R1", name="Eva", remittance="4710"),
        EntryToWrite(1990, DAY, bank_reference="R2", name="Eva", remittance="4711"),
    )
    written = write_mt940([StatementToWrite(ACCOUNT, EUR, 0, DAY, DAY, 1, entries)])
    return written.replace(b"19,90", b"19;90")


def test_the_balance_of_a_statement_counts_what_was_typed(books: Books) -> None:
    first = books.bring(statement_with_a_torn_entry(), name="bank.sta")
    (line,) = [row["line"] for row in list_unread(books.database, books.shop)]
    flags = "SELECT flags FROM statements WHERE shop_id = $1 AND format = 'MT940'"
    assert books.rows(flags) == [(["unreadable-entries", "balance-mismatch"],)]
    wrong = resolved(books, first.import_id, TypedEntry(1900, EUR, DAY), line)
    assert (books.rows(flags), alerts(books)) == ([(["balance-mismatch"],)], ["balance-mismatch"])
    undo_import(books.database, books.shop, str(wrong["resolvedBy"]), books.now)
    assert books.rows(flags) == [(["unreadable-entries", "balance-mismatch"],)]
    resolved(books, first.import_id, TypedEntry(1990, EUR, DAY), line)
    assert (books.rows(flags), alerts(books)) == ([([],)], [])
    books.sound()
