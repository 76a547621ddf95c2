"""Orders, refunds and postings as a shop would see them, for the reference; a test sends and compares them."""

from __future__ import annotations

from typing import Any, Final

SENT: Final[dict[str, Any]] = {
    "number": "2026/1001",
    "date": "17-03-2026",
    "dueDate": "31-03-2026",
    "type": "PREPAYMENT",
    "amount": 119.9,
    "currency": "EUR",
    "customerEmail": "eva.muster@example.com",
    "customerNumber": "K-4711",
    "language": "de",
    "items": [{"number": "T-100", "name": "Teapot, blue"}],
    "invoiceNumbers": ["RE-2026-1001"],
    "billing": {
        "gender": "female",
        "firstName": "Eva",
        "lastName": "Muster",
        "street": "Am Anger 5",
        "postCode": "99084",
        "city": "Erfurt",
        "countryCode": "DE",
    },
}
SMALL: Final[dict[str, Any]] = {
    "number": "2026/1002",
    "date": "17-03-2026",
    "type": "INVOICE",
    "amount": 49,
    "currency": "EUR",
    "billing": {"company": "Muster GmbH", "countryCode": "AT"},
}
PAID: Final[dict[str, Any]] = {**SENT, "paymentStatus": "PAID", "dunningLevel": 0, "amountPaid": 119.9}
UNPAID: Final[dict[str, Any]] = {**SENT, "paymentStatus": "UNPAID", "dunningLevel": 0}
REFUND: Final[dict[str, Any]] = {
    "externalReference": "RMA-17",
    "amount": 19.9,
    "currency": "EUR",
    "plannedDate": "20-03-2026",
}
POSTING: Final[dict[str, Any]] = {
    "id": "pst_1kjpy44e05pa9yhhp4c",
    "amount": 119.9,
    "currency": "EUR",
    "postingDate": "18-03-2026",
    "valuationDate": "18-03-2026",
    "originator": "Eva Muster",
    "text": "Bestellung 2026/1001",
    "status": "matched",
    "bookedOn": "DE89370400440532013000",
    "provisional": False,
    "allocations": [{"orderNumber": "2026/1001", "amount": 119.9, "byHand": False}],
    "orders": [PAID],
}

SMALL_UNPAID: Final[dict[str, Any]] = {**SMALL, "paymentStatus": "UNPAID", "dunningLevel": 0}
PAID_BY_HAND: Final[dict[str, Any]] = {**PAID, "amountPaid": 0}
ACCOUNT: Final[dict[str, Any]] = {"iban": "AT611904300234573201", "accountHolder": "Eva Muster"}
FILED_REFUND: Final[dict[str, Any]] = {
    **REFUND,
    "id": "rf_1kjpy44e0py259mp8x6",
    "executionDate": None,
    "referenceNumber": "PMR7QK3TPCW9XNH2ADE",
    "status": "NEW",
}


def unpaid_as(status: str) -> dict[str, Any]:
    """The order without a payment, in a status."""
    return {**SENT, "paymentStatus": status, "dunningLevel": 0, "amountPaid": 0}
