"""Analyses grown tables, so PostgreSQL's plans fit their contents (D-135)."""

from __future__ import annotations

from paymatch.store.transactions import OperatorTx


def count_most_grown(tx: OperatorTx) -> str:
    """Analyses the table that has grown most since its last analysis; returns its name, "" if none has grown."""
    return str(tx.value("SELECT count_grown_rows()"))
