"""Serbian payment code: NBS IPS QR (National Bank of Serbia, recommendations for the content of the code)."""

from __future__ import annotations

from typing import Final

from paymatch.domain.money import minor_to_text
from paymatch.formats.codes.payments import CodedPayment, field

_AMOUNT_MAX: Final = 99_999_999_999_999  # 18 characters with RSD and the comma
_FINAL_CONSUMPTION: Final = "221"
"""Payment code of the central bank's list: not in cash, goods and services for final consumption."""


def nbs_text(payment: CodedPayment) -> str:
    """What the code says. The reference is in the purpose: reference numbers of the models take no letters.

    PaymentCodeRefused unless the account is Serbian and the amount RSD.
    """
    amount = minor_to_text(payment.amount_of("RSD", _AMOUNT_MAX), payment.amount.currency).replace(".", ",")
    address = "\n".join(line for line in (_value(payment.street, 35), _value(payment.place, 35)) if line)
    found = {
        "K": "PR",
        "V": "01",
        "C": "1",  # UTF-8
        "R": payment.iban("RS")[4:],  # the account of 18 digits
        "N": f"{_value(payment.name, 70)}\n{address}".rstrip("\n")[:70].rstrip(),
        "I": f"RSD{amount}",
        "SF": _FINAL_CONSUMPTION,
        "S": _value(payment.remittance, 35),
    }
    return "|".join(f"{tag}:{value}" for tag, value in found.items() if value)


def _value(text: str, most: int) -> str:
    return field(text.replace("|", "/"), most)  # a vertical bar ends a field
