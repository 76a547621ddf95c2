"""A table is a statement by a bank's layout, by its account and balances, or by a person who said so once (D-82)."""

from __future__ import annotations

import io
import zipfile

import pytest

from paymatch.domain.shops.shop import SettingRefused
from paymatch.formats.accounting.sheets import Shape, write_xlsx
from paymatch.formats.statement import FileRefused, TableQuestion
from paymatch.usecases.statements import accounts
from paymatch.usecases.statements.csv_mapping import forget_layout, list_layouts, mapping
from tests.usecases.conftest import ACCOUNT, Books

OTHER = "DE02120300000000202051"
ORDERS = b"Bestellnummer;Datum;Betrag;Name\nSO-4711;16.11.2026;19,90;Eva Muster\nSO-2;16.11.2026;33,25;Frieda\n"
INVOICES = b"Nr;Datum;Betrag;Kunde;Stand\n1;16.11.2026;19,90;Eva Muster;unbezahlt\n"
TABLE = b"Datum;Text;Betrag;Name\n10.03.2026;SO-4711;19,90;Eva Muster\n11.03.2026;SO-2;5,00;Max\n"
SPARKASSE = (
    "Auftragskonto;Buchungstag;Verwendungszweck;Kundenreferenz (End-to-End);Sammlerreferenz;"
    "Beguenstigter/Zahlungspflichtiger;Betrag;Waehrung\n"
    f"{ACCOUNT};10.03.2026;SO-4711;;;Eva Muster;19,90;EUR\n"
).encode()


@pytest.mark.parametrize(("table", "named"), [(ORDERS, "'Bestellnummer'"), (INVOICES, "'Kunde', 'Stand'")])
def test_a_list_of_open_orders_pays_no_order(books: Books, table: bytes, named: str) -> None:
    """Before, it was a generic statement: two new postings, two orders PAID with probability 1.0."""
    books.order("SO-4711", "19.90")
    with pytest.raises(FileRefused, match=rf"the headings {named} are those of orders, invoices, .* \(POST /order\)"):
        books.bring(table)
    with pytest.raises(FileRefused, match="the headings"):
        mapping(books.database, books.shop, io.BytesIO(table), account=ACCOUNT, save=True)
    assert (books.postings(), books.status("SO-4711")) == ([], "UNPAID")


@pytest.mark.parametrize(
    "heading",
    [
        "Purchase Order", "Commande n°", "Référence commande", "Nr zamówienia", "Faktura nr", "Numero d'ordine",
        "Bestellung Nr", "Order #", "Bestell-Nr.", "Invoice No.", "factuur nr", "\ufeffAuftrags-Nr",
    ],
)  # fmt: skip
@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_headings_of_orders_and_invoices_are_refused_however_they_are_spelled(
    books: Books, heading: str, delimiter: str
) -> None:
    table = f"{heading};Datum;Betrag;Name\n1;16.11.2026;19,90;Eva\n2;17.11.2026;5,00;Max\n".replace(";", delimiter)
    with pytest.raises(FileRefused, match="orders are imported by the API"):
        books.bring(table.encode())


@pytest.mark.parametrize(
    "table",
    [
        "Invoice No.;Date;Amount Due;Customer\nR-1;24.11.2026;19,90;Eva\n",
        "Invoice No.;Date;Amount Due;Customer\n",
        "Open invoices\n\nInvoice No.;Date;Amount Due;Customer\nR-1;24.11.2026;19,90;Eva\n",
        "Order ID,Created at,Total,Email\n1001,2026-11-24,19.90,eva@shop.example\n",
        "Name,Email,Financial Status,Paid at,Total\n#1001,eva@shop.example,paid,2026-11-24,19.90\n",
        "Rechnungsnr.;Kunde;Fällig am;Offen\nR-1;Eva;24.11.2026;19,90\n",
        "Kundennr;Name;Offener Betrag;Mahnstufe\n4711;Eva;19,90;2\n",
        "SKU,Title,Price,Qty\nA1,Hat,19.90,3\n",
        "Facture;Client;Échéance;Montant dû\nF-1;Eva;24/11/2026;19,90\n",
        "order_number,order_date,order_total,customer\nSO-1,2026-11-24,19.90,Eva\n",
        "Rechnung;Empfänger;Zahlbar bis;Zu zahlen\nR-1;Eva;24.11.2026;19,90\n",
        "Belegnummer;Belegdatum;Debitor;Saldo\nR-1;24.11.2026;10001;19,90\n",  # named without its headings
    ],
)
def test_a_list_whose_columns_are_not_understood_is_refused_with_the_way_to_import_orders(
    books: Books, table: str
) -> None:
    with pytest.raises(FileRefused, match=r"orders are imported by the API \(POST /order\) or by a connector"):
        books.bring(table.encode())


def test_a_list_as_a_spreadsheet_is_refused_by_name(books: Books) -> None:
    book = io.BytesIO()
    write_xlsx(
        book, "Orders", ["Bestellnummer", "Datum", "Betrag"], [Shape.PLAIN] * 3, [["SO-1", "24.11.2026", "19,90"]]
    )
    with pytest.raises(FileRefused, match="'Bestellnummer' are those of orders"):
        books.bring(book.getvalue(), "orders.xlsx")


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_table_of_no_known_layout_is_asked_about(books: Books, dry_run: bool) -> None:
    books.order("SO-4711", "19.90")
    with pytest.raises(TableQuestion, match=r"is this a bank statement, and of which account\? The columns Datum"):
        books.bring(TABLE, account=ACCOUNT, dry_run=dry_run)
    assert (books.postings(), books.status("SO-4711")) == ([], "UNPAID")


def test_a_known_bank_and_a_layout_confirmed_once_work_by_themselves(books: Books) -> None:
    books.order("SO-4711", "19.90")
    assert (books.bring(SPARKASSE).new, books.status("SO-4711")) == (1, "PAID")
    books.confirm_layout(TABLE)
    report = books.bring(TABLE.replace(b"10.03", b"12.03"))
    assert (report.new, report.accounts, report.notes) == (2, [ACCOUNT], [])
    assert books.bring(TABLE.replace(b"10.03", b"14.03")).new == 1


def test_a_confirmed_layout_says_nothing_of_a_table_with_one_column_more(books: Books) -> None:
    books.confirm_layout(TABLE)
    with pytest.raises(TableQuestion):
        books.bring(TABLE.replace(b"Name\n", b"Name;Ort\n"))
    with pytest.raises(FileRefused, match="'Bestellnummer'"):
        books.bring(ORDERS.replace(b"Bestellnummer;", b"Text;Bestellnummer;").replace(b"SO-", b"x;SO-"))


def test_a_layout_is_confirmed_for_one_account_and_can_be_revoked(books: Books) -> None:
    accounts.add(books.database, books.shop, OTHER, "", books.now)
    books.confirm_layout(TABLE)
    with pytest.raises(TableQuestion):
        books.bring(TABLE, account=OTHER)
    (kept,) = list_layouts(books.database, books.shop)
    assert (kept["account"], kept["headings"]) == (ACCOUNT, ["betrag", "datum", "name", "text"])
    assert forget_layout(books.database, books.shop, ACCOUNT) == {"account": ACCOUNT, "forgotten": True}
    assert list_layouts(books.database, books.shop) == []
    with pytest.raises(TableQuestion):
        books.bring(TABLE)
    with pytest.raises(SettingRefused, match="No layout of tables is confirmed for account"):
        forget_layout(books.database, books.shop, ACCOUNT)


def test_an_account_has_as_many_layouts_as_its_bank_has_exports(books: Books) -> None:
    """The bank's new export is confirmed beside the old one; each is revoked by itself."""
    newer = b"Buchung am;Summe;Partner;Zweck\n11.03.2026;5,00;Anna;SO-4712\n"
    columns = {"booking_date": "Buchung am", "amount": "Summe", "name": "Partner", "text": "Zweck"}
    books.confirm_layout(TABLE)
    for _ in range(2):
        mapping(books.database, books.shop, io.BytesIO(newer), account=ACCOUNT, changes=columns, save=True)
    kept = list_layouts(books.database, books.shop)
    assert [(each["account"], each["headings"]) for each in kept] == [
        (ACCOUNT, ["betrag", "datum", "name", "text"]), (ACCOUNT, ["buchung am", "partner", "summe", "zweck"]),
    ]  # fmt: skip
    assert books.bring(TABLE).new == 2
    assert books.bring(newer).new == 1
    with pytest.raises(SettingRefused, match=f"No layout 'other' of tables is confirmed for account '{ACCOUNT}'"):
        forget_layout(books.database, books.shop, ACCOUNT, "other")
    forget_layout(books.database, books.shop, ACCOUNT, kept[0]["layout"])
    assert list_layouts(books.database, books.shop) == kept[1:]
    with pytest.raises(TableQuestion):
        books.bring(TABLE.replace(b"19", b"18"))
    assert books.bring(newer.replace(b"5,00", b"6,00")).new == 1


def test_a_layout_of_two_accounts_does_not_say_which_is_meant(books: Books) -> None:
    accounts.add(books.database, books.shop, OTHER, "", books.now)
    books.confirm_layout(TABLE)
    books.confirm_layout(TABLE, OTHER)
    with pytest.raises(TableQuestion):
        books.bring(TABLE)
    assert books.bring(TABLE, account=OTHER).accounts == [OTHER]


def test_account_and_balances_prove_a_statement_without_a_person(books: Books) -> None:
    rows = "Konto;Datum;Text;Betrag;Saldo\n"
    rows += f"{ACCOUNT};10.03.2026;SO-4711;19,90;119,90\n{ACCOUNT};11.03.2026;x;5,00;124,90\n"
    assert books.bring(rows.encode()).new == 2
    with pytest.raises(TableQuestion):
        books.bring(rows.replace(";124,90", ";125,90").encode())
    with pytest.raises(TableQuestion):
        books.bring(rows.replace(ACCOUNT, OTHER).encode())


def test_a_table_without_headings_is_asked_about_once(books: Books) -> None:
    table = b"10.03.2026;SO-4711;19,90\n11.03.2026;Miete;-5,00\n"
    with pytest.raises(TableQuestion):
        books.bring(table)
    books.confirm_layout(table)
    assert books.bring(table).new == 2
    with pytest.raises(TableQuestion):
        books.bring(b"4711;10.03.2026;SO-4711;19,90\n4712;11.03.2026;Miete;-5,00\n")


def test_a_table_in_a_bundle_is_asked_about_like_any_other(books: Books) -> None:
    bundle = io.BytesIO()
    with zipfile.ZipFile(bundle, "w") as out:
        out.writestr("bank.csv", TABLE)
    with pytest.raises(TableQuestion, match="is this a bank statement"):
        books.bring(bundle.getvalue())
    books.confirm_layout(TABLE)
    assert books.bring(bundle.getvalue()).new == 2
