"""Fields of request bodies: presence, form and length, and the text that answers when one is wrong."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any, Final

from paymatch.domain.calendar import parse_date
from paymatch.domain.countries import COUNTRIES
from paymatch.domain.money import CURRENCIES, AmountUnreadable, Currency, decimal_to_minor
from paymatch.domain.orders.submission import OrderRefused

_PLAIN_AMOUNT: Final = re.compile(rb'"?(-?\d{1,13}(?:\.\d{1,2})?)"?')
_EXPONENT_NUMBER: Final = re.compile(rb"-?\d+(?:\.\d+)?[eE][+-]?\d{1,4}")
_CENT: Final = Decimal("0.01")
_RATE: Final = re.compile(r"\d{1,12}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,2})?", re.ASCII)
_RATE_MIN: Final = Decimal("1e-10")
_RATE_MAX: Final = Decimal("1e12")
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*", re.ASCII)

MAX_NUMBER: Final = 255  # order number (D-15)
MAX_KEY: Final = 128  # other identifiers (D-15)
MAX_EMAIL: Final = 254


def invalid(name: str) -> OrderRefused:
    """The refusal of a field of the wrong form (API document: `Parameter date is not valid`, by analogy for all)."""
    return OrderRefused(f"Parameter {name} is not valid", parameter=name)


def missing(name: str) -> OrderRefused:
    """The refusal of a required field that is missing or empty."""
    return OrderRefused(f"Missing parameter {name}", parameter=name)


def identifier(name: str, value: Any, limit: int = MAX_KEY) -> str | None:
    """An identifier; a JSON number is taken as its text (D-14). None if absent or empty; refused if too long (D-15)."""
    if value is None or value == "":
        return None
    if type(value) is int:
        value = str(value)
    if type(value) is not str or not (value.isprintable() or _printable(value)):
        raise invalid(name)
    if len(value) > limit:
        raise OrderRefused(f"Parameter {name} too long (max {limit})", parameter=name)
    return value if value.strip() else None


def identifiers(name: str, value: Any) -> list[str] | None:
    """A list of identifiers; empty elements fall away. None if nothing is left."""
    if value is None:
        return None
    if type(value) is not list:
        raise invalid(name)
    found = [text for text in (identifier(name, each) for each in value) if text]
    return found or None


def text(name: str, value: Any, limit: int) -> str | None:
    """An informational text, cut at `limit` characters (D-15). None if absent or empty."""
    if value is None or value == "":
        return None
    if type(value) is int:
        value = str(value)
    if type(value) is not str or "\x00" in value:
        raise invalid(name)
    return value if len(value) <= limit else value[:limit]


def email(name: str, value: Any) -> str | None:
    """An e-mail address as text; refused if too long, because a cut address is another address."""
    found = text(name, value, MAX_EMAIL + 1)
    if found is not None and len(found) > MAX_EMAIL:
        raise OrderRefused(f"Parameter {name} too long (max {MAX_EMAIL})", parameter=name)
    return found


def language(name: str, value: Any) -> str | None:
    """An ISO language code such as `de` or `de-AT`."""
    found = text(name, value, 35)
    if found is not None and not _LANGUAGE.fullmatch(found):
        raise invalid(name)
    return found


def day(name: str, value: Any) -> date | None:
    """A date `dd-MM-yyyy`; None if absent or empty."""
    if value is None or value == "":
        return None
    if type(value) is not str:
        raise invalid(name)
    try:
        return parse_date(value)
    except ValueError:
        raise invalid(name) from None


def one_of(name: str, value: Any, allowed: frozenset[str]) -> str | None:
    """One of the allowed words; None if absent or empty."""
    if value is None or value == "":
        return None
    if type(value) is not str or value not in allowed:
        raise invalid(name)
    return value


def flag(name: str, value: Any) -> bool | None:
    """A JSON boolean; None if absent."""
    if value is None:
        return None
    if type(value) is not bool:
        raise invalid(name)
    return value


def whole(name: str, value: Any, limit: int) -> int | None:
    """An integer from 0 to `limit`; None if absent."""
    if value is None:
        return None
    if type(value) is not int or not 0 <= value <= limit:
        raise invalid(name)
    return value


def currency(name: str, value: Any) -> Currency | None:
    """An ISO 4217 code; None if absent or empty."""
    if value is None or value == "":
        return None
    if type(value) is not str or value not in CURRENCIES:
        raise invalid(name)
    return Currency(value)


def country(name: str, value: Any) -> str | None:
    """An ISO 3166 two-letter code in upper case; None if absent or empty."""
    if value is None or value == "":
        return None
    # Letters beyond ASCII can have an upper case within it: a sharp s would be SS, South Sudan.
    if type(value) is not str or not value.isascii() or value.upper() not in COUNTRIES:
        raise invalid(name)
    return value.upper()


def blank(value: Any) -> bool:
    """True if a value is absent or null, or a text of nothing but spaces."""
    return value is None or (type(value) is str and not value.strip())


def present(raw: bytes) -> bool:
    """True if a raw JSON value is neither absent, nor null, nor an empty string."""
    return raw not in (b"", b"null", b'""')


def amount(name: str, raw: bytes) -> Decimal:
    """The amount of a raw JSON number or numeric string, with two decimals.

    More than two decimals is refused, never rounded (D-14).
    """
    plain = _PLAIN_AMOUNT.fullmatch(raw)
    if plain is not None:
        return Decimal(plain[1].decode()).quantize(_CENT) + 0  # + 0: there is no -0.00
    if not _EXPONENT_NUMBER.fullmatch(raw):
        raise invalid(name)
    value = Decimal(raw.decode())
    if value and not -3 < value.adjusted() < 13:
        raise invalid(name)
    if value != value.quantize(_CENT):
        raise invalid(name)
    return value.quantize(_CENT) + 0


def amount_in(name: str, value: Decimal, in_currency: Currency) -> int:
    """The amount in minor units; refused if the currency has no such coins (JPY 0.50)."""
    try:
        return decimal_to_minor(value, in_currency)
    except AmountUnreadable:
        raise invalid(name) from None


def rate(name: str, raw: bytes) -> bytes | None:
    """An exchange rate as JSON number, with all the decimals of a computed one (1 / 1.07); None if absent."""
    if not present(raw):
        return None
    plain = raw.strip(b'"').decode(errors="replace")
    if not _RATE.fullmatch(plain) or not _RATE_MIN <= Decimal(plain) < _RATE_MAX:
        raise invalid(name)
    return format(Decimal(plain), "f").encode()


def child(value: Any) -> Mapping[str, Any] | None:
    """A JSON object, or None for anything else."""
    return value if isinstance(value, dict) else None


def _printable(value: str) -> bool:
    """No control characters; unlike str.isprintable it lets the wide and the unbreakable spaces pass."""
    return all(unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp") for char in value)
