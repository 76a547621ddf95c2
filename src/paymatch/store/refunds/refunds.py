"""Refunds in PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final

import msgspec

from paymatch.domain.customers.refund_requests import wants_details
from paymatch.domain.refunds.refunds import RefundStatus, SubmittedRefund
from paymatch.domain.words.message import as_text
from paymatch.store.connection import Row, build
from paymatch.store.orders.order_json import REFUND
from paymatch.store.sealing import REFUND_PAYEE, Vault
from paymatch.store.transactions import ShopTx, Tx

_ENCODE: Final = msgspec.json.Encoder(enc_hook=as_text).encode


@dataclass(frozen=True, slots=True)
class PayerAccount:
    """The source of a customer's money, to which it may be returned (D-5)."""

    iban: str
    bic: str
    holder: str


@dataclass(frozen=True, slots=True)
class RefundRow:
    """A refund with the data for its moves; `amount_minor` is the amount of its present attempt."""

    id: str
    order_number: str
    reference: str
    amount_minor: int
    currency: str
    status: RefundStatus
    planned_date: date
    iban: str
    bic: str
    holder: str
    attempt: int
    iban_given: bool  # by the customer or the merchant; else taken from a payment of the order
    external_reference: str
    posting_id: str
    account_version: int  # counted up whenever the account is written
    account_named_at: datetime | None  # when the customer or the merchant named the account; None: it paid the order
    restored: bool  # restored from a backup while it was about to be transferred
    speed: str  # a TransferSpeed that was chosen for it; "": the shop's
    follows_instant: bool  # its instant transfer was refused, and this attempt needs no person for that (D-131)

    def with_status(self, status: RefundStatus, posting_id: str) -> RefundRow:
        """The same refund in another status, which a posting has led to."""
        return replace(self, status=status, posting_id=posting_id)

    def with_account(self, account: PayerAccount, status: RefundStatus) -> RefundRow:
        """The same refund with another account, in the status that this leads to."""
        return replace(self, status=status, iban=account.iban, bic=account.bic, holder=account.holder)


MARK_RESTORED: Final = (
    "UPDATE refunds SET restored = true, account_version = account_version + 1"
    " WHERE status IN ('NEW', 'BANKDETAILS_MISSING', 'RETURNED', 'ERROR');"
)
"""Makes all shops' refunds that could be sent wait for a person, even released ones (D-60): the books are those of a
backup, without the transfers sent since. Run by the owner, as the database is restored.
"""

_ROW: Final = """r.id, r.order_number, r.reference, r.order_amount_minor AS amount_minor, r.currency, r.status,
    r.planned_date, r.iban, r.bic, r.holder, r.attempt, r.iban_given, r.external_reference, r.posting_id,
    r.account_version, r.account_named_at, r.restored, r.speed, r.follows_instant"""


def _refund(row: Row, vault: Vault) -> RefundRow:
    return build(RefundRow, row, iban=vault.open(REFUND_PAYEE, row.iban), status=RefundStatus(row.status))


def reference_of(tx: ShopTx, external_reference: str) -> str | None:
    """The referenceNumber of the refund with this externalReference; None if there is none."""
    found: str | None = tx.value(
        "SELECT reference FROM refunds WHERE shop_id = $1 AND external_reference = $2", tx.shop_id, external_reference
    )
    return found


def add(
    tx: ShopTx,
    refund_id: str,
    order_number: str,
    submitted: SubmittedRefund,
    *,
    reference: str,
    status: RefundStatus,
    account: PayerAccount | None,
    now: datetime,
) -> bool:
    """Stores the refund; False if another call has just stored one with the same externalReference.

    The caller holds the order's lock; the shop's counters are locked until the commit. The row is asked for: a
    cluster's row count of such a statement also includes the counters' rows (D-79).
    """
    return bool(
        tx.rows(
            "WITH counter AS (UPDATE event_counters SET last_refund = last_refund + 1 WHERE shop_id = $1"
            " RETURNING last_refund)"
            " INSERT INTO refunds (shop_id, id, order_number, external_reference, reference, amount_minor, currency,"
            " digits, order_amount_minor, planned_date, status, iban, bic, holder, created_at, updated_at, note, filed,"
            " ask_at) SELECT $1, $2, $3, $4, $5, $6, $7, $8, $6, $9, $10, $11, $12, $13, $14, $14, $15, last_refund,"
            " CASE WHEN $10 = 'BANKDETAILS_MISSING' THEN $14::timestamptz END"
            " FROM counter"
            " ON CONFLICT (shop_id, external_reference) DO NOTHING RETURNING id",
            tx.shop_id, refund_id, order_number, submitted.external_reference, reference, submitted.amount_minor,
            submitted.currency, submitted.digits, submitted.planned_date, status,
            tx.vault().seal(REFUND_PAYEE, account.iban if account else ""),
            account.bic if account else "", account.holder if account else "", now, submitted.note,
        )
    )  # fmt: skip


def read(tx: ShopTx, refund_id: str) -> str:
    """The refund as the API shows it."""
    found: str | None = tx.value(
        f"SELECT {REFUND} FROM refunds r WHERE r.shop_id = $1 AND r.id = $2", tx.shop_id, refund_id
    )
    assert found is not None
    return found


_NAMED: Final = "r.shop_id = $1 AND (r.reference = ANY($2) OR r.id = ANY($3))"


def orders_of(tx: ShopTx, references: Sequence[str], ids: Sequence[str] = ()) -> list[str]:
    """Numbers of the orders that the refunds with these references or ids belong to."""
    rows = tx.rows(
        f"SELECT DISTINCT order_number FROM refunds r WHERE {_NAMED}", tx.shop_id, list(references), list(ids)
    )
    return sorted(row[0] for row in rows)


def lock_named(tx: ShopTx, references: Sequence[str], ids: Sequence[str] = ()) -> list[RefundRow]:
    """The refunds with these references or ids, locked until the transaction ends."""
    rows = tx.rows(
        f"SELECT {_ROW} FROM refunds r WHERE {_NAMED} ORDER BY r.id FOR UPDATE", tx.shop_id, list(references), list(ids)
    )
    return [_refund(row, tx.vault()) for row in rows]


def by_id(tx: ShopTx, refund_id: str) -> RefundRow | None:
    """The refund, locked until the transaction ends; None if there is none."""
    row = tx.row(f"SELECT {_ROW} FROM refunds r WHERE r.shop_id = $1 AND r.id = $2 FOR UPDATE", tx.shop_id, refund_id)
    return _refund(row, tx.vault()) if row else None


def order_of(tx: ShopTx, refund_id: str) -> str | None:
    """Number of the order that the refund belongs to; None if there is no such refund."""
    found: str | None = tx.value(
        "SELECT order_number FROM refunds WHERE shop_id = $1 AND id = $2", tx.shop_id, refund_id
    )
    return found


@dataclass(frozen=True, slots=True)
class Listed:
    """A refund in a list: its JSON as the API shows it, and what only the shop's own people see."""

    id: str
    document: str
    order_number: str
    currency: str
    held_reason: str
    bank_code: str
    attempt: int
    iban: str
    holder: str
    transfer_file: str  # message id of the transfer file, or ""


def page(tx: ShopTx, statuses: Sequence[RefundStatus], after: str, limit: int) -> list[Listed]:
    """Up to `limit` refunds filed after the one with the id `after`, oldest first; no statuses means all."""
    rows = tx.rows(
        f"SELECT r.id, {REFUND} AS document, r.order_number, r.currency, r.held_reason, r.bank_code, r.attempt,"
        " r.iban, r.holder,"
        " coalesce(f.message_id, '') AS transfer_file FROM refunds r"
        " LEFT JOIN transfer_files f ON f.shop_id = $1 AND f.id = r.transfer_file_id"
        " WHERE r.shop_id = $1 AND r.filed > coalesce((SELECT filed FROM refunds WHERE shop_id = $1 AND id = $2), 0)"
        " AND (cardinality($3::text[]) = 0 OR r.status = ANY($3))"
        " ORDER BY r.filed LIMIT $4",
        tx.shop_id,
        after,
        [str(status) for status in statuses],
        limit,
    )
    return [_listed_refund(row, tx.vault()) for row in rows]


def _listed_refund(row: Row, vault: Vault) -> Listed:
    return build(Listed, row, iban=vault.open(REFUND_PAYEE, row.iban))


def orders_with_due(tx: ShopTx, today: date) -> list[str]:
    """Numbers of the orders with a refund whose planned date is reached, or that waits for bank details."""
    rows = tx.rows(
        "SELECT DISTINCT order_number FROM refunds WHERE shop_id = $1 AND status IN ('NEW', 'BANKDETAILS_MISSING')"
        " AND (planned_date <= $2 OR status = 'BANKDETAILS_MISSING') ORDER BY 1",
        tx.shop_id,
        today,
    )
    return [row[0] for row in rows]


def pending_of(tx: ShopTx, numbers: Sequence[str]) -> list[RefundRow]:
    """The pending refunds of the orders in the order of their creation, locked until the transaction ends."""
    rows = tx.rows(
        f"SELECT {_ROW} FROM refunds r WHERE r.shop_id = $1 AND r.order_number = ANY($2)"
        " AND r.status IN ('NEW', 'BANKDETAILS_MISSING', 'IN_PROCESS')"
        " ORDER BY r.filed FOR UPDATE",
        tx.shop_id,
        list(numbers),
    )
    return [_refund(row, tx.vault()) for row in rows]


@dataclass(frozen=True, slots=True)
class RefundCustomer:
    """The customer, in the form of a transfer's payee; "" if the order does not name one."""

    name: str = ""
    town: str = ""
    country: str = ""
    language: str = ""


def customers(tx: ShopTx, numbers: Sequence[str]) -> dict[str, RefundCustomer]:
    """Order number -> customer, for transfers whose payee the bank has not named, or that need an address."""
    rows = tx.rows(
        "SELECT number, concat_ws(' ', doc::json#>>'{billing,firstName}', doc::json#>>'{billing,lastName}') AS person,"
        " doc::json#>>'{billing,company}' AS company, doc::json#>>'{billing,city}' AS town,"
        " doc::json#>>'{billing,countryCode}' AS country, doc::json->>'language' AS language"
        " FROM orders WHERE shop_id = $1 AND number = ANY($2)",
        tx.shop_id,
        list(numbers),
    )
    return {
        row.number: RefundCustomer(
            row.person or row.company or "", row.town or "", row.country or "", row.language or ""
        )
        for row in rows
    }


def set_account(
    tx: ShopTx, refund_id: str, account: PayerAccount, status: RefundStatus, now: datetime, *, given: bool
) -> None:
    """Writes the refund's account, and the resulting status; releases were for the previous account."""
    tx.run(
        "UPDATE refunds SET iban = $3, bic = $4, holder = $5, status = $6, iban_given = $7, updated_at = $8,"
        " held_reason = '', account_version = account_version + 1, ask_at = NULL, ask_note = '',"
        " follows_instant = false, account_named_at = CASE WHEN $7 THEN $8::timestamptz END"
        " WHERE shop_id = $1 AND id = $2",
        tx.shop_id, refund_id, tx.vault().seal(REFUND_PAYEE, account.iban), account.bic, account.holder, status, given,
        now,
    )  # fmt: skip


def count_restored(tx: Tx) -> int:
    """The number of all shops' refunds that wait because they were restored from a backup."""
    return int(tx.value("SELECT count(*) FROM refunds WHERE restored AND status IN ('NEW', 'BANKDETAILS_MISSING')"))


def forget_account(tx: ShopTx, refund_id: str, status: RefundStatus, now: datetime) -> None:
    """Removes an account that came with a payment no longer of this order; the customer is asked."""
    tx.run(
        "UPDATE refunds SET iban = $3, bic = '', holder = '', status = $4, updated_at = $5, held_reason = '',"
        " account_version = account_version + 1, ask_note = '',"
        " ask_at = CASE WHEN $4 = 'BANKDETAILS_MISSING' THEN $5::timestamptz END WHERE shop_id = $1 AND id = $2",
        tx.shop_id, refund_id, tx.vault().seal(REFUND_PAYEE, ""), status, now,
    )  # fmt: skip


def begin_attempt(tx: ShopTx, refund_id: str, now: datetime) -> None:
    """Allows another attempt of the refund, at most with the returned amount; the last one stays with its transfer."""
    tx.run(
        "UPDATE refunds r SET attempt = attempt + 1, transfer_file_id = '', posting_id = '', bank_code = '',"
        " speed = '', follows_instant = false,"
        " order_amount_minor = CASE WHEN r.status = 'RETURNED' THEN coalesce((SELECT"
        " least(r.order_amount_minor, p.amount_minor) FROM postings p WHERE p.shop_id = $1 AND p.id = r.posting_id"
        " AND p.amount_minor > 0), r.order_amount_minor) ELSE r.order_amount_minor END,"
        " execution_date = NULL, updated_at = $3 WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        refund_id,
        now,
    )


def hold(tx: ShopTx, reasons: Mapping[str, str]) -> int:
    """Writes why refunds were not sent, by their ids, "" for none; returns the number of changes."""
    rows = [{"id": refund_id, "reason": reason} for refund_id, reason in reasons.items()]
    return tx.run(
        "UPDATE refunds r SET held_reason = h.reason FROM json_to_recordset($2::json) AS h(id text, reason text)"
        " WHERE r.shop_id = $1 AND r.id = h.id AND r.held_reason <> h.reason",
        tx.shop_id,
        _ENCODE(rows).decode(),
    )


def replace_reason(tx: ShopTx, refund_ids: Sequence[str], before: str, after: str) -> None:
    """Replaces the reason of those of the refunds that have it; "" for none. A different reason stays."""
    tx.run(
        "UPDATE refunds SET held_reason = $4 WHERE shop_id = $1 AND id = ANY($2) AND held_reason = $3",
        *(tx.shop_id, list(refund_ids), before, after),
    )


@dataclass(frozen=True, slots=True)
class HeldRow:
    """A refund that is due and is not sent; the amount in minor units."""

    id: str
    reference: str
    order_number: str
    amount_minor: int
    currency: str
    attempt: int
    reason: str


def held_refunds(tx: ShopTx, reasons: Sequence[str]) -> list[HeldRow]:
    """The refunds that wait for one of the reasons, oldest first."""
    rows = tx.rows(
        "SELECT id, coalesce(nullif(external_reference, ''), reference) AS reference, order_number, currency,"
        " order_amount_minor AS amount_minor, attempt, held_reason AS reason FROM refunds"
        " WHERE shop_id = $1 AND status = 'NEW' AND held_reason = ANY($2) ORDER BY filed",
        tx.shop_id, list(reasons),
    )  # fmt: skip
    return [build(HeldRow, row) for row in rows]


def by_posting(tx: ShopTx, posting_ids: Sequence[str]) -> list[RefundRow]:
    """The refunds that the postings name, locked until the transaction ends."""
    rows = tx.rows(
        f"SELECT {_ROW} FROM refunds r WHERE r.shop_id = $1 AND (r.posting_id = ANY($2) OR r.id IN (SELECT refund_id"
        " FROM transfers t WHERE t.shop_id = $1 AND (t.debit_posting_id = ANY($2) OR t.return_posting_id = ANY($2))))"
        " ORDER BY r.id FOR UPDATE",
        tx.shop_id,
        list(posting_ids),
    )
    return [_refund(row, tx.vault()) for row in rows]


def forget_postings(tx: ShopTx, posting_ids: Sequence[str]) -> None:
    """Removes the postings as proof of refunds; those with a transfer name their debit again."""
    tx.run(
        "UPDATE refunds r SET posting_id = coalesce((SELECT coalesce(nullif(t.return_posting_id, ''),"
        " t.debit_posting_id) FROM transfers t WHERE t.shop_id = $1 AND t.refund_id = r.id"
        " AND t.attempt = r.attempt), '') WHERE r.shop_id = $1 AND r.posting_id = ANY($2)",
        tx.shop_id,
        list(posting_ids),
    )


def put_back(tx: ShopTx, refund_id: str, status: RefundStatus, now: datetime) -> None:
    """Restores the refund's state from before a removed posting; executed only if it is PROCESSED."""
    tx.run(
        "UPDATE refunds SET status = $3, updated_at = $4, bank_code = '',"
        " execution_date = CASE WHEN $3 = 'PROCESSED' THEN execution_date END,"
        " ask_at = CASE WHEN $3 = 'BANKDETAILS_MISSING' THEN $4::timestamptz END WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        refund_id,
        status,
        now,
    )


def set_feedback(tx: ShopTx, refund_id: str, posting_id: str, execution_date: date | None) -> None:
    """Records the posting of a debit that was already reported, without a status change."""
    tx.run(
        "UPDATE refunds SET posting_id = $3, execution_date = coalesce($4, execution_date)"
        " WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        refund_id,
        posting_id,
        execution_date,
    )


def move(
    tx: ShopTx,
    refund_id: str,
    status: RefundStatus,
    now: datetime,
    *,
    execution_date: date | None = None,
    bank_code: str = "",
    posting_id: str = "",
) -> None:
    """Writes the status that `REFUND_LIFECYCLE` gives, and what the bank said with it."""
    tx.run(
        "UPDATE refunds SET status = $3, updated_at = $4, execution_date = coalesce($5, execution_date),"
        " held_reason = '', bank_code = CASE WHEN $6 = '' THEN bank_code ELSE $6 END,"
        " posting_id = CASE WHEN $7 = '' THEN posting_id ELSE $7 END,"
        " ask_at = CASE WHEN $8 THEN $4::timestamptz END, ask_note = '' WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        refund_id,
        status,
        now,
        execution_date,
        bank_code,
        posting_id,
        wants_details(status, bank_code),
    )
