"""Sources of claims on carriers and marketplaces: unpaid cash-on-delivery orders, payouts with their orders."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Final, NamedTuple

import msgspec

from paymatch.domain.orders.claims import Shipped
from paymatch.domain.postings import Posting
from paymatch.store.statements.posting_documents import opened_facts
from paymatch.store.transactions import ShopTx

_UNPAID: Final = """
SELECT o.number, o.order_date, coalesce(o.due_date, o.order_date), o.currency,
       o.amount_minor - o.postings_minor + o.refunded_minor, o.doc
FROM orders o
WHERE o.shop_id = $1 AND o.type = 'COD' AND o.status = ANY('{UNPAID,PAID_PARTIAL}') AND o.order_date <= $2
  AND NOT EXISTS (SELECT FROM allocations a JOIN postings p ON p.shop_id = a.shop_id AND p.id = a.posting_id
                  WHERE a.shop_id = $1 AND a.order_number = o.number AND p.collective)
ORDER BY o.order_date, o.number"""
_POSTINGS: Final = """
SELECT p.id, p.facts, p.status, p.collective,
       (SELECT json_agg(json_build_array(a.order_number, a.amount_minor + a.withheld_minor, a.withheld_minor)
                        ORDER BY a.order_number)
        FROM allocations a WHERE a.shop_id = $1 AND a.posting_id = p.id) AS allocated
FROM postings p
WHERE p.shop_id = $1 AND p.amount_minor > 0 AND p.booking_date BETWEEN $2 AND $3
  AND (p.collective OR p.status IN ('suggested', 'unmatched'))
ORDER BY p.booking_date, p.id"""


class _Doc(msgspec.Struct):
    shippingNumbers: tuple[str, ...] = ()  # noqa: N815  the contract's spelling


class CollectiveSumRow(NamedTuple):
    """A posting that may be a payout, with its credits to orders, and the amount withheld in total."""

    id: str
    posting: Posting
    status: str
    collective: bool
    credits: dict[str, int]
    withheld_minor: int


def unpaid_on_delivery(tx: ShopTx, ordered_until: date) -> list[Shipped]:
    """Orders of type COD without their money that no payout has paid in part; the oldest first."""
    return [
        Shipped(number, msgspec.json.decode(doc, type=_Doc).shippingNumbers, ordered, shipped, open_minor, currency)
        for number, ordered, shipped, currency, open_minor, doc in tx.rows(_UNPAID, tx.shop_id, ordered_until)
    ]


def possible_payouts(tx: ShopTx, first: date, last: date) -> Iterator[CollectiveSumRow]:
    """Collective postings of these days, and those that wait for a person, from any payer."""
    for row in tx.stream(_POSTINGS, tx.shop_id, first, last):
        allocated = row.allocated or []
        credits = {number: credited for number, credited, _ in allocated}
        withheld = sum(fee for _, _, fee in allocated)
        posting = opened_facts(row.facts, tx.vault())
        yield CollectiveSumRow(row.id, posting, row.status, row.collective, credits, withheld)
