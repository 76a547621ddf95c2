"""Shops: create, change, their keys and accounts (D-17; faces in DESIGN.md section 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from paymatch.domain.bank_accounts import IbanRefused, masked_account, registered_iban
from paymatch.domain.callbacks.receivers import ReceiverRefused, receiver_of, refuse_port
from paymatch.domain.countries import COUNTRIES
from paymatch.domain.money import CURRENCIES, Currency, decimal_to_minor
from paymatch.domain.reminders.mail_addresses import mail_address
from paymatch.domain.shops import api_keys
from paymatch.domain.shops.audit import DeedKind
from paymatch.domain.shops.key_scopes import READ_WRITE, KeyScope, parse_scopes, scopes_text
from paymatch.domain.shops.shop import (
    KEEP_MAIL_DAYS,
    REFUND_DAY_LIMIT_MINOR,
    REFUND_FOUR_EYES_MINOR,
    REFUND_LIMIT_MINOR,
    Access,
    SettingRefused,
    Shop,
    ShopStatus,
    ShopUnknown,
)
from paymatch.store import ids
from paymatch.store import shops as store
from paymatch.store.callbacks import callbacks
from paymatch.store.database import Database, ShopId, Tx
from paymatch.store.matching import matching
from paymatch.store.reminders import mails, reminders
from paymatch.usecases.work.audit import record_deed

_ZONES: Final = {
    "AT": "Europe/Vienna", "BE": "Europe/Brussels", "CH": "Europe/Zurich", "CZ": "Europe/Prague",
    "DE": "Europe/Berlin", "DK": "Europe/Copenhagen", "ES": "Europe/Madrid", "FI": "Europe/Helsinki",
    "FR": "Europe/Paris", "GB": "Europe/London", "IE": "Europe/Dublin", "IT": "Europe/Rome", "LI": "Europe/Vaduz",
    "LU": "Europe/Luxembourg", "NL": "Europe/Amsterdam", "NO": "Europe/Oslo", "PL": "Europe/Warsaw",
    "PT": "Europe/Lisbon", "SE": "Europe/Stockholm",
}  # fmt: skip
_LANGUAGES: Final = {"AT": "de", "CH": "de", "DE": "de", "LI": "de", "FR": "fr", "NL": "nl", "PL": "pl", "IT": "it"}
_KEY_TOUCH: Final = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class NewShop:
    """What `shop create` answers: the key and the code are shown this once."""

    shop: Shop
    api_key: str
    callback_access_code: str


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls with a key, and what the key may."""

    shop: Shop
    scopes: frozenset[KeyScope]
    key_id: str


def create(
    database: Database,
    name: str,
    clock: datetime,
    *,
    currency: str = "EUR",
    country: str = "DE",
    ibans: Sequence[str] = (),
    sandbox: bool = False,
    timezone: str = "",
    start: datetime | None = None,
) -> NewShop:
    """Creates a shop with one key; the clock of a sandbox shop stands at `start`, None: it follows the real time.

    SettingRefused for an unknown currency, country, time zone or a wrong IBAN."""
    if not name.strip() or len(name) > 255:
        raise SettingRefused("The shop needs a name of 1 to 255 characters")
    if currency not in CURRENCIES:
        raise SettingRefused(f"Unknown currency {currency!r}")
    if country not in COUNTRIES:
        raise SettingRefused(f"Unknown country {country!r}")
    zone = _timezone(timezone or _ZONES.get(country, "UTC"))
    accounts = [account_of(text, currency, name) for text in ibans]
    shop = Shop(
        id=ids.new_shop_id(), name=name, status=ShopStatus.ACTIVE, api=True, access=Access.READ_WRITE,
        currency=currency, country=country, timezone=zone, language=_LANGUAGES.get(country, "en"), holder=name,
        sandbox=sandbox, sandbox_now=(start or clock) if sandbox else None, sandbox_stands=start is not None,
        letters=False, accounts_locked=False, caution="normal", learning=True, tolerance_minor=0, fee_tolerance_minor=0,
        discount_basis_points=0, callbacks=False, callback_url="", callback_ports=(), refund_runs=True, reminders=False,
        payment_information=False, keep_mail_days=KEEP_MAIL_DAYS, statements_api=False,
        refund_limit_minor=REFUND_LIMIT_MINOR, refund_day_limit_minor=REFUND_DAY_LIMIT_MINOR,
        refund_four_eyes_minor=REFUND_FOUR_EYES_MINOR,
    )  # fmt: skip
    access_code = ids.new_secret()
    with database.transaction(ShopId(shop.id)) as tx:
        store.create(tx, shop, access_code, f"whsec_{ids.new_webhook_secret()}", clock)
        for account in accounts:
            store.add_account(tx, ShopId(shop.id), account, clock)
        told = {"name": name, "currency": currency, "accounts": [masked_account(each.account) for each in accounts]}
        record_deed(tx, shop, DeedKind.SHOP_CREATED, str(shop.id), after=told)
        key = create_key(tx, shop, clock)
    return NewShop(shop, key, access_code)


def account_of(text: str, currency: str, holder: str) -> store.AccountRow:
    """A registered account from an IBAN; SettingRefused if its check digits are wrong."""
    try:
        known = registered_iban(text)
    except IbanRefused as error:
        raise SettingRefused(f"{text!r} is not a valid IBAN: {error}") from None
    return store.AccountRow(known.iban, currency, known.bic, known.bank_name, holder, confirmed=True)


def create_key(
    tx: Tx, shop: Shop, clock: datetime, *, scope: str = READ_WRITE, label: str = "", expires: datetime | None = None
) -> str:
    """A new API key of the shop; it is returned this once and stored as its hash (D-17).

    `scope`: names separated by commas (D-37). SettingRefused for an unknown one.
    """
    try:
        scopes = parse_scopes(scope)
    except ValueError:
        names = ", ".join([*KeyScope, READ_WRITE])
        raise SettingRefused(f"There is no scope {scope!r}; scopes are: {names}") from None
    key = api_keys.api_key(shop.id, live=not shop.sandbox, secret=ids.random_bytes(32))
    row = store.KeyRow(
        ids.new_id("key", clock), api_keys.hint_of(key), label, scopes_text(scopes), clock, expires, None
    )
    store.add_key(tx, ShopId(shop.id), row, api_keys.hash_of(key))
    told = {"hint": row.hint, "label": label, "scope": scope, "expiresAt": expires}
    record_deed(tx, shop, DeedKind.KEY_CREATED, row.id, after=told)
    return key


def roll_key(tx: Tx, shop: Shop, key_id: str, clock: datetime, keep_for: timedelta) -> str:
    """A new key; the old one stays valid for `keep_for` (D-17). SettingRefused if there is no such key."""
    old = next((key for key in store.keys(tx, ShopId(shop.id)) if key.id == key_id), None)
    if old is None:
        raise SettingRefused(f"The shop has no key {key_id!r}")
    store.expire_key(tx, ShopId(shop.id), key_id, clock + keep_for)
    record_deed(tx, shop, DeedKind.KEY_ROLLED, key_id, after={"validUntil": clock + keep_for})
    return create_key(tx, shop, clock, scope=old.scope, label=old.label)


def revoke_key(tx: Tx, shop: Shop, key_id: str, clock: datetime) -> None:
    """The key is no longer valid. SettingRefused if there is no such key."""
    if not store.expire_key(tx, ShopId(shop.id), key_id, clock):
        raise SettingRefused(f"The shop has no key {key_id!r}")
    record_deed(tx, shop, DeedKind.KEY_REVOKED, key_id)


def find(database: Database, text: str) -> Shop:
    """The shop of this id, name, or beginning of an id that only one shop has.

    ShopUnknown if there is none, SettingRefused if several are meant.
    """
    with database.transaction(None) as tx:
        found = store.find(tx, text)
    if not found:
        raise ShopUnknown(text)
    if len(found) > 1:
        raise SettingRefused(f"{text!r} may be {len(found)} shops: {_listed(found)}; give the id")
    return found[0]


def check_name_is_free(database: Database, name: str, shop: Shop | None = None) -> None:
    """SettingRefused if another shop than `shop` has the name: people call shops by it."""
    with database.transaction(None) as tx:
        others = [each for each in store.find(tx, name) if each.name == name and each != shop]
    if any(each.status is not ShopStatus.DELETED for each in others):
        raise SettingRefused(f"There is already a shop named {name!r}")


def only_one(database: Database) -> Shop:
    """The shop of an installation that has a single one; SettingRefused if it has none or several."""
    with database.transaction(None) as tx:
        found = [shop for shop in store.every(tx) if shop.status is not ShopStatus.DELETED]
    if not found:
        raise SettingRefused('There is no shop yet: paymatch shop create "My shop"')
    if len(found) > 1:
        raise SettingRefused(f"Name the shop, or set PAYMATCH_SHOP. There are {len(found)}: {_listed(found)}")
    return found[0]


def _listed(found: Sequence[Shop]) -> str:
    """Up to ten shops in words."""
    words = [f"{shop.name} ({shop.id})" for shop in found[:10]]
    return ", ".join([*words, *(["..."] if len(found) > len(words) else [])])


def authenticate(tx: Tx, shop: ShopId, key: str, clock: datetime) -> Caller | None:
    """Who calls with a valid key; None otherwise. Remembers the last use to about ten minutes."""
    found = store.authenticate(tx, shop, api_keys.hash_of(key), clock)
    if found is None:
        return None
    account, key_id, scope, last_used_at = found
    if last_used_at is None or clock - last_used_at > _KEY_TOUCH:
        store.touch_key(tx, shop, key_id, clock)
    return Caller(account, parse_scopes(scope), key_id)


def change(tx: Tx, shop: Shop, settings: Mapping[str, str]) -> None:
    """Writes settings given as text; SettingRefused with the first that does not exist or does not fit."""
    values: dict[str, Any] = {}
    for name, text in settings.items():
        reader = _SETTINGS.get(name)
        if reader is None:
            raise SettingRefused(f"There is no setting {name!r}; settings are: {', '.join(sorted(_SETTINGS))}")
        try:
            value = reader(text)
            if isinstance(value, Decimal):
                value = decimal_to_minor(value, Currency(shop.currency))
            values[name.replace("-", "_")] = value
        except ValueError as error:
            shown = name if name.replace("-", "_") in _SECRET else f"{name}={text}"
            raise SettingRefused(f"{shown}: {error}") from None
    _check_sender(tx, shop, values)
    _check_port(shop, values)
    columns = {_COLUMNS.get(name, name): value for name, value in values.items()}
    before = store.settings(tx, ShopId(shop.id), columns)
    store.change(tx, ShopId(shop.id), columns)
    record_deed(tx, shop, DeedKind.SETTINGS_CHANGED, "shop", before=_tellable(before), after=_tellable(columns))
    if values.keys() & _CHANGES_REMINDERS:
        reminders.look_at_all(tx, ShopId(shop.id))
    if values.get("callback_url") or values.get("callbacks"):
        callbacks.resume(tx, ShopId(shop.id))  # who names a receiver says that it is there


def show_secrets(tx: Tx, shop: Shop) -> tuple[str, str]:
    """(callback access code, webhook secret) in full, for whoever may see them; that they were shown is recorded."""
    code, secret, _, _ = store.callback_secrets(tx, ShopId(shop.id))
    record_deed(tx, shop, DeedKind.CREDENTIALS_SHOWN, "callback-access-code, webhook-secret")
    return code, secret


def _tellable(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as the audit log keeps them: that a secret was changed, not which one it is."""
    return {name: "(secret)" if name in _SECRET else value for name, value in settings.items()}


def reconsider(tx: Tx, shop: Shop, changed: Iterable[str], clock: datetime) -> None:
    """The open postings are matched again if one of the settings that changed has a say in how they are decided."""
    if not _OF_MATCHING.isdisjoint(changed):
        matching.mark_all_for_rematch(tx, ShopId(shop.id), shop.now(clock))


def _check_sender(tx: Tx, shop: Shop, values: Mapping[str, Any]) -> None:
    """A real shop's mail needs an address that it is from."""
    wanted = values.get("reminders") or values.get("payment_information")
    address = values.get("mail_from", mails.sender(tx, ShopId(shop.id)).address)
    sends = wanted or (shop.sends_mail and "mail_from" in values)
    if sends and not address and not shop.sandbox:
        raise SettingRefused("mail-from is needed before mail goes out: the address that customers may reply to")


def _check_port(shop: Shop, values: Mapping[str, Any]) -> None:
    """The receiver's port is a usual one, or among those that the shop allows."""
    url = values.get("callback_url", shop.callback_url)
    if url and values.keys() & {"callback_url", "callback_ports"}:
        try:
            refuse_port(receiver_of(url, allow_private=True).port, values.get("callback_ports", shop.callback_ports))
        except ReceiverRefused as error:
            raise SettingRefused(f"callback-url={url}: {error}") from None


def _timezone(text: str) -> str:
    try:
        ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError):
        raise SettingRefused(f"Unknown time zone {text!r}") from None
    return text


def _switch(text: str) -> bool:
    if text not in ("on", "off"):
        raise ValueError("on or off is expected")
    return text == "on"


def _one_of(*allowed: str) -> Any:
    def read(text: str) -> str:
        if text not in allowed:
            raise ValueError(f"one of {', '.join(allowed)} is expected")
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
        raise ValueError("up to 10 ports from 1 to 65535 are expected, such as 8443,9443")
    return sorted({int(part) for part in found})


def _access_code(text: str) -> str:
    if not re.fullmatch(r"[\x21-\x7e]{8,255}", text):
        raise ValueError("8 to 255 ASCII letters, digits and signs without spaces are expected: it is sent as a header")
    return text


def _amount(text: str) -> Decimal:
    if not re.fullmatch(r"\d{1,9}(\.\d{1,2})?", text, re.ASCII):
        raise ValueError("an amount in the shop's currency is expected, such as 500.00")
    return Decimal(text)


def _mail_address(text: str) -> str:
    if not text:
        return ""
    found = mail_address(text)
    if found is None:
        raise ValueError("a plain e-mail address is expected, such as shop@example.com")
    return found


def _display_name(text: str) -> str:
    if len(text) > 100 or not all(char.isprintable() for char in text):
        raise ValueError("up to 100 printable characters are expected")
    return text.strip()


def _days_or_forever(text: str) -> int | None:
    if text == "forever":
        return None
    if not re.fullmatch(r"[1-9]\d{0,3}", text, re.ASCII):
        raise ValueError("a number of days from 1 to 9999 is expected, or forever")
    return int(text)


def _percent(text: str) -> int:
    """Per cent with up to two decimals as basis points: 2.5 is 250."""
    if not re.fullmatch(r"\d{1,2}(\.\d{1,2})?", text, re.ASCII) or Decimal(text) > 20:
        raise ValueError("a percentage from 0 to 20 is expected, such as 2 or 2.5")
    return int(Decimal(text) * 100)


def _text(text: str) -> str:
    if not text.strip() or len(text) > 255:
        raise ValueError("1 to 255 characters are expected")
    return text


_SECRET: Final = frozenset({"callback_access_code"})
_COLUMNS: Final = {
    "tolerance": "tolerance_minor",
    "fee_tolerance": "fee_tolerance_minor",
    "cash_discount": "discount_basis_points",
    "refund_limit": "refund_limit_minor",
    "refund_day_limit": "refund_day_limit_minor",
    "refund_four_eyes": "refund_four_eyes_minor",
}
_OF_MATCHING: Final = frozenset({"caution", "learning", "tolerance", "fee-tolerance", "cash-discount"})
_CHANGES_REMINDERS: Final = frozenset({"reminders", "payment_information", "tolerance", "timezone"})
_SETTINGS: Final[dict[str, Any]] = {
    "name": _text,
    "status": _one_of("active", "paused", "deleted"),
    "api": _switch,
    "access": _one_of("read-write", "read-only"),
    "timezone": _timezone,
    "language": _text,
    "holder": _text,
    "street": _text,
    "house-number": _text,
    "postcode": _text,
    "city": _text,
    "letters": _switch,
    "accounts-locked": _switch,
    "ordersync-guard": _switch,
    "caution": _one_of("cautious", "normal", "bold"),
    "learning": _switch,
    "tolerance": _amount,
    "fee-tolerance": _amount,
    "cash-discount": _percent,
    "transfer-version": _one_of("09", "03"),
    "reminders": _switch,
    "payment-information": _switch,
    "mail-from": _mail_address,
    "mail-name": _display_name,
    "reply-to": _mail_address,
    "keep-mail-days": _days_or_forever,
    "refund-runs": _switch,
    "refund-limit": _amount,
    "refund-day-limit": _amount,
    "refund-four-eyes": _amount,
    "statements-api": _switch,
    "callbacks": _switch,
    "callback-url": _url,
    "callback-ports": _ports,
    "callback-success": _one_of("200", "2xx"),
    "callback-access-code": _access_code,
}
