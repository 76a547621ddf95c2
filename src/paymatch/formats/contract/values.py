"""Fields of request bodies: presence, form and length, and the text that answers when one is wrong."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any, Final

from paymatch.domain.calendar import parse_date
from paymatch.domain.countries import COUNTRIES
from paymatch.domain.money import CURRENCIES, AmountUnreadable, Currency, decimal_to_minor
from paymatch.domain.orders.submission import OrderRefused
from paymatch.domain.words.message import Message

_PLAIN_AMOUNT: Final = re.compile(rb'"?(-?\d{1,9}(?:\.\d{1,2}0{0,40})?)"?')
_NUMBER: Final = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,4})?")
_CENT: Final = Decimal("0.01")
_NOISE: Final = Decimal("1e-6")
"""How far a JSON number may be from a cent: what is left of a sum of binary floats (D-39)."""
_LEAST: Final = Decimal("1e-18")
"""What is left of a sum of cents in binary floats is a multiple of 2**-59: anything smaller is a mistake."""
_WHOLE: Final = re.compile(r"\d{1,9}", re.ASCII)
_RATE: Final = re.compile(r"\d{1,12}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,2})?", re.ASCII)
_RATE_MIN: Final = Decimal("1e-10")
_RATE_MAX: Final = Decimal("1e12")
LANGUAGE: Final = "[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*"
_LANGUAGE: Final = re.compile(LANGUAGE, re.ASCII)

MAX_NUMBER: Final = 255  # order number (D-15)
MAX_KEY: Final = 128  # other identifiers (D-15)
MAX_ACCOUNT: Final = 100
"""Characters of an IBAN with all that people put between its groups."""
MAX_TEXT: Final = 4000
"""Characters of a text that is kept although it is longer than what it is for."""
MAX_AMOUNT: Final = Decimal("1e9")
"""Amounts stay below it: a SEPA transfer carries 999,999,999.99 at most (EPC115-06)."""


_TEXT: Final = "a text without control characters, or a whole number"
_AMOUNT: Final = "a number with at most two decimals, such as 49.90"
_AMOUNT_IN_RANGE: Final = "an amount of at most 999,999,999.99"


def invalid(name: str, *, allowed: Iterable[str] = (), expected: str = "") -> OrderRefused:
    """The refusal of a field of the wrong form (docs/api.md: `Parameter date is not valid`, by analogy for all).

    `allowed` are the values of an enumeration, `expected` says the form in words (D-39).
    """
    return OrderRefused(
        Message("parameter-not-valid", name=name), parameter=name, allowed=sorted(allowed), expected=expected
    )


def missing_parameter(name: str) -> OrderRefused:
    """The refusal of a required field that is missing or empty."""
    return OrderRefused(Message("order-parameter-missing", name=name), parameter=name)


def order_number(name: str, value: Any) -> str | None:
    """The number of an order. Refused if too long (D-15), or if it has an invisible character (D-39)."""
    found = identifier(name, value)
    if found is not None and len(found) > MAX_NUMBER:
        raise OrderRefused(Message("order-parameter-too-long-max", name=name, most=MAX_NUMBER), parameter=name)
    if found is not None and not found.isprintable() and any(unicodedata.category(char) == "Cf" for char in found):
        raise invalid(name, expected="a text without control characters and invisible characters")
    return found


def reference(name: str, value: Any) -> str | None:
    """A reference that something is found by again; refused if too long (D-15)."""
    found = identifier(name, value)
    if found is not None and len(found) > MAX_KEY:
        raise OrderRefused(Message("order-parameter-too-long-max", name=name, most=MAX_KEY), parameter=name)
    return found


def identifier(name: str, value: Any) -> str | None:
    """An identifier of any length; a JSON number is taken as its text (D-14). None if absent or blank."""
    if value is None or value == "":
        return None
    if type(value) is int:
        value = str(value)
    if type(value) is not str or not (value.isprintable() or _printable(value)):
        raise invalid(name, expected=_TEXT)
    return None if value.isspace() else value


def identifiers(name: str, value: Any) -> list[str] | None:
    """A list of identifiers; empty elements fall away. None if nothing is left, or if it is absent or empty."""
    if no_object(value):
        return None
    if type(value) is not list:
        raise invalid(name, expected="an array of texts")
    found = [text for text in (identifier(name, each) for each in value) if text]
    return found or None


def text(name: str, value: Any, limit: int) -> str | None:
    """An informational text, cut at `limit` characters (D-15). None if absent or empty."""
    if type(value) is not str:
        if value is None:
            return None
        if type(value) is not int:
            raise invalid(name, expected="a text")
        value = str(value)
    if "\x00" in value:
        raise invalid(name, expected="a text")
    return value[:limit] or None


def seen_text(name: str, value: Any, limit: int) -> str | None:
    """As `text`; a text of blanks is the same as none."""
    found = text(name, value, limit)
    return found if found and not found.isspace() else None


def email(name: str, value: Any) -> str | None:
    """An e-mail address as text of any length; whether mail can be sent to it is looked at by the rules."""
    found = text(name, value, MAX_TEXT)
    return None if blank(found) else found


def language(name: str, value: Any) -> str | None:
    """An ISO language code such as `de` or `de-AT`."""
    found = text(name, value, 35)
    if found is not None and not _LANGUAGE.fullmatch(found):
        raise invalid(name, expected="an ISO 639 language code, such as de or de-AT")
    return found


def day(name: str, value: Any) -> date | None:
    """A date `dd-MM-yyyy`; None if absent or empty."""
    if value is None or value == "":
        return None
    try:
        if type(value) is str:
            return parse_date(value)
    except ValueError:
        pass
    raise invalid(name, expected="dd-MM-yyyy")


def one_of(name: str, value: Any, allowed: frozenset[str]) -> str | None:
    """One of the allowed words; None if absent or empty."""
    if value is None or value == "":
        return None
    if type(value) is not str or value not in allowed:
        raise invalid(name, allowed=allowed)
    return value


def flag(name: str, value: Any) -> bool | None:
    """A JSON boolean, or 1 or 0 for one (D-39); None if absent or empty."""
    if value is None or value == "":
        return None
    if type(value) is int and value in (0, 1):
        return value == 1
    if type(value) is not bool:
        raise invalid(name, allowed=("true", "false"))
    return value


def whole(name: str, value: Any, limit: int) -> int | None:
    """An integer from 0 to `limit`, as 2.0 or as text, too (D-39); None if absent or empty."""
    if value is None or value == "":
        return None
    if (type(value) is str and _WHOLE.fullmatch(value)) or (type(value) is float and value.is_integer()):
        value = int(value)
    if type(value) is not int or not 0 <= value <= limit:
        raise invalid(name, expected=f"a whole number from 0 to {limit}")
    return value


def currency(name: str, value: Any) -> Currency | None:
    """An ISO 4217 code; None if absent or empty."""
    if value is None or value == "":
        return None
    if type(value) is not str or value not in CURRENCIES:
        raise invalid(name, expected="an ISO 4217 code, such as EUR")
    return Currency(value)


def country(name: str, value: Any) -> str | None:
    """An ISO 3166 two-letter code in upper case; None if absent or empty."""
    if value is None or value == "":
        return None
    # Letters beyond ASCII can have an upper case within it: a sharp s would be SS, South Sudan.
    if type(value) is not str or not value.isascii() or value.upper() not in COUNTRIES:
        raise invalid(name, expected="an ISO 3166 code of two letters, such as DE")
    return value.upper()


def blank(value: Any) -> bool:
    """True if a value is absent or null, or a text in which nothing can be seen: spaces, invisible characters."""
    if type(value) is not str:
        return value is None
    if value[:1].isalnum():
        return False
    return value.isspace() or not value or not (value.isprintable() or any(map(_can_be_seen, value)))


def _can_be_seen(char: str) -> bool:
    return not char.isspace() and unicodedata.category(char) not in ("Cf", "Cc")


def present(raw: bytes) -> bool:
    """True if a raw JSON value is neither absent, nor null, nor an empty string."""
    return raw not in (b"", b"null", b'""')


def amount(name: str, raw: bytes) -> Decimal:
    """The amount of a raw JSON number or numeric string, with two decimals.

    Trailing zeros are taken, and of a number what binary floats add to a cent; true further decimals are refused,
    never rounded (D-14, D-39).
    """
    plain = _PLAIN_AMOUNT.fullmatch(raw)
    if plain is not None:
        return Decimal(plain[1].decode()).quantize(_CENT) + 0  # + 0: there is no -0.00
    if not _NUMBER.fullmatch(raw):
        raise invalid(name, expected=_AMOUNT)
    value = Decimal(raw.decode())
    if not -MAX_AMOUNT < value < MAX_AMOUNT:
        raise invalid(name, expected=_AMOUNT_IN_RANGE)
    found = value.quantize(_CENT, ROUND_HALF_EVEN)
    if abs(value - found) > _NOISE or 0 < abs(value) < _LEAST:
        raise invalid(name, expected=_AMOUNT)
    return found + 0


def amount_in(name: str, value: Decimal, in_currency: Currency) -> int:
    """The amount in minor units; refused if the currency has no such coins (JPY 0.50)."""
    try:
        return decimal_to_minor(value, in_currency)
    except AmountUnreadable:
        raise invalid(name, expected=f"an amount that can be paid in {in_currency}") from None


def rate(name: str, raw: bytes) -> bytes | None:
    """An exchange rate as JSON number, with all the decimals of a computed one (1 / 1.07); None if absent."""
    if not present(raw):
        return None
    plain = raw.strip(b'"').decode(errors="replace")
    if not _RATE.fullmatch(plain) or not _RATE_MIN <= Decimal(plain) < _RATE_MAX:
        raise invalid(name, expected="a number above 0, such as 1.0725")
    return format(Decimal(plain), "f").encode()


def no_object(value: Any) -> bool:
    """True if there is no object, or no list: absent, null, an empty text, or an empty one of either kind (D-39).

    Languages whose objects are arrays write `[]` for an empty object, and `{}` for an empty list that they hold as one.
    """
    return value is None or value in ("", {}, [])


def _printable(value: str) -> bool:
    """No control characters; unlike str.isprintable it lets the wide and the unbreakable spaces pass."""
    return all(unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp") for char in value)
