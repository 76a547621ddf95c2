"""Orders near a posting that matching found no order for: with nearly its amount, or a word of its payer's name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from paymatch.domain.orders.settlement import OPEN_STATUSES
from paymatch.store.orders.order_list import COLUMNS, ListedOrder, listed_order
from paymatch.store.transactions import ShopTx

LOOKED_AT: Final = 2000
"""The number of latest orders that are checked: the time does not grow with the shop."""
_STATUSES: Final = ", ".join(f"'{status}'" for status in sorted(OPEN_STATUSES))
_OPEN: Final = f"o.status IN ({_STATUSES})"
_PAID: Final = "o.postings_minor > o.refunded_minor"


def near(tx: ShopTx, *, amount_minor: int, currency: str, words: Sequence[str], limit: int) -> list[ListedOrder]:
    """The orders nearest in amount and those whose document has a word, at most `limit` of each, by number.

    For incoming money among open orders by their open amounts; for outgoing money among paid ones by their payments.
    `words` in small letters.
    """
    incoming = amount_minor > 0
    wanted = (
        "o.amount_minor - o.postings_minor + o.refunded_minor" if incoming else "o.postings_minor - o.refunded_minor"
    )
    latest = "o.created_at DESC" if incoming else "o.order_date DESC, o.number DESC"
    rows = tx.rows(
        f"""WITH latest AS MATERIALIZED (
            SELECT o.number, abs({wanted} - $2) AS away, EXISTS (
                SELECT FROM unnest($4::text[]) w(word) WHERE position(w.word IN lower(o.doc)) > 0) AS named
            FROM orders o WHERE o.shop_id = $1 AND o.currency = $3 AND {_OPEN if incoming else _PAID}
            ORDER BY {latest} LIMIT {LOOKED_AT})
        SELECT {COLUMNS} FROM orders o WHERE o.shop_id = $1 AND o.number = ANY(
            ARRAY(SELECT number FROM latest ORDER BY away, number LIMIT $5)
            || ARRAY(SELECT number FROM latest WHERE named ORDER BY away, number LIMIT $5)) ORDER BY o.number""",
        tx.shop_id, abs(amount_minor), currency, list(words), limit,
    )  # fmt: skip
    return [listed_order(row) for row in rows]
