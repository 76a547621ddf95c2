"""Reminders in PostgreSQL: which orders are due to be looked at, what the rules need of them, what was sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

from paymatch.domain.orders.settlement import PaymentStatus
from paymatch.domain.refunds.refunds import PendingRefundClaim, RefundStatus, outstanding_refunds
from paymatch.domain.reminders.letters import PostalAddress
from paymatch.domain.reminders.policy import OrderToRemind
from paymatch.store.connection import Row, build
from paymatch.store.orders.orders import lock_space
from paymatch.store.reminders.waiting_money import WAITING_MONEY
from paymatch.store.shops.shops import SENDS_MAIL, SHOP_NOW
from paymatch.store.transactions import ShopId, ShopTx, Tx

_PLAN_LOCK: Final = 2050
_OPEN: Final = "o.status IN ('UNPAID', 'PAID_PARTIAL')"
_RECIPIENT: Final = "lower(coalesce(o.doc::json->>'customerEmail', ''))"
"""Who is written to about the order `o`: orders of one customer are claimed together."""


@dataclass(frozen=True, slots=True)
class ReminderOrderRow:
    """An order to remind of, and what its mail says beside that; amounts in minor units of its currency."""

    facts: OrderToRemind
    amount_minor: int
    level_fees: tuple[tuple[int, int], ...]  # (dunning level, fee) of the reminders that were sent
    reference: str
    language: str
    customer: str
    postal: PostalAddress
    event_count: int
    exchange_rate: Decimal | None
    is_company: bool = False  # billing.company is given

    @property
    def fees_minor(self) -> int:
        """The fees of all reminders that were sent."""
        return sum(fee for _, fee in self.level_fees)

    def fees_before(self, level: int) -> int:
        """The fees of the reminders before this level, each once; of all for mail that is not a reminder (level 0)."""
        return sum(fee for sent, fee in self.level_fees if sent < level or level == 0)


@dataclass(frozen=True, slots=True)
class SentRow:
    """A reminder that was sent."""

    order_number: str
    dunning_level: int
    sent_date: date
    fee_minor: int
    currency: str
    email: bool
    letter: bool
    status: str


def schedule_review(tx: ShopTx, numbers: Sequence[str], now: datetime) -> None:
    """The orders are due to be looked at: they are new, have changed or are open again."""
    tx.put(
        "INSERT INTO reminder_dues (shop_id, order_number, due_at, known_at, recipient)"
        f" SELECT $1, o.number, $3, $3, {_RECIPIENT} FROM orders o"
        " WHERE o.shop_id = $1 AND o.number = ANY($2) ORDER BY o.number"
        " ON CONFLICT (shop_id, order_number) DO UPDATE SET due_at = excluded.due_at, recipient = excluded.recipient",
        tx.shop_id,
        list(numbers),
        now,
    )


def thank(tx: ShopTx, numbers: Sequence[str], now: datetime, due_at: datetime) -> None:
    """Payments have paid the orders: their customers may be thanked from a moment on."""
    schedule_review(tx, numbers, due_at)
    tx.run(
        "UPDATE reminder_dues SET paid_at = $3 WHERE shop_id = $1 AND order_number = ANY($2)",
        tx.shop_id,
        list(numbers),
        now,
    )


_ALL_OPEN: Final = f"""
INSERT INTO reminder_dues (shop_id, order_number, due_at, known_at, recipient)
SELECT $1, o.number, 'epoch', CASE WHEN s.sandbox_stands THEN s.sandbox_now
                                        ELSE greatest(s.sandbox_now, o.created_at) END, {_RECIPIENT}
FROM orders o JOIN shops s ON s.shop_id = o.shop_id WHERE o.shop_id = $1 AND {_OPEN} ORDER BY o.number
ON CONFLICT (shop_id, order_number) """


def set_stopped(tx: ShopTx, number: str, *, stopped: bool) -> bool:
    """Writes whether a person has stopped the order's reminders; False if that is so already, or there is no order."""
    return bool(
        tx.run(
            "UPDATE orders SET reminders_stopped = $3 WHERE shop_id = $1 AND number = $2 AND reminders_stopped <> $3",
            tx.shop_id,
            number,
            stopped,
        )
    )


def lock_plan(tx: ShopTx) -> None:
    """The plan and the settings stay as they are until the transaction ends: a decision is not overtaken by them."""
    tx.put("SELECT pg_advisory_xact_lock_shared($1, $2)", lock_space(tx.shop_id), _PLAN_LOCK)


def look_at_all(tx: ShopTx) -> None:
    """All open orders are due for review: the plan or a setting has changed. Waits for decisions in progress."""
    tx.rows("SELECT pg_advisory_xact_lock($1, $2)", lock_space(tx.shop_id), _PLAN_LOCK)
    tx.run(_ALL_OPEN + "DO UPDATE SET due_at = excluded.due_at", tx.shop_id)


def look_at_forgotten(tx: ShopTx) -> int:
    """Open orders that were never reviewed are due: submitted while the shop switched its mail on. How many."""
    return tx.run(_ALL_OPEN + "DO NOTHING RETURNING 1", tx.shop_id)


def shops_with_due(tx: Tx, clock: datetime) -> list[ShopId]:
    """Active shops with mail switched on and due orders, not claimed nor backing off; needs the operator's view."""
    rows = tx.rows(
        f"SELECT s.shop_id FROM shops s WHERE {SENDS_MAIL} AND s.status = 'active'"
        " AND (s.sandbox_held_until IS NULL OR s.sandbox_held_until <= $1)"
        " AND EXISTS (SELECT FROM reminder_dues d WHERE d.shop_id = s.shop_id"
        f" AND d.due_at <= {SHOP_NOW}"
        " AND (d.claimed_until IS NULL OR d.claimed_until <= $1))"
        " AND NOT EXISTS (SELECT FROM shop_jobs j WHERE j.shop_id = s.shop_id AND j.kind = 'mail'"
        " AND (j.claimed_until > $1"
        f" OR j.due_at > {SHOP_NOW}))",
        clock,
    )
    return [ShopId(row[0]) for row in rows]


_CLAIMABLE: Final = "shop_id = $1 AND due_at <= $2 AND (claimed_until IS NULL OR claimed_until <= $3)"


def claim(tx: ShopTx, limit: int, *, now: datetime, clock: datetime, until: datetime) -> list[str]:
    """Takes due orders until a moment of the real clock; what others have taken is passed over.

    With each order come those of the same customer that are due: `limit` of the first, and as many of the others.
    """
    rows = tx.rows(
        f"WITH first AS (SELECT order_number, recipient FROM reminder_dues WHERE {_CLAIMABLE}"
        " ORDER BY due_at, order_number LIMIT $4 FOR UPDATE SKIP LOCKED),"
        f" more AS (SELECT order_number FROM reminder_dues WHERE {_CLAIMABLE} AND recipient <> '' AND recipient IN"
        " (SELECT recipient FROM first) ORDER BY recipient, order_number LIMIT 2 * $4 FOR UPDATE SKIP LOCKED)"
        " UPDATE reminder_dues SET claimed_until = $5 WHERE shop_id = $1"
        " AND order_number IN (SELECT order_number FROM first UNION ALL SELECT order_number FROM more)"
        " RETURNING order_number",
        tx.shop_id, now, clock, limit, until,
    )  # fmt: skip
    return sorted(row[0] for row in rows)


def release(tx: ShopTx, numbers: Sequence[str]) -> None:
    """Gives claims back: the orders stay due."""
    tx.run(
        "UPDATE reminder_dues SET claimed_until = NULL WHERE shop_id = $1 AND order_number = ANY($2)",
        tx.shop_id,
        list(numbers),
    )


def put_off(tx: ShopTx, dues: Mapping[str, tuple[datetime | None, str]]) -> None:
    """When the orders are looked at again (None: once something changes), and why nothing is sent; frees claims."""
    tx.put(
        "UPDATE reminder_dues d SET due_at = w.due_at, held = w.held, claimed_until = NULL"
        " FROM unnest($2::text[], $3::timestamptz[], $4::text[]) w(number, due_at, held)"
        " WHERE d.shop_id = $1 AND d.order_number = w.number",
        tx.shop_id,
        list(dues),
        [due_at for due_at, _ in dues.values()],
        [held for _, held in dues.values()],
    )


_ASKED: Final = """
WITH asked AS MATERIALIZED (
    SELECT o.number, o.type, o.status, o.amount_minor - o.postings_minor + o.refunded_minor AS open_minor,
           o.currency, o.order_date, o.due_date, o.stop_reminder, o.dunning_level, o.payment_info_at, o.amount_minor,
           o.reference, o.event_count, o.exchange_rate, o.reminders_stopped, o.last_posting_date, x.*,
           concat_ws(' ', x.billing->>'firstName', x.billing->>'lastName') AS person,
           coalesce(nullif(x."customerNumber", ''), lower(x."customerEmail")) AS payer
    FROM orders o CROSS JOIN LATERAL json_to_record(o.doc::json) AS x("customerEmail" text, language text, billing json,
        "customerNumber" text, "marketplaceNumber" text)
    WHERE o.shop_id = $1 AND """

_FACTS: Final = (
    f"), {WAITING_MONEY}"
    + """,
overpaid_for AS (
    SELECT o.number, min(v.number) AS overpaid_order FROM asked o JOIN overpaid v
        ON v.currency = o.currency AND v.customer = o.payer AND (v.email = '' OR coalesce(o."customerEmail", '') = ''
            OR v.email = lower(o."customerEmail") OR v.name <> '' AND v.name = lower(o.person))
    WHERE o.open_minor > 0 GROUP BY o.number, o.open_minor HAVING sum(v.minor) >= o.open_minor)
SELECT o.number, o.type, o.status, o.open_minor,
       o.currency, o.order_date, o.due_date, coalesce(o."customerEmail", '') AS email, o.stop_reminder,
       o.dunning_level, coalesce(d.known_at, $2) AS known_at, o.payment_info_at,
       (SELECT max(m.sent_date) FROM reminders m WHERE m.shop_id = $1 AND m.order_number = o.number)
           AS reminded_date,
       coalesce((SELECT m.told_minor FROM mails m WHERE m.shop_id = $1 AND m.order_number = o.number
           AND m.status IN ('SENT', 'KEPT') AND NOT m.thanks AND NOT EXISTS (SELECT FROM letters l WHERE l.shop_id = $1
               AND l.order_number = o.number AND l.open_minor > 0 AND l.finished_at > m.finished_at)
           ORDER BY m.finished_at DESC, m.correction DESC LIMIT 1) <> o.amount_minor, false) AS amount_changed,
       (SELECT max(m.finished_at) FROM mails m WHERE m.shop_id = $1 AND m.order_number = o.number
           AND m.correction > 0 AND m.status IN ('SENT', 'KEPT')) AS corrected_at,
       (SELECT array_agg(DISTINCT m.recipient) FROM mails m WHERE m.shop_id = $1 AND m.order_number = o.number
           AND m.status IN ('REFUSED', 'BOUNCED')) AS refused_addresses,
       (SELECT array_agg(DISTINCT l.recipient) FROM letters l WHERE l.shop_id = $1 AND l.order_number = o.number
           AND l.status = 'REFUSED') AS refused_postal,
       EXISTS (SELECT FROM letters l WHERE l.shop_id = $1 AND l.order_number = o.number
           AND l.kind <> 'REFUND_ACCOUNT' AND l.status IN ('NEW', 'SPOOLED', 'PRINTING')) AS letter_waits,
       lo.out_at AS letter_out_at, lo.pay_by AS letter_pay_by,
       coalesce((SELECT b.currency FROM bank_accounts b JOIN shops s ON s.shop_id = b.shop_id
           WHERE b.shop_id = $1 AND b.confirmed AND b.account !~ '^(CH|LI)[0-9]{2}3[01][0-9]{3}'
             AND (b.currency = o.currency OR (o.exchange_rate IS NOT NULL AND b.currency = s.currency))
           ORDER BY b.currency <> o.currency LIMIT 1), '') AS paid_in,
       o.amount_minor,
       (SELECT s.reminder_minimum_minor FROM shops s WHERE s.shop_id = $1) AS reminder_minimum_minor,
       (SELECT json_agg(json_build_array(m.dunning_level, m.fee_minor)) FROM reminders m WHERE m.shop_id = $1
           AND m.order_number = o.number AND m.fee_minor > 0) AS level_fees,
       o.reference, coalesce(o.language, '') AS language,
       coalesce(nullif(o.billing->>'company', ''), o.person) AS customer,
       o.billing, coalesce(o.billing->>'company', '') <> '' AS is_company, o.event_count,
       o.exchange_rate, o.reminders_stopped,
       coalesce((SELECT min(s.posting_id) FROM suggested_orders s
           JOIN postings p ON p.shop_id = s.shop_id AND p.id = s.posting_id AND p.status = 'suggested'
           WHERE s.shop_id = $1 AND s.order_number = o.number), a.id,
           (SELECT min(w.id) FROM waiting w WHERE w.collective AND w.currency = o.currency
                AND w.booking_date >= o.order_date AND coalesce(o."marketplaceNumber", '') <> ''
                AND w.amount_minor >= o.open_minor), '') AS suggested_posting,
       coalesce(v.overpaid_order, '') AS overpaid_order,
       (SELECT max(n.said_at) FROM customer_notices n WHERE n.shop_id = $1 AND n.order_number = o.number
           AND n.kind = 'paid' AND n.lifted_at IS NULL) AS said_paid_at,
       EXISTS (SELECT FROM customer_notices n WHERE n.shop_id = $1 AND n.kind = 'wrong-person'
           AND n.email = lower(o."customerEmail") AND n.lifted_at IS NULL) AS wrong_person,
       (SELECT json_agg(json_build_array(r.id, r.order_amount_minor, r.status) ORDER BY r.filed) FROM refunds r
           WHERE r.shop_id = $1 AND r.order_number = o.number AND r.status NOT IN ('PROCESSED', 'CANCELLED', 'LEGACY'))
           AS refunds,
       (SELECT max(r.created_at) FROM refunds r WHERE r.shop_id = $1 AND r.order_number = o.number
           AND r.status NOT IN ('PROCESSED', 'CANCELLED', 'LEGACY')) AS refund_filed_at,
       CASE WHEN d.paid_at IS NOT NULL AND NOT EXISTS (SELECT FROM mails m WHERE m.shop_id = $1
           AND m.order_number = o.number AND m.thanks AND m.status IN ('SENT', 'KEPT', 'REFUSED', 'BOUNCED'))
           THEN o.last_posting_date END AS thanks_for
FROM asked o LEFT JOIN reminder_dues d ON d.shop_id = $1 AND d.order_number = o.number
     LEFT JOIN LATERAL (SELECT l.finished_at AS out_at, l.pay_by FROM letters l WHERE l.shop_id = $1
         AND l.order_number = o.number AND l.pay_by IS NOT NULL AND l.finished_at IS NOT NULL
         AND l.status = ANY('{PRINTED,SENT,POSTED,KEPT}') ORDER BY l.finished_at DESC LIMIT 1) lo ON true
     LEFT JOIN amounts a ON a.currency = o.currency AND a.last_day >= o.order_date
         AND a.amount_minor = o.open_minor
     LEFT JOIN overpaid_for v ON v.number = o.number
ORDER BY o.number"""
)

_ADDRESS: Final = ("company", "firstName", "lastName", "street", "postCode", "city", "countryCode")


def load(
    tx: ShopTx, numbers: Sequence[str], tolerance_minor: int, now: datetime, *, with_waiting_money: bool = True
) -> list[ReminderOrderRow]:
    """The orders by number; those that the shop does not have are left out. What holds a mail may be left out, too."""
    rows = tx.rows(_ASKED + "o.number = ANY($4)" + _FACTS, tx.shop_id, now, with_waiting_money, list(numbers))
    return _order_rows(rows, tolerance_minor)


def load_open(tx: ShopTx, after: str, limit: int, tolerance_minor: int, now: datetime) -> list[ReminderOrderRow]:
    """A page of the shop's open orders by number, beginning behind `after`."""
    page = f"{_OPEN} AND o.number > $4 ORDER BY o.number LIMIT $5"
    rows = tx.rows(_ASKED + page + _FACTS, tx.shop_id, now, True, after, limit)
    return _order_rows(rows, tolerance_minor)


_SOONEST: Final = f"""o.number = ANY(ARRAY(SELECT o.number FROM orders o
    LEFT JOIN reminder_dues d ON d.shop_id = $1 AND d.order_number = o.number WHERE o.shop_id = $1 AND {_OPEN}
    ORDER BY d.order_number IS NOT NULL AND d.due_at IS NULL, coalesce(d.due_at, 'epoch'), o.number LIMIT $4))"""


def load_soonest(tx: ShopTx, limit: int, tolerance_minor: int, now: datetime) -> list[ReminderOrderRow]:
    """The open orders that are looked at first, by number: those without a day for it come last."""
    return _order_rows(tx.rows(_ASKED + _SOONEST + _FACTS, tx.shop_id, now, True, limit), tolerance_minor)


def _order_rows(rows: Sequence[Row], tolerance_minor: int) -> list[ReminderOrderRow]:
    return [
        ReminderOrderRow(
            _order_to_remind(row, postal, tolerance_minor),
            amount_minor=row.amount_minor,
            level_fees=tuple((level, fee) for level, fee in row.level_fees or ()),
            reference=row.reference,
            language=row.language,
            customer=row.customer,
            postal=postal,
            event_count=row.event_count,
            exchange_rate=row.exchange_rate,
            is_company=row.is_company,
        )
        for row in rows
        for postal in [postal_address(row.billing)]
    ]


def _order_to_remind(row: Row, postal: PostalAddress, tolerance_minor: int) -> OrderToRemind:
    return OrderToRemind(
        number=row.number,
        type=row.type,
        status=PaymentStatus(row.status),
        open_minor=row.open_minor,
        tolerance_minor=tolerance_minor,
        currency=row.currency,
        order_date=row.order_date,
        due_date=row.due_date,
        email=row.email,
        stop_reminder=row.stop_reminder,
        dunning_level=row.dunning_level,
        known_at=row.known_at,
        informed_at=row.payment_info_at,
        reminded_date=row.reminded_date,
        amount_changed=row.amount_changed,
        corrected_at=row.corrected_at,
        refused_addresses=frozenset(row.refused_addresses or ()),
        amount_minor=row.amount_minor,
        reminder_minimum_minor=row.reminder_minimum_minor,
        paid_in=row.paid_in,
        suggested_posting=row.suggested_posting,
        overpaid_order=row.overpaid_order,
        stopped_by_hand=row.reminders_stopped,
        wrong_person=row.wrong_person,
        said_paid_at=row.said_paid_at,
        postal=postal.text,
        refused_postal=frozenset(row.refused_postal or ()),
        letter_waits=row.letter_waits,
        letter_out_at=row.letter_out_at,
        letter_pay_by=row.letter_pay_by,
        thanks_for=row.thanks_for,
        refunds=outstanding_refunds(
            row.amount_minor - row.open_minor,
            [PendingRefundClaim(found, minor, RefundStatus(status)) for found, minor, status in row.refunds or ()],
            row.refund_filed_at,
        ),
    )


def postal_address(billing: Mapping[str, Any] | None) -> PostalAddress:
    """The address of an order's document as letters need it."""
    found = {name: str((billing or {}).get(name) or "").strip() for name in _ADDRESS}
    name = f"{found['firstName']} {found['lastName']}".strip()
    return PostalAddress(
        found["company"], name, found["street"], found["postCode"], found["city"], found["countryCode"].upper()
    )


_BANK: Final = """
SELECT m.waits, b.currency, b.last FROM
    (SELECT EXISTS (SELECT FROM postings WHERE shop_id = $1 AND rematch_at IS NOT NULL) AS waits) m
LEFT JOIN (
    SELECT b.currency, b.created_at, b.account, max(t.last_date) AS last FROM bank_accounts b
    LEFT JOIN statements t
        ON t.shop_id = $1 AND t.account = b.account AND t.currency = b.currency AND t.source = 'FINAL'
    WHERE b.shop_id = $1 AND b.confirmed AND b.account !~ '^(CH|LI)[0-9]{2}3[01][0-9]{3}'
    GROUP BY b.currency, b.account, b.created_at) b ON true
ORDER BY b.currency, b.created_at, b.account"""


def covered_until(tx: ShopTx) -> tuple[dict[str, date], bool]:
    """(currency -> the last day that the final statements of all its accounts tell of, whether postings wait to be
    matched).

    An account that never had a statement counts only where it is the one that customers are asked to pay to.
    """
    rows = tx.rows(_BANK, tx.shop_id)
    found: dict[str, date | None] = {}
    for _, currency, last in rows:
        if currency not in found:
            found[currency] = last  # the account that mails name
        elif last is not None and (first := found[currency]) is not None:
            found[currency] = min(first, last)
    return {currency: last for currency, last in found.items() if last is not None}, rows[0].waits


def add_sent(tx: ShopTx, number: str, level: int, day: date, fee_minor: int, *, by_letter: bool = False) -> None:
    """A reminder was sent, by e-mail or by letter; the order's dunning level follows."""
    tx.put(
        "INSERT INTO reminders (shop_id, order_number, dunning_level, sent_date, fee_minor, email, letter)"
        " VALUES ($1, $2, $3, $4, $5, NOT $6, $6) ON CONFLICT (shop_id, order_number, dunning_level) DO NOTHING",
        tx.shop_id, number, level, day, fee_minor, by_letter,
    )  # fmt: skip
    tx.put(
        "UPDATE orders SET dunning_level = greatest(dunning_level, $3) WHERE shop_id = $1 AND number = $2",
        tx.shop_id,
        number,
        level,
    )


def set_informed(tx: ShopTx, number: str, now: datetime) -> None:
    """The customer knows where and with which reference to pay: referenceNumber is shown from now on (D-19)."""
    tx.put(
        "UPDATE orders SET payment_info_at = coalesce(payment_info_at, $3) WHERE shop_id = $1 AND number = $2",
        tx.shop_id,
        number,
        now,
    )


def forget_informed(tx: ShopTx, numbers: Sequence[str]) -> None:
    """Customers whom no payment information has reached count as not informed."""
    tx.run(
        "UPDATE orders o SET payment_info_at = NULL WHERE o.shop_id = $1 AND o.number = ANY($2)"
        " AND NOT EXISTS (SELECT FROM mails m WHERE m.shop_id = $1 AND m.order_number = o.number AND NOT m.thanks"
        " AND m.status IN ('SENT', 'KEPT')) AND NOT EXISTS (SELECT FROM letters l WHERE l.shop_id = $1"
        " AND l.order_number = o.number AND l.open_minor > 0"
        " AND l.status IN ('PRINTED', 'SENT', 'POSTED', 'RETURNED', 'KEPT'))",
        tx.shop_id,
        list(numbers),
    )


def sent_reminders(tx: ShopTx, number: str = "") -> list[SentRow]:
    """The reminders that were sent, latest first: all, or those of one order."""
    rows = tx.rows(
        "SELECT m.order_number, m.dunning_level, m.sent_date, m.fee_minor, o.currency, m.email, m.letter, o.status"
        " FROM reminders m JOIN orders o ON o.shop_id = m.shop_id AND o.number = m.order_number"
        " WHERE m.shop_id = $1 AND ($2 = '' OR m.order_number = $2)"
        " ORDER BY m.sent_date DESC, m.order_number, m.dunning_level DESC",
        tx.shop_id,
        number,
    )
    return [build(SentRow, row) for row in rows]


def postponement_reasons(tx: ShopTx, numbers: Sequence[str]) -> dict[str, str]:
    """Number -> why nothing was sent when the order was last looked at; empty where something is planned."""
    rows = tx.rows(
        "SELECT order_number, held FROM reminder_dues WHERE shop_id = $1 AND order_number = ANY($2)",
        tx.shop_id,
        list(numbers),
    )
    return dict(rows)
