"""Sandbox, blocking. Written by `make docs` from the declarations of the API."""

from __future__ import annotations

from paymatch_client.connections import Section
from paymatch_client.models.sandbox import (
    SandboxBank,
    SandboxBooking,
    SandboxClock,
    SandboxJourney,
    SandboxMail,
    SandboxOther,
    SandboxPayment,
    SandboxPayout,
    SandboxRefund,
    SandboxReturn,
)
from paymatch_client.requests import Request


class Sandbox(Section):
    """A clock that can be moved and a simulated bank, for sandbox shops."""

    def read_clock(self) -> SandboxClock:
        """Read the clock.

        Sandbox shops only.
        """
        return self._connection.ask(Request("GET", "sandbox/clock", repeatable=True), SandboxClock)

    def move_clock(self, body: SandboxJourney) -> SandboxClock:
        """Move the clock.

        Everything that becomes due on the way happens in order.

        Not retried automatically after a failure.
        """
        return self._connection.ask(Request("POST", "sandbox/clock", body=body), SandboxClock)

    def list_payments(self, *, order_number: str | None = None) -> list[SandboxBooking]:
        """List the bank's bookings.

        Latest first.

        `order_number`: Of this order only.
        """
        return self._connection.ask(
            Request("GET", "sandbox/payments", query={"orderNumber": order_number}, repeatable=True),
            list[SandboxBooking],
        )

    def list_mails(self, *, order_number: str | None = None) -> list[SandboxMail]:
        """List the mail to customers.

        Latest first. Mail of sandbox shops is kept and never sent.

        `order_number`: Of this order only.
        """
        return self._connection.ask(
            Request("GET", "sandbox/mails", query={"orderNumber": order_number}, repeatable=True), list[SandboxMail]
        )

    def speak(self, body: SandboxBank) -> SandboxBank:
        """Hold back the bank's files.

        Missing statements delay reminders.
        """
        return self._connection.ask(Request("POST", "sandbox/bank", body=body, repeatable=True), SandboxBank)

    def pay(self, body: SandboxPayment) -> list[SandboxBooking]:
        """Simulate a payment.

        The payment appears in the next file of the simulated bank.

        Not retried automatically after a failure.
        """
        return self._connection.ask(Request("POST", "sandbox/payments", body=body), list[SandboxBooking])

    def give_back(self, body: SandboxReturn) -> list[SandboxBooking]:
        """Simulate a returned payment.

        Not retried automatically after a failure.
        """
        return self._connection.ask(Request("POST", "sandbox/returns", body=body), list[SandboxBooking])

    def pay_out(self, body: SandboxPayout) -> list[SandboxBooking]:
        """Simulate a carrier's payout.

        Several orders in one payment, less a fee.

        Not retried automatically after a failure.
        """
        return self._connection.ask(Request("POST", "sandbox/payouts", body=body), list[SandboxBooking])

    def decide_outcome(self, body: SandboxRefund) -> SandboxRefund:
        """Choose the outcome of a refund.

        At any time before the bank has it.
        """
        return self._connection.ask(Request("POST", "sandbox/refunds", body=body, repeatable=True), SandboxRefund)

    def book_other(self, body: SandboxOther) -> list[SandboxBooking]:
        """Simulate another booking.

        A booking that belongs to no order.

        Not retried automatically after a failure.
        """
        return self._connection.ask(Request("POST", "sandbox/bookings", body=body), list[SandboxBooking])
