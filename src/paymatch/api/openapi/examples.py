"""Bodies and answers as a shop would see them, for the reference; a test sends the ones and compares the others."""

from __future__ import annotations

from typing import Any, Final

_SENT: Final[dict[str, Any]] = {
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
_SMALL: Final[dict[str, Any]] = {
    "number": "2026/1002",
    "date": "17-03-2026",
    "type": "INVOICE",
    "amount": 49,
    "currency": "EUR",
    "billing": {"company": "Muster GmbH", "countryCode": "AT"},
}
_PAID: Final[dict[str, Any]] = {**_SENT, "paymentStatus": "PAID", "dunningLevel": 0, "amountPaid": 119.9}
_UNPAID: Final[dict[str, Any]] = {**_SENT, "paymentStatus": "UNPAID", "dunningLevel": 0}
_REFUND: Final[dict[str, Any]] = {
    "externalReference": "RMA-17",
    "amount": 19.9,
    "currency": "EUR",
    "plannedDate": "20-03-2026",
}
_POSTING: Final[dict[str, Any]] = {
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
    "orders": [_PAID],
}

BODIES: Final[dict[str, Any]] = {
    "POST order/{orderNumber}": _SENT,
    "POST orders": [_SENT, _SMALL],
    "POST ordersync": ["2026/1001", _SMALL],
    "POST order/{orderNumber}/refund": _REFUND,
    "POST refund/{refundId}/account": {"iban": "AT611904300234573201", "accountHolder": "Eva Muster"},
}
ANSWERS: Final[dict[str, Any]] = {
    "POST order/{orderNumber}": _UNPAID,
    "GET order/{orderNumber}": _PAID,
    "POST order/remove/{orderNumber}": {**_SENT, "paymentStatus": "DISAPPEARED", "dunningLevel": 0, "amountPaid": 0},
    "POST order/{orderNumber}/setpaid": {**_PAID, "amountPaid": 0},
    "POST order/{orderNumber}/setunpaid": _UNPAID,
    "POST order/{orderNumber}/cancel": {**_SENT, "paymentStatus": "CANCELLED", "dunningLevel": 0, "amountPaid": 0},
    "POST order/{orderNumber}/refund": {
        **_REFUND,
        "id": "rf_1kjpy44e0py259mp8x6",
        "executionDate": None,
        "referenceNumber": "PMR7QK3TPCW9XNH2ADE",
        "status": "NEW",
    },
    "POST orders": [_UNPAID, {**_SMALL, "paymentStatus": "UNPAID", "dunningLevel": 0}],
    "GET orders": [_PAID],
    "POST ordersync": 3,
    "GET postings": [_POSTING],
}
