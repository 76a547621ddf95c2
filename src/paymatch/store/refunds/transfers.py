"""Transfer files and their transfers: what was handed to the bank, and its answers (D-4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final

import msgspec

from paymatch.domain.refunds.transfers import SETTLED, TransferStatus
from paymatch.domain.words.message import as_text
from paymatch.store.connection import Row, build
from paymatch.store.sealing import TRANSFER_FILE, TRANSFER_PAYEE, Vault
from paymatch.store.transactions import ShopTx

_ENCODE: Final = msgspec.json.Encoder(enc_hook=as_text).encode
_RUN_LOCK: Final = 2050
"""Next to the locks of imports and matching (store/statements/statements.py), above the buckets of order numbers."""


@dataclass(frozen=True, slots=True)
class FileRow:
    """A transfer file without its content; the total in minor units. `written_at` None: not on disk yet.

    `ebics_connection` "": it goes by the folder or by a person.
    """

    id: str
    account: str
    currency: str
    message_id: str
    payment_information_id: str
    execution_date: date
    transfers: int
    total_minor: int
    version: str
    created_at: datetime
    written_at: datetime | None
    discarded_at: datetime | None = None
    ebics_connection: str = ""
    instant: bool = False


@dataclass(frozen=True, slots=True)
class TransferRow:
    """One attempt of a refund in a transfer file."""

    end_to_end_id: str
    refund_id: str
    attempt: int
    file_id: str
    amount_minor: int
    iban: str
    holder: str
    status: TransferStatus
    released: bool = False  # by a person; else it was sent automatically (D-37)
    debit_posting_id: str = ""
    return_posting_id: str = ""
    bank_status: str = ""  # the latest of the bank's status reports
    bank_name: str = ""  # of the payee, as their bank knows it, if it only closely matches ours

    @property
    def reported_settled(self) -> bool:
        """True if a status report said that the money has left."""
        return self.bank_status in SETTLED

    def after(self, status: TransferStatus, debit: str, returned: str) -> TransferRow:
        """The same transfer after a posting has reported it."""
        return replace(
            self,
            status=status,
            debit_posting_id=debit or self.debit_posting_id,
            return_posting_id=returned or self.return_posting_id,
        )


_FILE: Final = """f.id, f.account, f.currency, f.message_id, f.payment_information_id, f.execution_date, f.transfers,
    f.total_minor, f.version, f.created_at, f.written_at,
    f.discarded_at, f.ebics_connection, f.instant"""
_TRANSFER: Final = """t.end_to_end_id, t.refund_id, t.attempt, t.file_id, t.amount_minor, t.iban, t.holder, t.status,
    t.released, t.debit_posting_id, t.return_posting_id, t.bank_status, t.bank_name"""


def lock_runs(tx: ShopTx) -> None:
    """Locks refund runs: one per shop at a time."""
    tx.rows("SELECT pg_advisory_xact_lock($1, $2)", int.from_bytes(tx.shop_id.bytes[:4], "big", signed=True), _RUN_LOCK)


def add(tx: ShopTx, file: FileRow, content: bytes, rows: Sequence[TransferRow]) -> None:
    """Stores a file with its transfers; their refunds are IN_PROCESS from now on. Fails if one was ever sent."""
    tx.run(
        "INSERT INTO transfer_files (shop_id, id, account, currency, message_id, payment_information_id,"
        " execution_date, transfers, total_minor, version, content, created_at, ebics_connection, instant)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        tx.shop_id, file.id, file.account, file.currency, file.message_id, file.payment_information_id,
        file.execution_date,
        file.transfers, file.total_minor, file.version,
        tx.vault().seal_bytes(TRANSFER_FILE, content), file.created_at, file.ebics_connection,
        file.instant,
    )  # fmt: skip
    tx.run(
        "INSERT INTO transfers (shop_id, end_to_end_id, refund_id, attempt, file_id, amount_minor, iban, holder,"
        " status, released, created_at) SELECT $1, r.end_to_end_id, r.refund_id, r.attempt, r.file_id, r.amount_minor,"
        " r.iban, r.holder, r.status, r.released, $3 FROM json_to_recordset($2::json) AS r(end_to_end_id text,"
        " refund_id text, attempt int, file_id text, amount_minor bigint, iban text, holder text, status text,"
        " released boolean) RETURNING 1",
        tx.shop_id,
        _ENCODE([replace(row, iban=tx.vault().seal(TRANSFER_PAYEE, row.iban)) for row in rows]).decode(),
        file.created_at,
    )


SENT_BY_THEMSELVES: Final = """
SELECT coalesce(sum(t.amount_minor), 0)::bigint FROM transfers t
JOIN transfer_files f ON f.shop_id = t.shop_id AND f.id = t.file_id
WHERE t.shop_id = $1 AND f.currency = $2 AND t.created_at > $3 AND NOT t.released AND t.status <> 'DISCARDED'"""


def sent_by_themselves(tx: ShopTx, currency: str, since: datetime) -> int:
    """Sum of the transfers in `currency` that no person released, put into files after `since`.

    The caller holds the lock of runs, so that no other run adds to it.
    """
    found: int = tx.value(SENT_BY_THEMSELVES, tx.shop_id, currency, since)
    return found


def release_refunds(tx: ShopTx, file_id: str, status: str, now: datetime) -> int:
    """Writes `status` to the refunds of the file; their number."""
    return tx.run(
        "UPDATE refunds r SET status = $3, transfer_file_id = $2, held_reason = '', updated_at = $4 FROM transfers t"
        " WHERE t.shop_id = $1 AND t.file_id = $2 AND r.shop_id = $1 AND r.id = t.refund_id",
        tx.shop_id,
        file_id,
        status,
        now,
    )


def files(tx: ShopTx, *, unwritten_only: bool = False) -> list[FileRow]:
    """The shop's transfer files but for discarded ones, oldest first; `unwritten_only`: those that a folder awaits."""
    condition = " AND f.discarded_at IS NULL"
    if unwritten_only:
        condition += " AND f.written_at IS NULL AND f.ebics_connection = ''"
    rows = tx.rows(f"SELECT {_FILE} FROM transfer_files f WHERE f.shop_id = $1{condition} ORDER BY f.id", tx.shop_id)
    return [build(FileRow, row) for row in rows]


def content(tx: ShopTx, file_id: str) -> bytes:
    """The bytes of a transfer file."""
    found = tx.value("SELECT content FROM transfer_files WHERE shop_id = $1 AND id = $2", tx.shop_id, file_id)
    return tx.vault().open_bytes(TRANSFER_FILE, bytes(found))


def set_written(tx: ShopTx, file_id: str, now: datetime) -> bool:
    """Records that the file is on disk: no later run writes it again automatically.

    False if it was discarded meanwhile, or goes by EBICS: a file uses one channel only (D-104).
    """
    return bool(
        tx.run(
            "UPDATE transfer_files SET written_at = coalesce(written_at, $3) WHERE shop_id = $1 AND id = $2"
            " AND discarded_at IS NULL AND ebics_connection = ''",
            tx.shop_id,
            file_id,
            now,
        )
    )


def set_discarded(tx: ShopTx, file_id: str, now: datetime) -> None:
    """Marks the file as no longer written to a folder."""
    tx.run("UPDATE transfer_files SET discarded_at = $3 WHERE shop_id = $1 AND id = $2", tx.shop_id, file_id, now)


def is_in_postings(tx: ShopTx, file: FileRow) -> bool:
    """Whether a posting names the file or one of its transfers, in any status."""
    found: bool = tx.value(
        "SELECT EXISTS (SELECT FROM transfers t JOIN postings p ON p.shop_id = t.shop_id"
        " AND p.end_to_end_id <> '' AND p.end_to_end_id = t.end_to_end_id WHERE t.shop_id = $1 AND t.file_id = $2)"
        " OR EXISTS (SELECT FROM postings WHERE shop_id = $1 AND batch_id IN ($3, $4) AND batch_id <> '')",
        tx.shop_id,
        file.id,
        file.message_id,
        file.payment_information_id,
    )
    return found


def by_names(tx: ShopTx, names: Sequence[str]) -> list[FileRow]:
    """Files whose message id or payment information id is among `names`."""
    rows = tx.rows(
        f"SELECT {_FILE} FROM transfer_files f WHERE f.shop_id = $1 AND"
        " (f.message_id = ANY($2) OR f.payment_information_id = ANY($2)) ORDER BY f.id",
        tx.shop_id,
        list(names),
    )
    return [build(FileRow, row) for row in rows]


def by_ids(tx: ShopTx, file_ids: Sequence[str]) -> list[FileRow]:
    """The transfer files with these ids, oldest first."""
    rows = tx.rows(
        f"SELECT {_FILE} FROM transfer_files f WHERE f.shop_id = $1 AND f.id = ANY($2) ORDER BY f.id",
        tx.shop_id,
        list(file_ids),
    )
    return [build(FileRow, row) for row in rows]


def of_files(tx: ShopTx, file_ids: Sequence[str]) -> list[TransferRow]:
    """The transfers of the files; the caller holds the locks of their refunds before it changes them."""
    rows = tx.rows(
        f"SELECT {_TRANSFER} FROM transfers t WHERE t.shop_id = $1 AND t.file_id = ANY($2) ORDER BY t.end_to_end_id",
        tx.shop_id,
        list(file_ids),
    )
    return [_transfer(row, tx.vault()) for row in rows]


def of_refunds(tx: ShopTx, refund_ids: Sequence[str]) -> list[TransferRow]:
    """All attempts of the refunds."""
    rows = tx.rows(
        f"SELECT {_TRANSFER} FROM transfers t WHERE t.shop_id = $1 AND t.refund_id = ANY($2)"
        " ORDER BY t.refund_id, t.attempt",
        tx.shop_id,
        list(refund_ids),
    )
    return [_transfer(row, tx.vault()) for row in rows]


def _transfer(row: Row, vault: Vault) -> TransferRow:
    return build(TransferRow, row, iban=vault.open(TRANSFER_PAYEE, row.iban), status=TransferStatus(row.status))


def answer(
    tx: ShopTx,
    end_to_end_id: str,
    status: TransferStatus,
    *,
    bank_status: str = "",
    bank_code: str = "",
    bank_name: str = "",
    debit_posting_id: str = "",
    return_posting_id: str = "",
) -> None:
    """Writes the bank's report on a transfer; "" keeps the previous one."""
    tx.run(
        "UPDATE transfers SET status = $3, bank_status = coalesce(nullif($4, ''), bank_status),"
        " bank_code = coalesce(nullif($5, ''), bank_code), bank_name = coalesce(nullif($8, ''), bank_name),"
        " debit_posting_id = coalesce(nullif($6, ''), debit_posting_id),"
        " return_posting_id = coalesce(nullif($7, ''), return_posting_id)"
        " WHERE shop_id = $1 AND end_to_end_id = $2",
        tx.shop_id, end_to_end_id, status, bank_status, bank_code, debit_posting_id, return_posting_id,
        bank_name,
    )  # fmt: skip


def forget_postings(tx: ShopTx, posting_ids: Sequence[str]) -> None:
    """Removes the postings as proof of transfers."""
    tx.run(
        "UPDATE transfers SET"
        " debit_posting_id = CASE WHEN debit_posting_id = ANY($2) THEN '' ELSE debit_posting_id END,"
        " return_posting_id = CASE WHEN return_posting_id = ANY($2) THEN '' ELSE return_posting_id END"
        " WHERE shop_id = $1 AND (debit_posting_id = ANY($2) OR return_posting_id = ANY($2))",
        tx.shop_id,
        list(posting_ids),
    )


def unanswered_files(tx: ShopTx, executed_before: date) -> list[tuple[str, str, date, int]]:
    """(file id, message id, execution date, transfers without an answer) of files to be executed before a day."""
    return [
        (file_id, message_id, execution_date, transfers)
        for file_id, message_id, execution_date, transfers in tx.rows(
            "SELECT f.id, f.message_id, f.execution_date, count(*) FROM transfers t JOIN transfer_files f"
            " ON f.shop_id = t.shop_id AND f.id = t.file_id WHERE t.shop_id = $1 AND t.status = 'RELEASED'"
            " AND f.execution_date < $2 GROUP BY 1, 2, 3 ORDER BY 1",
            tx.shop_id,
            executed_before,
        )
    ]


def settled_without_debit(tx: ShopTx) -> list[tuple[str, str, date, int, date]]:
    """(file id, message id, execution date, transfers without a debit, last day of the account's statements) of files
    whose transfers a report called settled; none for an account without statements.
    """
    rows = tx.rows(
        "SELECT f.id, f.message_id, f.execution_date, count(*), (SELECT max(s.last_date) FROM statements s"
        " WHERE s.shop_id = $1 AND s.account = f.account AND s.currency = f.currency) AS shown_until"
        " FROM transfers t JOIN transfer_files f ON f.shop_id = t.shop_id AND f.id = t.file_id"
        " WHERE t.shop_id = $1 AND t.status = 'BOOKED' AND t.debit_posting_id = '' GROUP BY f.shop_id, f.id ORDER BY 1",
        tx.shop_id,
    )
    return [
        (file_id, message_id, day, count, shown_until)
        for file_id, message_id, day, count, shown_until in rows
        if shown_until is not None
    ]
