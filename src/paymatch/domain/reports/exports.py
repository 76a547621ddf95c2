"""The tables that are exported whole: orders, allocations, refunds, fees, credits. The report has the postings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.reports.catalogue import (
    REPORTS,
    ReportColumn,
    ReportColumnKind,
    ReportDefinition,
    ReportPeriodKind,
)

FILES: Final = {
    "datev": ("EXTF_paymatch{days}.csv", "text/csv"),
    "datev-documents": ("datev-documents{days}.zip", "application/zip"),
    "beancount": ("paymatch{days}.beancount", "text/plain"),
}
"""Files for bookkeeping programs: name and media type. DATEV recognises batches of bookings only by their prefix."""
_CURRENCY: Final = ReportColumn("currency", "Currency")

EXPORTS: Final[Mapping[str, ReportDefinition]] = {
    each.name: each
    for each in (
        ReportDefinition(
            "orders",
            "Orders",
            "Orders by their date, with their present state.",
            (
                ReportColumn("number", "Order"),
                ReportColumn("date", "Ordered", ReportColumnKind.DAY),
                ReportColumn("dueDate", "Due", ReportColumnKind.DAY),
                ReportColumn("type", "Type"),
                ReportColumn("status", "Status"),
                ReportColumn("customerNumber", "Customer number"),
                ReportColumn("customer", "Customer"),
                ReportColumn("amount", "Amount", ReportColumnKind.MONEY),
                ReportColumn("credited", "Credited", ReportColumnKind.MONEY),
                ReportColumn("refunded", "Refunded", ReportColumnKind.MONEY),
                ReportColumn("open", "Open", ReportColumnKind.MONEY),
                _CURRENCY,
                ReportColumn("lastPosting", "Last posting", ReportColumnKind.DAY),
                ReportColumn("dunningLevel", "Dunning level", ReportColumnKind.COUNT),
            ),
            ReportPeriodKind.PERIOD,
        ),
        REPORTS["postings"],
        ReportDefinition(
            "allocations",
            "Allocations",
            "The part of each posting that was matched to each order, by booking date.",
            (
                ReportColumn("postingId", "Posting"),
                ReportColumn("bookingDate", "Booked", ReportColumnKind.DAY),
                ReportColumn("number", "Order"),
                ReportColumn("kind", "Kind"),
                ReportColumn("amount", "Amount", ReportColumnKind.MONEY),
                ReportColumn("fee", "Fee", ReportColumnKind.MONEY),
                ReportColumn("feeKind", "Kind of fee"),
                _CURRENCY,
                ReportColumn("originator", "From"),
                ReportColumn("by", "By"),
                ReportColumn("at", "Matched", ReportColumnKind.MOMENT),
            ),
            ReportPeriodKind.PERIOD,
        ),
        ReportDefinition(
            "refunds",
            "Refunds",
            "Refunds by their planned date, with their present state.",
            (
                ReportColumn("id", "Refund"),
                ReportColumn("externalReference", "Your reference"),
                ReportColumn("number", "Order"),
                ReportColumn("plannedDate", "Planned", ReportColumnKind.DAY),
                ReportColumn("executionDate", "Executed", ReportColumnKind.DAY),
                ReportColumn("status", "Status"),
                ReportColumn("amount", "Amount", ReportColumnKind.MONEY),
                _CURRENCY,
                ReportColumn("postingId", "Posting"),
            ),
            ReportPeriodKind.PERIOD,
        ),
        ReportDefinition(
            "fees",
            "Fees",
            "Each fee that was withheld, by booking date.",
            (
                ReportColumn("bookingDate", "Booked", ReportColumnKind.DAY),
                ReportColumn("originator", "Payer"),
                ReportColumn("number", "Order"),
                ReportColumn("feeKind", "Kind"),
                ReportColumn("credited", "Credited", ReportColumnKind.MONEY),
                ReportColumn("fee", "Fee", ReportColumnKind.MONEY),
                _CURRENCY,
                ReportColumn("postingId", "Posting"),
            ),
            ReportPeriodKind.PERIOD,
        ),
        ReportDefinition(
            "credits",
            "Credits",
            "What was kept for customers' next orders and used, by day; income and losses beside it.",
            (
                ReportColumn("day", "Date", ReportColumnKind.DAY),
                ReportColumn("number", "Order"),
                ReportColumn("kind", "Kind"),
                ReportColumn("amount", "Amount", ReportColumnKind.MONEY),
                _CURRENCY,
                ReportColumn("by", "By"),
                ReportColumn("customer", "Customer's key"),
            ),
            ReportPeriodKind.PERIOD,
        ),
        ReportDefinition(
            "journal",
            "Journal",
            "Double-entry bookings of the period's postings.",
            (
                ReportColumn("date", "Date", ReportColumnKind.DAY),
                ReportColumn("debit", "Debit"),
                ReportColumn("credit", "Credit"),
                ReportColumn("amount", "Amount", ReportColumnKind.MONEY),
                _CURRENCY,
                ReportColumn("document", "Document"),
                ReportColumn("text", "Text"),
                ReportColumn("posting", "Posting"),
            ),
            ReportPeriodKind.PERIOD,
        ),
    )
}
