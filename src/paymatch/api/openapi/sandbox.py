"""The sandbox in the API's description: its clock and its simulated bank."""

from __future__ import annotations

from typing import Any, Final

from paymatch.api.openapi.forms import Schema, amount, day, flag, listed, moment, ref, text, thing, whole
from paymatch.domain.reminders.mails import MailStatus
from paymatch.domain.shops.sandbox import Reference
from paymatch.usecases.sandbox.simulated_bank import MAX_TIMES
from paymatch.usecases.sandbox.transfers import SimulatedOutcome

_NUMBERS: Final[dict[str, Schema]] = {
    "orderNumber": text("Order number."),
    "orderNumbers": listed(text("Order number."), "Instead of `orderNumber`: several orders at once."),
}
_FORMATS: Final = listed(text("Format of a bank file."), "The bank files that report it.")

SCHEMAS: Final[dict[str, Schema]] = {
    "SandboxClock": thing(
        "A sandbox shop's clock.",
        {
            "now": moment("The shop's current time."),
            "done": flag("False if another call has to move the clock further."),
            "moments": whole("Moments at which something was due."),
            "files": whole("Bank files that were delivered."),
            "postings": whole("Postings that were booked."),
            "callbacksDelivered": whole("Callbacks that were delivered."),
            "callbacksFailed": whole("Callbacks that failed."),
        },
        ("now",),
    ),
    "SandboxJourney": thing(
        "Where the clock goes; one of the two.",
        {
            "advance": text("By how much.", examples=["3d"]),
            "set": text("To which moment or day.", examples=["2026-12-01"]),
        },
    ),
    "SandboxPayment": thing(
        "A customer's transfer.",
        {
            **_NUMBERS,
            "amount": amount("What is paid; the open amount if not given."),
            "payer": text("Name of the payer."),
            "iban": text("Account of the payer."),
            "reference": text("How well the customer copies the number.", enum=[str(each) for each in Reference]),
            "text": text("The remittance information word for word."),
            "formats": _FORMATS,
            "fee": amount("Fee that the bank takes off."),
            "times": whole("How often it is paid.", minimum=0, maximum=MAX_TIMES),
            "deliveredTwice": flag("The bank delivers its file twice."),
        },
    ),
    "SandboxReturn": thing(
        "A payment that comes back.",
        {
            "payment": text("Id of the booking."),
            "orderNumber": text("Instead of `payment`: the order that was paid."),
            "reason": text("ISO reason code, FOCR if not given."),
            "charges": amount("Charges of the bank."),
            "formats": _FORMATS,
        },
    ),
    "SandboxPayout": thing(
        "A carrier's payout.", {**_NUMBERS, "fee": amount("The carrier's fee in all."), "carrier": text("Its name.")}
    ),
    "SandboxRefund": thing(
        "What the bank does with a refund.",
        {
            "externalReference": text("The refund's externalReference."),
            "outcome": text("What becomes of it.", enum=[str(each) for each in SimulatedOutcome]),
            "reason": text("ISO reason code, AC04 if not given."),
        },
        ("externalReference", "outcome"),
    ),
    "SandboxOther": thing(
        "A booking that belongs to no order.",
        {
            "amount": amount("Negative: money out."),
            "name": text("Name of the counterparty."),
            "text": text("Remittance information."),
        },
        ("amount",),
    ),
    "SandboxBank": thing(
        "Whether the simulated bank delivers.",
        {"silent": flag("Its files are held back; once it is not silent, all of them come at once.")},
        ("silent",),
    ),
    "SandboxMail": thing(
        "A mail that a customer would have got.",
        {
            "id": text("Id of the mail."),
            "orderNumber": text("The order that it is about."),
            "dunningLevel": whole("Level of the reminder; 0 is the payment information."),
            "status": text("KEPT once it is out.", enum=[str(each) for each in MailStatus]),
            "to": text("Its recipient. Like subject and text, empty once the mail was kept long enough."),
            "subject": text("Its subject."),
            "messageId": text("Its Message-ID."),
            "createdAt": moment("When it was written."),
            "text": text("Its plain text."),
        },
        ("id", "orderNumber", "dunningLevel", "status", "to"),
    ),
    "SandboxBooking": thing(
        "What the simulated bank has booked.",
        {
            "id": text("Id of the booking."),
            "orderNumbers": listed(text("Order number.")),
            "amount": amount("Signed in the shop's view."),
            "currency": text("ISO 4217 code."),
            "postingDate": day("Booking date."),
            "deliveredAt": moment("When the bank's file comes."),
            "formats": _FORMATS,
            "originator": text("Name of the counterparty."),
            "iban": text("Account of the counterparty."),
            "reference": text("The bank's reference."),
            "text": text("Remittance information."),
        },
        ("id", "amount", "currency", "postingDate"),
    ),
}
WORDS: Final[dict[str, tuple[str, str]]] = {
    "GET sandbox/clock": ("Read the clock", "Sandbox shops only."),
    "POST sandbox/clock": ("Move the clock", "Everything that becomes due on the way happens in order."),
    "GET sandbox/payments": ("List the bank's bookings", "Latest first."),
    "POST sandbox/payments": ("Simulate a payment", "The payment stands in the next file of the simulated bank."),
    "POST sandbox/returns": ("Simulate a returned payment", ""),
    "POST sandbox/payouts": ("Simulate a carrier's payout", "Several orders in one payment, less a fee."),
    "GET sandbox/mails": ("List the mail to customers", "Latest first. Mail of sandbox shops is kept and never sent."),
    "POST sandbox/bank": ("Hold back the bank's files", "Statements that are missing hold reminders back."),
    "POST sandbox/refunds": ("Choose the outcome of a refund", "At any time before the bank has it."),
    "POST sandbox/bookings": ("Simulate another booking", "A booking that belongs to no order."),
}
QUERIES: Final[dict[str, dict[str, Schema]]] = {
    "GET sandbox/mails": {"orderNumber": text("Mail about this order only.")},
    "GET sandbox/payments": {"orderNumber": text("Bookings of this order only.")},
}
BODIES: Final[dict[str, Schema]] = {
    "POST sandbox/clock": ref("SandboxJourney"),
    "POST sandbox/payments": ref("SandboxPayment"),
    "POST sandbox/returns": ref("SandboxReturn"),
    "POST sandbox/payouts": ref("SandboxPayout"),
    "POST sandbox/refunds": ref("SandboxRefund"),
    "POST sandbox/bookings": ref("SandboxOther"),
    "POST sandbox/bank": ref("SandboxBank"),
}
_BOOKINGS: Final = listed(ref("SandboxBooking"))
ANSWERS: Final[dict[str, Schema]] = {
    "GET sandbox/clock": ref("SandboxClock"),
    "POST sandbox/clock": ref("SandboxClock"),
    "POST sandbox/refunds": ref("SandboxRefund"),
    "POST sandbox/bank": ref("SandboxBank"),
    "GET sandbox/mails": listed(ref("SandboxMail")),
    **dict.fromkeys(
        ("GET sandbox/payments", *(f"POST sandbox/{name}" for name in ("payments", "returns", "payouts", "bookings"))),
        _BOOKINGS,
    ),
}
EXAMPLES: Final[dict[str, Any]] = {
    "POST sandbox/clock": {"advance": "3d"},
    "POST sandbox/payments": {"orderNumber": "2026/1001", "reference": str(Reference.EXACT)},
    "POST sandbox/returns": {"orderNumber": "2026/1001", "reason": "AC04"},
    "POST sandbox/payouts": {"orderNumbers": ["2026/1001", "2026/1002"], "fee": 4.9},
    "POST sandbox/refunds": {"externalReference": "R-2026-7", "outcome": "returned", "reason": "AC04"},
    "POST sandbox/bank": {"silent": True},
    "POST sandbox/bookings": {"amount": -12.5, "name": "Energie AG", "text": "Abschlag Maerz"},
}
