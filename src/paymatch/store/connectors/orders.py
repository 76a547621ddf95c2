"""Orders from connectors, in PostgreSQL: their ids in the shop, problems, and pending writes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from paymatch.domain.connectors.taking import KnownConnectorOrder
from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.words.message import Message
from paymatch.store.connection import build
from paymatch.store.messages import message_of, message_to_json
from paymatch.store.transactions import ShopTx, Tx


@dataclass(frozen=True, slots=True)
class ConnectorOrderLink:
    """An imported order: its number here, and its last state in the shop and here."""

    order_number: str
    known: KnownConnectorOrder


def links(tx: ShopTx, connector: str, external_ids: Sequence[str]) -> dict[str, ConnectorOrderLink]:
    """The imported orders among these, by their ids in the shop."""
    rows = tx.rows(
        "SELECT c.external_id, c.order_number, c.state, o.status, c.our_states FROM connector_orders c"
        " JOIN orders o ON o.shop_id = c.shop_id AND o.number = c.order_number"
        " WHERE c.shop_id = $1 AND c.connector = $2 AND c.external_id = ANY($3) AND c.taken",
        tx.shop_id,
        connector,
        list(external_ids),
    )
    return {
        row.external_id: ConnectorOrderLink(
            row.order_number, KnownConnectorOrder(row.state, PaymentStatus(row.status), frozenset(row.our_states))
        )
        for row in rows
    }


def owner_of(tx: ShopTx, number: str) -> tuple[str, str] | None:
    """(connector, id in the shop) of the order with this number; None if it came by another channel or is unknown."""
    row = tx.row(
        "SELECT connector, external_id FROM connector_orders WHERE shop_id = $1 AND order_number = $2 AND taken",
        tx.shop_id,
        number,
    )
    return None if row is None else (row[0], row[1])


def set_taken(tx: ShopTx, connector: str, external_id: str, number: str, state: str, clock: datetime) -> None:
    """Records the order as imported with this state in the shop; clears an earlier import problem."""
    tx.run(
        "INSERT INTO connector_orders (shop_id, connector, external_id, order_number, taken, state, seen_at)"
        " VALUES ($1, $2, $3, $4, true, $5, $6) ON CONFLICT (shop_id, connector, external_id) DO UPDATE SET"
        " order_number = excluded.order_number, taken = true, state = excluded.state, seen_at = excluded.seen_at,"
        " problem = NULL, problem_at = NULL",
        tx.shop_id, connector, external_id, number, state, clock,
    )  # fmt: skip


def set_problem(tx: ShopTx, connector: str, external_id: str, number: str, problem: Message, clock: datetime) -> bool:
    """Records that the order, or its change, was not imported; returns whether that is new. Earlier imports stay."""
    return bool(
        tx.run(
            "INSERT INTO connector_orders (shop_id, connector, external_id, order_number, taken, state, seen_at,"
            " problem, problem_at) VALUES ($1, $2, $3, $4, false, '', $6, $5, $6)"
            " ON CONFLICT (shop_id, connector, external_id) DO UPDATE SET"
            " problem = excluded.problem, problem_at = excluded.problem_at,"
            " seen_at = excluded.seen_at WHERE connector_orders.problem IS DISTINCT FROM excluded.problem",
            tx.shop_id, connector, external_id, number, message_to_json(problem), clock,
        )
    )  # fmt: skip


def clear_problems(tx: ShopTx, connector: str, external_ids: Collection[str]) -> None:
    """Clears the import problems of orders that are deliberately not imported."""
    tx.run(
        "DELETE FROM connector_orders WHERE shop_id = $1 AND connector = $2 AND external_id = ANY($3) AND NOT taken",
        tx.shop_id,
        connector,
        list(external_ids),
    )


def forget_problems(tx: ShopTx, before: datetime) -> int:
    """Deletes orders that were never imported and last seen before then; returns their number."""
    return tx.run("DELETE FROM connector_orders WHERE shop_id = $1 AND NOT taken AND seen_at < $2", tx.shop_id, before)


@dataclass(frozen=True, slots=True)
class ListedConnectorOrder:
    """An order for lists; the problems are "" if there are none."""

    order_number: str
    external_id: str
    taken: bool
    state: str
    written_status: str
    written_at: datetime | None
    problem: str
    write_problem: str


_LISTED: Final = "order_number, external_id, taken, state, written_status, written_at, problem, write_problem"


def with_problems(tx: ShopTx, connector: str, limit: int) -> list[ListedConnectorOrder]:
    """Orders that need attention, the latest problem first."""
    return _list_orders(
        tx, f"SELECT {_LISTED} FROM connector_orders WHERE shop_id = $1 AND connector = $2"
        " AND (problem IS NOT NULL OR write_problem IS NOT NULL)"
        " ORDER BY greatest(problem_at, write_problem_at) DESC, external_id LIMIT $3",
        tx.shop_id, connector, limit,
    )  # fmt: skip


def last_written(tx: ShopTx, connector: str, limit: int) -> list[ListedConnectorOrder]:
    """Orders whose payment status was written back, the latest first."""
    return _list_orders(
        tx, f"SELECT {_LISTED} FROM connector_orders WHERE shop_id = $1 AND connector = $2 AND written_at IS NOT NULL"
        " ORDER BY written_at DESC, external_id LIMIT $3",
        tx.shop_id, connector, limit,
    )  # fmt: skip


def _list_orders(tx: Tx, statement: str, *params: object) -> list[ListedConnectorOrder]:
    rows = tx.rows(statement, *params)
    return [
        build(ListedConnectorOrder, row, problem=message_of(row.problem), write_problem=message_of(row.write_problem))
        for row in rows
    ]


@dataclass(frozen=True, slots=True)
class Problems:
    """The number of a connector's orders that need attention, and the latest of them."""

    count: int
    order_number: str
    problem: str
    at: datetime


def problems(tx: ShopTx) -> dict[str, Problems]:
    """Connector -> its orders that need attention; connectors without any are left out."""
    rows = tx.rows(
        "SELECT DISTINCT ON (connector) connector, count(*) OVER (PARTITION BY connector) AS count, order_number,"
        " coalesce(problem, write_problem) AS problem, greatest(problem_at, write_problem_at) AS at"
        " FROM connector_orders WHERE shop_id = $1 AND (problem IS NOT NULL OR write_problem IS NOT NULL)"
        " ORDER BY connector, greatest(problem_at, write_problem_at) DESC, external_id",
        tx.shop_id,
    )
    return {row.connector: Problems(row.count, row.order_number, message_of(row.problem), row.at) for row in rows}


def counts(tx: ShopTx, connector: str) -> tuple[int, int]:
    """The number of imported orders, and of those waiting to be written back."""
    row = tx.row(
        "SELECT count(*) FILTER (WHERE taken), count(write_at) FROM connector_orders WHERE shop_id = $1"
        " AND connector = $2",
        tx.shop_id,
        connector,
    )
    assert row is not None
    return row[0], row[1]
