"""The orders that open postings are proposed for first: each of two equal orders gets one of two payments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from paymatch.store.transactions import ShopTx

_FORGET = "DELETE FROM first_suggestions WHERE shop_id = $1 AND posting_id = ANY($2) RETURNING order_number, posting_id"
_SHARED = """
SELECT DISTINCT s.posting_id FROM unnest($2::text[], $3::text[]) f(number, posting), LATERAL (
    SELECT posting_id FROM first_suggestions
    WHERE shop_id = $1 AND order_number = f.number AND posting_id <> f.posting) s ORDER BY 1"""


def save(tx: ShopTx, proposed: Mapping[str, tuple[date, Sequence[str]]]) -> list[str]:
    """Posting -> (booking date, orders it is proposed for first), in place of what was kept of these postings.

    Returned are the open postings that share an order with one of these, since now.
    """
    before = set(forget(tx, list(proposed)))
    rows = [(number, posting, booked) for posting, (booked, numbers) in proposed.items() for number in numbers]
    if not rows:
        return []
    tx.run(
        "INSERT INTO first_suggestions (shop_id, order_number, posting_id, booking_date) SELECT $1, n, p, b"
        " FROM unnest($2::text[], $3::text[], $4::date[]) r(n, p, b) ON CONFLICT DO NOTHING",
        tx.shop_id,
        *map(list, zip(*rows, strict=True)),
    )
    fresh = [(number, posting) for number, posting, _ in rows if (number, posting) not in before]
    if not fresh:
        return []
    return [row[0] for row in tx.rows(_SHARED, tx.shop_id, *map(list, zip(*fresh, strict=True)))]


def forget(tx: ShopTx, postings: Sequence[str]) -> list[tuple[str, str]]:
    """Forgets what these postings were proposed for: (order, posting) each."""
    if not postings:
        return []
    return [(row[0], row[1]) for row in tx.rows(_FORGET, tx.shop_id, list(postings))]
