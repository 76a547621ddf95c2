"""Czech payment code: Short Payment Descriptor 1.0 in a QR code (Czech Banking Association, standard 26)."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from paymatch.domain.money import minor_to_text
from paymatch.formats.codes.payments import CodedPayment, field

_AMOUNT_MAX: Final = 999_999_999  # AM: at most ten characters, 9999999.99
_NAME_MAX: Final = 35
_MESSAGE_MAX: Final = 60


def spayd_text(payment: CodedPayment) -> str:
    """What the code says. The reference is in the message: RF and X-VS take digits only.

    PaymentCodeRefused unless the account is Czech and the amount CZK 0.01 to 9999999.99.
    """
    amount = payment.amount_of("CZK", _AMOUNT_MAX)
    account = payment.iban("CZ")
    bic = payment.payee.bic.replace(" ", "").upper()
    found = {
        "ACC": f"{account}+{bic}" if bic else account,
        "AM": minor_to_text(amount, payment.amount.currency),
        "CC": "CZK",
        "DT": f"{payment.pay_by:%Y%m%d}" if payment.pay_by else "",
        "RN": _value(payment.name, _NAME_MAX),
        "MSG": _value(payment.remittance, _MESSAGE_MAX),
    }
    return "*".join(("SPD*1.0", *(f"{name}:{value}" for name, value in found.items() if value)))


def _value(text: str, most: int) -> str:
    # An asterisk ends a field, and a percent sign begins an escape: both are written as escapes themselves.
    return "".join(quote(char) if char in "*%" else char for char in field(text, most))
