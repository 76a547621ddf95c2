"""Content of every payment code: payee, amount, purpose, and how its fields are cut to length."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from paymatch.domain.money import Money
from paymatch.domain.words.message import Message, Sum
from paymatch.formats.codes.epc_qr import Payee, PaymentCodeRefused, checked_iban, one_line


@dataclass(frozen=True, slots=True)
class CodedPayment:
    """A payment as the codes of a country need it. `place` is postcode and city; what is unknown is empty.

    `text` is for the payer to read; codes without a field for the reference carry it there. `pay_by` is the date by
    which the payment is due; codes without a field for it leave it out.
    """

    payee: Payee
    amount: Money
    reference: str
    street: str = ""
    place: str = ""
    text: str = ""
    pay_by: date | None = None

    def iban(self, country: str) -> str:
        """The payee's IBAN without spaces; PaymentCodeRefused unless it is a valid one of the country."""
        iban = checked_iban(self.payee.iban)
        if not iban.startswith(country):
            raise PaymentCodeRefused(Message("payment-code-code-accounts-not", country=country, iban=iban[:2]))
        return iban

    def amount_of(self, currency: str, most_minor: int) -> int:
        """The amount in minor units; PaymentCodeRefused unless it is above zero, of the currency and not too large."""
        if self.amount.currency != currency:
            raise PaymentCodeRefused(
                Message("payment-code-code-knows-only-not", currency=currency, currency2=self.amount.currency)
            )
        if not 0 < self.amount.minor <= most_minor:
            raise PaymentCodeRefused(
                Message("payment-code-code-takes-0-01", most=Sum(most_minor, self.amount.currency))
            )
        return self.amount.minor

    @property
    def name(self) -> str:
        """The payee's name on one line; PaymentCodeRefused if there is none."""
        name = one_line(self.payee.name)
        if not name:
            raise PaymentCodeRefused(Message("payment-code-shop-no-account-holder"))
        return name

    @property
    def compact_reference(self) -> str:
        """The reference in capitals without spaces."""
        return self.reference.replace(" ", "").upper()

    @property
    def remittance(self) -> str:
        """The reference, followed by the text."""
        return one_line(f"{self.compact_reference} {self.text}")


def field(text: str, most: int) -> str:
    """The text on one line, cut to `most` characters."""
    return one_line(text)[:most].rstrip()
