"""The sandbox in the API's description: its clock and its simulated bank."""

from __future__ import annotations

from typing import Final

from paymatch.domain.reminders.mails import MailStatus
from paymatch.domain.shops.sandbox import Reference
from paymatch.formats.contract.json_schema import Schema, amount, array, day, flag, moment, text, thing, whole
from paymatch.usecases.sandbox.simulated_bank import MAX_TIMES
from paymatch.usecases.sandbox.transfers import SimulatedOutcome

_NUMBERS: Final[dict[str, Schema]] = {
    "orderNumber": text("Order number."),
    "orderNumbers": array(text("Order number."), "Instead of `orderNumber`: several orders at once."),
}
_FORMATS: Final = array(text("Format of a bank file."), "The bank files that report it.")

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
        "New time of the clock; one of the two.",
        {
            "advance": text("By how much: weeks, days, hours, minutes.", examples=["3d", "1d6h"]),
            "set": text(
                "To which day or moment, in the shop's time zone.", examples=["01-12-2026", "01-12-2026 14:30"]
            ),
        },
    ),
    "SandboxPayment": thing(
        "A customer's transfer.",
        {
            **_NUMBERS,
            "amount": amount("Amount paid; the open amount by default."),
            "payer": text("Name of the payer."),
            "iban": text("Account of the payer."),
            "reference": text("How well the customer copies the number.", enum=[str(each) for each in Reference]),
            "text": text("The remittance information word for word."),
            "formats": _FORMATS,
            "fee": amount("Fee that the bank deducts."),
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
        "Outcome of a refund at the bank.",
        {
            "externalReference": text("The refund's externalReference."),
            "outcome": text("Outcome.", enum=[str(each) for each in SimulatedOutcome]),
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
        "Bookings of the simulated bank.",
        {
            "id": text("Id of the booking."),
            "orderNumbers": array(text("Order number.")),
            "amount": amount("Signed in the shop's view."),
            "currency": text("ISO 4217 code."),
            "postingDate": day("Booking date."),
            "deliveredAt": moment("When the bank's file arrives."),
            "formats": _FORMATS,
            "originator": text("Name of the counterparty."),
            "iban": text("Account of the counterparty."),
            "reference": text("The bank's reference."),
            "text": text("Remittance information."),
        },
        ("id", "amount", "currency", "postingDate"),
    ),
}
