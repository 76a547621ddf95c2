"""Transfer files at the simulated bank: those it has not fetched yet, and the outcome of each refund."""

from __future__ import annotations

from datetime import datetime

from paymatch.store.transactions import ShopTx


def set_outcome(tx: ShopTx, external_reference: str, outcome: str, reason: str) -> None:
    """Sets the bank's outcome for the refund with this externalReference."""
    tx.run(
        "INSERT INTO sandbox_refund_outcomes (shop_id, external_reference, outcome, reason) VALUES ($1, $2, $3, $4)"
        " ON CONFLICT (shop_id, external_reference) DO UPDATE SET outcome = excluded.outcome, reason = excluded.reason",
        tx.shop_id,
        external_reference,
        outcome,
        reason,
    )


def outcomes(tx: ShopTx, file_id: str) -> dict[str, tuple[str, str]]:
    """EndToEndId -> (outcome, reason) of the transfers of a file with a chosen outcome."""
    rows = tx.rows(
        "SELECT t.end_to_end_id, o.outcome, o.reason FROM transfers t"
        " JOIN refunds r ON r.shop_id = t.shop_id AND r.id = t.refund_id"
        " JOIN sandbox_refund_outcomes o ON o.shop_id = r.shop_id AND o.external_reference = r.external_reference"
        " WHERE t.shop_id = $1 AND t.file_id = $2",
        tx.shop_id,
        file_id,
    )
    return {row[0]: (row[1], row[2]) for row in rows}


def untaken(tx: ShopTx) -> list[str]:
    """Ids of the transfer files that the bank has not fetched yet, oldest first."""
    rows = tx.rows(
        "SELECT f.id FROM transfer_files f WHERE f.shop_id = $1 AND f.discarded_at IS NULL"
        " AND NOT EXISTS (SELECT FROM sandbox_transfer_files s WHERE s.shop_id = $1 AND s.file_id = f.id)"
        " ORDER BY f.id",
        tx.shop_id,
    )
    return [row[0] for row in rows]


def set_taken(tx: ShopTx, file_id: str, now: datetime) -> bool:
    """The bank has the file; False if it had it already."""
    return bool(
        tx.run(
            "INSERT INTO sandbox_transfer_files (shop_id, file_id, taken_at) VALUES ($1, $2, $3)"
            " ON CONFLICT (shop_id, file_id) DO NOTHING",
            tx.shop_id,
            file_id,
            now,
        )
    )
