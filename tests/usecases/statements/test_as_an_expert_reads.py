"""Statements as people who book them every day read them: pages, late bookings, old value dates, accounts at rest."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from paymatch.domain.money import EUR
from paymatch.formats.camt.writer import CamtStatement, WrittenEntry, write_camt
from paymatch.formats.statement import TableQuestion
from paymatch.store.reminders.reminders import covered_until
from paymatch.store.statements import postings
from paymatch.usecases.shops import shops
from paymatch.usecases.statements import accounts
from paymatch.usecases.statements.imports import undo_import
from tests.usecases.conftest import ACCOUNT, DAY, Books, paid

NEXT = DAY + timedelta(days=1)
PAYMENT = "?00GUTSCHRIFT?20SVWZ+SO-4711 Kurs?31DE75512108001245126199?32Karin Sommer"


def units(minor: int) -> str:
    return f"{minor // 100},{minor % 100:02d}"


def line(amount: int, day: date = DAY, *, value: date | None = None, text: str = PAYMENT) -> str:
    return f":61:{value or day:%y%m%d}{day:%m%d}C{units(amount)}NTRFNONREF\r\n:86:166{text}"


def mt940(
    number: str, opening: int, *lines: tuple[int, str], reference: str = "STARTUMS", days: Sequence[date] = (DAY, DAY),
    interim: tuple[bool, bool] = (False, False),
) -> bytes:  # fmt: skip
    """A statement or page; `interim`: its opening and its closing balance are those between pages (:60M:, :62M:)."""
    opens, closes = ("M" if each else "F" for each in interim)
    closing = opening + sum(amount for amount, _ in lines)
    return "\r\n".join(
        [
            f":20:{reference}", f":25:{ACCOUNT}", f":28C:{number}",
            f":60{opens}:C{days[0]:%y%m%d}EUR{units(opening)}", *(text for _, text in lines),
            f":62{closes}:C{days[-1]:%y%m%d}EUR{units(closing)}", "-", "",
        ]
    ).encode()  # fmt: skip


def one(amount: int, day: date = DAY, *, value: date | None = None, text: str = PAYMENT) -> tuple[int, str]:
    return amount, line(amount, day, value=value, text=text)


KURS = paid(1500, "SO-4711 Kurs", counterparty_name="Karin Sommer")


def camt(
    name: str, number: int, opening: int, *amounts: int, page: int = 1, last: bool = True,
    days: Sequence[date] = (DAY, DAY), booked: date = DAY,
) -> CamtStatement:  # fmt: skip
    entries = tuple(
        WrittenEntry((replace(KURS, amount_minor=amount, booking_date=booked, value_date=booked),))
        for amount in amounts
    )
    return CamtStatement(
        ACCOUNT, EUR, opening, days[0], days[-1], name, number, entries, page=page, last_page=last
    )  # fmt: skip


def written(*statements: CamtStatement) -> bytes:
    return write_camt(statements, datetime(2026, 3, 11, 6, tzinfo=UTC), message_id=statements[0].statement_id)


LATE = (DAY, NEXT)
TWO: dict[str, Sequence[bytes]] = {
    "statements 7 and 8 of a day": [mt940("7/1", 0, one(1500)) + mt940("8/1", 1500, one(1500))],
    "the same in two files": [mt940("7/1", 0, one(1500)), mt940("8/1", 1500, one(1500))],
    "pages with different :20:": [
        mt940("7/1", 0, one(1500), reference="A", interim=(False, True))
        + mt940("7/2", 1500, one(1500), reference="B", interim=(True, False))
    ],
    "two files of such pages": [
        mt940("7/1", 0, one(1500), reference="A", interim=(False, True)),
        mt940("7/2", 1500, one(1500), reference="B", interim=(True, False)),
    ],
    "camt pages with different Ids": [
        written(camt("S-1", 7, 0, 1500, last=False), camt("S-2", 7, 1500, 1500, page=2)),
    ],
    "two files of camt pages": [
        written(camt("S-1", 7, 0, 1500, last=False)), written(camt("S-2", 7, 1500, 1500, page=2)),
    ],
    "camt statements of a day": [written(camt("S-1", 7, 0, 1500)), written(camt("S-2", 8, 1500, 1500))],
    "an entry booked late": [mt940("7/1", 0, one(1500)), mt940("8/1", 1500, one(1500), days=LATE)],
    "an entry booked late in camt": [
        written(camt("S-1", 7, 0, 1500)), written(camt("S-2", 8, 1500, 1500, days=(NEXT, NEXT))),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", TWO)
def test_an_order_that_was_paid_twice_shows_both_payments(books: Books, name: str) -> None:
    """15.00 twice on one day, in any order of files and one of them once more: 30.00 were paid, nothing is lost."""
    for order in itertools.permutations(TWO[name]):
        shop = shops.create(books.database, name, books.now - timedelta(days=90), ibans=[ACCOUNT]).shop
        own = Books(books.database, shop, books.now)
        own.order("SO-4711", "15.00")
        reports = [own.bring(content) for content in order]
        assert ({report.balance for report in reports}, sum(report.new for report in reports)) == ({"ok"}, 2)
        again = own.bring(order[0] + b"\r\n")
        assert (again.new, again.known) == (0, reports[0].new)
        assert Counter(row[1] for row in own.postings()) == {1500: 2}
        assert own.status("SO-4711") == "PAID"
        own.sound()


def test_both_payments_of_a_customer_with_two_orders_wait_for_a_person(books: Books) -> None:
    """The text names neither order: nothing is guessed, and both payments are shown with a suggestion."""
    for number in ("SO-4711", "SO-4712"):
        books.order(number, "15.00", billing={"firstName": "Karin", "lastName": "Sommer", "countryCode": "DE"})
    text = PAYMENT.replace("SO-4711 ", "")
    books.bring(mt940("7/1", 0, one(1500, text=text)) + mt940("8/1", 1500, one(1500, text=text)))
    assert [(row[1], row[3]) for row in books.postings()] == [(1500, "suggested")] * 2


@pytest.mark.parametrize(
    ("statement", "value", "entry"),
    [
        (date(2026, 3, 10), date(2025, 7, 1), date(2026, 3, 10)),  # eight months back
        (date(2026, 3, 10), date(2024, 2, 29), date(2026, 3, 10)),
        (date(2026, 1, 2), date(2025, 3, 3), date(2025, 12, 31)),  # the turn of the year lies between
        (date(2026, 1, 2), date(2025, 12, 31), date(2026, 1, 2)),
        (date(2025, 12, 31), date(2026, 1, 2), date(2025, 12, 31)),  # valued ahead
    ],
)
def test_the_year_of_an_entry_is_the_one_nearest_to_the_statement(
    books: Books, statement: date, value: date, entry: date
) -> None:
    books.bring(mt940("7/1", 0, one(1500, entry, value=value), days=(statement, statement)))
    ((booked, valued),) = books.rows("SELECT booking_date, value_date FROM postings WHERE shop_id = $1")
    assert (booked, valued) == (entry, value)


@pytest.mark.parametrize("is_camt", [False, True])
@pytest.mark.parametrize("quiet", [False, True])
def test_an_account_at_rest_is_known_up_to_its_closing_balance(books: Books, *, is_camt: bool, quiet: bool) -> None:
    """Neither a last booking weeks ago nor none at all holds back the reminders of the currency."""
    until = date(2026, 3, 31)
    if is_camt:
        content = written(camt("S-1", 7, 0, *([] if quiet else [1500]), days=(DAY, until)))
    else:
        content = mt940("7/1", 0, *([] if quiet else [one(1500)]), days=(DAY, until))
    books.bring(content)
    with books.database.of_shop(books.shop) as tx:
        assert covered_until(tx) == ({"EUR": until}, False)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("?20SVWZ+Rechnung 10041?2124.11.2026", "Rechnung 10041 24.11.2026"),
        ("?20Rechnung 10041?2124.11.2026?22Kunde 7", "Rechnung 10041 24.11.2026 Kunde 7"),
        ("?20SVWZ+Rechnung 10041 vom 24.1?211.2026 Kunde 7", "Rechnung 10041 vom 24.11.2026 Kunde 7"),  # 27: cut
        ("?00SVWZ+Rechnung 10041", "Rechnung 10041"),
        ("?00GUTSCHRIFT?00SVWZ+Rechnung 10041?00Kunde 7", "Rechnung 10041"),
        ("?00GUTSCHRIFT?00SVWZ+Rechnung 10041?00SVWZ+Kunde 7", "Rechnung 10041 SVWZ+Kunde 7"),
        ("?20SVWZ+Rechnung 10041?21SVWZ+Kunde 7", "Rechnung 10041 SVWZ+Kunde 7"),
    ],
)
def test_subfields_are_shown_as_they_were_written(books: Books, said: str, shown: str) -> None:
    books.order("10041", "15.00")
    books.bring(mt940("7/1", 0, one(1500, text=f"{said}?32Karin Sommer")))
    with books.database.of_shop(books.shop) as tx:
        ids = [row[0] for row in tx.rows("SELECT id FROM postings WHERE shop_id = $1", books.shop.id)]
        (stored,) = postings.load(tx, ids)
    assert (stored.posting.shown_text, books.status("10041")) == (shown, "PAID")


HEADINGS = (
    "Datum;Valuta;Text;Betrag", "Date,Description,Amount,Reference", "Booking date;Payee;Amount;Currency",
    "Transaction Date,Details,Credit,Debit", "Buchungsdatum;Partner;Verwendung;Summe",
    "Data operazione;Descrizione;Importo;Valuta", "Fecha;Concepto;Importe;Divisa", "Date;Libellé;Montant;Devise",
    "Datum;Omschrijving;Bedrag;Tegenrekening", "Data;Opis;Kwota;Waluta",
)  # fmt: skip


@pytest.mark.parametrize("headings", HEADINGS)
def test_a_table_of_an_unknown_bank_is_a_question_and_no_payment(books: Books, headings: str) -> None:
    mark, decimal = (",", ".") if "," in headings else (";", ",")
    cells = {"Credit": f"19{decimal}90", "Debit": "", "Valuta": "EUR", "Currency": "EUR", "Divisa": "EUR"}
    first, *others = headings.split(mark)
    row = ["10.03.2026", *(cells.get(each, "SO-4711") for each in others)]
    for place, each in enumerate(others, 1):
        if each in {"Betrag", "Amount", "Summe", "Importo", "Importe", "Montant", "Bedrag", "Kwota"}:
            row[place] = f"19{decimal}90"
        elif each in {"Devise", "Waluta"}:
            row[place] = "EUR"
        elif each == "Valuta" and first == "Datum":
            row[place] = "10.03.2026"
    books.order("SO-4711", "19.90")
    table = f"{headings}\n{mark.join(row)}\n".encode()
    with pytest.raises(TableQuestion, match="is this a bank statement, and of which account"):
        books.bring(table, account=ACCOUNT)
    assert (books.postings(), books.status("SO-4711")) == ([], "UNPAID")


ING = "Buchung;Wertstellungsdatum;Auftraggeber/Empfänger;Buchungstext;Verwendungszweck;Saldo;Währung;Betrag;Währung"

ONLY = f"the file does not name its account: taken as the only confirmed one, {ACCOUNT}"
NO_ACCOUNT = "the file does not name its account: undo the import, and name the account when you import it again"


def test_the_only_account_is_taken_once_a_person_has_confirmed_it(books: Books) -> None:
    """A bank's table that names no account: its entries go to the shop's only account if that is confirmed, and the
    report says so; an account that merely came with a statement is no answer."""
    table = f"{ING}\n10.03.2026;10.03.2026;Eva;Gutschrift;SO-4711;119,90;EUR;19,90;EUR\n".encode("cp1252")
    shop = shops.create(books.database, "New", books.now - timedelta(days=90)).shop
    own = Books(books.database, shop, books.now)
    before = DAY - timedelta(days=9)
    own.bring(mt940("7/1", 0, one(100, before, text="?20x"), days=(before, before)))
    assert [(row["account"], row["confirmed"]) for row in accounts.list_accounts(own.database, shop)] == [
        (ACCOUNT, False)
    ]
    unnamed = own.bring(table)
    assert (unnamed.accounts, [note for note in unnamed.notes if "the file" in note]) == ([], [NO_ACCOUNT])
    undo_import(own.database, shop, unnamed.import_id, own.now)
    accounts.confirm(own.database, shop, ACCOUNT)
    taken = own.bring(table)
    assert (taken.accounts, [note for note in taken.notes if "the file" in note]) == ([ACCOUNT], [ONLY])
