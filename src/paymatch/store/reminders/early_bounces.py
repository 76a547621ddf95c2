"""Reports on mail that is not known to have gone out, in PostgreSQL: all of it needs the operator's view."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from paymatch.formats.mail.delivery_report import Bounce
from paymatch.store.connection import build
from paymatch.store.transactions import Tx

MOST: Final = 1_000
"""Kept at once: anyone can send such reports to a mailbox."""


def keep(tx: Tx, bounce: Bounce, now: datetime) -> None:
    """Keeps a report until its mail is known; nothing if too many wait already."""
    tx.run(
        "INSERT INTO early_bounces (message_id, provider_id, recipient, reason, told_at) SELECT $1, $2, $3, $4, $5"
        " WHERE (SELECT count(*) FROM early_bounces) < $6 ON CONFLICT DO NOTHING",
        bounce.message_id, bounce.provider_id, bounce.recipient, bounce.reason, now, MOST,
    )  # fmt: skip


def waiting_bounces(tx: Tx) -> list[Bounce]:
    """The reports that are kept, oldest first."""
    rows = tx.rows("SELECT recipient, reason, message_id, provider_id FROM early_bounces ORDER BY told_at, message_id")
    return [build(Bounce, row) for row in rows]


def forget(tx: Tx, bounce: Bounce) -> None:
    """The report is taken."""
    tx.run(
        "DELETE FROM early_bounces WHERE message_id = $1 AND provider_id = $2", bounce.message_id, bounce.provider_id
    )


def forget_old(tx: Tx, before: datetime) -> None:
    """Reports from before a moment belong to no mail."""
    tx.run("DELETE FROM early_bounces WHERE told_at < $1", before)
