"""Endpoint 12: postings with the orders that they pay (D-8)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from paymatch.api.call import Answer, ApiCall
from paymatch.api.fields import invalid
from paymatch.api.router import endpoint
from paymatch.store.database import ShopId
from paymatch.store.orders.order_json import Include
from paymatch.store.statements.posting_list import PAGE, Place, PostingFilter, place_of, read_page

DEFAULT_DAYS: Final = 30
"""Without a range: the last 30 days by import date (D-8)."""


@endpoint("GET", "postings")
def list_postings(call: ApiCall) -> Answer:
    """Endpoint 12: postings by import date, `createdMin` inclusive, `createdMax` exclusive, `iban` of the account."""
    first, last = call.date("createdMin"), call.date("createdMax")
    with_orders = call.flag("includeOrders", default=True)
    include = call.include()
    if first is None and last is None:
        first = call.today - timedelta(days=DEFAULT_DAYS)
    wanted = PostingFilter(
        created_from=_midnight(first, call.shop.timezone),
        created_until=_midnight(last, call.shop.timezone),
        account=call.query.get("iban", "").replace(" ", "").upper(),
    )
    limit = call.whole("limit", None, 100_000)
    place = None
    if "after" in call.query:
        place = place_of(call.tx, ShopId(call.shop.id), call.query["after"])
        if place is None:
            raise invalid("after", expected="the id of a posting")
    return Answer(_chunks(call, wanted, place, include if with_orders else None, limit))


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
            text, count, place = read_page(tx, ShopId(call.shop.id), wanted, place, size, include)
        if count:
            yield (separator + text).encode()
            separator = ","
        if count < size:
            break
        left = None if left is None else left - count
    yield b"[]" if separator == "[" else b"]"
