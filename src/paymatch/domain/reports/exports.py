"""The tables that are exported whole: orders, allocations, refunds, fees. Postings are those of the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from paymatch.domain.reports.catalogue import REPORTS, Column, Kind, Report, Span

FILES: Final = {
    "datev": ("EXTF_paymatch{days}.csv", "text/csv"),
    "datev-documents": ("datev-documents{days}.zip", "application/zip"),
    "beancount": ("paymatch{days}.beancount", "text/plain"),
}
"""Files for bookkeeping programs: name and media type. DATEV takes batches of bookings by their prefix only."""
_CURRENCY: Final = Column("currency", "Currency")

EXPORTS: Final[Mapping[str, Report]] = {
    each.name: each
    for each in (
        Report(
            "orders",
            "Orders",
            "Orders by their date, as they stand.",
            (
                Column("number", "Order"), Column("date", "Ordered", Kind.DAY), Column("dueDate", "Due", Kind.DAY),
                Column("type", "Type"), Column("status", "Status"), Column("customerNumber", "Customer number"),
                Column("customer", "Customer"), Column("amount", "Amount", Kind.MONEY),
                Column("credited", "Credited", Kind.MONEY), Column("refunded", "Refunded", Kind.MONEY),
                Column("open", "Open", Kind.MONEY), _CURRENCY, Column("lastPosting", "Last posting", Kind.DAY),
                Column("dunningLevel", "Dunning level", Kind.COUNT),
            ),
            Span.PERIOD,
        ),
        REPORTS["postings"],
        Report(
            "allocations",
            "Allocations",
            "What of which posting was matched to which order, by booking date.",
            (
                Column("postingId", "Posting"), Column("bookingDate", "Booked", Kind.DAY), Column("number", "Order"),
                Column("kind", "Kind"), Column("amount", "Amount", Kind.MONEY), Column("fee", "Fee", Kind.MONEY),
                Column("feeKind", "Kind of fee"), _CURRENCY, Column("originator", "From"), Column("by", "By"),
                Column("at", "Matched", Kind.MOMENT),
            ),
            Span.PERIOD,
        ),
        Report(
            "refunds",
            "Refunds",
            "Refunds by their planned date, as they stand.",
            (
                Column("id", "Refund"), Column("externalReference", "Your reference"), Column("number", "Order"),
                Column("plannedDate", "Planned", Kind.DAY), Column("executionDate", "Executed", Kind.DAY),
                Column("status", "Status"), Column("amount", "Amount", Kind.MONEY), _CURRENCY,
                Column("postingId", "Posting"),
            ),
            Span.PERIOD,
        ),
        Report(
            "fees",
            "Fees",
            "Each fee that was withheld, by booking date.",
            (
                Column("bookingDate", "Booked", Kind.DAY), Column("originator", "Payer"), Column("number", "Order"),
                Column("feeKind", "Kind"), Column("credited", "Credited", Kind.MONEY),
                Column("fee", "Fee", Kind.MONEY), _CURRENCY, Column("postingId", "Posting"),
            ),
            Span.PERIOD,
        ),
        Report(
            "journal",
            "Journal",
            "Double-entry bookings of the period's postings.",
            (
                Column("date", "Date", Kind.DAY), Column("debit", "Debit"), Column("credit", "Credit"),
                Column("amount", "Amount", Kind.MONEY), _CURRENCY, Column("document", "Document"),
                Column("text", "Text"), Column("posting", "Posting"),
            ),
            Span.PERIOD,
        ),
    )
}  # fmt: skip
