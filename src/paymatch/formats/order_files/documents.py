"""A row of an order table as the order that a shop would submit: the API checks it, nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from paymatch.domain.calendar import date_text
from paymatch.domain.money import CURRENCIES, AmountUnreadable, Currency, minor_to_text
from paymatch.domain.orders.customer_names import split_name
from paymatch.formats.bank_values import printed_amount
from paymatch.formats.contract import values
from paymatch.formats.order_files.columns import CUSTOMER, currency_of_heading
from paymatch.formats.order_files.table import OrderTable
from paymatch.formats.tables.values import csv_date, date_order_of, decimal_mark_of

_LISTS: Final = frozenset({"invoiceNumbers", "shippingNumbers", "proformaNumbers"})
_DAYS: Final = frozenset({"date", "dueDate"})
_BETWEEN: Final = re.compile(r"[|\n]")
_SLASHED: Final = re.compile(r"\d{1,2}/\d{1,2}/\d{2,4}")
_TYPES: Final = {
    "INVOICE": "rechnung aufrechnung kaufaufrechnung invoice",
    "PREPAYMENT": "vorkasse vorauskasse vorabueberweisung ueberweisung prepayment banktransfer directbanktransfer bacs"
    " cashinadvance",
    "COD": "nachnahme cashondelivery cod",
    "OTHER": "other andere sonstige paypal kreditkarte creditcard lastschrift",
}
_TYPE_OF: Final = {word: kind for kind, words in _TYPES.items() for word in words.split()}
_FLAGS: Final = {"ja": True, "yes": True, "true": True, "1": True, "x": True, "nein": False, "no": False,
                 "false": False, "0": False}  # fmt: skip
_COUNTRIES: Final = {
    "deutschland": "DE", "germany": "DE", "österreich": "AT", "austria": "AT", "schweiz": "CH", "switzerland": "CH",
    "frankreich": "FR", "france": "FR", "italien": "IT", "italy": "IT", "niederlande": "NL", "netherlands": "NL",
    "belgien": "BE", "belgium": "BE", "luxemburg": "LU", "luxembourg": "LU", "polen": "PL", "poland": "PL",
    "dänemark": "DK", "denmark": "DK", "tschechien": "CZ", "czechia": "CZ", "spanien": "ES", "spain": "ES",
    "liechtenstein": "LI",
}  # fmt: skip


_NAMES: Final = (CUSTOMER, "billing.lastName", "billing.company")
"""Columns; one of them must give the customer's name."""


@dataclass(frozen=True, slots=True)
class UsualValues:
    """Values that the table does not have: the day of order, and the shop's defaults."""

    ordered: date
    kind: str
    currency: str
    country: str
    language: str


class OrderRows:
    """The rows of a table read by a mapping of headings to fields."""

    def __init__(self, table: OrderTable, columns: Mapping[str, str], usual: UsualValues) -> None:
        self._places = {field: table.headings.index(heading) for heading, field in columns.items()}
        self._usual = usual
        amount = next((heading for heading, field in columns.items() if field == "amount"), "")
        self._currency = currency_of_heading(amount) or usual.currency
        self._mark, self._mark_proven = _mark_of(self._column(table, "amount"))
        self._order, self._order_proven = date_order_of(
            cell for field in _DAYS for cell in self._column(table, field) if _SLASHED.match(cell)
        )
        self.rows = tuple(self._with_own_amount(table))

    def _column(self, table: OrderTable, field: str) -> list[str]:
        place = self._places.get(field)
        return [] if place is None else [cells[place] for _, cells in table.rows if cells[place]]

    def _with_own_amount(self, table: OrderTable) -> Iterable[tuple[int, tuple[str, ...]]]:
        """The rows without those of further articles: an export names the sum in the first row of an order only."""
        before = ""
        for row, cells in table.rows:
            number = self._cell_text(cells, "number")
            if number and number == before and not self._cell_text(cells, "amount"):
                continue
            before = number
            yield row, cells

    def _cell_text(self, cells: tuple[str, ...], field: str) -> str:
        place = self._places.get(field)
        return "" if place is None else cells[place]

    def number(self, cells: tuple[str, ...]) -> str:
        """The order's number in the table."""
        return self._cell_text(cells, "number")

    def customer(self, cells: tuple[str, ...]) -> str:
        """The customer's name in the table."""
        parts = [self._cell_text(cells, f"billing.{part}") for part in ("firstName", "lastName")]
        return (
            self._cell_text(cells, CUSTOMER)
            or self._cell_text(cells, "billing.company")
            or " ".join(filter(None, parts))
        )

    def accepted(self, cells: tuple[str, ...], parameter: str, free_number: str) -> tuple[str, ...] | None:
        """The row with an acceptable value for a refused `parameter`, so that its next fault can be found.

        None if the table has no column for it.
        """
        names = [*_NAMES, parameter] if parameter in ("billing", *_NAMES) else [parameter]
        field = next((each for each in names if each in self._places), None)
        if field is None:
            return None
        usual = self._usual
        values_ = {
            "number": free_number, "amount": "1", "currency": usual.currency, "date": usual.ordered.isoformat(),
            "type": usual.kind, "billing.countryCode": usual.country, **dict.fromkeys(_NAMES, "-"),
        }  # fmt: skip
        place = self._places[field]
        return (*cells[:place], values_.get(field, ""), *cells[place + 1 :])

    def document(self, cells: tuple[str, ...], stored: Mapping[str, Any] | None, known_as: str) -> dict[str, Any]:
        """The order as a shop would submit it; what the table has no column for stays as it is `stored`.

        `known_as`: the customer's name as the list of orders shows it. OrderRefused for an amount or a day that can
        be read in two ways.
        """
        usual = self._usual
        found: dict[str, Any] = dict(stored) if stored is not None else {
            "date": date_text(usual.ordered), "type": usual.kind,
            "currency": self._currency, "language": usual.language,
        }  # fmt: skip
        billing = dict(found.get("billing") or {"countryCode": usual.country})
        addresses: dict[str, dict[str, Any]] = {"billing": billing, "shipping": dict(found.get("shipping") or {})}
        currency = self._cell_text(cells, "currency").upper() or found.get("currency") or self._currency
        for field in self._places:
            text = self._cell_text(cells, field)
            if field == CUSTOMER:
                _name(billing, text, known_as)
                continue
            group, _, part = field.rpartition(".")
            _put(addresses[group] if group else found, part, self._value(part, text, currency))
        found["currency"] = currency
        if not billing.get("countryCode"):
            billing["countryCode"] = usual.country
        for missing, value in (("date", date_text(usual.ordered)), ("type", usual.kind)):
            if stored is None:
                found.setdefault(missing, value)
        return found | {name: address for name, address in addresses.items() if address}

    def _value(self, field: str, text: str, currency: str) -> Any:
        if not text:
            return None
        if field == "amount":
            return self._amount(text, currency)
        if field in _DAYS:
            return self._day(field, text)
        if field in _LISTS:
            return [each.strip() for each in _BETWEEN.split(text) if each.strip()]
        if field == "type":
            return _TYPE_OF.get(re.sub(r"[\W_]", "", text.casefold().replace("ü", "ue")), text.upper())
        if field == "stopReminder":
            return _FLAGS.get(text.casefold(), text)
        if field == "countryCode":
            return _COUNTRIES.get(text.casefold(), text)
        return text

    def _amount(self, text: str, currency: str) -> str:
        digits = CURRENCIES.get(currency)
        if digits is None:
            return text  # the currency is refused
        mark, proven = decimal_mark_of([text], digits)
        has_mark = "." in text or "," in text
        if has_mark and not proven:
            if not self._mark_proven:
                raise values.invalid("amount", expected="an amount that can be read in one way only, such as 1000.00")
            mark = self._mark
        try:
            return minor_to_text(printed_amount(text, mark, currency), Currency(currency))
        except AmountUnreadable:
            raise values.invalid("amount", expected="an amount such as 1204.50 or 1.204,50") from None

    def _day(self, field: str, text: str) -> str:
        if _SLASHED.match(text) and not self._order_proven:
            raise values.invalid(field, expected="a day that can be read in one way only, such as 2026-11-30")
        day = csv_date(text, self._order if _SLASHED.match(text) else "dmy")
        return date_text(day) if isinstance(day, date) else text


def _mark_of(cells: list[str]) -> tuple[str, bool]:
    """The decimal mark of a column, and whether its cells prove it without a contradiction."""
    marks = {mark for mark, proven in (decimal_mark_of([cell]) for cell in cells) if proven}
    return (marks.pop(), True) if len(marks) == 1 else (".", False)


def _name(billing: dict[str, Any], text: str, known_as: str) -> None:
    """A customer's whole name; one that is known by it already keeps first name, surname and company."""
    if text == known_as and (billing.get("lastName") or billing.get("company")):
        return
    for part in ("firstName", "lastName", "company"):
        billing.pop(part, None)
    billing |= split_name(text)


def _put(into: dict[str, Any], name: str, value: Any) -> None:
    if value is None:
        into.pop(name, None)
    else:
        into[name] = value
