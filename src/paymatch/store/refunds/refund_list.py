"""Refunds and transfer files in lists for people: counts per stage, and what each one waits for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from paymatch.store.lists.sorted_lists import (
    AskedPage,
    ListStatement,
    PageOfRows,
    SortKind,
    by_day,
    by_moment,
    by_number,
    by_text,
)
from paymatch.store.sealing import REFUND_PAYEE, TRANSFER_FILE
from paymatch.store.transactions import ShopTx


@dataclass(frozen=True, slots=True)
class RefundFilter:
    """Which refunds. `waits`: only those that one of `reasons` holds back, or only the others; None: both."""

    statuses: tuple[str, ...] = ()
    waits: bool | None = None
    reasons: tuple[str, ...] = ()
    text: str = ""


_ROWS_OF: Final = """
SELECT r.id, r.filed, r.order_number, r.external_reference, r.reference, r.order_amount_minor AS amount_minor,
       r.currency, r.status, r.held_reason, r.bank_code, r.planned_date, r.execution_date, r.iban, r.holder,
       r.account_version, r.note, r.created_at, r.ask_at, r.ask_note, r.speed, r.attempt,
       (SELECT max(q.finished_at) FROM refund_requests q WHERE q.shop_id = $1 AND q.refund_id = r.id
        AND q.status IN ('SENT', 'KEPT')) AS asked_at,
       (SELECT coalesce(nullif(o.doc::json#>>'{{billing,company}}', ''), concat_ws(' ',
            nullif(o.doc::json#>>'{{billing,firstName}}', ''), nullif(o.doc::json#>>'{{billing,lastName}}', '')))
        FROM orders o WHERE o.shop_id = $1 AND o.number = r.order_number) AS customer,
       coalesce((SELECT t.bank_name FROM transfers t WHERE t.shop_id = $1 AND t.refund_id = r.id
        AND t.attempt = r.attempt), '') AS bank_name,
       coalesce(f.message_id, '') AS transfer_file, r.held_reason = ANY($4) AS waits,
       (SELECT a.actor FROM audit_log a WHERE a.shop_id = $1 AND a.subject = r.id AND a.deed = 'refund-filed'
        AND a.actor_kind = 'person' LIMIT 1) AS filed_by,
       ARRAY(SELECT x.released_by FROM refund_releases x WHERE x.shop_id = $1 AND x.refund_id = r.id
             AND x.attempt = r.attempt AND x.account_version = r.account_version) AS released_by
FROM refunds r LEFT JOIN transfer_files f ON f.shop_id = $1 AND f.id = r.transfer_file_id
WHERE r.shop_id = $1 AND ({statuses}::text[] = '{{}}' OR r.status = ANY({statuses}))
  AND ({waits}::boolean IS NULL OR (r.held_reason = ANY($4)) = {waits})
  AND ($5 = '' OR position(lower($5) IN lower(concat_ws(' ', r.order_number, r.external_reference, r.reference,
                                                        r.holder))) > 0)"""
_ROWS: Final = _ROWS_OF.format(statuses="$2", waits="$3")
_LATEST: Final = "ORDER BY r.filed DESC LIMIT $6"
_TWO_PAGES: Final = f"({_ROWS} {_LATEST}) UNION ALL ({_ROWS_OF.format(statuses='$7', waits='$8')} {_LATEST})"
REFUNDS: Final = ListStatement(
    _ROWS,
    usual="-filed",
    key="filed",
    key_kind=SortKind.NUMBER,
    currency="currency",
    amount="amount_minor",
    sorts={
        "filed": by_number("filed", is_filled=True),
        "reference": by_text("external_reference"),
        "order": by_text("order_number"),
        "payee": by_text("coalesce(nullif(listed.holder, ''), listed.customer)"),
        "state": by_text("status"),
        "note": by_text("note"),
        "filed_by": by_text("filed_by"),
        "created_at": by_moment("created_at"),
        "planned": by_day("planned_date"),
        "amount": by_number("amount_minor"),
    },
)


def page(tx: ShopTx, wanted: RefundFilter, asked: AskedPage) -> PageOfRows[dict[str, Any]]:
    """Refunds, the last filed first unless they are sorted; amounts in minor units."""
    vault = tx.vault()
    found = REFUNDS.page(
        tx, asked, tx.shop_id, list(wanted.statuses), wanted.waits, list(wanted.reasons), wanted.text
    )  # fmt: skip
    return found.map(lambda row: row | {"iban": vault.open(REFUND_PAYEE, row["iban"])})


def two_pages(tx: ShopTx, first: RefundFilter, second: RefundFilter, limit: int) -> list[dict[str, Any]]:
    """The first rows of `page` for two filters, one behind the other; they differ in statuses and `waits` only."""
    vault = tx.vault()
    rows = tx.named(
        _TWO_PAGES, tx.shop_id, list(first.statuses), first.waits, list(first.reasons), first.text, limit,
        list(second.statuses), second.waits,
    )  # fmt: skip
    return [row | {"iban": vault.open(REFUND_PAYEE, row["iban"])} for row in rows]


_SUMS: Final = """
SELECT status, held_reason = ANY($2) AS waits, count(*) AS refunds,
       coalesce(sum(order_amount_minor) FILTER (WHERE currency = $3), 0)::bigint AS minor
FROM refunds WHERE shop_id = $1 AND (status <> 'PROCESSED' OR execution_date >= $4) GROUP BY 1, 2"""


def sums(tx: ShopTx, reasons: Sequence[str], currency: str, since: date) -> list[dict[str, Any]]:
    """Per status, and whether one of the reasons holds them back: how many, and the sum of those in a currency.

    Executed ones only from a day on.
    """
    return tx.named(_SUMS, tx.shop_id, list(reasons), currency, since)


_FILE_ROWS: Final = """
SELECT f.id, f.message_id, f.account, f.currency, f.transfers, f.total_minor, f.execution_date, f.created_at,
       f.written_at, f.discarded_at, f.content,
       (SELECT count(*) FROM transfers t WHERE t.shop_id = $1 AND t.file_id = f.id
        AND t.status NOT IN ('RELEASED', 'DISCARDED')) AS answered,
       (SELECT count(*) FROM transfers t WHERE t.shop_id = $1 AND t.file_id = f.id AND t.status = 'BOOKED') AS booked,
       (SELECT count(*) FROM transfers t WHERE t.shop_id = $1 AND t.file_id = f.id
        AND t.status IN ('REJECTED', 'RETURNED')) AS came_back,
       (SELECT a.actor FROM audit_log a WHERE a.shop_id = $1 AND a.subject = f.id
        AND a.deed = 'transfer-file-downloaded' ORDER BY a.seq DESC LIMIT 1) AS downloaded_by
FROM transfer_files f WHERE f.shop_id = $1
  AND ($2 = '' OR position(lower($2) IN lower(f.message_id)) > 0)
  AND ($3 = '' OR $3 = CASE WHEN f.discarded_at IS NOT NULL THEN 'discarded' WHEN EXISTS (SELECT FROM transfers t
       WHERE t.shop_id = $1 AND t.file_id = f.id AND t.status NOT IN ('RELEASED', 'DISCARDED')) THEN 'answered'
       ELSE 'waiting' END)"""
FILES: Final = ListStatement(
    _FILE_ROWS,
    usual="-created_at",
    currency="currency",
    amount="total_minor",
    sorts={
        "message_id": by_text("message_id"),
        "created_at": by_moment("created_at", is_filled=True),
        "execution_date": by_day("execution_date"),
        "account": by_text("account"),
        "transfers": by_number("transfers"),
        "state": by_text("(listed.discarded_at IS NULL) || ' ' || listed.answered"),
        "total": by_number("total_minor"),
    },
)


def files(tx: ShopTx, text: str, state: str, asked: AskedPage) -> PageOfRows[dict[str, Any]]:
    """Transfer files with their content, what the bank has said of them, and who downloaded them last.

    The last first unless they are sorted. `text` is a part of the file's name; `state` is waiting, answered, discarded
    or "" for all.
    """
    vault = tx.vault()
    found = FILES.page(tx, asked, tx.shop_id, text, state)
    return found.map(lambda row: row | {"content": vault.open_bytes(TRANSFER_FILE, bytes(row["content"]))})
