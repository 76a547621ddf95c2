"""Mails that ask for the bank details of refunds, in PostgreSQL."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from paymatch.domain.customers.refund_requests import ACCOUNT_REASONS
from paymatch.domain.refunds.refunds import RefundStatus
from paymatch.domain.reminders.mails import MailStatus
from paymatch.store.connection import Row, build
from paymatch.store.messages import coded, recall
from paymatch.store.shops.shops import SHOP_NOW
from paymatch.store.transactions import ShopId, ShopTx, Tx


@dataclass(frozen=True, slots=True)
class AskedRefund:
    """A refund whose customer is asked for bank details; the amount in minor units."""

    id: str
    order_number: str
    reference: str
    amount_minor: int
    currency: str
    status: RefundStatus
    bank_code: str
    account_version: int


@dataclass(frozen=True, slots=True)
class RequestRow:
    """A mail that asks (place 0) or reminds."""

    id: str
    refund_id: str
    order_number: str
    account_version: int
    place: int
    status: MailStatus
    message_id: str
    recipient: str
    attempts: int
    error: str
    created_at: datetime
    finished_at: datetime | None


_COLUMNS: Final = """id, refund_id, order_number, account_version, place, status, message_id, recipient, attempts,
    error, created_at, finished_at"""
_REFUND: Final = """r.id, r.order_number, r.external_reference AS reference, r.amount_minor, r.currency, r.status,
    r.bank_code, r.account_version"""


def shops_with_due(tx: Tx, clock: datetime) -> list[ShopId]:
    """Active shops with a customer to ask now that no process is working on; needs the operator's view."""
    rows = tx.rows(
        "SELECT s.shop_id FROM shops s WHERE s.status = 'active'"
        " AND (s.sandbox_held_until IS NULL OR s.sandbox_held_until <= $1)"
        f" AND EXISTS (SELECT FROM refunds r WHERE r.shop_id = s.shop_id AND r.ask_at <= {SHOP_NOW})"
        " AND NOT EXISTS (SELECT FROM shop_jobs j WHERE j.shop_id = s.shop_id AND j.kind = 'refund-requests'"
        f" AND (j.claimed_until > $1 OR j.due_at > {SHOP_NOW}))",
        clock,
    )
    return [ShopId(row[0]) for row in rows]


def due(tx: ShopTx, now: datetime, limit: int) -> list[AskedRefund]:
    """The refunds whose customers must be asked, longest due first."""
    rows = tx.rows(
        f"SELECT {_REFUND} FROM refunds r WHERE r.shop_id = $1 AND r.ask_at <= $2 ORDER BY r.ask_at, r.id LIMIT $3",
        tx.shop_id,
        now,
        limit,
    )
    return [_refund_of_row(row) for row in rows]


def find(tx: ShopTx, refund_id: str) -> AskedRefund | None:
    """The refund, as long as its customer is still to be asked."""
    row = tx.row(
        f"SELECT {_REFUND} FROM refunds r WHERE r.shop_id = $1 AND r.id = $2 AND r.ask_at IS NOT NULL FOR UPDATE",
        tx.shop_id,
        refund_id,
    )
    return None if row is None else _refund_of_row(row)


def _refund_of_row(row: Row) -> AskedRefund:
    return build(AskedRefund, row, status=RefundStatus(row.status))


def ask_at(tx: ShopTx, refund_id: str, at: datetime | None, note: str = "") -> None:
    """Sets when the customer is asked next; None: no longer, for the reason in `note`."""
    tx.run(
        "UPDATE refunds SET ask_at = $3, ask_note = $4, ask_note_message = $5 WHERE shop_id = $1 AND id = $2",
        tx.shop_id, refund_id, at, note, coded(note),
    )  # fmt: skip


def unanswered_requests(tx: ShopTx) -> list[tuple[str, str, str, int, str]]:
    """(id, order, reference, account version, why) of refunds without usable details whose customer is not asked."""
    rows = tx.rows(
        "SELECT id, order_number, external_reference, account_version, ask_note, ask_note_message FROM refunds"
        " WHERE shop_id = $1"
        " AND ask_at IS NULL AND (status = 'BANKDETAILS_MISSING' OR status IN ('RETURNED', 'ERROR')"
        " AND bank_code = ANY($2)) ORDER BY filed LIMIT 500",
        tx.shop_id,
        sorted(ACCOUNT_REASONS),
    )
    return [(*found, recall(why, kept)) for *found, why, kept in rows]


def of_refund(tx: ShopTx, refund_id: str, account_version: int) -> list[RequestRow]:
    """The mails about the account that is missing or wrong, in their order."""
    rows = tx.rows(
        f"SELECT {_COLUMNS} FROM refund_requests WHERE shop_id = $1 AND refund_id = $2 AND account_version = $3"
        " ORDER BY place",
        tx.shop_id,
        refund_id,
        account_version,
    )
    return [build(RequestRow, row, status=MailStatus(row.status)) for row in rows]


def of_order(tx: ShopTx, number: str) -> list[RequestRow]:
    """Every mail about refunds of the order, oldest first."""
    rows = tx.rows(
        f"SELECT {_COLUMNS} FROM refund_requests WHERE shop_id = $1 AND order_number = $2 ORDER BY id",
        tx.shop_id,
        number,
    )
    return [build(RequestRow, row, status=MailStatus(row.status)) for row in rows]


def add(tx: ShopTx, request: RequestRow) -> None:
    """Stores a mail before it is sent, so that a repetition carries the same id."""
    tx.run(
        "INSERT INTO refund_requests (shop_id, id, refund_id, order_number, account_version, place, status, message_id,"
        " recipient, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        tx.shop_id, request.id, request.refund_id, request.order_number, request.account_version, request.place,
        request.status, request.message_id, request.recipient, request.created_at,
    )  # fmt: skip


def of_message(tx: ShopTx, message_id: str, provider_id: str) -> list[RequestRow]:
    """The mail of this Message-ID, or of this name at the provider; at most one."""
    rows = tx.rows(
        f"SELECT {_COLUMNS} FROM refund_requests WHERE shop_id = $1"
        " AND (message_id = $2 AND $2 <> '' OR provider_id = $3 AND $3 <> '')",
        tx.shop_id,
        message_id,
        provider_id,
    )
    return [build(RequestRow, row, status=MailStatus(row.status)) for row in rows]


def came_back(tx: ShopTx, request_id: str, reason: str) -> bool:
    """Marks a sent mail as not arrived; False if that is known, or it was not sent."""
    return bool(
        tx.run(
            "UPDATE refund_requests SET status = 'BOUNCED', error = $3"
            " WHERE shop_id = $1 AND id = $2 AND status = 'SENT'",
            tx.shop_id,
            request_id,
            reason,
        )
    )


def record(
    tx: ShopTx,
    request_id: str,
    status: MailStatus,
    subject: str,
    content: bytes,
    error: str,
    now: datetime,
    provider_id: str = "",
) -> bool:
    """Records the result of sending the mail; False if another process has recorded it."""
    return bool(
        tx.run(
            "UPDATE refund_requests SET status = $3, subject = $4, content = $5, error = $6, attempts = attempts + 1,"
            " provider_id = $8,"
            " finished_at = CASE WHEN $3 = 'PENDING' THEN NULL ELSE $7::timestamptz END"
            " WHERE shop_id = $1 AND id = $2 AND status = 'PENDING'",
            tx.shop_id, request_id, status, subject, content, error, now, provider_id,
        )
    )  # fmt: skip


def forget(tx: ShopTx, before: datetime, limit: int) -> int:
    """Empties address and words of mails sent before a moment; returns their number."""
    return tx.run(
        "UPDATE refund_requests SET recipient = '', subject = '', content = '', error = '' WHERE shop_id = $1 AND id IN"
        " (SELECT id FROM refund_requests WHERE shop_id = $1 AND finished_at < $2 AND recipient <> ''"
        " ORDER BY finished_at LIMIT $3)",
        tx.shop_id,
        before,
        limit,
    )


def last_asked(tx: ShopTx, refund_id: str) -> datetime | None:
    """When the last mail about the refund's bank details was sent; None if none was."""
    found: datetime | None = tx.value(
        "SELECT max(finished_at) FROM refund_requests WHERE shop_id = $1 AND refund_id = $2"
        " AND status IN ('SENT', 'KEPT')",
        tx.shop_id,
        refund_id,
    )
    return found


def is_due(tx: ShopTx, refund_id: str, now: datetime) -> bool:
    """Whether a mail about the refund's bank details is sent in the next run."""
    return bool(
        tx.value("SELECT ask_at <= $3 FROM refunds WHERE shop_id = $1 AND id = $2", tx.shop_id, refund_id, now)
    )  # fmt: skip
