"""The last bank days of each account's feed, as the bank page draws them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from datetime import date
from typing import Final

from paymatch.domain.bank_feeds.feed_days import DAYS_SHOWN, CoveredDays, FeedDay, FeedSoFar, feed_days
from paymatch.domain.bank_feeds.feeds import due_by
from paymatch.domain.books.completeness import GapKind, gaps_of
from paymatch.domain.calendar import last_bank_day, minus_bank_days, plus_bank_days, today_in
from paymatch.domain.shops.alerts import silent_after
from paymatch.domain.shops.shop import Shop
from paymatch.store.bank_feeds import feeds as store
from paymatch.store.statements.statements import statements
from paymatch.store.transactions import ShopTx
from paymatch.usecases.bank_feeds.feeds import AccountFeed
from paymatch.usecases.statements.completeness import final_statements

_RHYTHM: Final = 20
"""Bank days before those shown that tell how often statements come."""
_MISSING: Final = frozenset({GapKind.BALANCE, GapKind.SEQUENCE})


def last_bank_days(
    tx: ShopTx, shop: Shop, today: date, feeds: Sequence[AccountFeed], count: int = DAYS_SHOWN
) -> dict[str, list[FeedDay]]:
    """Account -> its last `count` bank days, oldest first; accounts that were never fed are left out."""
    since = minus_bank_days(last_bank_day(today), count - 1)
    recent = store.recent_days(tx, since, shop.timezone)
    missing = _missing_days(tx)
    found = {}
    for feed in feeds:
        own = recent[feed.account].statements
        begun_on = own[0].begun_on if own else _day_of(feed, shop)
        if begun_on is not None:
            so_far = FeedSoFar(
                [CoveredDays(each.first_date, each.last_date, each.came_on) for each in own],
                begun_on, missing[feed.account], feed.is_late, _due_on(feed.days),
            )  # fmt: skip
            found[feed.account] = feed_days(so_far, recent[feed.account].postings, today, count)
    return found


def days_beside_silence(
    tx: ShopTx, today: date, accounts: Sequence[str], silent: Collection[str], count: int
) -> dict[str, list[FeedDay]]:
    """Account -> its last `count` bank days, read in one statement: without gaps that only balances prove.

    `silent`: accounts with an open alert that they are late. Others without recent statements are left out.
    """
    since = minus_bank_days(last_bank_day(today), count + _RHYTHM)
    recent = store.recent_days(tx, since, tx.shop.timezone)
    found = {}
    for account in accounts:
        own = recent[account].statements
        if own or account in silent:
            so_far = FeedSoFar(
                [CoveredDays(each.first_date, each.last_date, each.came_on) for each in own],
                own[0].begun_on if own else date.min, (), account in silent,
                _due_on([each.last_date for each in own]),
            )  # fmt: skip
            found[account] = feed_days(so_far, recent[account].postings, today, count)
    return found


def _day_of(feed: AccountFeed, shop: Shop) -> date | None:
    """The day of the last file, for an account whose statements are all older than the days shown."""
    if feed.last_fed_at is None or feed.covered_until is None:
        return None
    return today_in(shop.timezone, feed.last_fed_at)


def _missing_days(tx: ShopTx) -> defaultdict[str, frozenset[date]]:
    """Account -> days for which balances or numbers prove that a statement is missing."""
    found: defaultdict[str, frozenset[date]] = defaultdict(frozenset)
    for (account, _currency), known in final_statements(statements(tx)).items():
        found[account] |= {day for gap in gaps_of(known) if gap.kind in _MISSING for day in gap.days()}
    return found


def _due_on(days: Sequence[date]) -> Callable[[date], date] | None:
    """When the statement of a bank day is in time: the next one for daily statements, else by the account's rhythm."""
    if due_by(days) is not None:
        return lambda day: plus_bank_days(day, 1)
    latest = silent_after(days)
    return None if latest is None else lambda day: day + (latest - max(days))
