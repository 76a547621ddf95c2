"""EBICS connections as their owner sees them: initialised step by step, changed, suspended, removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from paymatch.domain.bank_accounts import masked_account
from paymatch.domain.bank_feeds.ebics import (
    USUAL_TIMES,
    EbicsEvent,
    EbicsStatus,
    EbicsUnknown,
    next_fetch_at,
    next_status,
    read_id,
    read_times,
)
from paymatch.domain.bank_feeds.uploads import UNDECIDED, UploadEvent, UploadStatus, status_after
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import SettingRefused, Shop, only_one
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.words.message import Message
from paymatch.outbound.ebics.ciphers import new_transaction_key
from paymatch.outbound.ebics.client import EbicsClient
from paymatch.outbound.ebics.failures import EbicsFailed, EbicsOrderRefused, EbicsUnreachable
from paymatch.outbound.ebics.keys import KEY_BITS, BankKeys, KeyUse, SubscriberKeys, same_fingerprint
from paymatch.outbound.ebics.services import OrderSubject
from paymatch.settings import is_loopback
from paymatch.store.bank_feeds import connections as store
from paymatch.store.bank_feeds import received, uploads
from paymatch.store.bank_feeds.connections import EbicsConnection
from paymatch.store.database import Database
from paymatch.store.ids import new_id
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopTx
from paymatch.store.work import shop_jobs
from paymatch.usecases.audit import record
from paymatch.usecases.bank_feeds.gateway import EbicsGateway, logged, open_client
from paymatch.usecases.shops import cooling_off
from paymatch.usecases.shops.shops import account_of

ASKED_EVERY: Final = timedelta(minutes=30)
"""How often a bank is asked whether it has activated the user."""

FETCHED: Final = (
    OrderSubject.STATEMENTS, OrderSubject.REPORTS, OrderSubject.NOTIFICATIONS, OrderSubject.STATUS_REPORTS
)  # fmt: skip
"""What can be fetched."""

_KNOWS_KEYS: Final = frozenset({"091002", "091004"})
"""The bank has keys of this user already."""


@dataclass(frozen=True, slots=True)
class BankAccess:
    """The data of the bank's letter, as typed. `with_certificates`: the bank asked for H3K."""

    bank_name: str
    url: str
    host_id: str
    partner_id: str
    user_id: str
    with_certificates: bool = False


def begin(
    database: Database, shop: Shop, access: BankAccess, clock: datetime, *, key_bits: int = KEY_BITS
) -> EbicsConnection:
    """Adds a connection with new keys that no one has seen yet. SettingRefused for the first invalid setting."""
    made = _new_connection(shop, access, clock)
    keys = SubscriberKeys.generate(made.partner_id, clock, key_bits)
    with database.of_shop(shop, at=clock) as tx:
        for other in store.connections(tx):
            if _subscriber(other) == _subscriber(made) and other.status is not EbicsStatus.SUSPENDED:
                raise SettingRefused(Message("ebics-exists", user=made.user_id), parameter="user")
        store.add(tx, made, keys.to_text())
        record(tx, shop, AuditAction.EBICS_BEGUN, made.id, after=_audit_values(made))
    return made


def _new_connection(shop: Shop, access: BankAccess, clock: datetime) -> EbicsConnection:
    if shop.sandbox:
        raise SettingRefused(Message("ebics-not-in-sandbox"))
    bank_name = access.bank_name.strip()
    if not 1 <= len(bank_name) <= 60:
        raise SettingRefused(Message("ebics-bank-name"), parameter="bank", expected=Message("ebics-bank-name"))
    return EbicsConnection(
        new_id("eb", clock), bank_name, _checked_url(access.url), read_id("host", access.host_id),
        read_id("partner", access.partner_id), read_id("user", access.user_id), shop.country,
        access.with_certificates, EbicsStatus.NEW, "", "", False, None, None, {}, None, (), (), USUAL_TIMES, None,
        clock, None, None, None, 0, None, "", None, clock,
    )  # fmt: skip


def _checked_url(text: str) -> str:
    url = text.strip()
    parts = urlsplit(url)
    host = parts.hostname or ""
    if not host or not (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))) or len(url) > 300:
        raise SettingRefused(Message("ebics-url"), parameter="url", expected=Message("ebics-url"))
    return url


def _subscriber(row: EbicsConnection) -> tuple[str, str, str]:
    return row.host_id, row.partner_id, row.user_id


def find(tx: ShopTx, name: str = "", *, lock: bool = False) -> EbicsConnection:
    """The connection of this id; without one the only one. EbicsUnknown; SettingRefused if there are several."""
    name = name or only_one([row.id for row in store.connections(tx)], lambda ids: Message("ebics-several", ids=ids))
    found = store.connection(tx, name, lock=lock) if name else None
    if found is None:
        raise EbicsUnknown(name)
    return found


def list_connections(tx: ShopTx) -> list[EbicsConnection]:
    """The shop's EBICS connections, the oldest first."""
    return store.connections(tx)


def load(database: Database, shop: Shop, name: str = "") -> EbicsConnection:
    """`find` in its own transaction."""
    with database.of_shop(shop) as tx:
        return find(tx, name)


def send_keys(database: Database, shop: Shop, name: str, gateway: EbicsGateway, clock: datetime) -> EbicsConnection:
    """INI and HIA (or H3K): the bank gets the public keys, and waits for the signed letter. EbicsFailed.

    After a crash between sending and recording, keys may be sent again: the bank answers that it knows them.
    """
    row = load(database, shop, name)
    after = next_status(row.status, EbicsEvent.KEYS_SENT)
    client = open_client(database, shop, row, gateway, clock, unconfirmed=True)
    _check_version(client)
    with database.of_shop(shop, at=clock) as tx:
        store.set_sending_began(tx, row.id)
    orders = (
        [("H3K", client.send_certificates)]
        if row.with_certificates
        else [("INI", client.send_signature_key), ("HIA", client.send_other_keys)]
    )
    for order_type, send in orders:
        try:
            with logged(database, shop, row, client, order_type):
                send()
        except EbicsOrderRefused as error:
            if not (row.sending_began and error.code in _KNOWS_KEYS):
                raise
    with database.of_shop(shop, at=clock) as tx:
        store.set_submitted(tx, row.id, after, clock, clock + ASKED_EVERY)
        record(tx, shop, AuditAction.EBICS_KEYS_SENT, row.id, after={"bank": row.bank_name})
    return load(database, shop, row.id)


def _check_version(client: EbicsClient) -> None:
    """EbicsOrderRefused if the bank says that it does not support EBICS 3.0; not all banks answer the question."""
    try:
        versions = client.versions()
    except EbicsUnreachable:
        raise
    except EbicsFailed:
        return
    if "H005" not in versions:
        raise EbicsOrderRefused(Message("ebics-no-h005", versions=", ".join(sorted(versions)) or "-"), "")


def fetch_bank_keys(
    database: Database, shop: Shop, name: str, gateway: EbicsGateway, clock: datetime
) -> EbicsConnection:
    """HPB: the bank's keys, for a person to compare. EbicsFailed; keys that were compared already change nothing."""
    row = load(database, shop, name)
    after = next_status(row.status, EbicsEvent.BANK_KEYS_CAME)
    client = open_client(database, shop, row, gateway, clock, unconfirmed=True)
    with logged(database, shop, row, client, "HPB"):
        keys = client.fetch_bank_keys()
    text = keys.to_text()
    if row.status is EbicsStatus.ACTIVE and text == row.bank_keys:
        return row
    with database.of_shop(shop, at=clock) as tx:
        store.set_offered_keys(tx, row.id, after, text)
        # Without their fingerprints: a person who could copy them from here would compare the keys with themselves.
        record(tx, shop, AuditAction.EBICS_BANK_KEYS_FETCHED, row.id, after={"bank": row.bank_name})
        shop_jobs.wake(tx, ALERTS, shop.now(clock))
    return load(database, shop, row.id)


def confirm(tx: ShopTx, name: str, typed: Mapping[KeyUse, str]) -> EbicsConnection:
    """Accepts the bank's keys: a person has typed their fingerprints from the bank's letter or website.

    SettingRefused names the first key with a different fingerprint.
    """
    row = find(tx, name, lock=True)
    after = next_status(row.status, EbicsEvent.FINGERPRINTS_CONFIRMED)
    keys = BankKeys.from_text(row.offered_bank_keys)
    for said in compare_fingerprints(row, typed).values():
        raise SettingRefused(said, parameter=str(said.values["key"]), expected=said)
    store.set_confirmed(tx, row.id, after, tx.wall_time)
    record(
        tx,
        tx.shop,
        AuditAction.EBICS_BANK_KEYS_CONFIRMED,
        row.id,
        after={str(use): text for use, text in keys.fingerprints.items()},
    )
    shop_jobs.wake(tx, ALERTS, tx.now)
    return find(tx, row.id)


def compare_fingerprints(row: EbicsConnection, typed: Mapping[KeyUse, str]) -> dict[KeyUse, Message]:
    """Key -> why it does not count, for each key that came with another fingerprint than the one typed; {} if none."""
    keys = BankKeys.from_text(row.offered_bank_keys)
    came = {KeyUse.AUTHENTICATION: keys.authentication, KeyUse.ENCRYPTION: keys.encryption}
    return {
        use: Message("ebics-other-fingerprint", key=use)
        for use, certificate in came.items()
        if not same_fingerprint(typed.get(use, ""), certificate)
    }


@dataclass(frozen=True, slots=True)
class BankUse:
    """The use of a connection: fetched subjects, accounts, times of day, and whether transfers are sent."""

    fetches: Sequence[str]
    accounts: Sequence[str]
    times: str
    sends: bool


def set_use(tx: ShopTx, name: str, wanted: BankUse) -> EbicsConnection:
    """Sets what is fetched and sent. A chosen account becomes one of the shop's; sending begins a day later (D-58).

    SettingRefused if the bank does not offer it.
    """
    row = find(tx, name, lock=True)
    known = {each.account for each in shop_store.accounts(tx)}
    chosen = [each.replace(" ", "") for each in wanted.accounts]
    foreign = next((each for each in chosen if each not in {*row.offered_accounts, *known}), "")
    if foreign or any(each not in set(FETCHED) for each in wanted.fetches):
        raise SettingRefused(Message("ebics-not-offered", what=foreign or "-"))
    if wanted.sends and not row.transfer_level:
        raise SettingRefused(Message("ebics-no-transfers"))
    for account in chosen:
        if account not in known:
            register_account(tx, account, tx.shop.currency)
    times, sends_from = read_times(wanted.times), row.sends_from
    if wanted.sends and sends_from is None:
        sends_from = cooling_off.uploads_allowed(tx, row.id, row.bank_name)
    elif not wanted.sends:
        sends_from = None
        cooling_off.uploads_stopped(tx, row.id)
    store.set_use(
        tx, row.id, wanted.fetches, chosen, times, sends_from, next_fetch_at(times, tx.wall_time, tx.shop.timezone)
    )
    made = find(tx, row.id)
    record(tx, tx.shop, AuditAction.EBICS_CHANGED, row.id, before=_use_values(row), after=_use_values(made))
    return made


def register_account(tx: ShopTx, account: str, currency: str) -> None:
    """Adds an account that a bank has offered to the shop's. SettingRefused if it is not an IBAN."""
    row = account_of(account, currency, tx.shop.holder)
    shop_store.add_account(tx, row, tx.wall_time)
    cooling_off.account_added(tx, row.account)
    record(tx, tx.shop, AuditAction.ACCOUNT_ADDED, masked_account(row.account), after={"currency": row.currency})


def fetch_now(tx: ShopTx, name: str) -> EbicsConnection:
    """Makes the worker poll the bank at once and retry failed imports. EbicsMoveRefused unless it is active."""
    row = find(tx, name, lock=True)
    if row.status not in (EbicsStatus.ACTIVE, EbicsStatus.SUBMITTED):
        next_status(row.status, EbicsEvent.SUSPENDED)
    received.try_again(tx, row.id)
    store.wake(tx, row.id, tx.wall_time, fetch=True)
    return row


def wake(database: Database, shop: Shop, name: str, clock: datetime, *, fetch: bool, again: str = "") -> None:
    """Schedules the connection at once: it fetches or sends waiting files, including the refused file `again`."""
    with database.of_shop(shop, at=clock) as tx:
        row = find(tx, name)
        if fetch:
            fetch_now(tx, row.id)
        if again:
            send_again(tx, again)
        store.wake(tx, row.id, clock)


def send_again(tx: ShopTx, file_id: str) -> None:
    """Sends a file again that the bank has refused. SettingRefused if the bank has it or may have it."""
    found = uploads.upload(tx, file_id, lock=True)
    if found is None or status_after(found.status, UploadEvent.SENT_AGAIN) is None:
        raise SettingRefused(Message("ebics-not-sent-again"))
    uploads.begin_again(tx, file_id, new_transaction_key(), tx.wall_time)
    store.wake(tx, found.connection_id, tx.wall_time)
    record(tx, tx.shop, AuditAction.EBICS_SENT_AGAIN, file_id, before={"answer": found.last_error})


def change_keys(database: Database, shop: Shop, name: str, gateway: EbicsGateway, clock: datetime) -> EbicsConnection:
    """HCS: new keys replace the present ones, at the bank and here. EbicsFailed: the present ones stay.

    After a crash the worker finds out which keys the bank knows (`settle_keys`).
    """
    row = load(database, shop, name)
    _require_active(row)
    new = SubscriberKeys.generate(row.partner_id, clock)
    client = open_client(database, shop, row, gateway, clock)
    with database.of_shop(shop, at=clock) as tx:
        store.set_new_keys(tx, row.id, new.to_text())
        store.wake(tx, row.id, clock)
    try:
        with logged(database, shop, row, client, "HCS"):
            client.change_keys(new)
    except EbicsOrderRefused:
        with database.of_shop(shop, at=clock) as tx:
            store.set_new_keys(tx, row.id, "")
        raise
    _take_new_keys(database, shop, row)
    return load(database, shop, row.id)


def settle_keys(database: Database, shop: Shop, row: EbicsConnection, gateway: EbicsGateway, clock: datetime) -> None:
    """After an interrupted key change: keeps the keys that the bank answers to. EbicsFailed."""
    with database.of_shop(shop, at=clock) as tx:
        _text, new = store.keys(tx, row.id)
    if not new:
        return
    client = gateway.client(shop, row, SubscriberKeys.from_text(new), clock)
    try:
        with logged(database, shop, row, client, "HTD"):
            client.fetch_administrative("HTD")
    except EbicsOrderRefused:
        with database.of_shop(shop, at=clock) as tx:
            store.set_new_keys(tx, row.id, "")
        return
    _take_new_keys(database, shop, row)


def _take_new_keys(database: Database, shop: Shop, row: EbicsConnection) -> None:
    with database.of_shop(shop) as tx:
        store.take_new_keys(tx, row.id)
        record(tx, shop, AuditAction.EBICS_KEYS_REPLACED, row.id, after={"bank": row.bank_name})


def suspend(database: Database, shop: Shop, name: str, gateway: EbicsGateway, clock: datetime) -> EbicsConnection:
    """SPR: the bank accepts nothing more signed with these keys, no matter who has them. EbicsFailed."""
    row = load(database, shop, name)
    after = next_status(row.status, EbicsEvent.SUSPENDED)
    client = open_client(database, shop, row, gateway, clock)
    with logged(database, shop, row, client, "SPR"):
        client.suspend()
    with database.of_shop(shop, at=clock) as tx:
        store.set_status(tx, row.id, after)
        cooling_off.uploads_stopped(tx, row.id)
        record(tx, shop, AuditAction.EBICS_SUSPENDED, row.id, after={"bank": row.bank_name})
    return load(database, shop, row.id)


def remove(tx: ShopTx, name: str) -> EbicsConnection:
    """Forgets a connection with its keys; its waiting files go by the folder again.

    SettingRefused while the bank has not reported the status of a file.
    """
    row = find(tx, name, lock=True)
    if uploads.uploads(tx, UNDECIDED | {UploadStatus.OPEN}, row.id):
        raise SettingRefused(Message("ebics-uploads-undecided"))
    for file in uploads.waiting_files(tx, row.id):
        uploads.hand_back(tx, file.file_id)
    store.remove(tx, row.id)
    cooling_off.uploads_stopped(tx, row.id)
    record(tx, tx.shop, AuditAction.EBICS_REMOVED, row.id, before=_audit_values(row))
    return row


def _require_active(row: EbicsConnection) -> None:
    """EbicsMoveRefused, with what must be done first, unless the connection is active."""
    next_status(row.status, EbicsEvent.SUSPENDED)


def _audit_values(row: EbicsConnection) -> dict[str, str]:
    return {
        "bank": row.bank_name, "url": row.url, "host": row.host_id, "partner": row.partner_id, "user": row.user_id,
    }  # fmt: skip


def _use_values(row: EbicsConnection) -> dict[str, Any]:
    return {
        "fetches": list(row.fetches), "accounts": [masked_account(each) for each in row.accounts],
        "times": list(row.fetch_times), "sendsFrom": row.sends_from.isoformat() if row.sends_from else None,
    }  # fmt: skip


def connection_fields(row: EbicsConnection) -> dict[str, Any]:
    """A connection for lists and for programs; never its keys."""
    return {
        "id": row.id, **_audit_values(row), "status": str(row.status), "accounts": list(row.accounts),
        "fetches": list(row.fetches), "times": list(row.fetch_times), "transferLevel": row.transfer_level,
        "sendsFrom": row.sends_from, "lastFetchedAt": row.last_fetched_at, "lastDataAt": row.last_data_at,
        "nextFetchAt": row.next_fetch_at, "failures": row.failures, "failingSince": row.failing_since,
        "lastError": row.last_error,
    }  # fmt: skip
