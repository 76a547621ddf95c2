"""Amounts, numbers and days as the reader writes them."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

from django.utils.translation import get_language

from paymatch.area.language.reader_language import day_and_month, in_figures
from paymatch.area.lists import EVERYWHERE
from paymatch.area.service import the_service
from paymatch.domain.bank_accounts import masked_account
from paymatch.domain.money import CURRENCIES
from paymatch.domain.payouts.providers import is_at_provider
from paymatch.domain.words.typed_days import written_day

MINUS: Final = "\u2212"


def amount(minor: int | None, currency: str = "EUR") -> str:
    """Minor units as digits in the reader's way: 1,234.50 or 1.234,50; nothing for None."""
    if minor is None:
        return ""
    digits = CURRENCIES[currency]
    whole, rest = divmod(abs(minor), 10**digits)
    text = f"{whole:,}" + (f".{rest:0{digits}}" if digits else "")
    return (MINUS if minor < 0 else "") + in_figures(text)


def written(text: str | None) -> str:
    """An amount that is written with a point, 1204.50, as `amount` shows it; nothing for none."""
    if not text:
        return ""
    shown = f"{Decimal(text):,}".replace("-", MINUS)
    return in_figures(shown)


def signed_number(value: float) -> str:
    """A number with its sign and one decimal in the reader's way, 0.0 without a sign."""
    text = f"{abs(value):,.1f}"
    sign = "" if text == "0.0" else MINUS if value < 0 else "+"
    return sign + in_figures(text)


def day(value: date | None) -> str:
    """17 Nov, in German 17. Nov., with the year where it is not that of the service's clock, in UTC."""
    if value is None:
        return ""
    return day_and_month(value, with_year=value.year != the_service().clock().year)


def day_field(value: date | None) -> str:
    """The day as a field for days shows it, always with its year."""
    return written_day(value, get_language() or "en") if value is not None else ""


def iso_day(text: str | None) -> str:
    """A day that is written as 2026-11-17, as `day` shows it."""
    return day(date.fromisoformat(text)) if text else ""


def account_label(account: str) -> str:
    """A short form that identifies an account among the shop's: its country and check digits, and its end.

    An account at a payment service or marketplace has its name.
    """
    if is_at_provider(account):
        return account.partition(":")[2]
    return masked_account(account) if len(account) > 8 else account


def moment(value: datetime | None, zone: str = EVERYWHERE) -> str:
    """17 Nov, 08:42 in the shop's time zone; where no shop is looked at in UTC, which it then says."""
    if value is None:
        return ""
    local = value.astimezone(ZoneInfo(zone or "UTC"))
    shown = f"{day(local.date())}, {local:%H:%M}"
    return shown if zone else f"{shown}\u00a0UTC"
