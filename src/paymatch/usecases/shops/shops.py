"""Shops: create, change, their keys and accounts (D-17)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from paymatch.domain.bank_accounts import IbanRefused, is_qr_iban, masked_account, registered_iban
from paymatch.domain.callbacks.deliveries import CALLBACK_GRACE_SECONDS
from paymatch.domain.callbacks.receivers import ReceiverRefused, receiver_of, refuse_port
from paymatch.domain.countries import COUNTRIES
from paymatch.domain.money import CURRENCIES
from paymatch.domain.reports.schedule import Every, begins_after
from paymatch.domain.shops import api_keys
from paymatch.domain.shops.api_keys import READ_WRITE, KeyScope, parse_scopes, scopes_text
from paymatch.domain.shops.audit import AuditAction
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
from paymatch.domain.shops.shop_jobs import EXPORTS, PRINT_RUN
from paymatch.domain.words.message import Message
from paymatch.store import ids
from paymatch.store.callbacks import callbacks
from paymatch.store.collection import cases
from paymatch.store.database import Database
from paymatch.store.letters import letters
from paymatch.store.matching import matching
from paymatch.store.reminders import mails, reminders
from paymatch.store.shops import shops as store
from paymatch.store.transactions import ShopTx
from paymatch.store.work import shop_jobs
from paymatch.usecases.audit import record
from paymatch.usecases.shops import cooling_off
from paymatch.usecases.shops import settings as shop_settings
from paymatch.usecases.shops.settings import SECRET, SETTINGS, as_texts, column_of, read_setting

_OF_MATCHING: Final = frozenset(
    {"caution", "learning", "tolerance", "fee-tolerance", "cash-discount", "bank-charge-percent", "bank-charge-limit"}
)
_CHANGES_REMINDERS: Final = frozenset(
    {"reminders", "payment_information", "payment_thanks", "tolerance_minor", "timezone", "letters"}
)
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
    """The result of `shop create`: the key and the code are shown only once."""

    shop: Shop
    api_key: str
    callback_access_code: str


@dataclass(frozen=True, slots=True)
class ApiCaller:
    """The caller with a key, and the key's permissions."""

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
    with_key: bool = True,
    shop_id: UUID | None = None,
) -> NewShop:
    """Creates a shop, by default with one key. A sandbox shop's clock stops at `start`, None: it follows the real time.

    SettingRefused for an unknown currency, country, time zone or a wrong IBAN."""
    if not name.strip() or len(name) > 255:
        raise SettingRefused(Message("setting-shop-needs-name-1"))
    if currency not in CURRENCIES:
        raise SettingRefused(Message("setting-unknown-currency", currency=repr(currency)))
    if country not in COUNTRIES:
        raise SettingRefused(Message("setting-unknown-country", country=repr(country)))
    zone = shop_settings.timezone(timezone or _ZONES.get(country, "UTC"))
    accounts = [account_of(text, currency, name) for text in ibans]
    shop = Shop(
        id=shop_id or ids.new_shop_id(), name=name, status=ShopStatus.ACTIVE, api=True, access=Access.READ_WRITE,
        currency=currency, country=country, timezone=zone, language=_LANGUAGES.get(country, "en"), holder=name,
        sandbox=sandbox, sandbox_now=(start or clock) if sandbox else None, sandbox_stands=start is not None,
        letters=False, accounts_locked=False, caution="normal", learning=True, tolerance_minor=0, fee_tolerance_minor=0,
        discount_basis_points=0, callbacks=False, callback_url="", callback_ports=(), refund_runs=True, reminders=False,
        callback_grace_seconds=CALLBACK_GRACE_SECONDS,
        payment_information=False, keep_mail_days=KEEP_MAIL_DAYS, statements_api=False,
        refund_limit_minor=REFUND_LIMIT_MINOR, refund_day_limit_minor=REFUND_DAY_LIMIT_MINOR,
        refund_four_eyes_minor=REFUND_FOUR_EYES_MINOR,
    )  # fmt: skip
    access_code = ids.new_secret()
    with database.of_shop(shop, at=clock) as tx:
        store.create(tx, access_code, f"whsec_{ids.new_webhook_secret()}", clock)
        for account in accounts:
            store.add_account(tx, account, clock)
        details = {"name": name, "currency": currency, "accounts": [masked_account(each.account) for each in accounts]}
        record(tx, shop, AuditAction.SHOP_CREATED, str(shop.id), after=details)
        key = create_key(tx) if with_key else ""
    return NewShop(shop, key, access_code)


def account_of(text: str, currency: str, holder: str) -> store.AccountRow:
    """A registered account from an IBAN; SettingRefused if its check digits are wrong."""
    try:
        known = registered_iban(text)
    except IbanRefused as error:
        raise SettingRefused(Message("setting-not-valid-iban", text=repr(text), error=error.why)) from None
    if is_qr_iban(known.iban):
        raise SettingRefused(Message("setting-qr-iban-register-account", iban=repr(known.iban)))
    return store.AccountRow(known.iban, currency, known.bic, known.bank_name, holder, confirmed=True)


def create_key(
    tx: ShopTx,
    *,
    scope: str = READ_WRITE,
    label: str = "",
    expires: datetime | None = None,
) -> str:
    """A new API key of the shop; it is returned only once and stored as its hash (D-17).

    `scope`: names separated by commas (D-37). SettingRefused for an unknown one.
    """
    try:
        scopes = parse_scopes(scope)
    except ValueError:
        names = ", ".join([*KeyScope, READ_WRITE])
        raise SettingRefused(Message("setting-unknown-scope", scope=repr(scope), names=names)) from None
    key = api_keys.api_key(tx.shop.id, live=not tx.shop.sandbox, secret=ids.random_bytes(32))
    row = store.KeyRow(
        ids.new_id("key", tx.wall_time), api_keys.hint_of(key), label, scopes_text(scopes), tx.wall_time, expires, None
    )
    store.add_key(tx, row, api_keys.hash_of(key))
    details = {"hint": row.hint, "label": label, "scope": scope, "expiresAt": expires}
    record(tx, tx.shop, AuditAction.KEY_CREATED, row.id, after=details)
    return key


def keys(tx: ShopTx) -> list[store.KeyRow]:
    """The shop's keys, oldest first; the keys themselves are not stored."""
    return store.keys(tx)


def roll_key(tx: ShopTx, key_id: str, keep_for: timedelta) -> str:
    """A new key; the old one stays valid for `keep_for` (D-17). SettingRefused if there is no such key."""
    old = next((key for key in store.keys(tx) if key.id == key_id), None)
    if old is None:
        raise SettingRefused(Message("setting-shop-no-key", key_id=repr(key_id)))
    store.expire_key(tx, key_id, tx.wall_time + keep_for)
    record(tx, tx.shop, AuditAction.KEY_ROLLED, key_id, after={"validUntil": tx.wall_time + keep_for})
    return create_key(tx, scope=old.scope, label=old.label)


def revoke_key(tx: ShopTx, key_id: str) -> None:
    """Revokes the key. SettingRefused if there is no such key."""
    if not store.expire_key(tx, key_id, tx.wall_time):
        raise SettingRefused(Message("setting-shop-no-key", key_id=repr(key_id)))
    record(tx, tx.shop, AuditAction.KEY_REVOKED, key_id)


def find(database: Database, text: str) -> Shop:
    """The shop of this id, name, or beginning of an id that only one shop has.

    ShopUnknown if there is none, SettingRefused if several are meant.
    """
    with database.of_all_shops() as tx:
        found = store.find(tx, text)
    if not found:
        raise ShopUnknown(text)
    if len(found) > 1:
        raise SettingRefused(
            Message("setting-may-shops-give-id", text=repr(text), count=len(found), names=_shop_names(found))
        )
    return found[0]


def every(database: Database) -> list[Shop]:
    """All shops by name."""
    with database.of_all_shops() as tx:
        return store.every(tx)


@contextmanager
def free_name(database: Database, name: str, shop: Shop | None = None) -> Iterator[None]:
    """Reserves this name during the block: names identify shops for people, and two may ask for one at once.

    SettingRefused if a shop other than `shop` has it. A separate transaction is open meanwhile.
    """
    with database.of_all_shops() as tx:
        store.lock_name(tx, name)
        others = [each for each in store.find(tx, name) if each.name == name and (shop is None or each.id != shop.id)]
        if any(each.status is not ShopStatus.DELETED for each in others):
            raise SettingRefused(Message("setting-already-shop-named", name=repr(name)))
        yield


def only_one(database: Database) -> Shop:
    """The only shop of an installation; SettingRefused if it has none or several."""
    with database.of_all_shops() as tx:
        found = [shop for shop in store.every(tx) if shop.status is not ShopStatus.DELETED]
    if not found:
        raise SettingRefused(Message("setting-no-shop-yet-paymatch"))
    if len(found) > 1:
        raise SettingRefused(Message("setting-name-shop-set-paymatch", count=len(found), names=_shop_names(found)))
    return found[0]


def _shop_names(found: Sequence[Shop]) -> str:
    """Up to ten shops as text."""
    words = [f"{shop.name} ({shop.id})" for shop in found[:10]]
    return ", ".join([*words, *(["..."] if len(found) > len(words) else [])])


AGENCY: Final = "agency"
"""The caller with the token of the shop's collection agency."""


def authenticate(tx: ShopTx, key: str) -> ApiCaller | None:
    """The caller with a valid key; None otherwise. Remembers the last use to about ten minutes.

    The token of the shop's collection agency reports on cases, and does nothing else (D-61).
    """
    if api_keys.is_agency_token(key):
        found_shop = store.load(tx)
        if found_shop is None or not cases.takes_token(tx, api_keys.hash_of(key), tx.wall_time):
            return None
        return ApiCaller(found_shop, frozenset({KeyScope.COLLECTION}), AGENCY)
    found = store.authenticate(tx, api_keys.hash_of(key), tx.wall_time)
    if found is None:
        return None
    account, key_id, scope, last_used_at = found
    if last_used_at is None or tx.wall_time - last_used_at > _KEY_TOUCH:
        store.touch_key(tx, key_id, tx.wall_time)
    return ApiCaller(account, parse_scopes(scope), key_id)


def former_key(tx: ShopTx, key: str) -> str | None:
    """The id of a present or former key of the shop, valid or not; None for one that never existed."""
    return store.key_of(tx, api_keys.hash_of(key))


def change(tx: ShopTx, settings: Mapping[str, str], *, allow_private: bool = True) -> None:
    """Writes settings given as text; SettingRefused for the first unknown or invalid one.

    `allow_private`: whether this service sends callbacks to private addresses and over plain http (D-25).
    """
    columns = dict(read_setting(name, text, tx.shop.currency) for name, text in settings.items())
    _check_sender(tx, columns)
    _check_receiver(tx.shop, columns, allow_private=allow_private)
    if "status" in columns and columns["status"] != tx.shop.status:
        columns["deleted_at"] = tx.clock() if columns["status"] == ShopStatus.DELETED else None
    before = store.settings(tx, columns)
    store.present(tx)  # with its present limits
    cooling_off.limits_changed(tx, columns)
    if at_once := cooling_off.settings_now(tx, columns):
        store.change(tx, at_once)
    record(tx, tx.shop, AuditAction.SETTINGS_CHANGED, "shop", before=_tellable(before), after=_tellable(columns))
    if columns.keys() & _CHANGES_REMINDERS:
        reminders.look_at_all(tx)
    if "letters_by" in columns:
        letters.redirect(tx, to_provider=columns["letters_by"] == "provider")
    if "letter_print_hour" in columns:
        # due at once, the job itself sees whether the hour has come today
        due_at = None if columns["letter_print_hour"] is None else datetime.fromtimestamp(0, UTC)
        shop_jobs.pass_over(tx, PRINT_RUN, due_at)
    if before.get("export_every") == Every.OFF and columns["export_every"] != Every.OFF:
        _switch_exports_on(tx, Every(columns["export_every"]))
    if "export_every" in columns:
        due_at = None if columns["export_every"] == "off" or tx.shop.sandbox else datetime.fromtimestamp(0, UTC)
        shop_jobs.pass_over(tx, EXPORTS, due_at)
    if columns.get("callback_url") or columns.get("callbacks"):
        callbacks.resume(tx)  # naming a receiver implies that it is available


def _switch_exports_on(tx: ShopTx, every: Every) -> None:
    """Exports that were switched off begin with the last whole period: nothing before it is made up for."""
    if (until := store.exported_until(tx)) is not None:
        store.set_exported_until(tx, begins_after(every, until, tx.today))


def settings_as_texts(tx: ShopTx) -> dict[str, str]:
    """Every setting of the shop in the form that `change` takes, except the secret ones."""
    columns = {column_of(name) for name in SETTINGS} - SECRET
    return as_texts(store.settings(tx, columns), tx.shop.currency)


def refused_settings(shop: Shop, settings: Mapping[str, str]) -> dict[str, str]:
    """Setting -> why its text is refused; empty if each is accepted alone."""
    refused: dict[str, str] = {}
    for name, text in settings.items():
        try:
            read_setting(name, text, shop.currency)
        except SettingRefused as refusal:
            refused[name] = refusal.expected or refusal.message
    return refused


def show_secrets(tx: ShopTx) -> tuple[str, str]:
    """(callback access code, webhook secret) in full, for users who may see them; showing them is recorded."""
    code, secret, _, _ = store.callback_secrets(tx)
    record(tx, tx.shop, AuditAction.CREDENTIALS_SHOWN, "callback-access-code, webhook-secret")
    return code, secret


def _tellable(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings for the audit log: it keeps that a secret changed, not its value."""
    return {name: "(secret)" if name in SECRET else value for name, value in settings.items()}


def reconsider(tx: ShopTx, changed: Iterable[str]) -> None:
    """Schedules matching of open postings if a changed setting affects their decisions."""
    if not _OF_MATCHING.isdisjoint(changed):
        matching.mark_all_for_rematch(tx, tx.now)


def _check_sender(tx: ShopTx, values: Mapping[str, Any]) -> None:
    """A real shop's mail needs a sender address."""
    wanted = any(values.get(each) for each in ("reminders", "payment_information", "payment_thanks"))
    address = values.get("mail_from", mails.sender(tx).address)
    sends = wanted or (tx.shop.sends_mail and "mail_from" in values)
    if sends and not address and not tx.shop.sandbox:
        raise SettingRefused(Message("setting-mail-from-needed-before"), parameter="mail-from")


def _check_receiver(shop: Shop, values: Mapping[str, Any], *, allow_private: bool) -> None:
    """Checks that the service may call the receiver, and that its port is 443, 80 or one allowed by the shop."""
    url = values.get("callback_url", shop.callback_url)
    if url and values.keys() & {"callback_url", "callback_ports"}:
        try:
            receiver = receiver_of(url, allow_private=allow_private)
            more = values.get("callback_ports", shop.callback_ports)
            refuse_port(receiver, more, allow_private=allow_private)
        except ReceiverRefused as error:
            raise SettingRefused(
                Message("setting-refused", setting=f"callback-url={url}", why=error.args[0]),
                parameter="callback-url",
                expected=error.message,
            ) from None
