"""Collection in the API's description: cases at the agency, and the agency's reports."""

from __future__ import annotations

from typing import Any, Final

from paymatch.api.openapi.forms import Schema, amount, day, flag, listed, moment, ref, text, thing, whole
from paymatch.domain.collection.cases import CaseStatus

SCHEMAS: Final[dict[str, Schema]] = {
    "CollectionCase": thing(
        "An order that was handed over to the collection agency.",
        {
            "orderNumber": text("Order number."),
            "partner": text("The agency."),
            "file": text("File number at the agency."),
            "status": ref("CollectionStatus"),
            "active": flag("Whether it is still with the agency."),
            "handedOver": moment("When it was handed over."),
            "warnedOn": day("Day of the last reminder."),
            "currency": text("Currency of the amounts."),
            "claim": amount("What was open when it was handed over."),
            "fees": amount("Reminder fees claimed beside it."),
            "interest": amount("Statutory interest claimed beside it."),
            "interestUntil": day("Last day that interest is claimed for."),
            "lumpSum": amount("Lump sum for late payment claimed of companies."),
            "open": amount("What is open now."),
            "orderStatus": ref("PaymentStatus"),
        },
        ("orderNumber", "partner", "status", "active", "handedOver"),
    ),
    "CollectionReport": thing(
        "What the agency says of a case, named by `orderNumber` or by `file`.",
        {
            "orderNumber": text("Order number."),
            "file": text("File number at the agency; with an order number it is set."),
            "status": text(
                "What the case has come to.",
                enum=[str(each) for each in CaseStatus if each not in (CaseStatus.SUBMITTED, CaseStatus.WITHDRAWN)],
            ),
            "description": text("The agency's own words, for the history."),
        },
    ),
    "CollectionReportsResult": thing(
        "What became of the reports.",
        {
            "taken": whole("Reports that were taken."),
            "refused": listed(
                thing("A report that was not taken.", {"row": whole("Its place, from 1."), "error": text("Why.")})
            ),
        },
        ("taken", "refused"),
    ),
}
BODIES: Final[dict[str, Schema]] = {"POST collection/reports": listed(ref("CollectionReport"))}
ANSWERS: Final[dict[str, Schema]] = {
    "POST order/{orderNumber}/collection": ref("Order"),
    "POST order/{orderNumber}/collection/withdraw": ref("Order"),
    "GET collection": listed(ref("CollectionCase")),
    "POST collection/reports": ref("CollectionReportsResult"),
}
QUERIES: Final[dict[str, dict[str, Schema]]] = {
    "GET collection": {"active": flag("Only cases that are with the agency.") | {"default": False}}
}
EXAMPLES: Final[dict[str, Any]] = {
    "POST collection/reports": [
        {"orderNumber": "2026/1001", "file": "IN-4711", "status": "ACCEPTED"},
        {"file": "IN-4711", "status": "PRELEGAL", "description": "First letter sent"},
    ]
}
WORDS: Final[dict[str, tuple[str, str]]] = {
    "POST order/{orderNumber}/collection": (
        "Hand an order over to collection",
        "The order becomes COLLECTION, and the agency gets it with all documents. Refused while a payment"
        " that waits for a decision may be its payment.",
    ),
    "POST order/{orderNumber}/collection/withdraw": (
        "Withdraw an order from collection",
        "The agency is told, and the order's payments decide its status.",
    ),
    "GET collection": ("List orders in collection", "Those handed over last first."),
    "POST collection/reports": (
        "Report on orders in collection",
        "For the agency, with its own token (`Authorization: Bearer pm_agcy_...`) or a key of the scope `collection`."
        " JSON, or CSV with the same names in its first line. Rows"
        " that cannot be taken are named; the others are taken.",
    ),
}
