"""Slovak payment link: Payme 1.3 (Slovak Banking Association), which a phone opens in the payer's banking app."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from paymatch.domain.money import minor_to_text
from paymatch.formats.codes.payments import CodedPayment, field

_ADDRESS: Final = "https://payme.sk/"
_AMOUNT_MAX: Final = 99_999_999_999  # AM: nine digits and two decimals


def payme_link(payment: CodedPayment) -> str:
    """The link. The reference is in the message: PI takes symbols of digits only.

    PaymentCodeRefused unless the account is Slovak and the amount EUR.
    """
    values = {
        "V": "1",
        "IBAN": payment.iban("SK"),
        "AM": minor_to_text(payment.amount_of("EUR", _AMOUNT_MAX), payment.amount.currency),
        "CC": "EUR",
        "DT": f"{payment.pay_by:%Y%m%d}" if payment.pay_by else "",
        "MSG": field(payment.remittance, 140),
        "CN": field(payment.name, 70),
    }
    return f"{_ADDRESS}?{urlencode({name: value for name, value in values.items() if value})}"
