"""Notes about an order besides its books: changes by the shop, comments of people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec

from paymatch.domain.words.message import as_text
from paymatch.store.transactions import ShopTx

_DOCUMENTS: Final = "SELECT number, doc FROM orders WHERE shop_id = $1 AND number = ANY($2)"
_ADD_CHANGES: Final = """
INSERT INTO order_changes (shop_id, order_number, seq, at, actor_kind, actor, fields)
SELECT $1, r.number, 1 + coalesce((SELECT max(c.seq) FROM order_changes c
                                   WHERE c.shop_id = $1 AND c.order_number = r.number), 0), $3, $4, $5, r.fields
FROM unnest($2::text[], $6::text[]) AS r(number, fields) ORDER BY r.number RETURNING 1"""
_ADD_COMMENT: Final = """
INSERT INTO order_comments (shop_id, order_number, seq, author, said, at)
SELECT $1, o.number, 1 + coalesce((SELECT max(c.seq) FROM order_comments c
                                   WHERE c.shop_id = $1 AND c.order_number = o.number), 0), $3, $4, $5
FROM orders o WHERE o.shop_id = $1 AND o.number = $2 RETURNING 1"""


def documents(tx: ShopTx, numbers: Sequence[str]) -> dict[str, bytes]:
    """Number -> the order as it was submitted last."""
    return {row.number: row.doc.encode() for row in tx.rows(_DOCUMENTS, tx.shop_id, list(numbers))}


def add_changes(tx: ShopTx, changes: Mapping[str, Mapping[str, Any]], now: datetime) -> None:
    """Stores the changes by the transaction's actor: number -> field -> (before, after). The orders are locked."""
    fields = [msgspec.json.encode(each, enc_hook=as_text).decode() for each in changes.values()]
    tx.put(_ADD_CHANGES, tx.shop_id, list(changes), now, tx.actor.kind, tx.actor.name, fields)


def add_comment(tx: ShopTx, number: str, said: str, now: datetime) -> bool:
    """Stores a comment by the transaction's actor; False if there is no such order, which is locked."""
    return bool(tx.run(_ADD_COMMENT, tx.shop_id, number, tx.actor.name, said, now))


def forget_changes(tx: ShopTx, before: datetime, limit: int) -> int:
    """Deletes at most `limit` changes from before a moment; returns their number."""
    return tx.run(
        "DELETE FROM order_changes c USING (SELECT order_number, seq FROM order_changes"
        " WHERE shop_id = $1 AND at < $2 ORDER BY at LIMIT $3) old"
        " WHERE c.shop_id = $1 AND c.order_number = old.order_number AND c.seq = old.seq",
        tx.shop_id,
        before,
        limit,
    )


def set_made_here(tx: ShopTx, numbers: Sequence[str]) -> None:
    """Records that a person created these orders in the merchant area, by form or from a file."""
    tx.run("UPDATE orders SET made_here = true WHERE shop_id = $1 AND number = ANY($2)", tx.shop_id, list(numbers))


def is_made_here(tx: ShopTx, number: str) -> bool:
    """Whether a person made the order in the merchant area; False for one that does not exist."""
    return bool(tx.value("SELECT made_here FROM orders WHERE shop_id = $1 AND number = $2", tx.shop_id, number))
