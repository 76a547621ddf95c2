"""All that has happened to an order, in one query: submission, changes, status, money, mail, comments, refunds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Final

from paymatch.store.database import ShopId, Tx
from paymatch.store.rows import build
from paymatch.store.sealing import REFUND_PAYEE


class Happened(StrEnum):
    """What a row of the history is about."""

    SUBMITTED = "submitted"
    STATUS = "status"  # facts: from, to, cause, callback, attempts, error
    POSTING = "posting"  # facts: posting, name, text, kind, currency, by_hand, withheld_minor, fee_kind
    MAIL = "mail"  # facts: level, status, recipient, error
    REQUEST = "request"  # of bank details for a refund; facts: place, status, recipient, error
    INVOICE = "invoice"  # facts: invoice, media_type, size_bytes
    CHANGED = "changed"  # facts: fields (name -> [before, after] or null), actor_kind, actor
    COMMENT = "comment"  # facts: author, said
    REFUND = "refund"  # facts: refund, reference, planned, executed, status, reason, note, bank_code, iban, holder


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One thing that happened. `day` is the bank's day where it has one; the amount in minor units of the order."""

    kind: Happened
    at: datetime
    day: date | None
    amount_minor: int | None
    facts: dict[str, Any]


_HISTORY: Final = """
SELECT 'submitted' AS kind, coalesce(submitted_at, created_at) AS at, NULL::date AS day, NULL::bigint AS amount_minor,
       json_build_object() AS facts
FROM orders WHERE shop_id = $1 AND number = $2
UNION ALL
SELECT 'status', e.at, NULL, NULL, json_build_object('from', e.from_status, 'to', e.to_status, 'cause', e.cause,
       'callback', c.status, 'attempts', c.attempts, 'error', c.last_error)
FROM events e LEFT JOIN callbacks c ON c.shop_id = e.shop_id AND c.event_seq = e.seq
WHERE e.shop_id = $1 AND e.order_number = $2
UNION ALL
SELECT 'posting', a.created_at, p.booking_date, a.order_amount_minor, json_build_object('posting', p.id,
       'name', p.counterparty_name, 'text', p.remittance, 'kind', a.kind, 'currency', p.currency,
       'by_hand', a.by_hand, 'withheld_minor', a.withheld_minor, 'fee_kind', a.fee_kind)
FROM allocations a JOIN postings p ON p.shop_id = a.shop_id AND p.id = a.posting_id
WHERE a.shop_id = $1 AND a.order_number = $2 AND a.kind NOT IN ('refund', 'refund-return')
UNION ALL
SELECT 'mail', coalesce(finished_at, created_at), NULL, NULL, json_build_object('level', dunning_level,
       'thanks', thanks, 'status', status, 'recipient', recipient, 'error', error)
FROM mails WHERE shop_id = $1 AND order_number = $2
UNION ALL
SELECT 'request', coalesce(finished_at, created_at), NULL, NULL, json_build_object('place', place, 'status', status,
       'recipient', recipient, 'error', error)
FROM refund_requests WHERE shop_id = $1 AND order_number = $2
UNION ALL
SELECT 'invoice', created_at, NULL, NULL, json_build_object('invoice', invoice_number, 'media_type', media_type,
       'size_bytes', size_bytes)
FROM invoices WHERE shop_id = $1 AND order_number = $2
UNION ALL
SELECT 'changed', at, NULL, NULL, json_build_object('fields', fields::json, 'actor_kind', actor_kind, 'actor', actor)
FROM order_changes WHERE shop_id = $1 AND order_number = $2
UNION ALL
SELECT 'comment', at, NULL, NULL, json_build_object('author', author, 'said', said)
FROM order_comments WHERE shop_id = $1 AND order_number = $2
UNION ALL
SELECT 'refund', updated_at, execution_date, order_amount_minor, json_build_object('refund', id,
       'reference', external_reference, 'planned', planned_date, 'executed', execution_date, 'status', status,
       'reason', held_reason, 'note', note, 'bank_code', bank_code, 'iban', iban, 'holder', holder)
FROM refunds WHERE shop_id = $1 AND order_number = $2
ORDER BY 2 DESC, 1 DESC LIMIT 500"""


def of_order(tx: Tx, shop: ShopId, number: str) -> list[HistoryRow]:
    """The last 500 things that happened to the order, latest first."""
    vault = tx.vault(shop)
    found = [build(HistoryRow, row, kind=Happened(row.kind)) for row in tx.rows(_HISTORY, shop, number)]
    for row in found:
        if "iban" in row.facts:
            row.facts["iban"] = vault.open(REFUND_PAYEE, row.facts["iban"])
    return found
