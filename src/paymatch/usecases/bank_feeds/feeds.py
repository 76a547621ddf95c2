"""The feed of each account: channel, last delivery, next statement due; and late accounts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from paymatch.domain.bank_feeds.consents import ConsentStatus
from paymatch.domain.bank_feeds.ebics import EbicsStatus
from paymatch.domain.bank_feeds.feeds import due_by
from paymatch.domain.shops.alerts import Alert, AlertKind, silent_after
from paymatch.domain.statement_channels import StatementChannel
from paymatch.domain.words.message import Message
from paymatch.store.bank_feeds import connections as ebics
from paymatch.store.bank_feeds import consents as consent_store
from paymatch.store.bank_feeds import feeds as store
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopTx
from paymatch.store.work import alerts as alert_store
from paymatch.usecases.bank_feeds.consents import ConsentOverview, overviews


@dataclass(frozen=True, slots=True)
class AccountFeed:
    """An account. `channel` "": it was never fed; `asked_at`: when the bank is polled next, None: never.

    `due_by`: the last day on which the next statement is on time; None without a known rhythm.
    """

    account: str
    channel: str
    last_fed_at: datetime | None
    covered_until: date | None
    asked_at: datetime | None
    due_by: date | None
    is_late: bool
    days: Sequence[date] = ()
    """The last days of its statements."""


def account_feeds(
    tx: ShopTx, today: date, consents: Sequence[ConsentOverview] | None = None,
    connections: Sequence[ebics.EbicsConnection] | None = None,
) -> list[AccountFeed]:  # fmt: skip
    """All accounts of the shop and of its statements; `consents` and EBICS `connections` if already loaded."""
    days, fed = alert_store.statement_days(tx), store.last_fed(tx)
    asked = _banks_by_account(tx, consents, connections)
    names = {row.account for row in shop_store.accounts(tx)} | days.keys() | asked.keys()
    return [
        _feed(name, fed.get(name), days.get(name, []), asked.get(name), today) for name in sorted(names)
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class _AskedBank:
    """A bank that is polled automatically; `channel` "": for other files than statements."""

    channel: str
    next_at: datetime | None
    last_at: datetime | None = None


def _feed(
    account: str, fed: store.LastFed | None, days: list[date], asked: _AskedBank | None, today: date
) -> AccountFeed:  # fmt: skip
    channel = (asked.channel if asked is not None else "") or (fed.channel if fed is not None else "")
    expected = _expected_day(channel, days)
    moments = [fed.at if fed is not None else None, asked.last_at if asked is not None else None]
    return AccountFeed(
        account, channel, max((each for each in moments if each is not None), default=None),
        max(days, default=None), asked.next_at if asked is not None else None, expected,
        expected is not None and today > expected, days,
    )  # fmt: skip


_ASKED: Final = frozenset({StatementChannel.EBICS, StatementChannel.ACCOUNT_INFORMATION})
"""Channels that poll banks on each bank day."""


def _expected_day(channel: str, days: list[date]) -> date | None:
    """The day after which the account is late: to the bank day if its bank is polled, else by its rhythm."""
    exact = due_by(days) if channel in _ASKED else None
    return exact or silent_after(days)


def silent_feed_alerts(tx: ShopTx, today: date) -> Iterator[Alert]:
    """An alert per late account; a failing connection is reported once, not again for its accounts."""
    reported = {
        account
        for row in ebics.connections(tx)
        if row.status is EbicsStatus.TO_COMPARE or row.failing_since is not None
        for account in row.accounts
    } | {each.account for each in consent_store.accounts(tx) if each.is_read}  # `consent_alerts` has them
    for feed in account_feeds(tx, today):
        if feed.is_late and feed.account not in reported and feed.covered_until is not None:
            said = Message("alert-silent-feed", account=feed.account, day=feed.covered_until)
            yield Alert(AlertKind.SILENT_FEED, f"{feed.account} {feed.covered_until}", said)


def _banks_by_account(
    tx: ShopTx, consents: Sequence[ConsentOverview] | None, connections: Sequence[ebics.EbicsConnection] | None
) -> dict[str, _AskedBank]:
    """Account -> the bank that is polled; EBICS if an account has both channels."""
    found: dict[str, _AskedBank] = {}
    for shown in overviews(tx) if consents is None else consents:
        if shown.row.status is ConsentStatus.PENDING:
            continue
        next_at = shown.row.next_fetch_at if shown.row.status is ConsentStatus.ACTIVE else None
        for each in (account for account in shown.accounts if account.is_read):
            found[each.account] = _AskedBank(StatementChannel.ACCOUNT_INFORMATION, next_at, each.last_read_at)
    for connection in ebics.connections(tx) if connections is None else connections:
        if connection.status is EbicsStatus.ACTIVE:
            channel = StatementChannel.EBICS if "camt.053" in connection.fetches else ""
            found |= dict.fromkeys(connection.accounts, _AskedBank(channel, connection.next_fetch_at))
    return found
