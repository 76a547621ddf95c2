"""Parts of payments that pay the fees of an order's reminders, and what collection claims beside it (D-97)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.orders.reminder_fees import CreditedPart, DemandedFee, claimed_beside
from paymatch.store.statements import posting_snapshots
from paymatch.store.transactions import ShopTx

_KIND: Final = FeeKind.REMINDER_FEE
_DEMANDED: Final = """SELECT order_number, sent_date, fee_minor FROM reminders
WHERE shop_id = $1 AND order_number = ANY($2) AND fee_minor > 0"""
_CLAIMED: Final = """SELECT order_number, (handed_over_at AT TIME ZONE $3)::date AS day, interest_minor, lump_minor
FROM collections WHERE shop_id = $1 AND order_number = ANY($2) AND interest_minor + lump_minor > 0"""
_PARTS: Final = f"""
SELECT a.order_number, a.posting_id, p.booking_date, a.fee_kind,
       p.currency = o.currency AND coalesce(a.fee_kind, '{_KIND}') = '{_KIND}' AS can_hold_fees,
       CASE WHEN a.fee_kind = '{_KIND}' THEN a.amount_minor ELSE a.order_amount_minor END AS minor,
       CASE WHEN a.fee_kind = '{_KIND}' THEN -a.withheld_minor ELSE 0 END::bigint AS fee_minor
FROM allocations a JOIN postings p ON p.shop_id = $1 AND p.id = a.posting_id
JOIN orders o ON o.shop_id = $1 AND o.number = a.order_number
WHERE a.shop_id = $1 AND a.order_number = ANY($2) AND a.kind IN ('payment', 'return')"""


def demanded(tx: ShopTx, numbers: Sequence[str]) -> Mapping[str, list[DemandedFee]]:
    """Order number -> the fees of its reminders that were sent, and interest and lump sum of its case in collection."""
    found: dict[str, list[DemandedFee]] = {}
    for row in tx.rows(_DEMANDED, tx.shop_id, list(numbers)):
        found.setdefault(row.order_number, []).append(DemandedFee(row.sent_date, row.fee_minor))
    for row in tx.rows(_CLAIMED, tx.shop_id, list(numbers), tx.shop.timezone):
        fees = found.setdefault(row.order_number, [])
        fees.append(DemandedFee(row.day, claimed_beside(fees, row.interest_minor, row.lump_minor)))
    return found


def parts(tx: ShopTx, numbers: Sequence[str]) -> Mapping[str, list[CreditedPart]]:
    """Order number -> what postings bring it."""
    found: dict[str, list[CreditedPart]] = {}
    for row in tx.rows(_PARTS, tx.shop_id, list(numbers)):
        part = CreditedPart(row.posting_id, row.booking_date, row.minor, row.can_hold_fees, row.fee_minor)
        found.setdefault(row.order_number, []).append(part)
    return found


_WRITE: Final = f"""
WITH {posting_snapshots.snapshot("$3", "$4")},
change AS (SELECT * FROM unnest($4::text[], $2::text[], $5::bigint[]) c(posting_id, order_number, fee_minor)),
since AS (
    UPDATE postings p SET since_date = greatest(p.since_date, day.today) FROM day
    WHERE p.shop_id = $1 AND p.id = ANY($4))
UPDATE allocations a SET withheld_minor = -c.fee_minor, order_amount_minor = a.amount_minor - c.fee_minor,
       fee_kind = CASE WHEN c.fee_minor <> 0 THEN '{_KIND}' END
FROM change c WHERE a.shop_id = $1 AND a.posting_id = c.posting_id AND a.order_number = c.order_number"""


def write(tx: ShopTx, rows: Sequence[tuple[str, str, int]], now: datetime) -> None:
    """Writes (order number, posting, what of it pays reminder fees); the orders are locked."""
    numbers, postings, fees = ([row[place] for row in rows] for place in range(3))
    tx.run(_WRITE, tx.shop_id, numbers, now, postings, fees)
