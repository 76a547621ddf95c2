"""Postings with the orders that they pay (D-8)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from paymatch.api import parameters
from paymatch.api.call import ApiAnswer, ApiCall
from paymatch.api.contents import json_of
from paymatch.api.openapi import examples
from paymatch.api.parameters import IncludeFlags
from paymatch.api.refusals import INVALID_DAY
from paymatch.api.router import endpoint
from paymatch.api.sections import POSTINGS
from paymatch.formats.contract.json_schema import array, ref
from paymatch.formats.contract.values import invalid
from paymatch.store.orders.order_json import Include
from paymatch.store.statements.posting_list import PAGE, Place, PostingFilter, place_of, read_page

DEFAULT_DAYS: Final = 30
"""Without a range: the last 30 days by import date (D-8)."""


@dataclass(frozen=True, slots=True)
class PostingsQuery(IncludeFlags):
    """Which postings."""

    created_min: date | None = parameters.day("First day of import; without a range the last 30 days.")
    created_max: date | None = parameters.day("First day of import that is left out.")
    iban: str = parameters.text("Postings of this account of the shop.")
    include_orders: bool = parameters.flag("Include the orders that each posting pays.", default=True)
    limit: int | None = parameters.list_limit()
    after: str | None = parameters.text("Continue after the posting with this id.", default=None)


@endpoint(
    "GET",
    "postings",
    POSTINGS,
    "List postings",
    "By moment of import, each with the orders that it pays and the evidence.",
    answer=json_of(array(ref("PostingWithOrders")), [examples.POSTING]),
    refusals=(INVALID_DAY,),
)
def list_postings(call: ApiCall, query: PostingsQuery) -> ApiAnswer:
    """Postings by import date, `createdMin` inclusive, `createdMax` exclusive, `iban` of the account."""
    first, last = query.created_min, query.created_max
    if first is None and last is None:
        first = call.today - timedelta(days=DEFAULT_DAYS)
    wanted = PostingFilter(
        created_from=_midnight(first, call.shop.timezone),
        created_until=_midnight(last, call.shop.timezone),
        account=query.iban.replace(" ", "").upper(),
    )
    place = None
    if query.after is not None:
        place = place_of(call.tx, query.after)
        if place is None:
            raise invalid("after", expected="the id of a posting")
    return ApiAnswer(_chunks(call, wanted, place, query.include if query.include_orders else None, query.limit))


def _midnight(day: date | None, timezone: str) -> datetime | None:
    """The moment at which the day begins in the shop's time zone."""
    if day is None:
        return None
    # In UTC the first and the last day of the calendar may begin outside of it; nothing is imported near either.
    near = min(max(day, date.min + timedelta(days=2)), date.max - timedelta(days=2))
    return datetime.combine(near, time.min, ZoneInfo(timezone)).astimezone(UTC)


def _chunks(
    call: ApiCall, wanted: PostingFilter, place: Place | None, include: Include | None, limit: int | None
) -> Iterator[bytes]:
    left, separator = limit, "["
    while left is None or left > 0:
        size = PAGE if left is None else min(left, PAGE)
        with call.transaction() as tx:
            text, count, place = read_page(tx, wanted, place, size, include)
        if count:
            yield (separator + text).encode()
            separator = ","
        if count < size:
            break
        left = None if left is None else left - count
    yield b"[]" if separator == "[" else b"]"
