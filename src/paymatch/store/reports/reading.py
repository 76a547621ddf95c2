"""Rows of reports: fetched at once for a page, streamed for a whole report."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from paymatch.store.connection import Row
from paymatch.store.transactions import Tx


def each_row(tx: Tx, limit: int | None, statement: str, *params: Any) -> Iterable[Row]:
    """The rows of a statement whose last parameter is the limit; without one they are streamed."""
    return tx.stream(statement, *params, None) if limit is None else tx.rows(statement, *params, limit)
