"""A payment, or a part of it, moves from one order to another, from the order's own page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from paymatch.domain.orders.split import AssignmentRefused
from paymatch.domain.orders.submission import OrderUnknown
from paymatch.domain.shops.shop import Shop
from paymatch.domain.words.message import Message
from paymatch.store.database import Database
from paymatch.store.orders import order_list
from paymatch.store.statements import postings
from paymatch.store.statements.postings import AllocationRow
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part


def move(
    database: Database, shop: Shop, posting_id: str, source: str, target: str, minor: int | None, clock: datetime
) -> list[str]:
    """Moves the posting's credit of `source`, or `minor` of it, to `target`; returns the posting's orders.

    `minor` is in the posting's currency. The withheld amount moves only with the whole posting, and stays behind if a
    part moves. AssignmentRefused; OrderUnknown.
    """
    with database.of_shop(shop, at=clock) as tx:
        rows = postings.allocations(tx, [posting_id])
        if order_list.find(tx, target) is None:
            raise OrderUnknown(target)
    moved = next((row for row in rows if row.order_number == source and row.kind == "payment"), None)
    if moved is None or target == source:
        raise AssignmentRefused(Message("assign-not-matched", posting=repr(posting_id)))
    whole = minor is None or minor == moved.amount_minor
    if minor is not None and not 0 < minor <= moved.amount_minor:
        raise AssignmentRefused(Message("assign-beyond-part", order=source))
    parts = [_part(row) for row in rows if row is not moved and row.order_number != target]
    if whole:
        parts.append(_join_parts(moved.amount_minor, target, rows, moved))
    else:
        assert minor is not None, "a part has an amount"
        kept = _part(moved)
        parts += [Part(source, moved.amount_minor - minor, kept.fee_minor, kept.fee_kind)]
        parts.append(_join_parts(minor, target, rows, None))
    return assigning.match(database, shop, posting_id, parts, clock)


def _part(row: AllocationRow) -> Part:
    return Part(row.order_number, row.amount_minor, row.withheld_minor, row.fee_kind)


def _join_parts(minor: int, target: str, rows: Sequence[AllocationRow], moved: AllocationRow | None) -> Part:
    """The target's new credit, including what the posting already credits to it."""
    fee, kind = (moved.withheld_minor, moved.fee_kind) if moved is not None else (0, None)
    for row in rows:
        if row.order_number == target:
            minor, fee, kind = minor + row.amount_minor, fee + row.withheld_minor, kind or row.fee_kind
    return Part(target, minor, fee, kind)
