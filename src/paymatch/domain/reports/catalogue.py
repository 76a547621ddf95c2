"""The reports: their names, contents and columns. Command line, API and pages are made from this table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from paymatch.domain.money import Currency, minor_to_decimal, plain_text


class ReportColumnKind(StrEnum):
    """What a column holds."""

    TEXT = "text"
    MONEY = "money"  # minor units of the row's `currency`
    DAY = "day"
    MOMENT = "moment"
    COUNT = "count"
    NUMBER = "number"  # a Decimal: a percentage, days with a decimal
    PARTS = "parts"  # the orders that a posting belongs to, with the amounts


@dataclass(frozen=True, slots=True)
class ReportColumn:
    """A column of a report."""

    key: str
    label: str
    kind: ReportColumnKind = ReportColumnKind.TEXT


class ReportPeriodKind(StrEnum):
    """The kind of days that a report takes."""

    PERIOD = "period"  # from and to
    STANDING = "standing"  # as of a day
    BOTH = "both"  # postings of a period, as of the end of a day
    ALL = "all"  # neither


@dataclass(frozen=True, slots=True)
class ReportDefinition:
    """A report. `pages`: it may be long, and is read in pages or as a stream. `months`: its default period."""

    name: str
    title: str
    about: str
    columns: tuple[ReportColumn, ...]
    span: ReportPeriodKind
    pages: bool = False
    months: int = 2

    @property
    def has_period(self) -> bool:
        """Whether it takes a period."""
        return self.span in (ReportPeriodKind.PERIOD, ReportPeriodKind.BOTH)

    @property
    def has_day(self) -> bool:
        """Whether it takes an as-of day."""
        return self.span in (ReportPeriodKind.STANDING, ReportPeriodKind.BOTH)


Cell = str | int | Decimal | date | datetime | None

_CURRENCY: Final = ReportColumn("currency", "Currency")
_ACCOUNT: Final = ReportColumn("account", "Account")


def _money(key: str, label: str) -> ReportColumn:
    return ReportColumn(key, label, ReportColumnKind.MONEY)


def _count(key: str, label: str) -> ReportColumn:
    return ReportColumn(key, label, ReportColumnKind.COUNT)


_ORDER: Final = (
    ReportColumn("number", "Order"),
    ReportColumn("customer", "Customer"),
    ReportColumn("type", "Type"),
    ReportColumn("status", "Status"),
    ReportColumn("date", "Ordered", ReportColumnKind.DAY),
    ReportColumn("dueDate", "Due", ReportColumnKind.DAY),
)
_POSTING: Final = (
    ReportColumn("id", "Posting"),
    ReportColumn("bookingDate", "Booked", ReportColumnKind.DAY),
    _ACCOUNT,
    ReportColumn("originator", "From"),
    ReportColumn("text", "Payment text"),
)

REPORTS: Final[Mapping[str, ReportDefinition]] = {
    each.name: each
    for each in (
        ReportDefinition(
            "cash",
            "Cash by month",
            "Opening balance, postings and closing balance of each account and month, and what the postings were for.",
            (
                ReportColumn("month", "Month", ReportColumnKind.DAY),
                _ACCOUNT,
                _CURRENCY,
                _money("opening", "Opening balance"),
                _money("in", "In"),
                _money("out", "Out"),
                _money("missing", "Not in the statements"),
                _money("closing", "Closing balance"),
                ReportColumn("knownTo", "Known to", ReportColumnKind.DAY),
                _count("postings", "Postings"),
                _money("orders", "For orders"),
                _money("refunds", "Refunds"),
                _money("aside", "Set aside"),
                _money("open", "Open"),
            ),
            ReportPeriodKind.BOTH,
            months=12,
        ),
        ReportDefinition(
            "postings",
            "Postings explained",
            "Each posting of the period: matched to which orders, with what fee; refund, set aside or open, and why.",
            (
                *_POSTING,
                _money("amount", "Amount"),
                _CURRENCY,
                ReportColumn("state", "State"),
                ReportColumn("orders", "Orders", ReportColumnKind.PARTS),
                _money("forOrders", "For orders"),
                _money("forRefunds", "Refunds"),
                _money("aside", "Set aside"),
                _money("open", "Open"),
                _money("fee", "Fee withheld"),
                ReportColumn("reason", "Reason"),
            ),
            ReportPeriodKind.BOTH,
            pages=True,
        ),
        ReportDefinition(
            "unexplained",
            "Unexplained postings",
            "Postings, or parts of them, that belong to no order and no refund and were not set aside.",
            (
                *_POSTING,
                _money("amount", "Amount"),
                _money("open", "Open"),
                _CURRENCY,
                ReportColumn("reason", "Reason"),
            ),
            ReportPeriodKind.BOTH,
            pages=True,
        ),
        ReportDefinition(
            "open",
            "Open receivables",
            "Every order that was still to be paid at the end of the day, the longest overdue first.",
            (
                *_ORDER,
                _count("daysOverdue", "Days overdue"),
                _count("dunningLevel", "Dunning level"),
                _money("amount", "Amount"),
                _money("paid", "Paid"),
                _money("open", "Open"),
                _CURRENCY,
            ),
            ReportPeriodKind.STANDING,
            pages=True,
        ),
        ReportDefinition(
            "customers",
            "Open receivables by customer",
            "What each customer owed at the end of the day: number, name, orders and sum, the largest first.",
            (
                ReportColumn("customerNumber", "Customer number"),
                _ORDER[1],
                _count("orders", "Orders"),
                ReportColumn("dueDate", "Oldest due date", ReportColumnKind.DAY),
                _money("overdue", "Overdue"),
                _money("open", "Open"),
                _CURRENCY,
            ),
            ReportPeriodKind.STANDING,
        ),
        ReportDefinition(
            "reconciliation",
            "Reconciliation",
            "Debtors of the journal with sales = open - overpaid + each item of difference; the rest is 0.00.",
            (
                ReportColumn("item", "Item"),
                _count("orders", "Orders"),
                _money("amount", "Amount"),
                _CURRENCY,
            ),
            ReportPeriodKind.STANDING,
        ),
        ReportDefinition(
            "ageing",
            "Open receivables by age",
            "What was still to be paid at the end of the day, by days after the due date and by type of order.",
            (
                ReportColumn("age", "After the due date"),
                _count("orders", "Orders"),
                _money("invoice", "Invoice"),
                _money("prepayment", "Prepayment"),
                _money("cod", "Cash on delivery"),
                _money("other", "Other types"),
                _money("open", "Open"),
                _CURRENCY,
            ),
            ReportPeriodKind.STANDING,
        ),
        ReportDefinition(
            "overpaid",
            "Overpaid orders",
            "Orders for which more was paid than they cost, or that were cancelled after the payment: refund, keep or"
            " move the money to another order of the customer.",
            (
                *_ORDER[:5],
                _money("amount", "Amount"),
                _money("paid", "Paid"),
                _money("overpaid", "Overpaid"),
                _money("planned", "Refund planned"),
                _CURRENCY,
                ReportColumn("advice", "What to do"),
                ReportColumn("otherOrder", "Open order of the customer"),
            ),
            ReportPeriodKind.STANDING,
            pages=True,
        ),
        ReportDefinition(
            "fees",
            "Fees withheld",
            "What each payer kept of the period's payments, by kind: commission, delivery and payment fees, bank"
            " charges, cash discount.",
            (
                ReportColumn("payer", "Payer"),
                ReportColumn("kind", "Kind"),
                _count("postings", "Postings"),
                _count("orders", "Orders"),
                _money("credited", "Credited"),
                _money("fee", "Fee"),
                ReportColumn("share", "Share, %", ReportColumnKind.NUMBER),
                _CURRENCY,
            ),
            ReportPeriodKind.PERIOD,
        ),
        ReportDefinition(
            "cash-in",
            "Cash in",
            "What customers paid per day, week or month, matched or open. A payment stays in it after its return;"
            " returned refunds and postings that were set aside are left out.",
            (
                ReportColumn("date", "From", ReportColumnKind.DAY),
                _count("postings", "Payments"),
                _money("amount", "Amount"),
                _money("matched", "For orders"),
                _money("open", "Open"),
                _CURRENCY,
            ),
            ReportPeriodKind.PERIOD,
            months=12,
        ),
        ReportDefinition(
            "matched",
            "Matched by",
            "How the period's payments were matched: the evidence together, a person, or not yet.",
            (
                ReportColumn("by", "Matched by"),
                _count("postings", "Payments"),
                ReportColumn("share", "Share, %", ReportColumnKind.NUMBER),
                _count("undone", "Undone"),
            ),
            ReportPeriodKind.PERIOD,
        ),
        ReportDefinition(
            "set-paid",
            "Set paid without money",
            "What orders owed that were set paid by hand: when, on which account, why and by whom; negative if undone.",
            (
                ReportColumn("date", "Date", ReportColumnKind.DAY),
                ReportColumn("number", "Order"),
                ReportColumn("customer", "Customer"),
                ReportColumn("account", "Account"),
                _money("amount", "Amount"),
                _CURRENCY,
                ReportColumn("reason", "Reason"),
                ReportColumn("by", "By"),
            ),
            ReportPeriodKind.PERIOD,
        ),
        ReportDefinition(
            "dso",
            "Days sales outstanding",
            "Per month: days from the order to its last payment, and the receivables at the month's end as days of"
            " the month's sales.",
            (
                ReportColumn("month", "Month", ReportColumnKind.DAY),
                _count("paidOrders", "Orders paid"),
                ReportColumn("meanDays", "Days until paid, mean", ReportColumnKind.NUMBER),
                ReportColumn("medianDays", "Days until paid, median", ReportColumnKind.NUMBER),
                _money("sales", "Sales"),
                _money("open", "Open at the end"),
                ReportColumn("dso", "DSO", ReportColumnKind.NUMBER),
                ReportColumn("knownTo", "Known to", ReportColumnKind.DAY),
                _CURRENCY,
            ),
            ReportPeriodKind.PERIOD,
            months=6,
        ),
        ReportDefinition(
            "reminders",
            "Success of reminders",
            "Of the reminders sent in the period: how many orders were paid within 7, 14 and 30 days.",
            (
                _count("dunningLevel", "Dunning level"),
                _count("sent", "Sent"),
                _count("paid7", "Paid within 7 days"),
                _count("paid14", "Paid within 14 days"),
                _count("paid30", "Paid within 30 days"),
                ReportColumn("share14", "Within 14 days, %", ReportColumnKind.NUMBER),
                _count("open", "Still open"),
            ),
            ReportPeriodKind.PERIOD,
        ),
        ReportDefinition(
            "close",
            "Closed months",
            "The months that were closed, whether their seal holds, and what has changed since.",
            (
                ReportColumn("month", "Month", ReportColumnKind.DAY),
                ReportColumn("closedAt", "Closed", ReportColumnKind.MOMENT),
                ReportColumn("closedBy", "By"),
                _count("postings", "Postings"),
                _count("changes", "Changed since"),
                ReportColumn("seal", "Seal"),
                ReportColumn("hash", "SHA-256"),
            ),
            ReportPeriodKind.ALL,
        ),
    )
}


def cell(column: ReportColumn, row: Mapping[str, Any]) -> Cell:
    """The value in the form of a table: amounts as Decimal, parts as text."""
    value = row.get(column.key)
    if value is None:
        return None
    if column.kind is ReportColumnKind.MONEY:
        return minor_to_decimal(value, row["currency"])
    if column.kind is ReportColumnKind.PARTS:
        return parts_text(value, row["currency"])
    found: Cell = value
    return found


def parts_text(parts: Iterable[Sequence[Any]], currency: Currency) -> str:
    """The orders of a posting, each with its amount: `A-1 10.00; A-2 7.50`."""
    return "; ".join([f"{part[0]} {plain_text(part[1], currency)}" for part in parts])


def plain(report: ReportDefinition, row: Mapping[str, Any]) -> dict[str, Any]:
    """The row for programs: amounts as Decimal, each order of a posting with its amount and fee.

    Unset values are left out.
    """
    found: dict[str, Any] = {}
    for column in report.columns:
        value = row.get(column.key)
        if value is not None and value != "":
            found[column.key] = (
                _parts(value, row["currency"]) if column.kind is ReportColumnKind.PARTS else cell(column, row)
            )
    return found


def _parts(parts: Any, currency: Currency) -> list[dict[str, Any]]:
    return [
        {"orderNumber": number, "amount": minor_to_decimal(minor, currency)}
        | ({"fee": minor_to_decimal(withheld, currency), "feeKind": kind} if kind else {})
        for number, minor, withheld, kind in parts
    ]
