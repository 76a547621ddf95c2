"""PostgreSQL counts the rows of a table that has grown, so that its plans fit what is in it (D-135)."""

from __future__ import annotations

from paymatch.store.transactions import OperatorTx


def count_most_grown(tx: OperatorTx) -> str:
    """Has the table counted that has grown most since its last count; its name, "" if none has grown."""
    return str(tx.value("SELECT count_grown_rows()"))
