"""Currencies with their minor units, and amounts of them as text."""

from __future__ import annotations

from decimal import Decimal
from typing import Final, NewType

Currency = NewType("Currency", str)
"""An ISO 4217 alphabetic code that `CURRENCIES` knows."""

_NO_DIGITS: Final = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
_THREE_DIGITS: Final = "BHD IQD JOD KWD LYD OMR TND"
_FOUR_DIGITS: Final = "CLF UYW"
_TWO_DIGITS: Final = (
    "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW "
    "CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR "
    "ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV "
    "MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD "
    "SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG"
)
CURRENCIES: Final[dict[str, int]] = {
    code: digits
    for digits, codes in enumerate((_NO_DIGITS, "", _TWO_DIGITS, _THREE_DIGITS, _FOUR_DIGITS))
    for code in codes.split()
}
"""Digits of the minor unit per ISO 4217 code (list one, funds and metals without a minor unit left out)."""

_WITHDRAWN_TWO_DIGITS: Final = "ATS CYP DEM EEK FIM FRF HRK IEP LTL LVL MTL NLG SIT SKK SLL ZWL"
_WITHDRAWN_NO_DIGITS: Final = "BEF ESP GRD ITL LUF PTE TRL"
WITHDRAWN: Final[dict[str, int]] = {
    code: digits for digits, codes in ((2, _WITHDRAWN_TWO_DIGITS), (0, _WITHDRAWN_NO_DIGITS)) for code in codes.split()
}
"""Former currencies in old statements; no order is submitted in them."""

_CENTS: Final = 2


def digits_of(currency: Currency) -> int:
    """Digits of the currency's minor unit: EUR 2, JPY 0, KWD 3."""
    known = CURRENCIES.get(currency)
    return WITHDRAWN[currency] if known is None else known


def minor_to_decimal(minor: int, currency: Currency) -> Decimal:
    """The amount as a Decimal with the currency's number of decimals."""
    return Decimal(minor).scaleb(-digits_of(currency))


def minor_to_text(minor: int, currency: Currency) -> str:
    """The amount with a decimal point and at least two decimals: 12.30, 100.00 for JPY 100, 1.500 for KWD 1.5."""
    digits = digits_of(currency)
    return f"{minor_to_decimal(minor, currency):.{max(digits, 2)}f}"


def plain_text(minor: int, currency: Currency) -> str:
    """The amount with a decimal point and the currency's own decimals: 12.30, 100 for JPY 100. For long tables."""
    if CURRENCIES.get(currency) != _CENTS:
        return str(minor_to_decimal(minor, currency))
    return f"{minor // 100}.{minor % 100:02d}" if minor >= 0 else f"-{-minor // 100}.{-minor % 100:02d}"
