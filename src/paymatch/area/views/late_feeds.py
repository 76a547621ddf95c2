"""A late feed on the overview: what it means, what helps, and when each account was fed lately."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.language.figures import account_label, day
from paymatch.area.language.sentences import as_sentence
from paymatch.area.page import Visit
from paymatch.area.people.roles import Permission
from paymatch.domain.bank_feeds.feed_days import FeedDay, FeedDayState
from paymatch.domain.shops.alerts import AlertKind
from paymatch.domain.words.message import Message
from paymatch.store.transactions import ShopTx
from paymatch.usecases.bank_feeds.feed_days import days_beside_silence
from paymatch.usecases.work import alert_lists

DAYS: Final = 9
_S: Final = FeedDayState
_CELLS: Final = {
    _S.IN_TIME: ("green", "check", gettext_lazy("in time")),
    _S.LATE: ("amber", "clock", gettext_lazy("late")),
    _S.MISSING: ("red", "x", gettext_lazy("missing")),
    _S.QUIET: ("grey", "minus", gettext_lazy("none")),
    _S.EXPECTED: ("grey", "clock", gettext_lazy("not due")),
    _S.BEFORE: ("grey", "minus", gettext_lazy("before")),
}
"""Colour, icon and word of a day."""


def late_feeds(
    tx: ShopTx, visit: Visit, accounts: Sequence[Mapping[str, Any]], alarms: Collection[AlertKind]
) -> dict[str, Any] | None:
    """Banner and table of the shop's own `accounts` while one is silent; None otherwise."""
    if AlertKind.SILENT_FEED not in alarms:
        return None
    rows = alert_lists.open_of_kinds(tx, (AlertKind.SILENT_FEED,))
    silent = {str(row["text"].values.get("account", "")) for row in rows if isinstance(row["text"], Message)}
    names = [each["account"] for each in accounts]
    days = days_beside_silence(tx, visit.today, [*names, *sorted(silent - set(names))], silent, DAYS)
    banks = {each["account"]: each["bank_name"] for each in accounts}
    return {
        "texts": [as_sentence(row["text"]) for row in rows],
        "since": min(row["created_at"] for row in rows) if rows else None,
        "as_of": _as_of(accounts, silent),
        "heads": [each.day for each in next(iter(days.values()), [])],
        "rows": [(banks.get(name) or "", account_label(name), [_cell(each) for each in own])
                 for name, own in days.items()],
        "may_import": visit.may(Permission.BANK),
    }  # fmt: skip


def _as_of(accounts: Sequence[Mapping[str, Any]], silent: Collection[str]) -> str:
    """Until when the figures are complete: as of 11 Nov at Sparbank Weser; "" if no own account is silent."""
    known: list[tuple[date, str]] = [
        (each["last_date"], each["bank_name"] or account_label(each["account"]))
        for each in accounts
        if each["account"] in silent and each["last_date"] is not None
    ]
    if not known:
        return ""
    until, name = min(known)
    return _("as of %(day)s at %(bank)s") % {"day": day(until), "bank": name}


def _cell(each: FeedDay) -> dict[str, Any]:
    colour, icon, word = _CELLS[each.state]
    return {"colour": colour, "icon": icon, "word": word, "came_on": each.came_on, "postings": each.postings}
