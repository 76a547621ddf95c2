"""Connections to banks: statements are fetched and imported; an alert warns before a consent expires."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from paymatch.domain.bank_accounts import masked_account
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.shops.shop import SettingRefused, Shop
from paymatch.domain.shops.shop_jobs import ALERTS
from paymatch.domain.statement_channels import StatementChannel
from paymatch.domain.words.message import Message, Value
from paymatch.formats.statement import FileRefused
from paymatch.outbound.bank_channel import BankChannel
from paymatch.outbound.fints.access import BankRefused, check_server_url
from paymatch.store.database import Database
from paymatch.store.statements import bank_connections as store
from paymatch.store.statements.bank_connections import ConnectionRow
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.store.work import shop_jobs
from paymatch.usecases.audit import record
from paymatch.usecases.bisection import process_bisecting, tell_alone
from paymatch.usecases.shops.shops import account_of
from paymatch.usecases.statements.import_process import ImportFailed, import_in_process
from paymatch.usecases.statements.import_report import ImportReport

OVERLAP_DAYS: Final = 10
"""The overlap of each fetch: banks add bookings to days that were fetched. Known bookings are not booked twice."""
FIRST_FETCH_DAYS: Final = 90
"""Banks need no further TAN for the last 90 days: Delegated Regulation (EU) 2018/389, Article 10."""
CONSENT_DAYS: Final = 180
"""How long a TAN for reading is valid: Delegated Regulation (EU) 2022/2360, which changed Article 10."""
WARN_DAYS: Final = 7


@dataclass(frozen=True, slots=True)
class Fetched:
    """The result of one connection: a report per file, refused files with their `error`.

    `refused` says why the bank returned nothing; empty if it answered.
    """

    account: str
    reports: list[dict[str, Any]]
    refused: str = ""


def add(database: Database, shop: Shop, row: ConnectionRow) -> dict[str, Any]:
    """Adds a connection. SettingRefused if the IBAN is wrong or has one already; BankRefused if the URL is unsafe."""
    check_server_url(row.server_url)
    if len(row.bank_code) != 8 or not row.bank_code.isdecimal():
        raise SettingRefused(Message("setting-not-german-bank-code", bank_code=repr(row.bank_code)))
    account = account_of(row.account, shop.currency, "").account
    kept = ConnectionRow(
        account, row.bank_code, row.server_url, row.user, row.tan_mechanism, row.tan_medium, "", row.consent_until
    )
    with database.of_shop(shop) as tx:
        if not store.add(tx, kept):
            raise SettingRefused(Message("connection-known", account=account))
        bank = {"bankCode": kept.bank_code, "url": kept.server_url}
        record(tx, shop, AuditAction.BANK_CONNECTION_ADDED, masked_account(account), after=bank)
    return _connection_fields(kept)


@dataclass(frozen=True, slots=True)
class BankLogin:
    """A user at a bank, with the connections that one PIN opens."""

    bank_code: str
    user: str
    rows: tuple[ConnectionRow, ...]


def logins(tx: ShopTx) -> list[BankLogin]:
    """The shop's connections by the users whose PIN opens them."""
    found: dict[tuple[str, str, str], list[ConnectionRow]] = {}
    for row in store.connections(tx):
        found.setdefault((row.bank_code, row.user, row.server_url), []).append(row)
    return [BankLogin(bank_code, user, tuple(rows)) for (bank_code, user, _), rows in found.items()]


def list_connections(database: Database, shop: Shop) -> list[dict[str, Any]]:
    """The shop's connections, by account."""
    with database.of_shop(shop) as tx:
        return [_connection_fields(row) for row in store.connections(tx)]


def remove(database: Database, shop: Shop, account: str) -> dict[str, Any]:
    """Forgets a connection; imported data stays. SettingRefused if there is none."""
    wanted = account.replace(" ", "")
    with database.of_shop(shop) as tx:
        if not store.remove(tx, wanted):
            raise SettingRefused(Message("setting-account-no-connection", wanted=wanted))
        record(tx, shop, AuditAction.BANK_CONNECTION_REMOVED, masked_account(wanted))
    return {"account": wanted, "removed": True}


def forget_way(tx: ShopTx, account: str) -> None:
    """The next fetch asks again how to get TANs. SettingRefused if there is no such connection."""
    if not store.forget_way(tx, account):
        raise SettingRefused(Message("setting-account-no-connection", wanted=account))
    record(tx, tx.shop, AuditAction.BANK_CONNECTION_CHANGED, masked_account(account), after={"tan": "asked again"})


def fetch(
    database: Database,
    shop: Shop,
    account: str,
    open_channel: Callable[[ConnectionRow], BankChannel],
    clock: datetime,
) -> list[Fetched]:
    """Fetches and imports the shop's statements from its banks, for all connections or one account.

    If a bank refuses, the others go on, and the next fetch asks for the same days again. Pending files are only
    rehearsed, as nothing in them is booked. SettingRefused if there is no such connection.
    """
    shop_id, wanted = ShopId(shop.id), account.replace(" ", "")
    with database.of_shop(shop, at=clock) as tx:
        rows = [row for row in store.connections(tx) if not wanted or row.account == wanted]
    if not rows:
        raise SettingRefused(
            Message("setting-account-no-connection", wanted=wanted)
            if wanted
            else Message("setting-shop-no-connection-bank")
        )
    found: list[Fetched] = []

    def fetch_one(some: Sequence[ConnectionRow]) -> None:
        try:
            found.append(_fetch_one(database, shop, some[0], open_channel(some[0]), clock))
        except BankRefused as error:
            found.append(Fetched(some[0].account, [], error.message))

    def on_failure(row: ConnectionRow, error: Exception) -> None:
        tell_alone(database, shop_id, Message("item-connection", account=row.account), error, clock)
        found.append(Fetched(row.account, [], f"the program failed: {type(error).__name__}: {error}"))

    for row in rows:
        process_bisecting([row], fetch_one, on_failure)
    return found


def _fetch_one(database: Database, shop: Shop, row: ConnectionRow, channel: BankChannel, clock: datetime) -> Fetched:
    today = shop.today(clock)
    files = channel.fetch(row.account, _since(row, today))
    until = today + timedelta(days=CONSENT_DAYS) if channel.tan_given else None
    with database.of_shop(shop, at=clock) as tx:
        way = (channel.tan_mechanism, channel.tan_medium)
        store.record_identification(tx, row.account, channel.system_id, way, until)
        shop_jobs.wake(tx, ALERTS, shop.now(clock))
    reports = []
    for file in files:
        try:
            report = import_in_process(
                database, shop, io.BytesIO(file.content), file.name, clock, dry_run=file.pending, account=row.account,
                channel=StatementChannel.FINTS,
            )  # fmt: skip
            reports.append(report.as_dict() | {"pending": file.pending})
        except (FileRefused, ImportFailed) as error:
            broken = ImportReport(file.name, dry_run=file.pending).as_dict()
            reports.append(
                broken
                | {"pending": file.pending, "error": error.message if isinstance(error, FileRefused) else str(error)}
            )
    if not any("error" in report and not report["pending"] for report in reports):
        with database.of_shop(shop, at=clock) as tx:
            store.record_fetch(tx, row.account, shop.now(clock))
    return Fetched(row.account, reports)


def _since(row: ConnectionRow, today: date) -> date:
    """The first day that is asked for; never further back than the bank allows without authentication."""
    oldest = today - timedelta(days=FIRST_FETCH_DAYS)
    if row.last_fetched_at is None:
        return oldest
    return max(oldest, row.last_fetched_at.date() - timedelta(days=OVERLAP_DAYS))


def ending_consents(tx: ShopTx, today: date) -> Iterator[Alert]:
    """An alert per consent that ends within a week, or has ended."""
    for row in store.connections(tx):
        if row.consent_until is None or today < row.consent_until - timedelta(days=WARN_DAYS):
            continue
        values: dict[str, Value] = {"account": row.account, "day": row.consent_until}
        over = row.consent_until < today
        said = Message("alert-consent-ended", **values) if over else Message("alert-consent-ends", **values)
        yield Alert(AlertKind.CONSENT_ENDS, f"{row.account} {row.consent_until}", said)


def _connection_fields(row: ConnectionRow) -> dict[str, Any]:
    return {
        "account": row.account, "bankCode": row.bank_code, "server": row.server_url, "user": row.user,
        "tanMechanism": row.tan_mechanism, "tanMedium": row.tan_medium, "consentUntil": row.consent_until,
        "lastFetchedAt": row.last_fetched_at,
    }  # fmt: skip
