"""The log of EBICS orders: request, the bank's number for it, and its answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from paymatch.store.connection import build
from paymatch.store.ids import new_id
from paymatch.store.messages import message_of, message_to_json
from paymatch.store.transactions import ShopTx


@dataclass(frozen=True, slots=True)
class EbicsOrder:
    """An order. `ended_at` None: no answer was recorded; `outcome` done, nothing, refused, failed, uncertain or ""."""

    id: str
    connection_id: str
    order_type: str
    subject: str
    file_id: str
    number: str
    outcome: str
    answer: str
    began_at: datetime
    ended_at: datetime | None


_NOTHING_KEPT: Final = "interval '90 days'"


def begin(tx: ShopTx, connection: str, order_type: str, at: datetime, *, subject: str = "", file_id: str = "") -> str:
    """Records an order before it is sent; returns its id."""
    order_id = new_id("eo", at)
    tx.run(
        "INSERT INTO ebics_orders (shop_id, id, connection_id, order_type, subject, file_id, began_at)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7)",
        tx.shop_id, order_id, connection, order_type, subject, file_id, at,
    )  # fmt: skip
    return order_id


def end(tx: ShopTx, order_id: str, outcome: str, at: datetime, *, number: str = "", answer: str = "") -> None:
    """Records the bank's answer; "" for `answer`: it was executed."""
    tx.run(
        "UPDATE ebics_orders SET outcome = $3, number = $4, answer = $5, ended_at = $6 WHERE shop_id = $1 AND id = $2",
        tx.shop_id, order_id, outcome, number, message_to_json(answer) if answer else None, at,
    )  # fmt: skip


def latest(tx: ShopTx, connection: str, limit: int) -> list[EbicsOrder]:
    """The connection's last orders, the newest first."""
    rows = tx.rows(
        "SELECT id, connection_id, order_type, subject, file_id, number, outcome, answer, began_at, ended_at"
        " FROM ebics_orders WHERE shop_id = $1 AND connection_id = $2 ORDER BY began_at DESC, id DESC LIMIT $3",
        tx.shop_id,
        connection,
        limit,
    )
    return [build(EbicsOrder, row, answer=message_of(row.answer)) for row in rows]


def forget_empty(tx: ShopTx, now: datetime) -> int:
    """Deletes orders of long ago for which the bank had nothing; how many. All others stay."""
    return tx.run(
        f"DELETE FROM ebics_orders WHERE shop_id = $1 AND outcome = 'nothing' AND began_at < $2 - {_NOTHING_KEPT}",
        tx.shop_id,
        now,
    )
