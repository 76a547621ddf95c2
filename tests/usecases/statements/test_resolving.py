"""Entries that could not be read: a person types what they say, once, and can undo it."""

from __future__ import annotations

from datetime import date

import pytest

from paymatch.domain.money import EUR
from paymatch.domain.orders.split import AssignmentRefused
from paymatch.store.database import ShopId
from paymatch.usecases.statements.imports import TypedEntry, list_unread, resolve_unread, undo_import
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from tests.usecases.conftest import ACCOUNT, Books

DAY = date(2026, 3, 10)
TABLE = (
    "Buchungstag;Verwendungszweck;Name;Betrag;Währung\n10.03.2026;4711;Eva;19,90;EUR\n10.03.2026;4711;Eva;19,9O;EUR\n"
).encode()
TYPED = TypedEntry(1990, EUR, DAY, name="Eva", text="4711")


def alerts(books: Books) -> list[str]:
    with books.database.transaction(ShopId(books.shop.id)) as tx:
        keep_alerts(tx, books.shop, books.now)
    return [row["kind"] for row in list_alerts(books.database, books.shop)]


def resolved(books: Books, import_id: str, typed: TypedEntry = TYPED, line: int = 3) -> dict[str, object]:
    return resolve_unread(books.database, books.shop, import_id, line, typed, books.now)


def test_an_unreadable_entry_is_booked_as_typed(books: Books) -> None:
    first = books.bring(TABLE, name="bank.csv")
    assert (first.new, first.errors, alerts(books)) == (1, 1, ["unreadable", "unreadable"])
    (waiting,) = list_unread(books.database, books.shop)
    assert waiting == {
        "importId": first.import_id, "file": "bank.csv", "line": 3, "reason": "line 3: '19,9O' is no amount",
        "raw": "10.03.2026;4711;Eva;19,9O;EUR", "resolvedBy": "",
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
