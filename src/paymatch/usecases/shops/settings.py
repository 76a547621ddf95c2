"""The settings of a shop as text: how each is parsed and shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from paymatch.domain.callbacks.deliveries import MAX_GRACE_SECONDS
from paymatch.domain.callbacks.receivers import receiver_of
from paymatch.domain.money import CURRENCIES, Currency, currency_of, decimal_to_minor, minor_to_text
from paymatch.domain.orders.fees import KEPT_KINDS
from paymatch.domain.orders.settlement import SetPaidAccount
from paymatch.domain.refunds.transfers import AfterInstant, PayeeCheck, TransferSpeed
from paymatch.domain.reminders.mail_addresses import mail_address
from paymatch.domain.reports.exports import EXPORTS, FILES
from paymatch.domain.reports.ledger import CHARTS
from paymatch.domain.reports.schedule import Every
from paymatch.domain.shops.colours import colour_of
from paymatch.domain.shops.shop import SettingRefused
from paymatch.domain.words.faults import UnreadableValue
from paymatch.domain.words.message import Message
from paymatch.formats.languages.texts import LANGUAGES
from paymatch.formats.letters.paper import Paper
from paymatch.formats.sepa.pain001 import TransferCharacters


def read_setting(name: str, text: str, currency: str) -> tuple[str, Any]:
    """(column, value) of a setting given as text; amounts in units of the currency. SettingRefused, which names it."""
    reader = SETTINGS.get(name)
    if reader is None:
        raise SettingRefused(Message("setting-unknown", name=repr(name), settings=", ".join(sorted(SETTINGS))))
    try:
        value = reader(text)
        if isinstance(value, Decimal):
            value = decimal_to_minor(value, Currency(currency))
    except UnreadableValue as error:
        shown = name if column_of(name) in SECRET else f"{name}={text}"
        raise SettingRefused(
            Message("setting-refused", setting=shown, why=error.message), parameter=name, expected=error.message
        ) from None
    return column_of(name), value


def column_of(name: str) -> str:
    """Where the setting is stored."""
    return _COLUMNS.get(name, name.replace("-", "_"))


def as_texts(stored: Mapping[str, Any], currency: str) -> dict[str, str]:
    """Setting -> the text that `read_setting` would take for what its column holds."""
    columns = {column_of(name): name for name in SETTINGS}
    return {columns[column]: _as_text(column, value, currency) for column, value in stored.items()}


def _as_text(column: str, value: Any, currency: str) -> str:
    if value is None:
        return _UNSET[column]
    if isinstance(value, bool):
        return "on" if value else "off"
    if column.endswith("_minor"):
        return minor_to_text(value, currency_of(currency))
    if column in _PERCENTS:
        return f"{Decimal(value) / 100:f}"
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def timezone(text: str) -> str:
    try:
        ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError):
        raise SettingRefused(Message("setting-time-zone", zone=repr(text)), parameter="timezone") from None
    return text


def _switch(text: str) -> bool:
    if text not in ("on", "off"):
        raise UnreadableValue(Message("setting-switch"))
    return text == "on"


def _one_of(*allowed: str) -> Any:
    def read(text: str) -> str:
        if text not in allowed:
            raise UnreadableValue(Message("setting-one-of", values=", ".join(allowed)))
        return text

    return read


def _url(text: str) -> str:
    if text:
        # Whether private addresses and plain http are allowed is the worker's setting, judged at every call (D-25).
        receiver_of(text, allow_private=True)
    return text


def _ports(text: str) -> list[int]:
    found = [part.strip() for part in text.split(",") if part.strip()]
    if len(found) > 10 or not all(re.fullmatch(r"\d{1,5}", part, re.ASCII) and 0 < int(part) < 65536 for part in found):
        raise UnreadableValue(Message("setting-ports"))
    return sorted({int(part) for part in found})


def _grace(text: str) -> int:
    if not re.fullmatch(r"\d{1,3}", text, re.ASCII) or int(text) > MAX_GRACE_SECONDS:
        raise UnreadableValue(Message("setting-seconds", most=MAX_GRACE_SECONDS))
    return int(text)


def _access_code(text: str) -> str:
    if not re.fullmatch(r"[\x21-\x7e]{8,255}", text):
        raise UnreadableValue(Message("setting-access-code"))
    return text


def _amount(text: str) -> Decimal:
    if not re.fullmatch(r"\d{1,9}(\.\d{1,2})?", text, re.ASCII):
        raise UnreadableValue(Message("setting-amount"))
    return Decimal(text)


def _mail_address(text: str) -> str:
    if not text:
        return ""
    found = mail_address(text)
    if found is None:
        raise UnreadableValue(Message("setting-mail-address"))
    return found


def _display_name(text: str) -> str:
    if len(text) > 100 or not all(char.isprintable() for char in text):
        raise UnreadableValue(Message("setting-display-name"))
    return text.strip()


def _days_or_forever(text: str) -> int | None:
    if text == "forever":
        return None
    if not re.fullmatch(r"[1-9]\d{0,3}", text, re.ASCII):
        raise UnreadableValue(Message("setting-days-or-forever"))
    return int(text)


def _years_or_forever(text: str) -> int | None:
    if text == "forever":
        return None
    if not re.fullmatch(r"[1-9]\d?", text, re.ASCII) or int(text) < KEEP_ORDER_YEARS_MIN:
        raise UnreadableValue(Message("years-or-forever", least=KEEP_ORDER_YEARS_MIN))
    return int(text)


def _days_or_off(text: str) -> int | None:
    if text == "off":
        return None
    if not re.fullmatch(r"[1-9]\d{0,2}", text, re.ASCII):
        raise UnreadableValue(Message("setting-days-or-off", most=999))
    return int(text)


def _hour_or_off(text: str) -> int | None:
    if text == "off":
        return None
    if not re.fullmatch(r"[01]?[0-9]|2[0-3]", text, re.ASCII):
        raise UnreadableValue(Message("setting-hour-or-off"))
    return int(text)


def _megabytes_or_default(text: str) -> int | None:
    if text == "default":
        return None
    if not re.fullmatch(r"[1-9]\d{0,6}", text, re.ASCII):
        raise UnreadableValue(Message("setting-megabytes"))
    return int(text)


def _days(text: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,2}", text, re.ASCII):
        raise UnreadableValue(Message("setting-days"))
    return int(text)


def _waiting_days(text: str) -> int:
    if not re.fullmatch(r"\d{1,2}", text, re.ASCII) or int(text) > 60:
        raise UnreadableValue(Message("setting-number", least=0, most=60))
    return int(text)


def _percent(text: str) -> int:
    """Per cent with up to two decimals as basis points: 2.5 is 250."""
    if not re.fullmatch(r"\d{1,2}(\.\d{1,2})?", text, re.ASCII) or Decimal(text) > 20:
        raise UnreadableValue(Message("setting-percent"))
    return int(Decimal(text) * 100)


def _colour(text: str) -> str:
    """The colour as it is stored; "" is the usual one."""
    return str(colour_of(text)) if text else ""


def _phone(text: str) -> str:
    if text and not re.fullmatch(r"[+(]?[0-9][0-9 ()/.-]{4,38}", text, re.ASCII):
        raise UnreadableValue(Message("setting-phone"))
    return text.strip()


def _website(text: str) -> str:
    if text and not re.fullmatch(
        r"https://[A-Za-z0-9.-]{1,253}(:\d{1,5})?(/[\w.~%!$&'()*+,;=:@/?#-]{0,200})?", text, re.ASCII
    ):
        raise UnreadableValue(Message("setting-website"))
    return text


def _footer(text: str) -> str:
    lines = [line.strip() for line in text.replace("\r\n", "\n").strip().split("\n")]
    if len(text) > 1000 or len(lines) > 12 or not all(char.isprintable() for line in lines for char in line):
        raise UnreadableValue(Message("setting-footer"))
    return "\n".join(lines)


def _account_number(text: str) -> str:
    """An account of the shop's books; "" is the usual one of its chart."""
    if text and not re.fullmatch(r"[0-9]{4,9}", text, re.ASCII):
        raise UnreadableValue(Message("setting-ledger-account"))
    return text


def _bank_accounts(text: str) -> str:
    """An account for all banks, and accounts of single ones: 1800,DE89370400440532013000:1810,stripe:1485."""
    parts = [part.strip().replace(" ", "") for part in text.split(",") if part.strip()]
    if not all(re.fullmatch(r"([A-Z0-9]{5,34}:|[a-z]{2,30}:)?[0-9]{4,8}", part, re.ASCII) for part in parts):
        raise UnreadableValue(Message("setting-bank-accounts"))
    return ",".join(parts)


def _fee_accounts(text: str) -> str:
    """An account for all fees, and accounts of single kinds: 6855,CASH_DISCOUNT:4736."""
    parts = [part.strip().replace(" ", "") for part in text.split(",") if part.strip()]
    for part in parts:
        kind, _, account = part.rpartition(":")
        if kind not in ("", *KEPT_KINDS) or not re.fullmatch(r"[0-9]{4,8}", account, re.ASCII):
            raise UnreadableValue(Message("setting-fee-accounts"))
    return ",".join(parts)


def _set_paid_accounts(text: str) -> str:
    """An account for all orders that were set paid, and accounts of single kinds: 1370,CASH:1600."""
    parts = [part.strip().replace(" ", "") for part in text.split(",") if part.strip()]
    for part in parts:
        kind, _, account = part.rpartition(":")
        if kind not in ("", *SetPaidAccount) or not re.fullmatch(r"[0-9]{4,8}", account, re.ASCII):
            raise UnreadableValue(Message("setting-set-paid-accounts"))
    return ",".join(parts)


def _tax_keys(text: str) -> str:
    """Tax keys by account: 4410:3,4736:3."""
    parts = [part.strip().replace(" ", "") for part in text.split(",") if part.strip()]
    if not all(re.fullmatch(r"[0-9]{4,9}:[0-9]{1,4}", part, re.ASCII) for part in parts):
        raise UnreadableValue(Message("setting-tax-keys"))
    return ",".join(parts)


def _rates(text: str) -> str:
    """How much of a currency one unit of the shop's is worth, also in one month: CHF:0.9312,2026-10:USD:1.0850."""
    parts = [part.strip().replace(" ", "") for part in text.split(",") if part.strip()]
    for part in parts:
        found = re.fullmatch(r"(?:20[0-9]{2}-(?:0[1-9]|1[0-2]):)?([A-Z]{3}):([0-9]{1,4}\.[0-9]{2,6})", part, re.ASCII)
        if not found or found[1] not in CURRENCIES or not Decimal(found[2]):
            raise UnreadableValue(Message("setting-rates"))
    return ",".join(parts)


def _number_between(least: int, most: int) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text and not (re.fullmatch(r"[0-9]{1,7}", text, re.ASCII) and least <= int(text) <= most):
            raise UnreadableValue(Message("setting-number", least=least, most=most))
        return text

    return read


def _month(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,2}", text, re.ASCII) or not 1 <= int(text) <= 12:
        raise UnreadableValue(Message("setting-month"))
    return int(text)


def _text(text: str) -> str:
    if not text.strip() or len(text) > 255:
        raise UnreadableValue(Message("setting-text"))
    return text


def _exports(text: str) -> str:
    names = [part.strip() for part in text.split(",") if part.strip()]
    allowed = (*EXPORTS, *FILES)
    if not set(names) <= set(allowed):
        raise UnreadableValue(Message("setting-one-of", values=", ".join(allowed)))
    return ",".join(dict.fromkeys(names))


def _export_to(text: str) -> str:
    if text in ("folder", "s3"):
        return text
    found = mail_address(text)
    if found is None:
        raise UnreadableValue(Message("setting-export-to"))
    return found


KEEP_ORDER_YEARS_MIN: Final = 8
"""Vouchers are kept for eight years in Germany (section 147 of the AO), for as long or less in most of Europe."""
SECRET: Final = frozenset({"callback_access_code"})
_PERCENT: Final = "discount_basis_points"
_PERCENTS: Final = frozenset({_PERCENT, "bank_charge_basis_points"})
_UNSET: Final = {
    "keep_mail_days": "forever",
    "keep_payer_days": "forever",
    "keep_order_years": "forever",
    "keep_invoice_days": "forever",
    "keep_drop_days": "forever",
    "invoice_quota_mb": "default",
    "lapse_after_days": "off",
    "letter_print_hour": "off",
}
"""Column -> the text for an empty value."""
_COLUMNS: Final = {
    "invoice-quota": "invoice_quota_mb",
    "lapse-after": "lapse_after_days",
    "tolerance": "tolerance_minor",
    "fee-tolerance": "fee_tolerance_minor",
    "cash-discount": _PERCENT,
    "bank-charge-percent": "bank_charge_basis_points",
    "bank-charge-limit": "bank_charge_limit_minor",
    "reminder-minimum": "reminder_minimum_minor",
    "callback-grace": "callback_grace_seconds",
    "refund-limit": "refund_limit_minor",
    "refund-day-limit": "refund_day_limit_minor",
    "refund-deadline": "refund_deadline_days",
    "refund-four-eyes": "refund_four_eyes_minor",
}
SETTINGS: Final[Mapping[str, Callable[[str], Any]]] = {
    "name": _text,
    "status": _one_of("active", "paused", "deleted"),
    "api": _switch,
    "access": _one_of("read-write", "read-only"),
    "timezone": timezone,
    "language": _one_of(*LANGUAGES),
    "holder": _text,
    "street": _text,
    "house-number": _text,
    "postcode": _text,
    "city": _text,
    "letters": _switch,
    "letters-by": _one_of("printer", "provider"),
    "invoice-letters": _one_of("cover", "as-is", "off"),
    "letter-paper": _one_of("", *Paper),
    "letter-duplex": _switch,
    "letter-colour": _switch,
    "letter-alert-days": _days,
    "letter-print-hour": _hour_or_off,
    "accounts-locked": _switch,
    "ordersync-guard": _switch,
    "caution": _one_of("cautious", "normal", "bold"),
    "learning": _switch,
    "tolerance": _amount,
    "fee-tolerance": _amount,
    "cash-discount": _percent,
    "invoice-terms": _switch,
    "bank-charge-percent": _percent,
    "bank-charge-limit": _amount,
    "transfer-version": _one_of("09", "03"),
    "transfer-characters": _one_of(*TransferCharacters),
    "transfer-speed": _one_of(*TransferSpeed),
    "instant-refused": _one_of(*AfterInstant),
    "payee-check": _one_of(*PayeeCheck),
    "large-online-seller": _switch,
    "reminders": _switch,
    "reminder-minimum": _amount,
    "payment-information": _switch,
    "payment-thanks": _switch,
    "mail-from": _mail_address,
    "mail-name": _display_name,
    "reply-to": _mail_address,
    "accent": _colour,
    "contact-email": _mail_address,
    "contact-phone": _phone,
    "website": _website,
    "legal-footer": _footer,
    "imprint-url": _website,
    "privacy-url": _website,
    "keep-mail-days": _days_or_forever,
    "keep-payer-days": _days_or_forever,
    "keep-order-years": _years_or_forever,
    "keep-deleted-days": _days,
    "keep-invoice-days": _days_or_forever,
    "keep-drop-days": _days_or_forever,
    "lapse-after": _days_or_off,
    "refund-runs": _switch,
    "refund-requests": _switch,
    "refund-limit": _amount,
    "refund-day-limit": _amount,
    "refund-deadline": _days,
    "refund-four-eyes": _amount,
    "statements-api": _switch,
    "second-factor": _one_of("off", "money", "all"),
    "request-log": _one_of("off", "requests", "bodies"),
    "invoice-quota": _megabytes_or_default,
    "ledger-chart": _one_of(*CHARTS),
    "ledger-bank": _bank_accounts,
    "ledger-debtors": _account_number,
    "ledger-revenue": _account_number,
    "ledger-fees": _fee_accounts,
    "ledger-clearing": _account_number,
    "ledger-credits": _account_number,
    "ledger-income": _account_number,
    "ledger-losses": _account_number,
    "use-credit": _switch,
    "ledger-reminder-fees": _account_number,
    "ledger-transit": _account_number,
    "ledger-currency": _account_number,
    "ledger-set-paid": _set_paid_accounts,
    "datev-consultant": _number_between(1_001, 9_999_999),
    "datev-client": _number_between(1, 99_999),
    "datev-tax-keys": _tax_keys,
    "datev-rates": _rates,
    "datev-links": _one_of("", "BEDI", "DDMS"),
    "fiscal-year-month": _month,
    "exports": _exports,
    "export-every": _one_of(*Every),
    "export-to": _export_to,
    "export-wait": _waiting_days,
    "callbacks": _switch,
    "callback-url": _url,
    "callback-ports": _ports,
    "callback-grace": _grace,
    "callback-success": _one_of("200", "2xx"),
    "callback-access-code": _access_code,
}
