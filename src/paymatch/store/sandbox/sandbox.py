"""Sandbox shops in PostgreSQL: the mover of the clock, the next due work, the simulated bank's bookings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from paymatch.domain.postings import Posting
from paymatch.store.connection import Row, build
from paymatch.store.row_security import KEPT_FOR_EVER
from paymatch.store.shops.shops import SENDS_MAIL, SHOP_NOW
from paymatch.store.statements.posting_documents import from_facts, to_facts
from paymatch.store.transactions import ShopId, ShopTx, Tx


@dataclass(frozen=True, slots=True)
class BankBooking:
    """A booking of the simulated bank; `place` counts within its day."""

    id: str
    posting: Posting
    deliver_at: datetime
    formats: tuple[str, ...]
    delivered_twice: bool
    order_numbers: tuple[str, ...]
    place: int


@dataclass(frozen=True, slots=True)
class SimulatedBankFile:
    """A statement file that the simulated bank has written."""

    id: str
    name: str
    format: str
    day: date
    content: bytes


def hold(tx: ShopTx, clock: datetime, until: datetime) -> bool:
    """Claims the shop's due work from the workers until `until`; False if it is already claimed."""
    return bool(
        tx.run(
            "UPDATE shops SET sandbox_held_until = $3 WHERE shop_id = $1 AND sandbox"
            " AND (sandbox_held_until IS NULL OR sandbox_held_until <= $2)",
            tx.shop_id,
            clock,
            until,
        )
    )


def keep_holding(tx: ShopTx, until: datetime | None) -> None:
    """Prolongs the claim, or releases it with None."""
    tx.run("UPDATE shops SET sandbox_held_until = $2 WHERE shop_id = $1", tx.shop_id, until)


def under_way(tx: ShopTx, clock: datetime) -> int:
    """Callbacks, jobs, mails and letters claimed by a worker just now."""
    count: int = tx.value(
        "SELECT (SELECT count(*) FROM callbacks WHERE shop_id = $1 AND claimed_until > $2)"
        " + (SELECT count(*) FROM shop_jobs WHERE shop_id = $1 AND claimed_until > $2)"
        " + (SELECT count(*) FROM reminder_dues WHERE shop_id = $1 AND claimed_until > $2)"
        " + (SELECT count(*) FROM letters WHERE shop_id = $1 AND claimed_until > $2)",
        tx.shop_id,
        clock,
    )
    return count


def forget_claims(tx: ShopTx) -> None:
    """Releases claimed callbacks, mails and jobs, with the same ids."""
    free = "SET claimed_until = NULL WHERE shop_id = $1 AND claimed_until IS NOT NULL"
    tx.run(
        f"WITH calls AS (UPDATE callbacks {free}), mails AS (UPDATE reminder_dues {free}),"
        f" posts AS (UPDATE letters {free}) UPDATE shop_jobs {free}",
        tx.shop_id,
    )


def any_2xx(tx: ShopTx) -> bool:
    """Whether the shop takes every 2xx for success."""
    found: bool = tx.value("SELECT callback_success = '2xx' FROM shops WHERE shop_id = $1", tx.shop_id)
    return found


def now(tx: ShopTx, clock: datetime) -> datetime:
    """The time of the sandbox shop's clock."""
    found: datetime = tx.value(f"SELECT {SHOP_NOW} FROM shops s WHERE s.shop_id = $2 AND s.sandbox", clock, tx.shop_id)
    return found


def set_clock(tx: ShopTx, moment: datetime, *, held_until: datetime) -> None:
    """Sets the shop's clock to `moment`; it never goes back. The mover keeps its claim on the shop."""
    tx.run(
        "UPDATE shops SET sandbox_now = greatest(sandbox_now, $2), sandbox_held_until = $3 WHERE shop_id = $1",
        tx.shop_id,
        moment,
        held_until,
    )


@dataclass(frozen=True, slots=True)
class Due:
    """When the shop's next work of each kind is due; None: nothing is planned."""

    jobs: dict[str, datetime]  # kind -> when it is due or was due; without those that wait for their cause
    callbacks: datetime | None
    matching: datetime | None
    bank: datetime | None
    transfers: datetime | None  # a transfer file that the bank has not fetched yet
    refunds_from: date | None  # the first day for which a refund that is not sent is planned
    collection_from: (
        date | None
    )  # the first day on which an order may go to the agency or lapse, or the agency gets messages
    mail: datetime | None  # an order to be checked
    refund_requests: datetime | None  # a customer to be asked
    letters: datetime | None
    bank_silent: bool
    told_until: date | None  # the last day with a statement without bookings, None before the first


_NEXT_DUE: Final = """
SELECT ARRAY(SELECT kind FROM shop_jobs WHERE shop_id = $1 AND due_at IS NOT NULL ORDER BY kind),
       ARRAY(SELECT due_at FROM shop_jobs WHERE shop_id = $1 AND due_at IS NOT NULL ORDER BY kind),
       (SELECT min(c.due_at) FROM callbacks c JOIN shops s ON s.shop_id = c.shop_id
        WHERE c.shop_id = $1 AND c.status = 'PENDING' AND $2 AND s.callbacks_paused_at IS NULL),
       (SELECT min(rematch_at) FROM postings WHERE shop_id = $1 AND rematch_at IS NOT NULL),
       CASE WHEN NOT (SELECT sandbox_bank_silent FROM shops WHERE shop_id = $1) THEN
           least((SELECT min(deliver_at) FROM sandbox_bookings WHERE shop_id = $1 AND delivered_at IS NULL),
                 (SELECT min(created_at) FROM sandbox_files WHERE shop_id = $1 AND imported_at IS NULL)) END,
       (SELECT min(f.created_at) FROM transfer_files f WHERE f.shop_id = $1 AND NOT EXISTS (
            SELECT FROM sandbox_transfer_files s WHERE s.shop_id = $1 AND s.file_id = f.id)),
       (SELECT min(planned_date) FROM refunds WHERE shop_id = $1 AND status IN ('NEW', 'BANKDETAILS_MISSING')),
       least((SELECT min(r.sent_date + a.after_days) FROM collection_agencies a JOIN orders o ON o.shop_id = $1
                  AND o.status IN ('UNPAID', 'PAID_PARTIAL') AND o.mark IS NULL AND o.dunning_level >= $3
                  AND NOT o.stop_reminder AND NOT o.reminders_stopped
              JOIN reminders r ON r.shop_id = $1 AND r.order_number = o.number AND r.dunning_level = o.dunning_level
              WHERE a.shop_id = $1 AND a.after_days IS NOT NULL AND NOT EXISTS (
                  SELECT FROM collections c WHERE c.shop_id = $1 AND c.order_number = o.number)),
             (SELECT min(coalesce(r.sent_date, (o.payment_info_at AT TIME ZONE s.timezone)::date) + s.lapse_after_days)
              FROM shops s JOIN orders o ON o.shop_id = $1 AND o.status = 'UNPAID' AND o.type = 'PREPAYMENT'
                  AND o.payment_info_at IS NOT NULL AND NOT o.stop_reminder AND NOT o.reminders_stopped
              LEFT JOIN reminders r ON r.shop_id = $1 AND r.order_number = o.number
                  AND r.dunning_level = o.dunning_level
              WHERE s.shop_id = $1 AND s.lapse_after_days IS NOT NULL AND (NOT s.reminders OR o.dunning_level >= $3)),
             (SELECT min('epoch'::date) FROM collections c JOIN orders o ON o.shop_id = $1 AND o.number = c.order_number
              WHERE c.shop_id = $1 AND c.active AND (o.mark IS DISTINCT FROM 'COLLECTION'
                  OR o.amount_minor - o.postings_minor + o.refunded_minor <> c.told_open_minor)),
             (SELECT min('epoch'::date) FROM collection_messages WHERE shop_id = $1 AND delivered_at IS NULL)),
       (SELECT min(due_at) FROM reminder_dues WHERE shop_id = $1),
       (SELECT min(ask_at) FROM refunds WHERE shop_id = $1),
       (SELECT min(due_at) FROM letters WHERE shop_id = $1),
       (SELECT sandbox_bank_silent FROM shops WHERE shop_id = $1),
       (SELECT sandbox_told_until FROM shops WHERE shop_id = $1)"""


def next_due(tx: ShopTx, levels: int, *, sends_callbacks: bool) -> Due:
    """The planned work, in one round trip, as a clock asks for it after each step.

    Callbacks only if the shop sends them and they are not paused. `levels`: how many reminders the shop's plan has.
    """
    row = tx.row(_NEXT_DUE, tx.shop_id, sends_callbacks, levels)
    assert row is not None
    kinds, due_at, *others = row
    return Due(dict(zip(kinds, due_at, strict=True)), *others)


_LAST_EVENING: Final = (
    f"(((({SHOP_NOW}) AT TIME ZONE s.timezone - interval '18 hours')::date + interval '18 hours')"
    " AT TIME ZONE s.timezone)"
)
"""When the bank last closed its day (`BANK_DAY_ENDS`)."""


def shops_with_bank_work(tx: Tx, clock: datetime) -> list[ShopId]:
    """Shops whose clock follows the real time and whose bank has files to deliver or to take; the operator's view.

    For a stopped or moving clock, its mover does the bank's work.
    """
    rows = tx.rows(
        "SELECT s.shop_id FROM shops s WHERE s.sandbox AND NOT s.sandbox_stands"
        " AND (s.sandbox_held_until IS NULL OR s.sandbox_held_until <= $1)"
        " AND NOT EXISTS (SELECT FROM shop_jobs j WHERE j.shop_id = s.shop_id AND j.kind = 'sandbox-bank'"
        f" AND (j.claimed_until > $1 OR j.due_at > {SHOP_NOW})) AND ("
        "NOT s.sandbox_bank_silent AND ("
        "EXISTS (SELECT FROM sandbox_bookings b WHERE b.shop_id = s.shop_id AND b.delivered_at IS NULL"
        f" AND b.deliver_at <= {SHOP_NOW})"
        " OR EXISTS (SELECT FROM sandbox_files f WHERE f.shop_id = s.shop_id AND f.imported_at IS NULL)"
        # Shops whose mail waits for complete statements also get statements of quiet days: once after each evening.
        f" OR ({SENDS_MAIL} AND {_LAST_EVENING} > coalesce("
        "(SELECT j.last_done_at FROM shop_jobs j WHERE j.shop_id = s.shop_id AND j.kind = 'sandbox-bank'),"
        " s.created_at)))"
        " OR EXISTS (SELECT FROM transfer_files f WHERE f.shop_id = s.shop_id AND NOT EXISTS ("
        "SELECT FROM sandbox_transfer_files t WHERE t.shop_id = f.shop_id AND t.file_id = f.id)))",
        clock,
    )
    return [ShopId(row[0]) for row in rows]


def bank_days_told(tx: ShopTx) -> tuple[bool, date | None]:
    """(whether the bank is silent, the last day with a statement without bookings, None before the first)."""
    row = tx.row("SELECT sandbox_bank_silent, sandbox_told_until FROM shops WHERE shop_id = $1", tx.shop_id)
    assert row is not None
    return row[0], row[1]


def set_told(tx: ShopTx, day: date) -> None:
    """Records that the bank has delivered the day, with or without bookings."""
    tx.run("UPDATE shops SET sandbox_told_until = $2 WHERE shop_id = $1", tx.shop_id, day)


def set_silent(tx: ShopTx, *, silent: bool) -> None:
    """Makes the bank silent or not: a silent bank delivers nothing, and later everything at once."""
    tx.run("UPDATE shops SET sandbox_bank_silent = $2 WHERE shop_id = $1", tx.shop_id, silent)


def booked_on(tx: ShopTx, account: str, currency: str, day: date) -> bool:
    """Whether anything was booked on the account on this day."""
    found: bool = tx.value(
        "SELECT EXISTS (SELECT FROM sandbox_bookings WHERE shop_id = $1 AND account = $2 AND currency = $3"
        " AND booking_date = $4)",
        tx.shop_id, account, currency, day,
    )  # fmt: skip
    return found


def next_place(tx: ShopTx, day: date) -> int:
    """The place of the next booking of the day, from 0; locks the bank's books until the commit."""
    tx.run("SELECT pg_advisory_xact_lock(hashtextextended('sandbox bank ' || $1::text, 0))", str(tx.shop_id))
    found: int = tx.value(
        "SELECT count(*) FROM sandbox_bookings WHERE shop_id = $1 AND booking_date = $2", tx.shop_id, day
    )
    return found


def add_bookings(tx: ShopTx, bookings: Sequence[BankBooking]) -> None:
    """Books at the simulated bank."""
    for booking in bookings:
        posting = booking.posting
        tx.run(
            "INSERT INTO sandbox_bookings (shop_id, id, place, account, currency, booking_date, deliver_at, formats,"
            " delivered_twice, facts, order_numbers) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            tx.shop_id, booking.id, booking.place, posting.account, posting.currency, posting.booking_date,
            booking.deliver_at, list(booking.formats), booking.delivered_twice, to_facts(posting),
            list(booking.order_numbers),
        )  # fmt: skip


_COLUMNS: Final = "id, facts, deliver_at, formats, delivered_twice, order_numbers, place"


def _booking(row: Row) -> BankBooking:
    return BankBooking(
        row.id, from_facts(row.facts), row.deliver_at, tuple(row.formats), row.delivered_twice,
        tuple(row.order_numbers), row.place,
    )  # fmt: skip


def due_bookings(tx: ShopTx, now: datetime) -> list[BankBooking]:
    """Bookings whose bank day has ended, in the order in which they were booked; locked until the transaction ends."""
    rows = tx.rows(
        f"SELECT {_COLUMNS} FROM sandbox_bookings WHERE shop_id = $1 AND delivered_at IS NULL AND deliver_at <= $2"
        " ORDER BY account, currency, booking_date, place FOR UPDATE",
        tx.shop_id,
        now,
    )
    return [_booking(row) for row in rows]


def bookings(tx: ShopTx, *, order_number: str = "", booking_id: str = "") -> list[BankBooking]:
    """Bookings, latest first: all, those made for an order, or the one of an id."""
    rows = tx.rows(
        f"SELECT {_COLUMNS} FROM sandbox_bookings WHERE shop_id = $1 AND ($2 = '' OR $2 = ANY(order_numbers))"
        " AND ($3 = '' OR id = $3) ORDER BY booking_date DESC, place DESC",
        tx.shop_id,
        order_number,
        booking_id,
    )
    return [_booking(row) for row in rows]


def balance_before(tx: ShopTx, account: str, currency: str, day: date) -> int:
    """The account's balance before this day, in minor units: it began with nothing."""
    found: int = tx.value(
        "SELECT coalesce(sum((facts::json->>'amount_minor')::bigint), 0)::bigint FROM sandbox_bookings"
        " WHERE shop_id = $1 AND account = $2 AND currency = $3 AND booking_date < $4",
        tx.shop_id,
        account,
        currency,
        day,
    )
    return found


def set_delivered(tx: ShopTx, ids: Sequence[str], now: datetime) -> None:
    """Marks the bookings as delivered in files."""
    tx.run(
        "UPDATE sandbox_bookings SET delivered_at = $3 WHERE shop_id = $1 AND id = ANY($2)", tx.shop_id, list(ids), now
    )


def add_file(tx: ShopTx, file: SimulatedBankFile, now: datetime) -> None:
    """A file that the bank delivers; it waits for its import."""
    tx.run(
        "INSERT INTO sandbox_files (shop_id, id, name, format, booking_date, content, created_at)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7)",
        tx.shop_id,
        file.id,
        file.name,
        file.format,
        file.day,
        file.content,
        now,
    )


def files(tx: ShopTx, *, waiting: bool) -> list[SimulatedBankFile]:
    """The bank's files in the order of their delivery: all, or those that are not imported yet."""
    rows = tx.rows(
        "SELECT id, name, format, booking_date AS day, content FROM sandbox_files WHERE shop_id = $1"
        " AND (NOT $2 OR imported_at IS NULL) ORDER BY created_at, id",
        tx.shop_id,
        waiting,
    )
    return [build(SimulatedBankFile, row) for row in rows]


def set_imported(tx: ShopTx, file_id: str, now: datetime) -> None:
    """The file went through the import."""
    tx.run("UPDATE sandbox_files SET imported_at = $3 WHERE shop_id = $1 AND id = $2", tx.shop_id, file_id, now)


def delete_shop(tx: ShopTx) -> None:
    """Deletes a sandbox shop with all its data except the audit log (D-45); real shops are never deleted."""
    assert tx.value("SELECT sandbox FROM shops WHERE shop_id = $1", tx.shop_id), "only a sandbox shop can be forgotten"
    tables = tx.rows(
        "SELECT table_name FROM information_schema.columns WHERE table_schema = current_schema()"
        " AND column_name = 'shop_id' AND table_name <> 'shops' AND table_name <> ALL($1) ORDER BY table_name",
        sorted(KEPT_FOR_EVER),
    )
    for (name,) in [*tables, ("shops",)]:
        tx.run(f'DELETE FROM "{name}" WHERE shop_id = $1', tx.shop_id)
