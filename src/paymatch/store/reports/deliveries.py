"""Scheduled exports: periods and supplements, and the postings of each (D-115)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

import msgspec

from paymatch.store.connection import Row, build
from paymatch.store.transactions import ShopTx


class EndsEarly(msgspec.Struct, frozen=True):
    """An account whose statements end before a period's last bank day, and the last day that they show."""

    account: str
    currency: str
    known_to: date


@dataclass(frozen=True, slots=True)
class ExportDelivery:
    """A delivery. `supplement` is its number among the supplements; 0: a period.

    The days of a supplement are the booking dates of its postings.
    """

    number: int
    supplement: int
    first: date
    last: date
    prepared_date: date
    ends_early: tuple[EndsEarly, ...]


_COLUMNS: Final = "number, supplement, first_date AS first, last_date AS last, prepared_date, ends_early"


def _delivery(row: Row) -> ExportDelivery:
    said = row._asdict()
    ends_early = msgspec.json.decode(said.pop("ends_early"), type=tuple[EndsEarly, ...])
    return ExportDelivery(**said, ends_early=ends_early)


def unfinished_delivery(tx: ShopTx) -> ExportDelivery | None:
    """The prepared delivery that has not arrived; None if all have."""
    row = tx.row(
        f"SELECT {_COLUMNS} FROM export_deliveries WHERE shop_id = $1 AND delivered_at IS NULL ORDER BY number LIMIT 1",
        tx.shop_id,
    )
    return _delivery(row) if row is not None else None


def latest(tx: ShopTx) -> ExportDelivery | None:
    """The last prepared delivery; None before the first."""
    row = tx.row(
        f"SELECT {_COLUMNS} FROM export_deliveries WHERE shop_id = $1 ORDER BY number DESC LIMIT 1", tx.shop_id
    )
    return _delivery(row) if row is not None else None


def last_supplement(tx: ShopTx) -> int:
    """The number of the last supplement; 0 before the first."""
    found: int = tx.value("SELECT coalesce(max(supplement), 0) FROM export_deliveries WHERE shop_id = $1", tx.shop_id)
    return found


def add(tx: ShopTx, delivery: ExportDelivery) -> None:
    """Stores a prepared delivery."""
    tx.run(
        "INSERT INTO export_deliveries (shop_id, number, supplement, first_date, last_date, prepared_date, ends_early)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7)",
        tx.shop_id, delivery.number, delivery.supplement, delivery.first, delivery.last, delivery.prepared_date,
        msgspec.json.encode(delivery.ends_early).decode(),
    )  # fmt: skip


def set_delivered(tx: ShopTx, number: int, now: datetime) -> None:
    """Marks the delivery as arrived."""
    tx.run("UPDATE export_deliveries SET delivered_at = $3 WHERE shop_id = $1 AND number = $2", tx.shop_id, number, now)


_HAS_NOT_LEFT: Final = "NOT EXISTS (SELECT FROM exported_postings e WHERE e.shop_id = $1 AND e.posting_id = p.id)"
_LATE: Final = f"""
SELECT min(p.booking_date), max(p.booking_date) FROM postings p WHERE p.shop_id = $1 AND p.booking_date BETWEEN
    (SELECT min(d.first_date) FROM export_deliveries d WHERE d.shop_id = $1) AND $2 AND {_HAS_NOT_LEFT}"""
_CLAIM: Final = f"""
INSERT INTO exported_postings (shop_id, posting_id, number)
SELECT p.shop_id, p.id, $4 FROM postings p
WHERE p.shop_id = $1 AND p.booking_date BETWEEN $2 AND $3 AND {_HAS_NOT_LEFT} RETURNING 1"""


def late_days(tx: ShopTx, until: date) -> tuple[date, date] | None:
    """First and last booking date of unexported postings on exported days; None if there are none."""
    row = tx.row(_LATE, tx.shop_id, until)
    return (row[0], row[1]) if row is not None and row[0] is not None else None


def claim_postings(tx: ShopTx, delivery: ExportDelivery) -> None:
    """Assigns all unexported postings of these days to the delivery."""
    tx.run(_CLAIM, tx.shop_id, delivery.first, delivery.last, delivery.number)


def postings_of(tx: ShopTx, number: int) -> frozenset[str]:
    """The postings of a delivery."""
    rows = tx.rows("SELECT posting_id FROM exported_postings WHERE shop_id = $1 AND number = $2", tx.shop_id, number)
    return frozenset(row[0] for row in rows)


@dataclass(frozen=True, slots=True)
class StatementReach:
    """The last day that the final statements of a confirmed account show."""

    account: str
    currency: str
    known_to: date


_REACH: Final = """
SELECT b.account, b.currency, max(s.last_date) AS known_to FROM bank_accounts b
JOIN statements s ON s.shop_id = $1 AND s.account = b.account AND s.currency = b.currency AND s.source = 'FINAL'
WHERE b.shop_id = $1 AND b.confirmed AND s.last_date IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2"""


def reach(tx: ShopTx) -> Sequence[StatementReach]:
    """The last day of each confirmed account's statements; an account without any is left out."""
    return [build(StatementReach, row) for row in tx.rows(_REACH, tx.shop_id)]
