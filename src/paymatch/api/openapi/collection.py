"""Collection in the API's description: cases at the agency, and the agency's reports."""

from __future__ import annotations

from typing import Final

from paymatch.domain.collection.cases import CaseStatus
from paymatch.formats.contract.json_schema import Schema, amount, array, day, flag, moment, ref, text, thing, whole

SCHEMAS: Final[dict[str, Schema]] = {
    "CollectionCase": thing(
        "An order that was handed over to the collection agency.",
        {
            "orderNumber": text("Order number."),
            "partner": text("The agency."),
            "file": text("File number at the agency."),
            "status": ref("CollectionStatus"),
            "active": flag("Whether the agency still has it."),
            "handedOver": moment("When it was handed over."),
            "warnedOn": day("Day of the last reminder."),
            "currency": text("Currency of the amounts."),
            "claim": amount("Open amount at the handover."),
            "fees": amount("Reminder fees claimed in addition."),
            "interest": amount("Statutory interest claimed in addition."),
            "interestUntil": day("Last day that interest is claimed for."),
            "lumpSum": amount("Lump sum for late payment claimed of companies."),
            "open": amount("Open amount now."),
            "orderStatus": ref("PaymentStatus"),
        },
        ("orderNumber", "partner", "status", "active", "handedOver"),
    ),
    "CollectionReport": thing(
        "The agency's report on a case, identified by `orderNumber` or `file`.",
        {
            "orderNumber": text("Order number."),
            "file": text("File number at the agency; with an order number it is set."),
            "status": text(
                "New state of the case.",
                enum=[str(each) for each in CaseStatus if each not in (CaseStatus.SUBMITTED, CaseStatus.WITHDRAWN)],
            ),
            "description": text("The agency's own words, for the history."),
        },
    ),
    "CollectionReportsResult": thing(
        "Result of the reports.",
        {
            "taken": whole("Reports that were accepted."),
            "refused": array(
                thing(
                    "A report that was not taken.",
                    {"row": whole("Its place, from 1."), "error": text("Why.")},
                    title="RefusedReport",
                )
            ),
        },
        ("taken", "refused"),
    ),
}
