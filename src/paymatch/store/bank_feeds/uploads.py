"""Uploads of transfer files by EBICS: the state that is recorded before each message (D-104)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from paymatch.domain.bank_feeds.uploads import UploadStatus
from paymatch.store.connection import Row, build, text_array
from paymatch.store.messages import message_of, message_to_json
from paymatch.store.sealing import EBICS_TRANSACTION_KEY, Vault
from paymatch.store.transactions import ShopTx


@dataclass(frozen=True, slots=True)
class UploadRow:
    """An upload. `phase` is the client's; `sent_at`: when its last segment left; `protocol_at`: HAC was read since."""

    file_id: str
    message_id: str
    connection_id: str
    status: UploadStatus
    phase: str
    transaction_key: bytes
    transaction_id: str
    order_number: str
    next_segment: int
    needs_approval: bool
    sent_at: datetime | None
    protocol_at: datetime | None
    last_error: str
    created_at: datetime
    instant: bool
    payee_check: bool  # the bank compares the names of the payees, and then waits for a signature (D-131)


_SELECT: Final = """SELECT u.file_id, f.message_id, u.connection_id, u.status, u.phase, u.transaction_key,
    u.transaction_id, u.order_number, u.next_segment, u.needs_approval, u.sent_at, u.protocol_at, u.last_error,
    u.created_at, f.instant, u.payee_check
    FROM ebics_uploads u JOIN transfer_files f ON f.shop_id = u.shop_id AND f.id = u.file_id WHERE u.shop_id = $1"""


@dataclass(frozen=True, slots=True)
class UnsentFile:
    """A transfer file for a connection, without an upload yet."""

    file_id: str
    transfers: int
    instant: bool


def waiting_files(tx: ShopTx, connection: str) -> list[UnsentFile]:
    """Transfer files that go by the connection and have no upload yet, the oldest first."""
    rows = tx.rows(
        "SELECT f.id AS file_id, f.transfers, f.instant FROM transfer_files f"
        " WHERE f.shop_id = $1 AND f.ebics_connection = $2 AND f.discarded_at IS NULL AND f.written_at IS NULL"
        " AND NOT EXISTS (SELECT FROM ebics_uploads u WHERE u.shop_id = $1 AND u.file_id = f.id) ORDER BY f.id",
        tx.shop_id,
        connection,
    )
    return [build(UnsentFile, row) for row in rows]


def prepare(
    tx: ShopTx,
    file_id: str,
    connection: str,
    transaction_key: bytes,
    now: datetime,
    *,
    needs_approval: bool,
    payee_check: bool = False,
) -> bool:
    """Begins the upload of a file; False if the file now uses another channel, or has an upload."""
    own = tx.value(
        "SELECT count(*) FROM (SELECT FROM transfer_files WHERE shop_id = $1 AND id = $2 AND ebics_connection = $3"
        " AND discarded_at IS NULL AND written_at IS NULL FOR UPDATE) f",
        tx.shop_id,
        file_id,
        connection,
    )
    return bool(own) and bool(
        tx.run(
            "INSERT INTO ebics_uploads (shop_id, file_id, connection_id, status, phase, transaction_key,"
            " needs_approval, created_at, updated_at, payee_check)"
            " VALUES ($1, $2, $3, 'OPEN', 'PREPARED', $4, $5, $6, $6, $7)"
            " ON CONFLICT DO NOTHING RETURNING 1",
            tx.shop_id, file_id, connection, tx.vault().seal_once(EBICS_TRANSACTION_KEY, transaction_key.hex()),
            needs_approval, now, payee_check,
        )
    )  # fmt: skip


def uploads(
    tx: ShopTx, statuses: Collection[UploadStatus], connection: str = "", since: datetime | None = None
) -> list[UploadRow]:
    """Uploads in these states, of one connection or of all, begun since a moment or ever, the oldest first."""
    rows = tx.rows(
        f"{_SELECT} AND u.status = ANY($2) AND $3 IN ('', u.connection_id)"
        " AND ($4::timestamptz IS NULL OR u.created_at >= $4) ORDER BY u.file_id",
        tx.shop_id,
        text_array(sorted(statuses)),
        connection,
        since,
    )
    return [_upload(row, tx.vault()) for row in rows]


def latest(tx: ShopTx, connection: str, limit: int) -> list[UploadRow]:
    """The connection's last uploads, the newest first."""
    rows = tx.rows(
        f"{_SELECT} AND u.connection_id = $2 ORDER BY u.file_id DESC LIMIT $3", tx.shop_id, connection, limit
    )
    return [_upload(row, tx.vault()) for row in rows]


def upload(tx: ShopTx, file_id: str, *, lock: bool = False) -> UploadRow | None:
    """The upload of a file; `lock` locks it until the transaction ends."""
    row = tx.row(f"{_SELECT} AND u.file_id = $2{' FOR UPDATE OF u' if lock else ''}", tx.shop_id, file_id)
    return None if row is None else _upload(row, tx.vault())


def _upload(row: Row, vault: Vault) -> UploadRow:
    key = bytes.fromhex(vault.open(EBICS_TRANSACTION_KEY, row.transaction_key))
    return build(
        UploadRow, row, status=UploadStatus(row.status), transaction_key=key, last_error=message_of(row.last_error)
    )


def record(
    tx: ShopTx, file_id: str, phase: str, transaction: str, number: str, segment: int, now: datetime,
    *, sent: bool,
) -> bool:  # fmt: skip
    """Stores the state before its next message; False if the upload was withdrawn meanwhile.

    `sent`: the last segment may be sent now.
    """
    return bool(
        tx.run(
            "UPDATE ebics_uploads SET phase = $3, transaction_id = $4, order_number = $5, next_segment = $6,"
            " updated_at = $7, sent_at = CASE WHEN $8 THEN coalesce(sent_at, $7) ELSE sent_at END"
            " WHERE shop_id = $1 AND file_id = $2 AND status = 'OPEN' RETURNING 1",
            tx.shop_id, file_id, phase, transaction, number, segment, now, sent,
        )
    )  # fmt: skip


def begin_again(tx: ShopTx, file_id: str, transaction_key: bytes, now: datetime) -> None:
    """Restarts the upload under a new key: the bank does not have it."""
    tx.run(
        "UPDATE ebics_uploads SET status = 'OPEN', phase = 'PREPARED', transaction_id = '', order_number = '',"
        " next_segment = 1, sent_at = NULL, protocol_at = NULL, last_error = NULL, transaction_key = $3,"
        " updated_at = $4 WHERE shop_id = $1 AND file_id = $2",
        tx.shop_id,
        file_id,
        tx.vault().seal_once(EBICS_TRANSACTION_KEY, transaction_key.hex()),
        now,
    )


def set_status(tx: ShopTx, file_id: str, status: UploadStatus, now: datetime, error: str = "") -> None:
    """Stores the upload's known state; `error` is the bank's reason."""
    tx.run(
        "UPDATE ebics_uploads SET status = $3, last_error = $4, updated_at = $5 WHERE shop_id = $1 AND file_id = $2",
        tx.shop_id, file_id, status, message_to_json(error) if error else None, now,
    )  # fmt: skip


def set_protocol_read(tx: ShopTx, connection: str, now: datetime) -> None:
    """Records that the bank's protocol was read: it does not know the remaining undecided uploads yet."""
    tx.run(
        "UPDATE ebics_uploads SET protocol_at = $3 WHERE shop_id = $1 AND connection_id = $2"
        " AND status IN ('UNCERTAIN', 'WAITING')",
        tx.shop_id,
        connection,
        now,
    )


def hand_back(tx: ShopTx, file_id: str) -> None:
    """Returns the file from EBICS to the folder or a person."""
    tx.run("UPDATE transfer_files SET ebics_connection = '' WHERE shop_id = $1 AND id = $2", tx.shop_id, file_id)
