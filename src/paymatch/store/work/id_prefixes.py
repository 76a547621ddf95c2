"""Ids that begin with a typed text."""

from __future__ import annotations

from typing import Literal

from paymatch.store.transactions import ShopTx

Numbered = Literal[
    "postings",
    "refunds",
    "callbacks",
    "mails",
    "alerts",
    "imports",
    "api_keys",
    "letters",
    "letter_runs",
    "order_syncs",
    "order_imports",
    "payer_rules",
]
"""Tables whose ids people type."""


def beginning_with(tx: ShopTx, table: Numbered, text: str, limit: int) -> list[str]:
    """Up to `limit` ids of the shop that begin with a text."""
    statement = f"SELECT id FROM {table} WHERE shop_id = $1 AND starts_with(id, $2) ORDER BY id LIMIT $3"
    return [row[0] for row in tx.rows(statement, tx.shop_id, text, limit)]
