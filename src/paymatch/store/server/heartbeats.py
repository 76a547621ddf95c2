"""Heartbeats: when background processes were last at work."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from paymatch.store.transactions import OperatorTx, Tx

WORKER: Final = "worker"


def record(tx: OperatorTx, name: str, at: datetime) -> None:
    """Records that a process of this name is at work."""
    tx.run(
        "INSERT INTO heartbeats (name, at) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE"
        " SET at = greatest(heartbeats.at, excluded.at)",
        name,
        at,
    )


def last(tx: Tx, name: str) -> datetime | None:
    """When a process of this name was last at work; None if none ever was."""
    found: datetime | None = tx.value("SELECT max(at) FROM heartbeats WHERE name = $1", name)
    return found
