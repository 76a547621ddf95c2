"""Files from banks and providers, until they are imported."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from paymatch.store.connection import build
from paymatch.store.ids import Ids
from paymatch.store.messages import message_of, message_to_json
from paymatch.store.sealing import EBICS_FILE
from paymatch.store.transactions import ShopTx

TRANSACTIONS: Final = "transactions"
"""The subject of data read by a consent; all others came by EBICS."""


@dataclass(frozen=True, slots=True)
class EbicsFile:
    """A file without its content; `error` says why it was not imported."""

    id: str
    connection_id: str
    subject: str
    name: str
    error: str


def keep(tx: ShopTx, connection: str, subject: str, files: list[tuple[str, str, bytes]], at: datetime) -> int:
    """Keeps (name, digest, content) of received files; returns the number of new ones."""
    ids, vault = Ids(at), tx.vault()
    return sum(
        tx.run(
            "INSERT INTO ebics_files (shop_id, id, connection_id, subject, name, digest, content, received_at)"
            " VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING 1",
            tx.shop_id, ids.new("ef"), connection, subject, name, digest, vault.seal_bytes(EBICS_FILE, content), at,
        )
        for name, digest, content in files
    )  # fmt: skip


def waiting(tx: ShopTx, *, failed: bool, by_consent: bool = False) -> list[EbicsFile]:
    """Files that are not imported, in order of arrival: untried ones, or failed ones.

    `by_consent`: those read by a consent, else those from EBICS.
    """
    rows = tx.rows(
        "SELECT id, connection_id, subject, name, error FROM ebics_files WHERE shop_id = $1"
        " AND imported_at IS NULL AND (error IS NOT NULL) = $2 AND (subject = $3) = $4 ORDER BY id",
        tx.shop_id,
        failed,
        TRANSACTIONS,
        by_consent,
    )
    return [build(EbicsFile, row, error=message_of(row.error)) for row in rows]


def content(tx: ShopTx, file_id: str) -> bytes:
    """The bytes of a file."""
    found = tx.value("SELECT content FROM ebics_files WHERE shop_id = $1 AND id = $2", tx.shop_id, file_id)
    return tx.vault().open_bytes(EBICS_FILE, bytes(found))


def set_imported(tx: ShopTx, file_id: str, at: datetime) -> None:
    """Marks the file as imported: its contents are in the books."""
    tx.run(
        "UPDATE ebics_files SET imported_at = $3, content = '', error = NULL WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        file_id,
        at,
    )


def set_failed(tx: ShopTx, file_id: str, error: str) -> None:
    """Records why the file was not imported."""
    tx.run(
        "UPDATE ebics_files SET error = $3 WHERE shop_id = $1 AND id = $2", tx.shop_id, file_id, message_to_json(error)
    )  # fmt: skip


def try_again(tx: ShopTx, connection: str) -> int:
    """Schedules failed files for another import; returns their number."""
    return tx.run(
        "UPDATE ebics_files SET error = NULL WHERE shop_id = $1 AND connection_id = $2 AND imported_at IS NULL"
        " AND error IS NOT NULL",
        tx.shop_id,
        connection,
    )
