"""How each account is fed: by which way, when last, when the next statement is due; and who is late."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from paymatch.domain.bank_feeds.ebics import EbicsStatus
from paymatch.domain.bank_feeds.feeds import due_by
from paymatch.domain.shops.alerts import Alert, AlertKind, silent_after
from paymatch.domain.statement_channels import StatementChannel
from paymatch.domain.words.message import Message
from paymatch.store.bank_feeds import connections as ebics
from paymatch.store.bank_feeds import feeds as store
from paymatch.store.bank_feeds.connections import EbicsConnection
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopTx
from paymatch.store.work import alerts as alert_store


@dataclass(frozen=True, slots=True)
class AccountFeed:
    """An account. `channel` "": it was never fed; `asked_at`: when the bank is asked next, None: by nobody.

    `due_by`: the day by which the next statement is here, None: no rhythm is known.
    """

    account: str
    channel: str
    last_fed_at: datetime | None
    covered_until: date | None
    asked_at: datetime | None
    due_by: date | None
    is_late: bool


def account_feeds(tx: ShopTx, today: date) -> list[AccountFeed]:
    """All accounts of the shop, and those that statements are of."""
    days, fed = alert_store.statement_days(tx), store.last_fed(tx)
    asked = {account: row for row in _active(tx) for account in row.accounts}
    names = {row.account for row in shop_store.accounts(tx)} | days.keys() | asked.keys()
    return [
        _feed(name, fed.get(name), days.get(name, []), asked.get(name), today) for name in sorted(names)
    ]  # fmt: skip


def _feed(
    account: str, fed: store.LastFed | None, days: list[date], asked: EbicsConnection | None, today: date
) -> AccountFeed:
    channel = fed.channel if fed is not None else ""
    if asked is not None and "camt.053" in asked.fetches:
        channel = StatementChannel.EBICS
    expected = _expected_day(channel, days)
    return AccountFeed(
        account, channel, fed.at if fed is not None else None, max(days, default=None),
        asked.next_fetch_at if asked is not None else None, expected, expected is not None and today > expected,
    )  # fmt: skip


def _expected_day(channel: str, days: list[date]) -> date | None:
    """The day after which the account is late: to the bank day where a bank is asked by itself, else by its rhythm."""
    exact = due_by(days) if channel == StatementChannel.EBICS else None
    return exact or silent_after(days)


def silent_feed_alerts(tx: ShopTx, today: date) -> Iterator[Alert]:
    """An alert per account that is late; a connection that fails is reported once, not by its accounts as well."""
    reported = {
        account
        for row in ebics.connections(tx)
        if row.status is EbicsStatus.TO_COMPARE or row.failing_since is not None
        for account in row.accounts
    }
    for feed in account_feeds(tx, today):
        if feed.is_late and feed.account not in reported and feed.covered_until is not None:
            said = Message("alert-silent-feed", account=feed.account, day=feed.covered_until)
            yield Alert(AlertKind.SILENT_FEED, f"{feed.account} {feed.covered_until}", said)


def _active(tx: ShopTx) -> list[EbicsConnection]:
    return [row for row in ebics.connections(tx) if row.status is EbicsStatus.ACTIVE]
