"""Data for a backtest: past postings, how they were booked, orders without the payments of the period."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from paymatch.domain.matching.model import OrderFacts, OrderState
from paymatch.store.matching import matching
from paymatch.store.statements import postings as posting_store
from paymatch.store.statements.postings import AllocationRow, StoredPosting
from paymatch.store.transactions import ShopTx

_PAGE = 2000


def postings(tx: ShopTx, since: date | None) -> list[StoredPosting]:
    """The shop's postings since the day, by booking date."""
    ids = tx.rows(
        "SELECT id FROM postings WHERE shop_id = $1 AND booking_date >= coalesce($2, '0001-01-01'::date)",
        tx.shop_id,
        since,
    )
    return posting_store.load(tx, [row[0] for row in ids])


def allocations_by_posting(tx: ShopTx, since: date | None) -> dict[str, list[AllocationRow]]:
    """Posting -> its allocations, of the postings since the day."""
    rows = tx.rows(
        "SELECT a.posting_id, a.order_number, a.amount_minor, a.order_amount_minor, a.kind, a.by_hand,"
        " a.withheld_minor, a.fee_kind FROM allocations a"
        " JOIN postings p ON p.shop_id = a.shop_id AND p.id = a.posting_id"
        " WHERE a.shop_id = $1 AND p.booking_date >= coalesce($2, '0001-01-01'::date) ORDER BY a.order_number",
        tx.shop_id,
        since,
    )
    found: dict[str, list[AllocationRow]] = {}
    for row in rows:
        found.setdefault(row[0], []).append(posting_store.allocation_row(row))
    return found


def orders_before(tx: ShopTx, since: date | None) -> list[OrderFacts]:
    """All orders in their state before the period: its payments and cancellations do not count."""
    paid = {
        row[0]: row[1]
        for row in tx.rows(
            "SELECT a.order_number, sum(a.order_amount_minor)::bigint FROM allocations a JOIN postings p"
            " ON p.shop_id = a.shop_id AND p.id = a.posting_id WHERE a.shop_id = $1 AND a.kind <> 'refund'"
            " AND p.booking_date < coalesce($2, '0001-01-01'::date) GROUP BY 1",
            tx.shop_id,
            since,
        )
    }
    numbers = [row[0] for row in tx.rows("SELECT number FROM orders WHERE shop_id = $1 ORDER BY number", tx.shop_id)]
    found: list[OrderFacts] = []
    for start in range(0, len(numbers), _PAGE):
        for facts in matching.load_orders(tx, numbers[start : start + _PAGE]).values():
            before = paid.get(facts.number, 0)
            left = facts.amount_minor - before
            state = OrderState.OPEN if left > 0 else OrderState.SETTLED
            found.append(replace(facts, open_minor=left, paid_minor=before, state=state))
    return found


def closed_days(tx: ShopTx) -> dict[str, date]:
    """Order -> the day (UTC) on which it was last cancelled, removed or left out of the shop's list."""
    rows = tx.rows(
        "SELECT order_number, max(at)::date FROM events WHERE shop_id = $1"
        " AND to_status = ANY('{CANCELLED,DISAPPEARED,LEGACY}') GROUP BY 1",
        tx.shop_id,
    )
    return {row[0]: row[1] for row in rows}
