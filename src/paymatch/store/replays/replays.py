"""The state of a shop's replay, and the input that it has not played yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from paymatch.store.connection import build
from paymatch.store.sealing import REPLAY_PART
from paymatch.store.transactions import ShopId, ShopTx, Tx

WHOLE: Final = date.min
"""The day of files as they were given, before they are cut into days."""
KEPT: Final = timedelta(days=30)
"""A replay is erased this long after its end: its shop has no retention periods, for its clock has stopped."""
_BEGINS: Final = timedelta(minutes=2)
"""The time that a process has to create the replay's shop; it holds the shop from then on."""


class ReplayStatus(StrEnum):
    READING = "reading"  # its files wait to be read
    PLAYING = "playing"
    FINISHED = "finished"
    FAILED = "failed"  # a file cannot be read; `error` says why
    ERASING = "erasing"  # to be deleted as soon as no process works on it: a person says so, or its files never came


class PartKind(StrEnum):
    ORDERS_FILE = "orders-file"
    STATEMENT_FILE = "statement-file"
    DECISIONS_FILE = "decisions-file"
    ORDERS = "orders"
    STATEMENT = "statement"
    DECISIONS = "decisions"


@dataclass(frozen=True, slots=True)
class ReplayRow:
    """A shop's replay; `replay_shop` is the shop in which it is played, `day` the one that was played last."""

    replay_shop: UUID
    status: ReplayStatus
    created_at: datetime
    finished_at: datetime | None
    orders: int
    refused: int
    rows: int
    played: int
    day: date | None
    error: str  # a sentence as JSON, see store/messages.py
    notes: str
    result: str

    @property
    def percent(self) -> int:
        """How much of its orders and entries was played."""
        return self.played * 100 // self.rows if self.rows else 0


@dataclass(frozen=True, slots=True)
class ReplayPart:
    """A part of the input, opened."""

    kind: PartKind
    place: int
    name: str
    rows: int
    content: bytes


def find(tx: ShopTx, *, lock: bool = False) -> ReplayRow | None:
    """The shop's replay; None if it has none."""
    row = tx.row(
        "SELECT replay_shop, status, created_at, finished_at, orders, refused, rows, played, day, error, notes, result"
        f" FROM replays WHERE shop_id = $1{' FOR UPDATE' if lock else ''}",
        tx.shop_id,
    )
    return None if row is None else build(ReplayRow, row, status=ReplayStatus(row.status))


def add(tx: ShopTx, replay_shop: UUID, now: datetime) -> bool:
    """Notes a replay of the transaction's shop, to be erased unless its files come; False if it has one."""
    return bool(
        tx.run(
            "INSERT INTO replays (shop_id, replay_shop, status, created_at) VALUES ($1, $2, 'erasing', $3)"
            " ON CONFLICT (shop_id) DO NOTHING",
            tx.shop_id,
            replay_shop,
            now,
        )
    )


def set_reading(tx: ShopTx, replay_shop: UUID) -> bool:
    """All files of the replay are there; False if it was erased meanwhile."""
    return bool(
        tx.run(
            "UPDATE replays SET status = 'reading' WHERE shop_id = $1 AND replay_shop = $2 AND status = 'erasing'",
            tx.shop_id,
            replay_shop,
        )
    )


def set_read(tx: ShopTx, *, orders: int, refused: int, rows: int, notes: str) -> None:
    """The files are read and cut into days."""
    tx.run(
        "UPDATE replays SET status = 'playing', orders = $2, refused = $3, rows = $4, notes = $5 WHERE shop_id = $1",
        tx.shop_id, orders, refused, rows, notes,
    )  # fmt: skip


def set_played(tx: ShopTx, day: date, rows: int) -> None:
    """A day was played, with so many of its orders and entries."""
    tx.run("UPDATE replays SET day = $2, played = played + $3 WHERE shop_id = $1", tx.shop_id, day, rows)


def set_finished(tx: ShopTx, result: str, now: datetime) -> None:
    """All days are played; `result` is what they came to, as JSON."""
    tx.run(
        "UPDATE replays SET status = 'finished', result = $2, finished_at = $3 WHERE shop_id = $1",
        tx.shop_id, result, now,
    )  # fmt: skip


def set_failed(tx: ShopTx, error: str, now: datetime) -> None:
    """The replay cannot go on; `error` is a sentence as JSON."""
    tx.run(
        "UPDATE replays SET status = 'failed', error = $2, finished_at = $3 WHERE shop_id = $1",
        tx.shop_id, error, now,
    )  # fmt: skip


def set_erasing(tx: ShopTx) -> None:
    """A person has said that the replay is to be erased."""
    tx.run("UPDATE replays SET status = 'erasing' WHERE shop_id = $1", tx.shop_id)


def remove(tx: ShopTx) -> None:
    """Forgets that the shop had a replay."""
    tx.run("DELETE FROM replays WHERE shop_id = $1", tx.shop_id)


def shops_with_due(tx: Tx, clock: datetime) -> list[ShopId]:
    """Shops with a replay to be played or erased that no process works on; needs the operator's view."""
    rows = tx.rows(
        "SELECT r.shop_id FROM replays r LEFT JOIN shops s ON s.shop_id = r.replay_shop"
        " WHERE (r.status IN ('reading', 'playing') OR r.finished_at <= $2"
        "  OR r.status = 'erasing' AND (s.shop_id IS NOT NULL OR r.created_at <= $3))"
        " AND (s.sandbox_held_until IS NULL OR s.sandbox_held_until <= $1)"
        " AND NOT EXISTS (SELECT FROM shop_jobs j WHERE j.shop_id = r.shop_id AND j.kind = 'replay'"
        " AND (j.claimed_until > $1 OR j.failures > 0 AND j.due_at > $1))",
        clock, clock - KEPT, clock - _BEGINS,
    )  # fmt: skip
    return [ShopId(row[0]) for row in rows]


def add_part(tx: ShopTx, day: date, part: ReplayPart) -> None:
    """Keeps a part of the input for its day; of the replay's shop."""
    tx.put(
        "INSERT INTO replay_parts (shop_id, day, kind, place, name, rows, content) VALUES ($1, $2, $3, $4, $5, $6, $7)"
        " ON CONFLICT (shop_id, day, kind, place) DO UPDATE SET content = excluded.content, rows = excluded.rows",
        tx.shop_id, day, part.kind, part.place, part.name, part.rows,
        tx.vault().seal_bytes_once(REPLAY_PART, part.content),
    )  # fmt: skip


def next_day(tx: ShopTx) -> date | None:
    """The first day with orders or statements that were not played; None if there is none."""
    found: date | None = tx.value(
        "SELECT min(day) FROM replay_parts WHERE shop_id = $1 AND day > $2 AND kind <> 'decisions'", tx.shop_id, WHOLE
    )
    return found


def decision_parts(tx: ShopTx, first: date, last: date, always: date) -> list[tuple[date, ReplayPart]]:
    """Decisions that name a day of the span, or are kept on the day `always`, each with its day."""
    days = [row[0] for row in tx.rows(
        "SELECT DISTINCT day FROM replay_parts WHERE shop_id = $1 AND kind = 'decisions'"
        " AND (day BETWEEN $2 AND $3 OR day = $4) ORDER BY day",
        tx.shop_id, first, last, always,
    )]  # fmt: skip
    return [(day, part) for day in days for part in parts(tx, day, [PartKind.DECISIONS])]


def drop_part(tx: ShopTx, day: date, part: ReplayPart) -> None:
    """Forgets one part of the input."""
    tx.put(
        "DELETE FROM replay_parts WHERE shop_id = $1 AND day = $2 AND kind = $3 AND place = $4",
        tx.shop_id, day, part.kind, part.place,
    )  # fmt: skip


def count_decisions(tx: ShopTx) -> int:
    """Decisions of the other system that were not found among the postings."""
    found: int = tx.value(
        "SELECT coalesce(sum(rows), 0)::bigint FROM replay_parts WHERE shop_id = $1 AND kind = 'decisions'", tx.shop_id
    )
    return found


def parts(tx: ShopTx, day: date, kinds: Sequence[PartKind]) -> list[ReplayPart]:
    """The day's input of these kinds, in its order."""
    rows = tx.rows(
        "SELECT kind, place, name, rows, content FROM replay_parts WHERE shop_id = $1 AND day = $2 AND kind = ANY($3)"
        " ORDER BY kind, place",
        tx.shop_id, day, list(kinds),
    )  # fmt: skip
    vault = tx.vault()
    return [
        ReplayPart(PartKind(kind), place, name, count, vault.open_bytes_once(REPLAY_PART, bytes(content)))
        for kind, place, name, count, content in rows
    ]


def drop_parts(tx: ShopTx, day: date) -> int:
    """Forgets the day's orders and statements, which were played; how many orders and entries it had."""
    rows = tx.rows(
        "DELETE FROM replay_parts WHERE shop_id = $1 AND day = $2 AND kind <> 'decisions' RETURNING rows",
        tx.shop_id, day,
    )  # fmt: skip
    return sum(count for (count,) in rows)


def drop_all_parts(tx: ShopTx) -> None:
    """Forgets what a reading that was interrupted had cut into days."""
    tx.run("DELETE FROM replay_parts WHERE shop_id = $1 AND day > $2", tx.shop_id, WHOLE)


def move_parts(tx: ShopTx, kind: PartKind, until: date) -> None:
    """Input of a kind of before the day comes on it."""
    tx.run(
        "UPDATE replay_parts SET day = $3 WHERE shop_id = $1 AND kind = $2 AND day > $4 AND day < $3",
        tx.shop_id, kind, until, WHOLE,
    )  # fmt: skip


def drop_parts_after(tx: ShopTx, last: date) -> None:
    """Orders of after the day are not played."""
    tx.run("DELETE FROM replay_parts WHERE shop_id = $1 AND day > $2 AND kind <> 'decisions'", tx.shop_id, last)


def count_rows(tx: ShopTx) -> int:
    """Orders and entries that are still to be played."""
    found: int = tx.value(
        "SELECT coalesce(sum(rows), 0)::bigint FROM replay_parts WHERE shop_id = $1 AND day > $2"
        " AND kind <> 'decisions'",
        tx.shop_id, WHOLE,
    )  # fmt: skip
    return found


def count_refused(tx: ShopTx) -> None:
    """One more order was refused, by a rule about what is stored."""
    tx.run("UPDATE replays SET refused = refused + 1 WHERE shop_id = $1", tx.shop_id)
