"""History of orders, in one query: submission, changes, status, money, mail, comments, refunds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Final

from paymatch.store.sealing import REFUND_PAYEE
from paymatch.store.transactions import ShopTx


class Happened(StrEnum):
    """The kind of a history row."""

    SUBMITTED = "submitted"
    STATUS = "status"  # facts: from, to, cause, callback, attempts, error
    POSTING = "posting"  # facts: posting, name, text, kind, currency, by_hand, withheld_minor, fee_kind
    MAIL = "mail"  # facts: level, status, recipient, error
    REQUEST = "request"  # of bank details for a refund; facts: place, status, recipient, error
    INVOICE = "invoice"  # facts: invoice, media_type, size_bytes
    CHANGED = "changed"  # facts: fields (name -> [before, after] or null), actor_kind, actor
    ADJUSTED = "adjusted"  # credit kept or used, income, loss; facts: kind, by
    COMMENT = "comment"  # facts: author, said
    SAID_PAID = "said-paid"  # by the customer, on the order's page
    REFUND = "refund"  # facts: refund, reference, planned, executed, status, reason, note, bank_code, iban, holder


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One event. `day` is the bank's day if it has one; the amount in minor units of the order."""

    kind: Happened
    at: datetime
    day: date | None
    amount_minor: int | None
    facts: dict[str, Any]


_EVENTS: Final = """
SELECT number AS order_number, 'submitted' AS kind, coalesce(submitted_at, created_at) AS at, NULL::date AS day,
       NULL::bigint AS amount_minor, json_build_object() AS facts
FROM orders WHERE shop_id = $1 AND number = ANY($2)
UNION ALL
SELECT e.order_number, 'status', e.at, NULL, NULL, json_build_object('from', e.from_status, 'to', e.to_status,
       'cause', e.cause, 'callback', c.status, 'attempts', c.attempts, 'error', c.last_error,
       'error_message', c.last_error_message)
FROM events e LEFT JOIN callbacks c ON c.shop_id = e.shop_id AND c.event_seq = e.seq
WHERE e.shop_id = $1 AND e.order_number = ANY($2)
UNION ALL
SELECT a.order_number, 'posting', a.created_at, p.booking_date, a.order_amount_minor,
       json_build_object('posting', p.id, 'name', p.counterparty_name, 'text', p.remittance, 'kind', a.kind,
       'currency', p.currency, 'by_hand', a.by_hand, 'withheld_minor', a.withheld_minor, 'fee_kind', a.fee_kind)
FROM allocations a JOIN postings p ON p.shop_id = a.shop_id AND p.id = a.posting_id
WHERE a.shop_id = $1 AND a.order_number = ANY($2) AND a.kind NOT IN ('refund', 'refund-return')
UNION ALL
SELECT order_number, 'mail', coalesce(finished_at, created_at), NULL, NULL, json_build_object('level', dunning_level,
       'thanks', thanks, 'status', status, 'recipient', recipient, 'error', error, 'error_message', error_message)
FROM mails WHERE shop_id = $1 AND order_number = ANY($2)
UNION ALL
SELECT order_number, 'request', coalesce(finished_at, created_at), NULL, NULL, json_build_object('place', place,
       'status', status, 'recipient', recipient, 'error', error)
FROM refund_requests WHERE shop_id = $1 AND order_number = ANY($2)
UNION ALL
SELECT order_number, 'invoice', created_at, NULL, NULL, json_build_object('invoice', invoice_number,
       'media_type', media_type, 'size_bytes', size_bytes)
FROM invoices WHERE shop_id = $1 AND order_number = ANY($2)
UNION ALL
SELECT order_number, 'changed', at, NULL, NULL, json_build_object('fields', fields::json,
       'actor_kind', actor_kind, 'actor', actor)
FROM order_changes WHERE shop_id = $1 AND order_number = ANY($2)
UNION ALL
SELECT order_number, 'adjusted', at, day, minor, json_build_object('kind', kind, 'by', by_name)
FROM adjustments WHERE shop_id = $1 AND order_number = ANY($2)
UNION ALL
SELECT order_number, 'comment', at, NULL, NULL, json_build_object('author', author, 'said', said)
FROM order_comments WHERE shop_id = $1 AND order_number = ANY($2)
UNION ALL
SELECT order_number, 'refund', updated_at, execution_date, order_amount_minor, json_build_object('refund', id,
       'reference', external_reference, 'planned', planned_date, 'executed', execution_date, 'status', status,
       'reason', held_reason, 'note', note, 'bank_code', bank_code, 'iban', iban, 'holder', holder)
FROM refunds WHERE shop_id = $1 AND order_number = ANY($2)"""
_HISTORY: Final = f"SELECT * FROM ({_EVENTS}) found ORDER BY at DESC, kind DESC LIMIT 500"
_RECENT: Final = f"""
SELECT * FROM (SELECT found.*, row_number() OVER (PARTITION BY order_number ORDER BY at DESC, kind DESC) AS place,
    count(*) OVER (PARTITION BY order_number) AS whole FROM ({_EVENTS}
UNION ALL
SELECT subject, 'said-paid', coalesce(shop_at, at), NULL, NULL, json_build_object()
FROM audit_log WHERE shop_id = $1 AND subject = ANY($2) AND deed = 'customer-says-paid') found) found
WHERE place <= $3 ORDER BY at, kind"""


@dataclass(frozen=True, slots=True)
class Recent:
    """An order's last events, the oldest first, and their total number."""

    rows: tuple[HistoryRow, ...]
    whole: int


def of_order(tx: ShopTx, number: str) -> list[HistoryRow]:
    """The last 500 events of the order, latest first."""
    return [_open_row(tx, row) for row in tx.rows(_HISTORY, tx.shop_id, [number])]


def recent(tx: ShopTx, numbers: Sequence[str], each: int) -> Mapping[str, Recent]:
    """The last `each` events of each of the orders."""
    found, whole = defaultdict[str, list[HistoryRow]](list), dict[str, int]()
    for row in tx.rows(_RECENT, tx.shop_id, list(numbers), each):
        found[row.order_number].append(_open_row(tx, row))
        whole[row.order_number] = row.whole
    return {number: Recent(tuple(rows), whole[number]) for number, rows in found.items()}


def _open_row(tx: ShopTx, row: Any) -> HistoryRow:
    facts = dict(row.facts)
    if "iban" in facts:
        facts["iban"] = tx.vault().open(REFUND_PAYEE, facts["iban"])
    return HistoryRow(Happened(row.kind), row.at, row.day, row.amount_minor, facts)
