"""Automatic sources of statements: EBICS, account information, the drop folder and FinTS; and the days of each feed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from paymatch.area.charts import TICK_HEIGHT, ChartPoint, ticks
from paymatch.area.language.figures import account_label, day
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.bank.account_information import consent_badge
from paymatch.area.views.bank.ebics import badge_of
from paymatch.area.views.bank.past import CHANNELS
from paymatch.area.views.bank.statements_home import FEED_ALARMS
from paymatch.domain.bank_feeds.feed_days import FeedDay, FeedDayState
from paymatch.domain.payouts.providers import is_at_provider
from paymatch.domain.statement_channels import StatementChannel
from paymatch.usecases.bank_feeds.connections import list_connections as ebics_connections
from paymatch.usecases.bank_feeds.consents import overviews
from paymatch.usecases.bank_feeds.feed_days import last_bank_days
from paymatch.usecases.bank_feeds.feeds import AccountFeed, account_feeds
from paymatch.usecases.statements.bank_connections import list_connections
from paymatch.usecases.work.alerts import list_alerts

_S: Final = FeedDayState
STATES: Final[Mapping[FeedDayState, Promise]] = {
    _S.IN_TIME: gettext_lazy("came in time"),
    _S.LATE: gettext_lazy("late"),
    _S.MISSING: gettext_lazy("missing"),
    _S.QUIET: gettext_lazy("no statement, none missing"),
    _S.EXPECTED: gettext_lazy("not due yet"),
    _S.BEFORE: gettext_lazy("before the start"),
}
_NAMED: Final = (_S.LATE, _S.MISSING)
"""States whose days are named for people who cannot see the bars."""
_LOW: Final = 6
_DOT: Final = 2


@page("bank/feeds", "bank_feeds")
def feeds(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Where to put files, which banks are asked, how each feed did lately, and what is wrong with them."""
    with visit.transaction() as tx:
        ebics_rows = ebics_connections(tx)
        consents = overviews(tx)
        accounts = account_feeds(tx, visit.today, consents, ebics_rows)
        days = last_bank_days(tx, visit.shop, visit.today, accounts)
    folder = visit.service.settings.drop_dir
    names = {each["account"]: each["bank_name"] for each in request.waiting()["accounts"]}
    values = {
        "tab": "bank_feeds",
        "inbox": folder / str(visit.shop.id) / "inbox" if folder else None,
        "accounts": [_row(each, days.get(each.account, ()), names.get(each.account, ""), visit) for each in accounts],
        "states": STATES.items(),
        "ebics": [(row, badge_of(row)) for row in ebics_rows],
        "consents": [(each.row, consent_badge(each.row)) for each in consents],
        "may_manage": visit.may(Permission.MANAGE),
        "may_bank": visit.may(Permission.BANK),
        "connections": list_connections(visit.database, visit.shop),
        "alarms": [row for row in list_alerts(visit.database, visit.shop) if row["kind"] in FEED_ALARMS],
        "today": visit.today,
    }
    return render(request, "area/bank/feeds.html", values)


def _row(feed: AccountFeed, days: Sequence[FeedDay], bank_name: str, visit: Visit) -> dict[str, Any]:
    """An account with its last bank days, its state, and what helps if it is late."""
    name = account_label(feed.account) if is_at_provider(feed.account) else feed.account
    return {
        "feed": feed, "name": name, "short": account_label(feed.account), "bank_name": bank_name,
        "way": CHANNELS[StatementChannel(feed.channel)] if feed.channel else "",
        "bars": draw_days(days, name) if days else "", "state": _state(feed, days),
        "help": _help(feed, visit) if feed.is_late else None,
    }  # fmt: skip


def draw_days(days: Sequence[FeedDay], account: str) -> SafeString:
    """A bar per bank day, with a dot for weekends and holidays between them; for screen readers the days in words."""
    points = [_point(days[0])]
    for before, each in pairwise(days):
        closed = [before.day + timedelta(days=n) for n in range(1, (each.day - before.day).days)]
        if closed:
            points.append(ChartPoint("", _DOT, _closed_words(closed), "closed"))
        points.append(_point(each))
    return ticks(points, name=f"{account}: {_summary(days)}")


def _point(each: FeedDay) -> ChartPoint:
    words = [f"{day(each.day)}: {STATES[each.state]}"]
    if each.postings:
        words.append(ngettext("%(count)d posting", "%(count)d postings", each.postings) % {"count": each.postings})
    if each.came_on is not None:
        words.append(_("file of %(day)s") % {"day": day(each.came_on)})
    high = _LOW if each.state is _S.QUIET else TICK_HEIGHT
    return ChartPoint("", high, ", ".join(words), str(each.state))


def _closed_words(closed: Sequence[date]) -> str:
    words = _("weekend") if all(each.weekday() >= 5 for each in closed) else _("weekend or bank holiday")
    first, last = day(closed[0]), day(closed[-1])
    return f"{first}: {words}" if first == last else f"{first} – {last}: {words}"


def _summary(days: Sequence[FeedDay]) -> str:
    """Last 30 bank days: 27 came in time, 1 late (4 Nov), 2 missing (12 Nov, 13 Nov)."""
    parts = []
    for state, words in STATES.items():
        found = [each.day for each in days if each.state is state]
        if found:
            named = f" ({', '.join(map(day, found))})" if state in _NAMED else ""
            parts.append(f"{len(found)} {words}{named}")
    begin = ngettext("last %(count)d bank day", "last %(count)d bank days", len(days)) % {"count": len(days)}
    return f"{begin}: {', '.join(parts)}"


def _state(feed: AccountFeed, days: Sequence[FeedDay]) -> tuple[str, str, str]:
    """The badge of the account's feed."""
    silent = _silent_days(days)
    if not days:
        return "grey", "", _("Never fed")
    if feed.is_late:
        text = ngettext("Silent for %(count)d bank day", "Silent for %(count)d bank days", silent)
        return "red", "", text % {"count": silent} if silent else _("Late")
    if any(each.state is _S.MISSING for each in days):
        return "amber", "", _("Statement missing")
    if feed.due_by is None:
        return "grey", "", _("No rhythm yet")
    return "green", "", _("On time")


def _silent_days(days: Sequence[FeedDay]) -> int:
    """Bank days that are missing since the last one that came."""
    count = 0
    for each in reversed(days):
        if each.state is _S.MISSING:
            count += 1
        elif each.state is not _S.EXPECTED:
            break
    return count


def _help(feed: AccountFeed, visit: Visit) -> tuple[str, str] | None:
    """What to do about a late feed, and where; None for a person who may do neither."""
    if feed.channel == StatementChannel.FINTS and visit.may(Permission.BANK):
        return visit.url("fints"), _("Fetch by FinTS")
    if feed.channel == StatementChannel.EBICS and visit.may(Permission.MANAGE):
        return visit.url("ebics"), _("Look at EBICS")
    if feed.channel == StatementChannel.ACCOUNT_INFORMATION and visit.may(Permission.MANAGE):
        return visit.url("account_information"), _("Look at the consent")
    return (visit.url("bank"), _("Import a file")) if visit.may(Permission.BANK) else None
