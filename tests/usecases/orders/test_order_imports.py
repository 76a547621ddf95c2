"""Orders from a file: previewed, imported all or none, undone, and the same as the list exports them."""

from __future__ import annotations

import io
from typing import Any

import msgspec
import pytest
import xlsxwriter

from paymatch.domain.shops.shop import SettingRefused
from paymatch.formats.camt.writer import CamtMessage
from paymatch.formats.statement import FileRefused
from paymatch.store.orders.order_json import Include
from paymatch.usecases.orders import order_imports, orders
from paymatch.usecases.orders.order_imports import ImportWish, OrderImport, OrderImportUnknown
from tests.usecases.conftest import Books, camt, paid

GERMAN = (
    "Bestellnummer;Datum;Kunde;E-Mail;Betrag brutto;Zahlbar bis\r\n"
    "10427;02.03.2026;Hotel Meeresblick;einkauf@example.org;1.112,00;30.03.2026\r\n"
    "10428;02.03.2026;Emil Docht;;58,40;30.03.2026\r\n"
)


def bring(books: Books, text: str | bytes, *, dry: bool = False, **wish: Any) -> OrderImport:
    data = text.encode() if isinstance(text, str) else text
    table = order_imports.read_table(io.BytesIO(data))
    if dry:
        return order_imports.preview(books.database, books.shop, table, ImportWish(**wish), books.now)
    return order_imports.import_orders(books.database, books.shop, table, ImportWish(**wish), "orders.csv", books.now)


def read(books: Books, number: str) -> dict[str, Any]:
    with books.database.of_shop(books.shop) as tx:
        found: dict[str, Any] = msgspec.json.decode(orders.read(tx, number, Include()))
    return found


def counts(done: OrderImport) -> tuple[int, int, int, int]:
    new, changed, same, refused = (done.count(each) for each in ("new", "changed", "same", "refused"))
    return new, changed, same, refused


def test_a_german_table_becomes_orders(books: Books) -> None:
    seen = bring(books, GERMAN, dry=True)
    assert counts(seen) == (2, 0, 0, 0)
    assert books.rows("SELECT number FROM orders WHERE shop_id = $1") == []
    done = bring(books, GERMAN)
    assert counts(done) == (2, 0, 0, 0)
    order = read(books, "10427")
    assert (order["amount"], order["date"], order["dueDate"], order["type"], order["currency"]) == (
        1112.0, "02-03-2026", "30-03-2026", "INVOICE", "EUR",
    )  # fmt: skip
    assert order["billing"] == {"lastName": "Hotel Meeresblick", "countryCode": books.shop.country}
    assert order["customerEmail"] == "einkauf@example.org"
    assert counts(bring(books, GERMAN)) == (0, 0, 2, 0)
    assert counts(bring(books, GERMAN.replace("58,40", "62,00"))) == (0, 1, 1, 0)
    assert read(books, "10428")["amount"] == 62.0


def test_what_the_table_does_not_say_stays(books: Books) -> None:
    books.order("A-1", "10.00", items=[{"number": "T-1"}], customerEmail="a@example.org",
                billing={"firstName": "Eva", "lastName": "Muster", "countryCode": "AT"})  # fmt: skip
    assert counts(bring(books, "Order number,Customer,Amount\nA-1,Eva Muster,10.00\n")) == (0, 0, 1, 0)
    assert counts(bring(books, "Order number,Customer,Amount\nA-1,Eva Muster,12.00\n")) == (0, 1, 0, 0)
    order = read(books, "A-1")
    assert (order["amount"], order["items"][0]["number"], order["customerEmail"], order["type"]) == (
        12.0, "T-1", "a@example.org", "PREPAYMENT",
    )  # fmt: skip
    assert order["billing"] == {"firstName": "Eva", "lastName": "Muster", "countryCode": "AT"}


WRONG = (
    "Order number,Customer,Amount,Due,Country\n"
    "B-1,Eva,10.00,2026-03-30,DE\n"
    "B-2,Eva,12O.00,2026-03-30,DE\n"
    "B-3,Eva,10.00,31.11.2026,DE\n"
    "B-1,Eva,11.00,2026-03-30,DE\n"
    ",Eva,11.00,2026-03-30,DE\n"
    "B-6,Eva,11.00,2026-03-30,XX\n"
    "B-7,,11.00,2027-03-30,DE\n"
)


def test_refused_rows_have_the_words_of_the_api_and_nothing_is_stored(books: Books) -> None:
    done = bring(books, WRONG)
    assert counts(done) == (1, 0, 0, 6)
    assert [(row.row, str(row.refusal)) for row in done.rows if row.refusal] == [
        (3, "Parameter amount is not valid"),
        (4, "Parameter dueDate is not valid"),
        (5, "Could not update order (number 'B-1' is given twice)"),
        (6, "Missing parameter number"),
        (7, "Parameter billing.countryCode is not valid"),
        (8, "Missing parameter billing.lastName"),
    ]
    assert done.id == ""
    assert books.rows("SELECT number FROM orders WHERE shop_id = $1") == []
    assert books.rows("SELECT id FROM order_imports WHERE shop_id = $1") == []
    assert counts(bring(books, WRONG, leave_out=True)) == (1, 0, 0, 6)
    assert books.rows("SELECT number FROM orders WHERE shop_id = $1") == [("B-1",)]


@pytest.mark.parametrize(("amount", "due"), [("1.000", "2026-03-30"), ("1,000", "2026-03-30"), ("10.00", "03/04/2026")])
def test_what_can_be_read_in_two_ways_is_refused(books: Books, amount: str, due: str) -> None:
    (row,) = bring(books, f"Order number;Customer;Amount;Due\nC-1;Eva;{amount};{due}\n").rows
    assert row.refusal is not None
    assert "one way only" in row.refusal.expected


def test_other_cells_prove_how_an_amount_or_a_day_is_written(books: Books) -> None:
    done = bring(books, "Order number;Customer;Amount;Due\nC-1;Eva;1.000;03/04/2026\nC-2;Eva;10,50;03/28/2026\n")
    assert counts(done) == (2, 0, 0, 0)
    assert (read(books, "C-1")["amount"], read(books, "C-1")["dueDate"]) == (1000.0, "04-03-2026")


def test_further_articles_of_an_order_are_no_orders(books: Books) -> None:
    done = bring(books, "Name,Billing Name,Total,Lineitem\n#1001,Eva,20.00,Tea\n#1001,,,Cup\n#1002,Max,5.00,Tea\n")
    assert counts(done) == (2, 0, 0, 0)


def test_a_workbook_with_typed_cells(books: Books) -> None:
    file = io.BytesIO()
    book = xlsxwriter.Workbook(file)
    sheet = book.add_worksheet()
    for row, cells in enumerate([("Bestellnr.", "Kunde", "Summe"), (10429, "Ayla Demir", 1204.5)]):
        for place, cell in enumerate(cells):
            sheet.write(row, place, cell)
    book.close()
    assert counts(bring(books, file.getvalue())) == (1, 0, 0, 0)
    assert read(books, "10429")["amount"] == 1204.5


def test_the_mapping_of_a_layout_is_remembered(books: Books) -> None:
    table = "Kennung;Wer;Wieviel\nD-1;Eva;10,00\n"
    assert bring(books, table, dry=True).count("refused") == 1
    columns = {"Kennung": "number", "Wer": "customer", "Wieviel": "amount"}
    assert counts(bring(books, table, columns=columns)) == (1, 0, 0, 0)
    again = bring(books, table.replace("D-1", "D-2"))
    assert (counts(again), again.remembered, again.columns) == ((1, 0, 0, 0), True, columns)
    with pytest.raises(SettingRefused, match="no column 'Wann'"):
        bring(books, table, columns={"Wann": "date"})
    with pytest.raises(SettingRefused, match="no field 'when'"):
        bring(books, table, columns={"Wer": "when"})


def test_undo_removes_what_has_no_money_and_did_not_change(books: Books) -> None:
    books.order("E-0", "10.00")
    done = bring(
        books, "Order number,Customer,Amount\nE-0,Muster,11.00\nE-1,Eva Muster,10.00\nE-2,Max,20.00\nE-3,Ida,5.00\n"
    )
    assert counts(done) == (3, 1, 0, 0)
    books.bring(camt(CamtMessage.STATEMENT, paid(1000, "E-1")))
    assert books.status("E-1") == "PAID"
    books.order("E-2", "21.00")
    with books.database.of_shop(books.shop, at=books.now) as tx:
        assert order_imports.undo(tx, done.id) == {
            "id": done.id, "removed": 1, "left": ["E-1", "E-2"], "changedBefore": 1,
        }  # fmt: skip
    assert [books.status(f"E-{place}") for place in range(4)] == ["UNPAID", "PAID", "UNPAID", "DISAPPEARED"]
    with pytest.raises(SettingRefused, match="already undone"), books.database.of_shop(books.shop, at=books.now) as tx:
        order_imports.undo(tx, done.id)
    with pytest.raises(OrderImportUnknown), books.database.of_shop(books.shop, at=books.now) as tx:
        order_imports.undo(tx, "oi_none")
    books.sound()


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04broken"])
def test_what_is_no_table_is_refused(books: Books, content: bytes) -> None:
    with pytest.raises(FileRefused):
        bring(books, content)


def test_a_file_above_the_limit_is_refused_at_once_and_the_limit_is_named(books: Books) -> None:
    with pytest.raises(FileRefused, match="the file has more than 20 MB"):
        bring(books, b"x" * (20 * 1024**2 + 1))
    with pytest.raises(FileRefused, match="the file has more than 20000 rows"):
        bring(books, b"Order number,Customer,Amount\n" + b"A,B,1\n" * 20_001)
    assert books.rows("SELECT number FROM orders WHERE shop_id = $1") == []


def test_progress_is_told_for_each_part(books: Books) -> None:
    table = order_imports.read_table(
        io.BytesIO(
            b"Order number,Customer,Amount\n" + b"".join(b"A-%d,Eva Muster,10.00\n" % place for place in range(501))
        )
    )
    told: list[tuple[str, int]] = []

    def tell(what: str, count: int) -> None:
        told.append((what, count))

    done = order_imports.import_orders(books.database, books.shop, table, ImportWish(), "a.csv", books.now, tell)
    assert counts(done) == (501, 0, 0, 0)
    assert told == [("checking", 0), ("checking", 500), ("importing", 0), ("importing", 500)]
