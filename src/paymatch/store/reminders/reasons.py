"""Why reminders went out: what was known of payments when each was decided on (D-125)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

import msgspec

from paymatch.domain.words.message import as_text
from paymatch.store.connection import build
from paymatch.store.transactions import ShopTx

_ENCODE: Final = msgspec.json.Encoder(enc_hook=as_text).encode
_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class RemindedOrder:
    """An order whose reminder is sent now; `open_minor` in its currency."""

    number: str
    level: int
    currency: str
    open_minor: int
    covered_until: date | None  # by the statements of the accounts that it is paid to


@dataclass(frozen=True, slots=True)
class ReminderReasons:
    """What a reminder rested on.

    `looked_for` are the numbers and names that would have found a payment, `undecided` how many payments
    waited for a person then, and `of_amount` the first of these whose amount was what is open.
    """

    dunning_level: int
    decided_at: datetime
    open_minor: int
    covered_until: date | None
    last_import_at: datetime | None
    looked_for: tuple[str, ...]
    undecided: int
    of_amount: tuple[str, ...]


_SAVE: Final = """
INSERT INTO reminder_reasons (shop_id, order_number, dunning_level, decided_at, open_minor, covered_until,
                              last_import_at, looked_for, undecided, of_amount)
SELECT $1, r.number, r.level, $3, r.open_minor, r.covered_until,
       (SELECT max(i.created_at) FROM imports i WHERE i.shop_id = $1),
       ARRAY(SELECT DISTINCT t.said FROM (
           SELECT o.number UNION ALL SELECT o.reference UNION ALL SELECT coalesce(x.doc->>'customerNumber', '')
           UNION ALL SELECT concat_ws(' ', x.doc#>>'{billing,firstName}', x.doc#>>'{billing,lastName}')
           UNION ALL SELECT coalesce(x.doc#>>'{billing,company}', '')
           UNION ALL SELECT v FROM json_array_elements_text(coalesce(x.doc->'invoiceNumbers', '[]')) v
       ) t(said) WHERE t.said <> '' ORDER BY 1),
       (SELECT count(*) FROM waiting w WHERE w.currency = r.currency),
       ARRAY(SELECT w.id FROM waiting w WHERE w.currency = r.currency AND w.open_minor = r.open_minor
             ORDER BY w.booking_date DESC, w.id LIMIT $4)
FROM json_to_recordset($2::json) AS r(number text, level int, currency text, open_minor bigint, covered_until date)
JOIN orders o ON o.shop_id = $1 AND o.number = r.number
CROSS JOIN LATERAL (SELECT o.doc::json AS doc) x
ON CONFLICT (shop_id, order_number, dunning_level) DO UPDATE SET decided_at = excluded.decided_at,
    open_minor = excluded.open_minor, covered_until = excluded.covered_until,
    last_import_at = excluded.last_import_at, looked_for = excluded.looked_for, undecided = excluded.undecided,
    of_amount = excluded.of_amount"""
_WAITING: Final = """
WITH waiting AS MATERIALIZED (
    SELECT p.id, p.currency, p.booking_date, p.amount_minor - p.allocated_minor AS open_minor FROM postings p
    WHERE p.shop_id = $1 AND p.status IN ('suggested', 'unmatched') AND p.amount_minor > 0)"""


def save(tx: ShopTx, some: Sequence[RemindedOrder], now: datetime) -> None:
    """Keeps what is known now of the payments of orders that are reminded of; a repeated attempt replaces it."""
    if some:
        tx.put(_WAITING + _SAVE, tx.shop_id, _ENCODE(some).decode(), now, _SHOWN)


def of_order(tx: ShopTx, number: str) -> list[ReminderReasons]:
    """Why the order's reminders went out, the latest first."""
    rows = tx.rows(
        "SELECT n.dunning_level, n.decided_at, n.open_minor, n.covered_until, n.last_import_at, n.looked_for,"
        " n.undecided, n.of_amount FROM reminder_reasons n JOIN reminders r ON r.shop_id = n.shop_id"
        " AND r.order_number = n.order_number AND r.dunning_level = n.dunning_level"
        " WHERE n.shop_id = $1 AND n.order_number = $2 ORDER BY n.dunning_level DESC",
        tx.shop_id,
        number,
    )
    return [
        build(ReminderReasons, row, looked_for=tuple(row.looked_for), of_amount=tuple(row.of_amount)) for row in rows
    ]
