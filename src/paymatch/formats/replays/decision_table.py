"""Decisions of another system as a table: a payment and the order that it was assigned to in each row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Final

from paymatch.domain.calendar import parse_date
from paymatch.domain.money import Currency, text_to_minor
from paymatch.domain.orders.submission import OrderRefused
from paymatch.domain.replays.old_decisions import OldDecision
from paymatch.domain.words.message import Message
from paymatch.formats.order_files.columns import plain_heading
from paymatch.formats.order_files.documents import OrderRows, UsualValues
from paymatch.formats.order_files.table import OrderTable, read_order_table
from paymatch.formats.replays.order_documents import MOST_BYTES, MOST_ROWS
from paymatch.formats.statement import FileRefused

_HEADINGS: Final[Mapping[str, str]] = {
    "number": "order ordernumber orderno number bestellnummer bestellung auftrag auftragsnummer zuordnung",
    "date": "bookingdate date bookedon buchungstag buchungsdatum datum valuta",
    "amount": "amount betrag umsatz paid zahlbetrag",
    "name": "name payer payername counterpartyname zahler auftraggeber beguenstigterzahlungspflichtiger"
    " zahlungspflichtiger",
    "account": "iban account payeriban counterpartyiban kontonummeriban konto",
    "text": "text reference remittance purpose verwendungszweck",
}  # fmt: skip
"""Field -> headings without case, blanks and marks."""
_NEEDED: Final = ("number", "date", "amount")


def read_decisions(content: bytes, currency: str) -> Iterator[OldDecision]:
    """The decisions, in the order of the rows. An empty order number says that the payment is no order's.

    FileRefused if the table lacks order number, day or amount, or a row has a day or an amount that cannot be read.
    """
    table = read_order_table(content, MOST_BYTES, MOST_ROWS)
    places = _places(table)
    columns = {table.headings[places[field]]: field for field in _NEEDED}
    rows = OrderRows(table, columns, UsualValues(date.min, "INVOICE", currency, "DE", "de"))
    for place, cells in table.rows:
        texts = {field: cells[at].strip() for field, at in places.items()}
        if not texts["date"] and not texts["amount"]:
            continue
        try:
            read = rows.document(cells, None, "")
            day = parse_date(read["date"])
            minor = text_to_minor(read["amount"], Currency(currency))
        except (OrderRefused, KeyError, ValueError):
            raise FileRefused(Message("replay-decisions-row", row=place)) from None
        yield OldDecision(
            day, minor, texts["number"], texts.get("name", ""), texts.get("account", "").replace(" ", "").upper(),
            texts.get("text", ""),
        )  # fmt: skip


def _places(table: OrderTable) -> dict[str, int]:
    """Field -> column; FileRefused where one that is needed is missing."""
    known = {word: field for field, words in _HEADINGS.items() for word in words.split()}
    places: dict[str, int] = {}
    for at, heading in enumerate(table.headings):
        field = known.get(plain_heading(heading))
        if field is not None:
            places.setdefault(field, at)
    missing = [field for field in _NEEDED if field not in places]
    if missing:
        raise FileRefused(Message("replay-decisions-columns", missing=", ".join(missing)))
    return places
