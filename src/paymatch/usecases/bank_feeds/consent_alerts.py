"""Alerts about consents: lost, ending, failing, or without one of their accounts. Each cause once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from paymatch.domain.bank_accounts import masked_account
from paymatch.domain.bank_feeds.consents import ConsentStatus
from paymatch.domain.calendar import plus_bank_days
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.words.message import Message
from paymatch.store.bank_feeds import consents as store
from paymatch.store.bank_feeds import received
from paymatch.store.bank_feeds.consents import BankConsent, ConsentAccount
from paymatch.store.transactions import ShopTx
from paymatch.usecases.bank_feeds.consents import asks_for_renewal, ends_on

FAILING_AFTER: Final = 3
"""Failures in a row after which a person should look."""


def consent_alerts(tx: ShopTx) -> Iterator[Alert]:
    """The alerts of all consents of the shop, and of data read by them that could not be imported."""
    rows = store.consents(tx)
    if not rows:
        return
    accounts = [each for each in store.accounts(tx) if each.is_read]
    for row in rows:
        if row.status is ConsentStatus.LOST and row.lost_at is not None:
            said = Message("alert-consent-lost", bank=row.bank_name, why=row.lost_why)
            yield Alert(AlertKind.ACCOUNT_INFORMATION, f"{row.id} lost {row.lost_at:%Y-%m-%dT%H:%M:%S}", said)
        elif row.status is ConsentStatus.ACTIVE:
            yield from _ending(tx, row)
            yield from _of_reading(tx, row, [each for each in accounts if each.consent_id == row.id])
    for file in received.waiting(tx, failed=True, by_consent=True):
        said = Message("alert-consent-file", file=file.name, why=file.error)
        yield Alert(AlertKind.ACCOUNT_INFORMATION, f"file {file.id}", said)


def _ending(tx: ShopTx, row: BankConsent) -> Iterator[Alert]:
    if asks_for_renewal(row, tx.shop, tx.wall_time):
        day = ends_on(row, tx.shop)
        said = Message("alert-consent-renew", bank=row.bank_name, day=day)
        yield Alert(AlertKind.ACCOUNT_INFORMATION, f"{row.id} ends {day}", said)


def _of_reading(tx: ShopTx, row: BankConsent, accounts: list[ConsentAccount]) -> Iterator[Alert]:
    """A failing consent is reported once, not again for its accounts."""
    since, kind = row.failing_since, AlertKind.ACCOUNT_INFORMATION
    today = tx.shop.today(tx.wall_time)
    if since is not None:
        if row.failures >= FAILING_AFTER or today > plus_bank_days(tx.shop.day_of(since), 1):
            said = Message(
                "alert-consent-failing", bank=row.bank_name, count=row.failures, day=since.date(),
                time=f"{since:%H:%M}", error=row.last_error,
            )  # fmt: skip
            yield Alert(kind, f"{row.id} failing {since:%Y-%m-%dT%H:%M:%S}", said)
        return
    for each in accounts:
        named = masked_account(each.account)
        read_at = each.last_read_at or row.given_at or row.created_at
        if each.problem:
            said = Message("alert-consent-account", bank=row.bank_name, account=each.account, error=each.problem)
            yield Alert(kind, f"{row.id} account {named}", said)
        elif today > plus_bank_days(tx.shop.day_of(read_at), 1):
            said = Message(
                "alert-consent-silent", bank=row.bank_name, account=each.account, day=tx.shop.day_of(read_at)
            )  # fmt: skip
            yield Alert(kind, f"{row.id} silent {named} {read_at:%Y-%m-%d}", said)
