"""Letters to customers in PostgreSQL: claimed while they are written or handed over, recorded afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from paymatch.domain.reminders.letters import WAITING, LetterKind, LetterStatus
from paymatch.store.connection import Row, build
from paymatch.store.lists.sorted_lists import AskedPage, ListStatement, PageOfRows, by_id, by_moment, by_number, by_text
from paymatch.store.messages import coded, recall
from paymatch.store.shops.shops import SHOP_NOW
from paymatch.store.transactions import ShopId, ShopTx, Tx


@dataclass(frozen=True, slots=True)
class LetterRow:
    """A letter about an order; level 0 unless it is a reminder. Amounts in minor units of the order's currency.

    `recipient` are the lines of the address. `due_at` is when the service must work on it; None: a person must, or no
    one. `order_seq` is the number of the order's events when it was decided.
    """

    id: str
    order_number: str
    kind: LetterKind
    dunning_level: int
    status: LetterStatus
    recipient: str
    country: str
    open_minor: int
    fee_minor: int
    created_at: datetime
    invoice_number: str | None = None
    refund_id: str | None = None
    pages: int = 0
    run_id: str | None = None
    provider_id: str = ""
    attempts: int = 0
    error: str = ""
    due_at: datetime | None = None
    finished_at: datetime | None = None
    order_seq: int | None = None
    forgotten: bool = False
    pay_by: date | None = None  # as written; None before that, or if nothing is asked for


@dataclass(frozen=True, slots=True)
class LetterSettings:
    """The look and delivery of the shop's letters. `paper` "" is the usual one in its country."""

    paper: str
    by: str  # printer or provider
    invoices: str  # cover, as-is or off
    duplex: bool
    colour: bool
    alert_days: int


_COLUMNS: Final = """l.id, l.order_number, l.kind, l.dunning_level, l.status, l.recipient, l.country, l.open_minor,
    l.fee_minor, l.created_at, l.invoice_number, l.refund_id, l.pages, l.run_id, l.provider_id, l.attempts, l.error,
    l.error_message, l.due_at, l.finished_at, l.order_seq, l.forgotten, l.pay_by"""
_WAITING: Final = sorted(WAITING)


def _letter(row: Row) -> LetterRow:
    return _letter_of(row._asdict())


def _letter_of(columns: dict[str, Any]) -> LetterRow:
    error = recall(columns["error"], columns.pop("error_message"))
    known = {"kind": LetterKind(columns["kind"]), "status": LetterStatus(columns["status"]), "error": error}
    return LetterRow(**columns | known)


def settings(tx: ShopTx) -> LetterSettings:
    """The shop's settings for letters."""
    row = tx.row(
        'SELECT letter_paper AS paper, letters_by AS "by", invoice_letters AS invoices, letter_duplex AS duplex,'
        " letter_colour AS colour, letter_alert_days AS alert_days FROM shops WHERE shop_id = $1",
        tx.shop_id,
    )
    assert row is not None
    return build(LetterSettings, row)


def add(tx: ShopTx, letter: LetterRow) -> bool:
    """Stores a letter to be written; False if there is already one for the same cause."""
    return bool(
        tx.run(
            "INSERT INTO letters (shop_id, id, order_number, kind, dunning_level, status, recipient, country,"
            " open_minor, fee_minor, created_at, invoice_number, refund_id, due_at, order_seq, error, finished_at)"
            " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)"
            " ON CONFLICT DO NOTHING",
            tx.shop_id, letter.id, letter.order_number, letter.kind, letter.dunning_level, letter.status,
            letter.recipient,
            letter.country, letter.open_minor, letter.fee_minor, letter.created_at, letter.invoice_number,
            letter.refund_id, letter.due_at, letter.order_seq, letter.error, letter.finished_at,
        )
    )  # fmt: skip


def shops_with_due(tx: Tx, clock: datetime) -> list[ShopId]:
    """Active shops with letters to write, hand over or check, not claimed nor backing off; operator's view."""
    rows = tx.rows(
        "SELECT s.shop_id FROM shops s WHERE s.status = 'active'"
        " AND (s.sandbox_held_until IS NULL OR s.sandbox_held_until <= $1)"
        f" AND EXISTS (SELECT FROM letters l WHERE l.shop_id = s.shop_id AND l.due_at <= {SHOP_NOW}"
        " AND (l.claimed_until IS NULL OR l.claimed_until <= $1))"
        " AND NOT EXISTS (SELECT FROM shop_jobs j WHERE j.shop_id = s.shop_id AND j.kind = 'letters'"
        f" AND (j.claimed_until > $1 OR j.due_at > {SHOP_NOW}))",
        clock,
    )
    return [ShopId(row[0]) for row in rows]


def claim(tx: ShopTx, limit: int, *, now: datetime, clock: datetime, until: datetime) -> list[LetterRow]:
    """Claims due letters until a moment of the real clock; skips those claimed by others."""
    rows = tx.rows(
        "UPDATE letters l SET claimed_until = $5 WHERE l.shop_id = $1 AND l.id IN ("
        " SELECT id FROM letters WHERE shop_id = $1 AND due_at <= $2"
        " AND (claimed_until IS NULL OR claimed_until <= $3)"
        f" ORDER BY due_at, id LIMIT $4 FOR UPDATE SKIP LOCKED) RETURNING {_COLUMNS}",
        tx.shop_id, now, clock, limit, until,
    )  # fmt: skip
    return sorted((_letter(row) for row in rows), key=lambda letter: letter.id)


def release(tx: ShopTx, ids: Sequence[str]) -> None:
    """Releases claims: the letters stay due."""
    tx.run("UPDATE letters SET claimed_until = NULL WHERE shop_id = $1 AND id = ANY($2)", tx.shop_id, list(ids))


def move(
    tx: ShopTx,
    letter: LetterRow,
    status: LetterStatus,
    *,
    now: datetime,
    due_at: datetime | None = None,
    error: str = "",
    run_id: str | None = None,
    provider_id: str = "",
    attempts: int = 0,
) -> bool:
    """Stores the letter's new state and releases it; False if another process has moved it meanwhile."""
    return bool(
        tx.run(
            "UPDATE letters SET status = $4, due_at = $5, error = $6, error_message = $12,"
            " run_id = coalesce($7, CASE WHEN $4 = 'SPOOLED' THEN NULL ELSE run_id END),"
            " provider_id = coalesce(nullif($8, ''), provider_id), attempts = $9, claimed_until = NULL,"
            " finished_at = CASE WHEN $4 = ANY($10) THEN NULL ELSE"
            " coalesce(finished_at, $11::timestamptz) END WHERE shop_id = $1 AND id = $2 AND status = $3",
            tx.shop_id, letter.id, letter.status, status, due_at, error, run_id, provider_id, attempts, _WAITING, now,
            coded(error),
        )
    )  # fmt: skip


def is_claimed(tx: ShopTx, letter_id: str, clock: datetime) -> bool:
    """Whether a process is just writing the letter or handing it over; locks it until the transaction ends."""
    found: bool | None = tx.value(
        "SELECT coalesce(claimed_until > $3, false) FROM letters WHERE shop_id = $1 AND id = $2 FOR UPDATE",
        tx.shop_id, letter_id, clock,
    )  # fmt: skip
    return bool(found)


def save_written(tx: ShopTx, letter: LetterRow, content: bytes, pages: int, due_at: datetime | None) -> bool:
    """Stores the written letter, which waits; False if another process has moved it meanwhile."""
    return bool(
        tx.run(
            "UPDATE letters SET status = 'SPOOLED', content = $3, pages = $4, open_minor = $5, recipient = $6,"
            " country = $7, due_at = $8, error = '', error_message = '', attempts = 0, claimed_until = NULL,"
            " pay_by = $9"
            " WHERE shop_id = $1 AND id = $2 AND status = 'NEW'",
            tx.shop_id, letter.id, content, pages, letter.open_minor, letter.recipient, letter.country, due_at,
            letter.pay_by,
        )
    )  # fmt: skip


def redirect(tx: ShopTx, *, to_provider: bool) -> None:
    """Redirects waiting letters to the provider, or to the shop's own printer."""
    tx.run(
        "UPDATE letters SET due_at = CASE WHEN $2 THEN created_at END WHERE shop_id = $1 AND status = 'SPOOLED'",
        tx.shop_id,
        to_provider,
    )


def find(tx: ShopTx, letter_id: str) -> LetterRow | None:
    """A letter; None if there is none with this id."""
    row = tx.row(f"SELECT {_COLUMNS} FROM letters l WHERE l.shop_id = $1 AND l.id = $2", tx.shop_id, letter_id)
    return _letter(row) if row else None


def content(tx: ShopTx, letter_id: str) -> bytes:
    """The pages that the service wrote; empty before it did, and once forgotten."""
    found: bytes | None = tx.value("SELECT content FROM letters WHERE shop_id = $1 AND id = $2", tx.shop_id, letter_id)
    return found or b""


def page(
    tx: ShopTx, *, number: str = "", status: str = "", kind: str = "", before: str = "", limit: int = 100
) -> list[LetterRow]:
    """Letters, latest first, starting after the letter `before`: all, of one order, of one status, of one kind."""
    rows = tx.rows(
        f"SELECT {_COLUMNS} FROM letters l WHERE l.shop_id = $1 AND ($2 = '' OR l.order_number = $2)"
        " AND ($3 = '' OR l.status = $3) AND ($4 = '' OR l.kind = $4) AND ($5 = '' OR l.id < $5)"
        " ORDER BY l.id DESC LIMIT $6",
        tx.shop_id, number, status, kind, before, limit,
    )  # fmt: skip
    return [_letter(row) for row in rows]


LETTERS: Final = ListStatement(
    f"SELECT {_COLUMNS} FROM letters l WHERE l.shop_id = $1 AND ($2 = '' OR l.order_number = $2)"
    " AND ($3 = '' OR l.status = $3) AND ($4 = '' OR l.kind = $4)",
    usual="-id",
    sorts={
        "id": by_id(),
        "created_at": by_moment("created_at"),
        "letter": by_text("listed.kind || listed.dunning_level"),
        "order": by_text("order_number"),
        "to": by_text("recipient"),
        "country": by_text("country"),
        "pages": by_number("pages"),
        "state": by_text("status"),
        "error": by_text("error"),
    },
)


def sorted_page(
    tx: ShopTx, *, number: str = "", status: str = "", kind: str = "", asked: AskedPage
) -> PageOfRows[LetterRow]:
    """The letters of `page`, in the requested sort order."""
    return LETTERS.page(tx, asked, tx.shop_id, number, status, kind).map(_letter_of)


def spooled_orders(tx: ShopTx, limit: int) -> list[str]:
    """Orders with written, waiting letters, the oldest letters first; those delayed before come last."""
    rows = tx.rows(
        "SELECT order_number FROM letters WHERE shop_id = $1 AND status = 'SPOOLED'"
        " ORDER BY error <> '', kind = 'REMINDER', id LIMIT $2",
        tx.shop_id,
        limit,
    )
    return sorted({row[0] for row in rows})


def spooled_letters(tx: ShopTx, numbers: Sequence[str], clock: datetime) -> list[LetterRow]:
    """Written letters of the orders that wait and are not being handed over, oldest first; locked."""
    rows = tx.rows(
        f"SELECT {_COLUMNS} FROM letters l WHERE l.shop_id = $1 AND l.status = 'SPOOLED'"
        " AND (l.claimed_until IS NULL OR l.claimed_until <= $3) AND l.order_number = ANY($2)"
        " ORDER BY l.id FOR UPDATE SKIP LOCKED",
        tx.shop_id,
        list(numbers),
        clock,
    )
    return [_letter(row) for row in rows]


def of_run(tx: ShopTx, run_id: str) -> list[LetterRow]:
    """The letters of a print run in the order in which they are printed."""
    rows = tx.rows(
        f"SELECT {_COLUMNS} FROM letters l WHERE l.shop_id = $1 AND l.run_id = $2 ORDER BY l.id", tx.shop_id, run_id
    )
    return [_letter(row) for row in rows]


def unsettled_letters(tx: ShopTx, before: datetime) -> list[LetterRow]:
    """Letters that have waited since before a moment, and those that were refused or returned; oldest first."""
    rows = tx.rows(
        f"SELECT {_COLUMNS} FROM letters l WHERE l.shop_id = $1 AND NOT l.forgotten AND (l.status = ANY($2)"
        " AND l.created_at < $3 OR l.status IN ('REFUSED', 'RETURNED')) ORDER BY l.id LIMIT 200",
        tx.shop_id,
        _WAITING,
        before,
    )
    return [_letter(row) for row in rows]


def facts(tx: ShopTx, number: str) -> dict[str, Any]:
    """The data for an order's letter that reminders do not have: its document."""
    found: dict[str, Any] | None = tx.value(
        "SELECT doc::json FROM orders WHERE shop_id = $1 AND number = $2", tx.shop_id, number
    )
    return found or {}


def add_run(tx: ShopTx, run_id: str, letters: int, pages: int, now: datetime, *, daily: bool) -> None:
    """Begins a print run of this many letters; `daily`: the worker begins it."""
    tx.run(
        "INSERT INTO letter_runs (shop_id, id, created_at, letters, pages, daily) VALUES ($1, $2, $3, $4, $5, $6)",
        tx.shop_id, run_id, now, letters, pages, daily,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class PrintRunRow:
    """A print run; it is open until a person marks it as printed or undoes it."""

    id: str
    created_at: datetime
    letters: int
    pages: int
    printed_at: datetime | None
    undone_at: datetime | None


_RUN: Final = "id, created_at, letters, pages, printed_at, undone_at"


def run(tx: ShopTx, run_id: str) -> PrintRunRow | None:
    """A print run, locked until the transaction ends; None if there is none with this id."""
    row = tx.row(f"SELECT {_RUN} FROM letter_runs WHERE shop_id = $1 AND id = $2 FOR UPDATE", tx.shop_id, run_id)
    return build(PrintRunRow, row) if row else None


def runs(tx: ShopTx, limit: int) -> list[PrintRunRow]:
    """The latest print runs, latest first."""
    rows = tx.rows(f"SELECT {_RUN} FROM letter_runs WHERE shop_id = $1 ORDER BY id DESC LIMIT $2", tx.shop_id, limit)
    return [build(PrintRunRow, row) for row in rows]


def end_run(tx: ShopTx, run_id: str, *, printed: bool, now: datetime) -> None:
    """Marks the run as printed or undone."""
    column = "printed_at" if printed else "undone_at"
    tx.run(f"UPDATE letter_runs SET {column} = $3 WHERE shop_id = $1 AND id = $2", tx.shop_id, run_id, now)


def runs_to_write(tx: ShopTx) -> list[str]:
    """Ids of open print runs that the worker has begun and whose files are not complete in the folder yet."""
    rows = tx.rows(
        "SELECT id FROM letter_runs WHERE shop_id = $1 AND daily AND written_at IS NULL AND printed_at IS NULL"
        " AND undone_at IS NULL ORDER BY id",
        tx.shop_id,
    )
    return [row[0] for row in rows]


def set_written(tx: ShopTx, run_id: str, now: datetime) -> None:
    """Records that the run's files are complete in the folder; they are never written there again."""
    tx.run("UPDATE letter_runs SET written_at = $3 WHERE shop_id = $1 AND id = $2", tx.shop_id, run_id, now)


def open_runs(tx: ShopTx, ids: Sequence[str]) -> set[str]:
    """Those of the runs that are not marked as printed or undone."""
    rows = tx.rows(
        "SELECT id FROM letter_runs WHERE shop_id = $1 AND id = ANY($2) AND printed_at IS NULL AND undone_at IS NULL",
        tx.shop_id,
        list(ids),
    )
    return {row[0] for row in rows}
