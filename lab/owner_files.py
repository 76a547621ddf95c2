"""Pairs of an order file and a statement, as shop systems and banks export them, for `lab.new_owner`.

Each pair has five orders, three of which are paid on the statement. What a person has to mend of a pair is named
by its `fault`.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final

from paymatch.domain.money import EUR, minor_to_text
from paymatch.domain.postings import Posting
from paymatch.formats.accounting.sheets import Shape, write_xlsx
from paymatch.formats.camt.writer import CamtStatement, WrittenEntry, write_camt
from paymatch.formats.mt940.writer import EntryToWrite, StatementToWrite, write_mt940

IBAN: Final = "DE89370400440532013000"
OTHER_IBAN: Final = "DE02120300000000202051"
MISTYPED_IBAN: Final = "DE89370400440532013001"


@dataclass(frozen=True, slots=True)
class Bought:
    """An order of a customer, and the payment of it, if there is one."""

    number: str
    first: str
    last: str
    minor: int
    email: str
    text: str = ""

    @property
    def name(self) -> str:
        """First name and surname."""
        return f"{self.first} {self.last}"


ORDERS: Final = (
    Bought("10241", "Jörg", "Müller", 12990, "joerg.mueller@example.org", "Bestellung 10241"),
    Bought("10242", "Anna", "Schäfer", 4950, "a.schaefer@example.org", "Anna Schaefer 10242 danke"),
    Bought("10243", "Paul", "Nowak", 119900, "nowak@example.org", "10243"),
    Bought("10244", "Lena", "Groß", 2300, "lena@example.org"),
    Bought("10245", "Emre", "Yıldız", 8420, "emre@example.org"),
)
PAID: Final = tuple(order for order in ORDERS if order.text)


@dataclass(frozen=True, slots=True)
class Pair:
    """What an owner has: two files, and an account number as the owner types it."""

    name: str
    orders: tuple[str, bytes]
    statement: tuple[str, bytes]
    typed_iban: str = IBAN
    fault: str = ""


def pairs(today: date) -> list[Pair]:
    """The eight pairs; orders of five days ago, payments of the last bank days before `today`."""
    ordered, booked = today - timedelta(days=5), today - timedelta(days=1)
    return [
        Pair("Shopware, camt.053", ("bestellungen.csv", _shopware(ordered)), ("umsaetze.xml", _camt(booked))),
        Pair("WooCommerce, MT940", ("orders.csv", _woocommerce(ordered)), ("umsaetze.sta", _mt940(booked))),
        Pair("Shopify, CSV of a Sparkasse", ("orders_export.csv", _shopify(ordered)), _sparkasse(booked)),
        Pair("XLSX in German, CSV of DKB", ("Auftraege.xlsx", _workbook(ordered)), _dkb(booked)),
        Pair("tabs in Windows-1252, CSV of N26", ("auftraege.txt", _tabs(ordered)), _n26(booked)),
        Pair("unknown headings", ("liste.csv", _unknown(ordered)), ("umsaetze.xml", _camt(booked)),
             fault="the amount's column is not known"),
        Pair("mistyped IBAN, account of another bank", ("orders.csv", _woocommerce(ordered)),
             ("umsaetze.sta", _mt940(booked, OTHER_IBAN)), typed_iban=MISTYPED_IBAN,
             fault="check digits, then a statement of another account"),
        Pair("no days of order", ("offene.csv", _without_days()), ("umsaetze.xml", _camt(booked)),
             fault="the day of the orders is missing"),
    ]  # fmt: skip


def _comma(minor: int) -> str:
    return f"{minor_to_text(minor, EUR)}".replace(".", ",")


def _lines(rows: Sequence[Sequence[str]], mark: str, charset: str = "utf-8") -> bytes:
    """Rows as a table; a cell with the mark in it is quoted."""
    quoted = (mark.join(f'"{cell}"' if mark in cell else cell for cell in row) for row in rows)
    return ("\r\n".join(quoted) + "\r\n").encode(charset, "replace")


def _shopware(day: date) -> bytes:
    head = ["Bestellnummer", "Bestelldatum", "Vorname", "Nachname", "E-Mail", "Zahlungsart", "Gesamtbetrag", "Währung"]
    rows = [
        [each.number, f"{day:%d.%m.%Y}", each.first, each.last, each.email, "Vorkasse", _comma(each.minor), "EUR"]
        for each in ORDERS
    ]
    return "\ufeff".encode() + _lines([head, *rows], ";")


def _woocommerce(day: date) -> bytes:
    head = ["Order Number", "Order Status", "Order Date", "First Name (Billing)", "Last Name (Billing)",
            "Email (Billing)", "Payment Method Title", "Order Total Amount"]  # fmt: skip
    rows = [
        [each.number, "On hold", f"{day:%Y-%m-%d} 14:03", each.first, each.last, each.email, "Direct bank transfer",
         minor_to_text(each.minor, EUR)] for each in ORDERS
    ]  # fmt: skip
    return _lines([head, *rows], ",")


def _shopify(day: date) -> bytes:
    head = ["Name", "Email", "Financial Status", "Currency", "Subtotal", "Shipping", "Taxes", "Total", "Created at",
            "Lineitem quantity", "Lineitem name", "Billing Name", "Payment Method"]  # fmt: skip
    rows = []
    for each in ORDERS:
        total = minor_to_text(each.minor, EUR)
        rows.append([f"#{each.number}", each.email, "pending", "EUR", total, "0.00", "0.00", total,
                     f"{day:%Y-%m-%d} 09:30:11 +0100", "1", "Vase, blue", each.name, "Bank Deposit"])  # fmt: skip
    rows.insert(1, [f"#{ORDERS[0].number}", ORDERS[0].email, *[""] * 7, "2", "Cup", "", ""])  # a further article
    return _lines([head, *rows], ",")


def _workbook(day: date) -> bytes:
    file = io.BytesIO()
    head = ["Auftragsnummer", "Auftragsdatum", "Kunde", "E-Mail-Adresse", "Fällig am", "Betrag brutto (EUR)"]
    shapes = [Shape.PLAIN, Shape.DAY, Shape.PLAIN, Shape.PLAIN, Shape.DAY, Shape.MONEY]
    due = day + timedelta(days=14)
    rows: list[list[Any]] = [
        [each.number, day, each.name, each.email, due, Decimal(each.minor) / 100] for each in ORDERS
    ]
    write_xlsx(file, "Auftraege", head, shapes, rows)
    return file.getvalue()


def _tabs(day: date) -> bytes:
    rows = [[each.number, f"{day:%d.%m.%y}", each.name, _comma(each.minor)] for each in ORDERS]
    return _lines([["Auftragsnr.", "Datum", "Kundenname", "Bruttobetrag"], *rows], "\t", "cp1252")


def _unknown(day: date) -> bytes:
    rows = [[each.number, f"{day:%d.%m.%Y}", each.name, _comma(each.minor)] for each in ORDERS]
    return _lines([["Vorgang", "Eingang", "Besteller", "Wert"], *rows], ";")


def _without_days() -> bytes:
    rows = [[each.number, each.name, each.email, _comma(each.minor)] for each in ORDERS]
    return _lines([["Bestellnummer", "Kunde", "E-Mail", "Betrag"], *rows], ";")


_PAYERS: Final = ("DE75512108001245126199", "DE44500105175407324931", "DE27100777770209299700")


def _camt(day: date) -> bytes:
    entries = tuple(
        WrittenEntry((
            Posting(IBAN, EUR, each.minor, day, value_date=day, counterparty_name=each.name, counterparty_iban=iban,
                    remittance_lines=(each.text,), bank_reference=f"2026{each.number}"),
        )) for each, iban in zip(PAID, _PAYERS, strict=True)
    )  # fmt: skip
    statement = CamtStatement(IBAN, EUR, 500_000, day - timedelta(days=1), day, "2026-211", 211, entries)
    return write_camt([statement], datetime.combine(day, time(20), UTC))


def _mt940(day: date, account: str = IBAN) -> bytes:
    entries = tuple(
        EntryToWrite(each.minor, day, day, remittance=each.text, name=each.name, account=iban, bic="SOGEDEFFXXX")
        for each, iban in zip(PAID, _PAYERS, strict=True)
    )
    return write_mt940([StatementToWrite(account, EUR, 500_000, day - timedelta(days=1), day, 211, entries)])


def _sparkasse(day: date) -> tuple[str, bytes]:
    head = ["Auftragskonto", "Buchungstag", "Valutadatum", "Buchungstext", "Verwendungszweck", "Glaeubiger ID",
            "Mandatsreferenz", "Kundenreferenz (End-to-End)", "Sammlerreferenz", "Lastschrift Ursprungsbetrag",
            "Auslagenersatz Ruecklastschrift", "Beguenstigter/Zahlungspflichtiger", "Kontonummer/IBAN",
            "BIC (SWIFT-Code)", "Betrag", "Waehrung", "Info"]  # fmt: skip
    rows = [
        [IBAN, f"{day:%d.%m.%y}", f"{day:%d.%m.%y}", "GUTSCHR. UEBERWEISUNG", each.text, *[""] * 6, each.name, iban,
         "SOGEDEFFXXX", _comma(each.minor), "EUR", "Umsatz gebucht"]
        for each, iban in zip(PAID, _PAYERS, strict=True)
    ]  # fmt: skip
    return "umsatz-camt.csv", _lines([head, *rows], ";", "cp1252")


def _dkb(day: date) -> tuple[str, bytes]:
    head = ["Buchungsdatum", "Wertstellung", "Status", "Zahlungspflichtige*r", "Zahlungsempfänger*in",
            "Verwendungszweck", "Umsatztyp", "IBAN", "Betrag (€)", "Gläubiger-ID", "Mandatsreferenz",
            "Kundenreferenz"]  # fmt: skip
    above = [["Girokonto", IBAN], [f"Kontostand vom {day:%d.%m.%Y}:", "8.124,70 €"], [""]]
    rows = [
        [f"{day:%d.%m.%y}", f"{day:%d.%m.%y}", "Gebucht", each.name, "Shop GmbH", each.text, "Eingang", iban,
         _comma(each.minor), "", "", ""] for each, iban in zip(PAID, _PAYERS, strict=True)
    ]  # fmt: skip
    return "umsatzliste.csv", _lines([*above, head, *rows], ";")


def _n26(day: date) -> tuple[str, bytes]:
    head = ["Booking Date", "Value Date", "Partner Name", "Partner Iban", "Type", "Payment Reference", "Account Name",
            "Amount (EUR)", "Original Amount", "Original Currency", "Exchange Rate"]  # fmt: skip
    rows = [
        [f"{day:%Y-%m-%d}", f"{day:%Y-%m-%d}", each.name, iban, "Credit Transfer", each.text, "Hauptkonto",
         minor_to_text(each.minor, EUR), "", "", ""] for each, iban in zip(PAID, _PAYERS, strict=True)
    ]  # fmt: skip
    return "n26.csv", _lines([head, *rows], ",")
