"""Money: whole minor units with their currency; Decimal only where text is read or written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
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
"""Currencies of yesterday that old statements are kept in; no order is submitted in them."""

MAX_MINOR: Final = 10**15 - 1
"""The largest amount that the ledger takes, in minor units: it stays exact in a JSON number and in int8 sums."""

_CENTS: Final = 2
EUR: Final = Currency("EUR")


class AmountUnreadable(ValueError):
    """The text is not an amount in this currency; the caller keeps the text and asks a person, never guesses."""


@dataclass(frozen=True, slots=True, order=False)
class Money:
    """An amount in minor units of one currency; EUR 12.30 is `Money(1230, EUR)`."""

    minor: int
    currency: Currency

    def __add__(self, other: Money) -> Money:
        self._same(other)
        return Money(self.minor + other.minor, self.currency)

    def __sub__(self, other: Money) -> Money:
        self._same(other)
        return Money(self.minor - other.minor, self.currency)

    def __neg__(self) -> Money:
        return Money(-self.minor, self.currency)

    def __str__(self) -> str:
        return f"{minor_to_text(self.minor, self.currency)} {self.currency}"

    def _same(self, other: Money) -> None:
        assert self.currency == other.currency, f"{self.currency} and {other.currency} never mix"


def currency_of(code: str) -> Currency:
    """The currency of an ISO 4217 code; ValueError if there is none."""
    if code not in CURRENCIES:
        raise ValueError(f"unknown currency {code!r}")
    return Currency(code)


def digits_of(currency: Currency) -> int:
    """Digits of the currency's minor unit: EUR 2, JPY 0, KWD 3."""
    known = CURRENCIES.get(currency)
    return WITHDRAWN[currency] if known is None else known


def decimal_to_minor(amount: Decimal, currency: Currency) -> int:
    """`amount` in minor units, exact; AmountUnreadable if it has too many decimals, is not finite or too large."""
    if not amount.is_finite():
        raise AmountUnreadable(f"{amount} is not a number")
    if amount and abs(amount.adjusted()) >= 20:
        raise AmountUnreadable(f"{amount} is out of range")
    scaled = amount.scaleb(digits_of(currency))
    minor = int(scaled)
    if minor != scaled:
        raise AmountUnreadable(f"{amount} has more decimals than {currency} has")
    if abs(minor) > MAX_MINOR:
        raise AmountUnreadable(f"{amount} is out of range")
    return minor


def text_to_minor(text: str, currency: Currency) -> int:
    """Minor units of an amount written with a decimal point (`1234.50`); AmountUnreadable for anything else."""
    if not text or not text.isascii() or text.strip() != text or any(c not in "0123456789.-+" for c in text):
        raise AmountUnreadable(f"{text!r} is not an amount")
    try:
        return decimal_to_minor(Decimal(text), currency)
    except InvalidOperation as error:
        raise AmountUnreadable(f"{text!r} is not an amount") from error


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


def total(amounts: Iterable[int]) -> int:
    """Sum of minor units of one currency."""
    return sum(amounts)
