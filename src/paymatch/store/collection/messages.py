"""Messages for the collection agency, and its processed reports, in PostgreSQL."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from paymatch.store.connection import build
from paymatch.store.transactions import ShopTx


class MessageKind(StrEnum):
    """What a message says."""

    HANDOVER = "handover"
    PAYMENT = "payment"  # the open amount has changed: a direct payment, a return, a refund
    WITHDRAWAL = "withdrawal"


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message about a case, the `position`th; `open_minor`: the open amount at the time."""

    case_id: str
    position: int
    order_number: str
    kind: MessageKind
    at: datetime
    open_minor: int

    @property
    def id(self) -> str:
        """Its id for both sides."""
        return f"{self.case_id}-{self.position}"


def add(tx: ShopTx, case_id: str, number: str, kind: MessageKind, *, open_minor: int, now: datetime) -> None:
    """Stores the next message of a case, which is to be delivered; the caller holds the order's lock."""
    tx.run(
        "INSERT INTO collection_messages (shop_id, case_id, position, order_number, kind, at, open_minor)"
        " SELECT $1, $2, count(*) + 1, $3, $4, $5, $6 FROM collection_messages WHERE shop_id = $1 AND case_id = $2"
        " RETURNING 1",
        tx.shop_id, case_id, number, kind, now, open_minor,
    )  # fmt: skip


def waiting_messages(tx: ShopTx, without: Collection[str], limit: int) -> list[MessageRow]:
    """Undelivered messages to the agency, oldest first; none of the cases `without`."""
    rows = tx.rows(
        "SELECT case_id, position, order_number, kind, at, open_minor FROM collection_messages"
        " WHERE shop_id = $1 AND delivered_at IS NULL AND case_id <> ALL($2)"
        " ORDER BY at, case_id, position LIMIT $3",
        tx.shop_id,
        sorted(without),
        limit,
    )
    return [build(MessageRow, row, kind=MessageKind(row.kind)) for row in rows]


def delivered_messages(tx: ShopTx, number: str) -> list[MessageRow]:
    """Delivered messages about an order, oldest first."""
    rows = tx.rows(
        "SELECT case_id, position, order_number, kind, at, open_minor FROM collection_messages"
        " WHERE shop_id = $1 AND order_number = $2 AND delivered_at IS NOT NULL ORDER BY at, case_id, position",
        tx.shop_id,
        number,
    )
    return [build(MessageRow, row, kind=MessageKind(row.kind)) for row in rows]


def set_delivered(tx: ShopTx, message: MessageRow, now: datetime) -> None:
    """The agency has it."""
    tx.run(
        "UPDATE collection_messages SET delivered_at = $4 WHERE shop_id = $1 AND case_id = $2 AND position = $3",
        tx.shop_id,
        message.case_id,
        message.position,
        now,
    )


def take_report(tx: ShopTx, digest: bytes, name: str, now: datetime) -> bool:
    """Records that a report is processed; False if it already was."""
    return bool(
        tx.run(
            "INSERT INTO collection_reports (shop_id, hash, name, at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
            tx.shop_id,
            digest,
            name,
            now,
        )
    )
