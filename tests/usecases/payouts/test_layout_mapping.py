"""A settlement of an unknown provider: a person maps its columns once, and from then on its files work."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime

import pytest

from paymatch.domain.shops.shop import SettingRefused
from paymatch.formats.camt.writer import CamtMessage
from paymatch.formats.statement import FileRefused
from paymatch.usecases.payouts.layout_mapping import map_layout
from tests.usecases.conftest import Books, camt, paid

_HEAD = "Datum;Vorgang;Bestellnummer;Brutto;Gebühr;Netto;Währung;Transaktions-ID;Auszahlungsnummer\n"
FIRST = (
    _HEAD
    + "18.11.2026;Verkauf;SO-101;1.058,77;10,10;1.048,67;EUR;T1;AZ-2026-0001\n"
    + "19.11.2026;Erstattung;SO-102;-20,00;0,00;-20,00;EUR;T2;AZ-2026-0001\n"
    + "19.11.2026;Monatsgebühr;;-5,00;0,00;-5,00;EUR;T3;AZ-2026-0001\n"
)
SECOND = _HEAD + "20.11.2026;Verkauf;SO-103;58,77;0,10;58,67;EUR;T4;AZ-2026-0002\n"


@pytest.fixture(autouse=True)
def _november(books: Books) -> None:
    books.now = datetime(2026, 11, 25, 9, tzinfo=UTC)


def mapped(books: Books, text: str, provider: str = "Zahlwerk", **more: object) -> dict[str, object]:
    stream = io.BytesIO(text.encode())
    return map_layout(books.database, books.shop, stream, provider, books.now, **more)  # type: ignore[arg-type]


def test_columns_are_proposed_remembered_and_used(books: Books) -> None:
    books.order("SO-101", "1058.77")
    books.order("SO-103", "58.77")
    shown = mapped(books, FIRST)
    assert shown["columns"] == {
        "gross": "Brutto", "fee": "Gebühr", "net": "Netto", "currency": "Währung", "order": "Bestellnummer",
        "id": "Transaktions-ID", "payout_id": "Auszahlungsnummer", "kind": "Vorgang", "time": "Datum",
    }  # fmt: skip
    assert shown["kinds"] == {"Verkauf": "sale", "Erstattung": "refund", "Monatsgebühr": "fee"}
    assert (shown["rows"], shown["remembered"]) == (3, False)
    assert mapped(books, FIRST, save=True)["account"] == "zahlwerk:Zahlwerk"
    report = books.bring(FIRST.encode())
    assert (report.version, report.new_accounts) == ("Zahlwerk, settlement, 1 payout", [])
    books.bring(SECOND.encode())
    assert (books.status("SO-101"), books.status("SO-103")) == ("PAID", "PAID")
    day = date(2026, 11, 23)
    posting = paid(102367, "Zahlwerk AZ-2026-0001", booking_date=day, counterparty_name="Zahlwerk GmbH")
    books.bring(camt(CamtMessage.STATEMENT, posting, days=(day, day)))
    sql = "SELECT aside_reason FROM postings WHERE shop_id = $1 AND account LIKE 'DE%'"
    assert books.rows(sql) == [("payout AZ-2026-0001: 1 order, 15.10 kept, rest 0.00",)]
    books.sound()


def test_a_person_corrects_what_a_column_or_word_means(books: Books) -> None:
    shown = mapped(books, FIRST, changes={"kind:Monatsgebühr": "adjustment", "currency": ""})
    assert shown["kinds"] == {"Verkauf": "sale", "Erstattung": "refund", "Monatsgebühr": "adjustment"}
    assert "currency" not in shown["columns"]  # type: ignore[operator]
    with pytest.raises(SettingRefused, match="Unknown column 'brutto'"):
        mapped(books, FIRST, changes={"brutto": "Brutto"})
    with pytest.raises(SettingRefused, match="Unknown kind 'gift'"):
        mapped(books, FIRST, changes={"kind:Verkauf": "gift"})
    with pytest.raises(FileRefused, match="row 2"):
        mapped(books, FIRST.replace("1.048,67", "1.048,68"))
    with pytest.raises(FileRefused, match="needs a column with the gross or the net amount"):
        mapped(books, "A;B\n1;2\n")


def test_columns_of_a_marketplace_are_proposed(books: Books) -> None:
    text = (
        "Transaction creation date,Type,Order number,Gross transaction amount,Fees,Net amount,"
        "Payout currency,Payout ID\n"
        "18.11.2026,Order,11-12345-67890,58.77,-7.12,51.65,EUR,6012345678\n"
    )
    assert mapped(books, text, "Marktbude")["columns"] == {
        "gross": "Gross transaction amount", "fee": "Fees", "net": "Net amount", "currency": "Payout currency",
        "order": "Order number", "payout_id": "Payout ID", "kind": "Type", "time": "Transaction creation date",
    }  # fmt: skip
