"""What the ids in audit entries name: the things themselves, as far as they are still there."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import Final

from paymatch.store.connection import build
from paymatch.store.transactions import ShopTx


@dataclass(frozen=True, slots=True)
class AuditSubject:
    """What a row is called: an order's number, a payer, a file, a bank; a posting has a sum and a day as well."""

    what: str
    name: str
    amount_minor: int | None = None
    currency: str = ""
    day: date | None = None


_NAMES: Final = """
SELECT id, 'refund' AS what, order_number AS name, NULL::bigint AS amount_minor, '' AS currency, NULL::date AS day
    FROM refunds WHERE shop_id = $1 AND id = ANY($2)
UNION ALL SELECT id, 'posting', counterparty_name, amount_minor, currency, booking_date
    FROM postings WHERE shop_id = $1 AND id = ANY($2)
UNION ALL SELECT id, 'file', file_name, NULL, '', NULL FROM imports WHERE shop_id = $1 AND id = ANY($2)
UNION ALL SELECT id, 'transfers', message_id, NULL, '', NULL FROM transfer_files WHERE shop_id = $1 AND id = ANY($2)
UNION ALL SELECT id, 'advice', coalesce(nullif(payer, ''), nullif(number, ''), file_name), NULL, '', NULL
    FROM advices WHERE shop_id = $1 AND id = ANY($2)
UNION ALL SELECT id, 'sender', address, NULL, '', NULL FROM advice_senders WHERE shop_id = $1 AND id = ANY($2)
UNION ALL SELECT id, 'ebics', bank_name, NULL, '', NULL FROM ebics_connections WHERE shop_id = $1 AND id = ANY($2)
UNION ALL SELECT id, 'consent', bank_name, NULL, '', NULL FROM bank_consents WHERE shop_id = $1 AND id = ANY($2)
UNION ALL SELECT id, 'mail', order_number, NULL, '', NULL FROM mails WHERE shop_id = $1 AND id = ANY($2)
UNION ALL SELECT id, 'letter', order_number, NULL, '', NULL FROM letters WHERE shop_id = $1 AND id = ANY($2)
UNION ALL SELECT id, 'callback', order_number, NULL, '', NULL FROM callbacks WHERE shop_id = $1 AND id = ANY($2)
UNION ALL SELECT id, 'case', order_number, NULL, '', NULL FROM collections WHERE shop_id = $1 AND id = ANY($2)
UNION ALL SELECT id, 'alert', kind, NULL, '', NULL FROM alerts WHERE shop_id = $1 AND id = ANY($2)"""


def names_of(tx: ShopTx, ids: Collection[str]) -> dict[str, AuditSubject]:
    """Id -> what it names, of the rows that the shop still has."""
    rows = tx.rows(_NAMES, tx.shop_id, sorted(ids)) if ids else []
    return {row.id: build(AuditSubject, row, without="id") for row in rows}
