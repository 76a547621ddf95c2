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
    "number": "order ordernumber orderno orderid number bestellnummer bestellnr bestellung auftrag auftragsnummer"
    " auftragsnr zuordnung invoice invoicenumber rechnung rechnungsnummer rechnungsnr belegnummer",
    "date": "bookingdate date bookedon buchungstag buchungsdatum buchung datum valuta valutadatum wertstellung"
    " paymentdate paidat paidon zahlungsdatum zahldatum bezahltam zahlungseingang",
    "amount": "amount betrag umsatz paid amountpaid zahlbetrag zahlung gezahlt",
    "name": "name payer payername counterpartyname zahler auftraggeber beguenstigterzahlungspflichtiger"
    " zahlungspflichtiger kunde customer debitor",
    "account": "iban account payeriban counterpartyiban kontonummeriban konto",
    "text": "text remittance purpose verwendungszweck",
    "reference": "reference bankreference transactionid paymentreference endtoendid referenz bankreferenz"
    " transaktionsid transaktionsnummer zahlungsreferenz umsatzid",
}  # fmt: skip
"""Field -> headings without case, blanks and marks, the surest first."""
_NEEDED: Final = ("number", "date", "amount")


def read_decisions(content: bytes, currency: str) -> Iterator[OldDecision]:
    """The decisions, in the order of the rows. An empty order number says that the payment belongs to no order.

    Day and amount may be missing where the bank's reference says which payment is meant. FileRefused if the table lacks
    a column, or a row has a day or an amount that cannot be read.
    """
    table = read_order_table(content, MOST_BYTES, MOST_ROWS)
    places = _places(table)
    columns = {table.headings[places[field]]: field for field in _NEEDED if field in places}
    rows = OrderRows(table, columns, UsualValues(date.min, "INVOICE", currency, "DE", "de"))
    for place, cells in table.rows:
        texts = {field: cells[at].strip() for field, at in places.items()}
        if not texts.get("date") and not texts.get("reference"):
            continue  # a blank row, or a sum below the table
        try:
            read = rows.document(cells, None, "")
            day = parse_date(read["date"]) if texts.get("date") else None
            minor = text_to_minor(read["amount"], Currency(currency)) if texts.get("amount") else None
        except (OrderRefused, KeyError, ValueError):
            raise FileRefused(Message("replay-decisions-row", row=place)) from None
        if (day is None or minor is None) and not texts.get("reference"):
            raise FileRefused(Message("replay-decisions-row", row=place))
        yield OldDecision(
            day, minor, texts["number"], texts.get("name", ""), texts.get("account", "").replace(" ", "").upper(),
            texts.get("text", ""), texts.get("reference", ""),
        )  # fmt: skip


def _places(table: OrderTable) -> dict[str, int]:
    """Field -> column; FileRefused where one that is needed is missing."""
    headings = [plain_heading(each) for each in table.headings]
    places: dict[str, int] = {}
    for field, words in _HEADINGS.items():
        surest = next((word for word in words.split() if word in headings), None)
        if surest is not None:
            places[field] = headings.index(surest)
    needed = ("number",) if "reference" in places else _NEEDED
    missing = [field for field in needed if field not in places]
    if missing:
        raise FileRefused(Message("replay-decisions-columns", missing=", ".join(missing)))
    return places
