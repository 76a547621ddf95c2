"""The audit log in PostgreSQL: appended at the end of the acting transaction, never changed (D-45)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from secrets import token_bytes
from typing import Any, Final

from paymatch.domain.shops.audit import START, Actor, ActorKind, AuditEntry, Recorded, link
from paymatch.store.lists.sorted_lists import (
    AskedPage,
    ListStatement,
    PageOfRows,
    SortKind,
    by_moment,
    by_number,
    by_text,
)
from paymatch.store.transactions import ShopTx

_COLUMNS: Final = """seq, at, deed, subject, actor_kind, actor, address, request_id, before, after, hash, shop_at,
    salt, digest"""
_SHOWN: Final = f"{_COLUMNS}, erased_at IS NOT NULL AS is_erased"
_HOLD: Final = """
INSERT INTO audit_heads (shop_id, seq, hash) VALUES ($1, 0, '')
ON CONFLICT (shop_id) DO UPDATE SET seq = audit_heads.seq RETURNING seq, hash"""
_ADD: Final = f"""
WITH head AS (UPDATE audit_heads SET seq = $2, hash = $3 WHERE shop_id = $1)
INSERT INTO audit_log (shop_id, {_COLUMNS})
SELECT $1, * FROM unnest($4::bigint[], $5::timestamptz[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
                         $11::text[], $12::text[], $13::text[], $14::bytea[],
                         $15::timestamptz[], $16::bytea[], $17::bytea[])
RETURNING 1"""
_SALT_BYTES: Final = 16
AUDIT: Final = ListStatement(
    f"SELECT {_SHOWN} FROM audit_log WHERE shop_id = $1 AND ($2 = '' OR actor_kind = $2)"
    " AND ($3 = '' OR subject = $3 OR deed = $3 OR actor = $3)",
    usual="-seq",
    key="seq",
    key_kind=SortKind.NUMBER,
    sorts={
        "seq": by_number("seq", is_filled=True),
        "at": by_moment("at", is_filled=True),
        "action": by_text("deed"),
        "about": by_text("subject"),
        "who": by_text("actor"),
        "address": by_text("address"),
        "subject": by_text("subject"),
        "actor": by_text("actor"),
        "requestId": by_text("request_id"),
    },
)


def append(tx: ShopTx, entries: list[AuditEntry]) -> None:
    """Appends the entries to the shop's chain. It locks the end of the chain until the transaction ends, so it comes
    last in a transaction: no other lock is awaited while others wait for the chain.
    """
    row = tx.row(_HOLD, tx.shop_id)
    assert row is not None
    rows = link(bytes(row[1]) or START, row[0], [(entry, token_bytes(_SALT_BYTES)) for entry in entries])
    columns = [list(column) for column in zip(*map(_values, rows), strict=True)]
    tx.put(_ADD, tx.shop_id, rows[-1].seq, rows[-1].hash, *columns)


def end(tx: ShopTx) -> tuple[int, bytes]:
    """(number, hash) of the shop's last entry; (0, START) if there is none."""
    row = tx.row("SELECT seq, hash FROM audit_heads WHERE shop_id = $1", tx.shop_id)
    return (row[0], bytes(row[1])) if row else (0, START)


def stream(tx: ShopTx) -> Iterator[Recorded]:
    """All entries of the shop in order."""
    statement = f"SELECT {_SHOWN} FROM audit_log WHERE shop_id = $1 ORDER BY seq"
    return map(_entry_of_row, tx.stream(statement, tx.shop_id))


def latest(tx: ShopTx, subject: str, limit: int) -> list[Recorded]:
    """The shop's last entries, newest first; only those about `subject` unless it is empty."""
    rows = tx.rows(
        f"SELECT {_SHOWN} FROM audit_log WHERE shop_id = $1 AND ($2 = '' OR subject = $2) ORDER BY seq DESC LIMIT $3",
        tx.shop_id,
        subject,
        limit,
    )
    return [_entry_of_row(row) for row in rows]


def about(tx: ShopTx, subjects: Sequence[str], limit: int) -> list[Recorded]:
    """The last entries about any of the subjects, newest first."""
    rows = tx.rows(
        f"SELECT {_SHOWN} FROM audit_log WHERE shop_id = $1 AND subject = ANY($2) ORDER BY seq DESC LIMIT $3",
        tx.shop_id,
        list(subjects),
        limit,
    )
    return [_entry_of_row(row) for row in rows]


def of_kind(tx: ShopTx, kind: str, subjects: Sequence[str]) -> list[AuditEntry]:
    """The entries of one kind about any of the subjects, oldest first."""
    rows = tx.rows(
        f"SELECT {_SHOWN} FROM audit_log WHERE shop_id = $1 AND deed = $2 AND subject = ANY($3) ORDER BY seq",
        tx.shop_id,
        kind,
        list(subjects),
    )
    return [_entry_of_row(row).entry for row in rows]


def list_entries(tx: ShopTx, actor_kind: str, search: str, asked: AskedPage) -> PageOfRows[Recorded]:
    """The shop's entries, newest first unless sorted; `search` is an action, its subject, or the actor."""
    found = AUDIT.page(tx, asked, tx.shop_id, actor_kind, search)
    return found.map(lambda row: _entry_of_row(tuple(row.values())))


def erase_values(tx: ShopTx, numbers: Sequence[int], now: datetime) -> int:
    """Erases the values of these entries, by the only permission for it (D-63); returns how many had some."""
    assert tx.value("SELECT current_setting('paymatch.shop')") == str(tx.shop_id)
    return int(tx.value("SELECT erase_audit_values($1, $2)", list(numbers), now)) if numbers else 0


def _values(row: Recorded) -> tuple[Any, ...]:
    entry, actor = row.entry, row.entry.actor
    return (
        row.seq, entry.at, entry.kind, entry.subject, actor.kind, actor.name, actor.address, actor.request_id,
        entry.before, entry.after, row.hash, entry.shop_at, row.salt, row.digest,
    )  # fmt: skip


def _entry_of_row(row: tuple[Any, ...]) -> Recorded:
    seq, at, kind, subject, actor_kind, name, address, request_id, before, after, found, shop_at, *rest = row
    salt, digest, is_erased = rest
    actor = Actor(ActorKind(actor_kind), name, address, request_id)
    entry = AuditEntry(kind, subject, at, actor, before, after, shop_at)
    return Recorded(seq, entry, bytes(found), bytes(salt), bytes(digest), is_erased)
