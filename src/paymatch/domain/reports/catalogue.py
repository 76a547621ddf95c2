"""The reports: their names, what they show, their columns. Command line, API and pages are made from this table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from paymatch.domain.money import Currency, minor_to_decimal, plain_text


class Kind(StrEnum):
    """What a column holds."""

    TEXT = "text"
    MONEY = "money"  # minor units of the row's `currency`
    DAY = "day"
    MOMENT = "moment"
    COUNT = "count"
    NUMBER = "number"  # a Decimal: a percentage, days with a decimal
    PARTS = "parts"  # the orders that a posting belongs to, with the amounts


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a report."""

    key: str
    label: str
    kind: Kind = Kind.TEXT


class Span(StrEnum):
    """Which days a report can be asked for."""

    PERIOD = "period"  # from and to
    STANDING = "standing"  # as of a day
    BOTH = "both"  # postings of a period, as they stood at the end of a day
    ALL = "all"  # neither


@dataclass(frozen=True, slots=True)
class Report:
    """A report. `pages`: it may be long, and is read in pages or as a stream. `months`: its usual period."""

    name: str
    title: str
    about: str
    columns: tuple[Column, ...]
    span: Span
    pages: bool = False
    months: int = 2

    @property
    def has_period(self) -> bool:
        """Whether it can be asked for from a day to a day."""
        return self.span in (Span.PERIOD, Span.BOTH)

    @property
    def has_day(self) -> bool:
        """Whether it can be asked for as of a day."""
        return self.span in (Span.STANDING, Span.BOTH)


Cell = str | int | Decimal | date | datetime | None

_CURRENCY: Final = Column("currency", "Currency")
_ACCOUNT: Final = Column("account", "Account")


def _money(key: str, label: str) -> Column:
    return Column(key, label, Kind.MONEY)


def _count(key: str, label: str) -> Column:
    return Column(key, label, Kind.COUNT)


_ORDER: Final = (
    Column("number", "Order"),
    Column("customer", "Customer"),
    Column("type", "Type"),
    Column("status", "Status"),
    Column("date", "Ordered", Kind.DAY),
    Column("dueDate", "Due", Kind.DAY),
)
_POSTING: Final = (
    Column("id", "Posting"),
    Column("bookingDate", "Booked", Kind.DAY),
    _ACCOUNT,
    Column("originator", "From"),
    Column("text", "Payment text"),
)

REPORTS: Final[Mapping[str, Report]] = {
    each.name: each
    for each in (
        Report(
            "cash",
            "Cash by month",
            "Opening balance, postings and closing balance of each account and month, and what the postings were for.",
            (
                Column("month", "Month", Kind.DAY), _ACCOUNT, _CURRENCY, _money("opening", "Opening balance"),
                _money("in", "In"), _money("out", "Out"), _money("missing", "Not in the statements"),
                _money("closing", "Closing balance"), _count("postings", "Postings"),
                _money("orders", "For orders"), _money("refunds", "Refunds"), _money("aside", "Set aside"),
                _money("open", "Open"),
            ),
            Span.BOTH,
            months=12,
        ),
        Report(
            "postings",
            "Postings explained",
            "Each posting of the period: matched to which orders, with what fee; refund, set aside or open, and why.",
            (
                *_POSTING, _money("amount", "Amount"), _CURRENCY, Column("state", "State"),
                Column("orders", "Orders", Kind.PARTS), _money("forOrders", "For orders"),
                _money("forRefunds", "Refunds"), _money("aside", "Set aside"), _money("open", "Open"),
                _money("fee", "Fee withheld"), Column("reason", "Reason"),
            ),
            Span.BOTH,
            pages=True,
        ),
        Report(
            "unexplained",
            "Unexplained postings",
            "Postings, or parts of them, that belong to no order and no refund and that nobody has set aside.",
            (*_POSTING, _money("amount", "Amount"), _money("open", "Open"), _CURRENCY, Column("reason", "Reason")),
            Span.BOTH,
            pages=True,
        ),
        Report(
            "open",
            "Open receivables",
            "Every order that was still to be paid at the end of the day, the longest overdue first.",
            (
                *_ORDER, _count("daysOverdue", "Days overdue"), _count("dunningLevel", "Dunning level"),
                _money("amount", "Amount"), _money("paid", "Paid"), _money("open", "Open"), _CURRENCY,
            ),
            Span.STANDING,
            pages=True,
        ),
        Report(
            "ageing",
            "Open receivables by age",
            "What was still to be paid at the end of the day, by days after the due date and by type of order.",
            (
                Column("age", "After the due date"), _count("orders", "Orders"), _money("invoice", "Invoice"),
                _money("prepayment", "Prepayment"), _money("cod", "Cash on delivery"), _money("other", "Other types"),
                _money("open", "Open"), _CURRENCY,
            ),
            Span.STANDING,
        ),
        Report(
            "overpaid",
            "Overpaid orders",
            "Orders for which more was paid than they cost, or that were cancelled after the payment: refund, keep or"
            " move the money to another order of the customer.",
            (
                *_ORDER[:5], _money("amount", "Amount"), _money("paid", "Paid"), _money("overpaid", "Overpaid"),
                _money("planned", "Refund planned"), _CURRENCY, Column("advice", "What to do"),
                Column("otherOrder", "Open order of the customer"),
            ),
            Span.STANDING,
            pages=True,
        ),
        Report(
            "fees",
            "Fees withheld",
            "What each payer kept of the period's payments, by kind: commission, delivery and payment fees, bank"
            " charges, cash discount.",
            (
                Column("payer", "Payer"), Column("kind", "Kind"), _count("postings", "Postings"),
                _count("orders", "Orders"), _money("credited", "Credited"), _money("fee", "Fee"),
                Column("share", "Share, %", Kind.NUMBER), _CURRENCY,
            ),
            Span.PERIOD,
        ),
        Report(
            "cash-in",
            "Cash in",
            "What customers paid per day, week or month, without what banks took back.",
            (
                Column("date", "From", Kind.DAY), _count("postings", "Payments"), _money("amount", "Amount"), _CURRENCY,
            ),
            Span.PERIOD,
            months=12,
        ),
        Report(
            "matched",
            "Matched by",
            "How the period's payments were matched: by which evidence, by a person, or not yet.",
            (
                Column("by", "Matched by"), _count("postings", "Payments"), Column("share", "Share, %", Kind.NUMBER),
                _count("undone", "Undone"),
            ),
            Span.PERIOD,
        ),
        Report(
            "dso",
            "Days sales outstanding",
            "Per month: days from the order to its last payment, and the receivables at the month's end as days of"
            " the month's sales.",
            (
                Column("month", "Month", Kind.DAY), _count("paidOrders", "Orders paid"),
                Column("meanDays", "Days until paid, mean", Kind.NUMBER),
                Column("medianDays", "Days until paid, median", Kind.NUMBER), _money("sales", "Sales"),
                _money("open", "Open at the end"), Column("dso", "DSO", Kind.NUMBER), _CURRENCY,
            ),
            Span.PERIOD,
            months=6,
        ),
        Report(
            "reminders",
            "Success of reminders",
            "Of the reminders sent in the period: how many orders were paid within 7, 14 and 30 days.",
            (
                _count("dunningLevel", "Dunning level"), _count("sent", "Sent"), _count("paid7", "Paid within 7 days"),
                _count("paid14", "Paid within 14 days"), _count("paid30", "Paid within 30 days"),
                Column("share14", "Within 14 days, %", Kind.NUMBER), _count("open", "Still open"),
            ),
            Span.PERIOD,
        ),
        Report(
            "close",
            "Closed months",
            "The months that were closed, whether their seal holds, and what has changed since.",
            (
                Column("month", "Month", Kind.DAY), Column("closedAt", "Closed", Kind.MOMENT),
                Column("closedBy", "By"), _count("postings", "Postings"), _count("changes", "Changed since"),
                Column("seal", "Seal"), Column("hash", "SHA-256"),
            ),
            Span.ALL,
        ),
    )
}  # fmt: skip


def cell(column: Column, row: Mapping[str, Any]) -> Cell:
    """The value as a table holds it: amounts as Decimal, parts as text."""
    value = row.get(column.key)
    if value is None:
        return None
    if column.kind is Kind.MONEY:
        return minor_to_decimal(value, row["currency"])
    if column.kind is Kind.PARTS:
        return parts_text(value, row["currency"])
    found: Cell = value
    return found


def parts_text(parts: Iterable[Sequence[Any]], currency: Currency) -> str:
    """The orders of a posting, each with its amount: `A-1 10.00; A-2 7.50`."""
    return "; ".join([f"{part[0]} {plain_text(part[1], currency)}" for part in parts])


def plain(report: Report, row: Mapping[str, Any]) -> dict[str, Any]:
    """The row as programs read it: amounts as Decimal, each order of a posting with its amount and fee.

    What is not set is left out.
    """
    found: dict[str, Any] = {}
    for column in report.columns:
        value = row.get(column.key)
        if value is not None and value != "":
            found[column.key] = _parts(value, row["currency"]) if column.kind is Kind.PARTS else cell(column, row)
    return found


def _parts(parts: Any, currency: Currency) -> list[dict[str, Any]]:
    return [
        {"orderNumber": number, "amount": minor_to_decimal(minor, currency)}
        | ({"fee": minor_to_decimal(withheld, currency), "feeKind": kind} if kind else {})
        for number, minor, withheld, kind in parts
    ]
