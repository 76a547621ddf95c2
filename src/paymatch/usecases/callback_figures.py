"""Callbacks for people: the receiver's health, and the callbacks that wait, arrived or were given up."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from paymatch.domain.callbacks.deliveries import CallbackStatus
from paymatch.store.callbacks import figures as store
from paymatch.store.lists.sorted_lists import AskedPage, PageOfRows
from paymatch.store.transactions import ShopTx

SPAN_MINUTES: Final = 30
SPANS: Final = 48
"""The chart shows a day."""

_DAY: Final = timedelta(hours=24)


def figures(tx: ShopTx, now: datetime) -> dict[str, Any]:
    """Waiting, given up, attempts of the last 24 hours, and since when the receiver fails; `now` is the shop's."""
    return store.figures(tx, now - _DAY)


def attempts_of_the_day(tx: ShopTx, now: datetime) -> list[tuple[datetime, int, int]]:
    """(begin, delivered, failed) of each half hour of the last 24 hours, in UTC; the last one is still running."""
    running = now.replace(minute=now.minute // SPAN_MINUTES * SPAN_MINUTES, second=0, microsecond=0)
    span = timedelta(minutes=SPAN_MINUTES)
    first = running - span * (SPANS - 1)
    rows = store.attempts_over_time(tx, first, running + span, SPAN_MINUTES)
    found = {row["begins"]: (row["delivered"], row["failed"]) for row in rows}
    return [(begin, *found.get(begin, (0, 0))) for begin in (first + span * place for place in range(SPANS))]


def count_callbacks(tx: ShopTx, search: str) -> dict[CallbackStatus, int]:
    """The number of callbacks in each status that the search finds: an order's number or a callback's id."""
    return {CallbackStatus(status): count for status, count in store.count_by_status(tx, search).items()}


def list_callbacks(
    tx: ShopTx, statuses: Sequence[CallbackStatus], *, search: str = "", asked: AskedPage
) -> PageOfRows[dict[str, Any]]:
    """Callbacks, newest first unless sorted; `search` is an order's number or a callback's id."""
    return store.list_callbacks(tx, [str(each) for each in statuses], search, asked)
