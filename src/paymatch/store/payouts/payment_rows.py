"""Rows of settlement files by the payments that they name, under any of a payment's ids (D-83)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Final

from paymatch.domain.payouts.movements import MovementKind
from paymatch.store.connection import text_array
from paymatch.store.payouts.payouts import call_events
from paymatch.store.payouts.settlement_lines import AccountKey, LineOfSettlement, load, of_events
from paymatch.store.transactions import ShopTx

_STEPS: Final = 4
"""How many rows may lie between a row and the sale of its payment, each with one id of the next."""

# By key, as in `settlement_lines`: there are no statistics of newly written rows.
_OF_PAYMENTS: Final = """unnest($4::text[]) AS w(payment_id) CROSS JOIN LATERAL (SELECT * FROM (
    SELECT * FROM settlement_lines l
    WHERE l.shop_id = $1 AND l.account = $3 AND l.payment_id <> '' AND l.payment_id = w.payment_id
    UNION ALL SELECT * FROM settlement_lines l
    WHERE l.shop_id = $1 AND l.account = $3 AND l.payment_alias <> '' AND l.payment_alias = w.payment_id) x OFFSET 0) l
    WHERE NOT (l.currency = $5 AND l.event = ANY($6))"""


def ids_of(rows: Iterable[LineOfSettlement]) -> set[str]:
    """The ids with which rows name their payments."""
    return {name for each in rows for name in each.movement.payment_ids}


def of_payments(
    tx: ShopTx, key: AccountKey, payment_ids: Collection[str], *, without: Collection[str] = ()
) -> list[LineOfSettlement]:
    """The rows of the account, in any currency, of these payments, but none of the events `without`.

    Rows that name two ids lead to rows that name the other one.
    """
    found: dict[LineOfSettlement, None] = {}
    seen, ahead, events = set[str](), set(payment_ids), text_array(sorted(without))
    for _ in range(_STEPS):
        if not ahead:
            break
        rows = load(tx, _OF_PAYMENTS, key.account, text_array(sorted(ahead)), key.currency, events)
        found |= dict.fromkeys(rows)
        seen |= ahead
        ahead = ids_of(rows) - seen
    return list(found)


_NAMED_WITH: Final = """(SELECT DISTINCT unnest(ARRAY[n.payment_id, n.payment_alias]) AS payment_id
        FROM settlement_lines n
        WHERE n.shop_id = $1 AND n.import_id = $5 AND n.account = $3 AND n.payment_alias <> '') w
    CROSS JOIN LATERAL (SELECT * FROM (
        SELECT * FROM settlement_lines l
        WHERE l.shop_id = $1 AND l.account = $3 AND l.payment_id <> '' AND l.payment_id = w.payment_id
        UNION ALL SELECT * FROM settlement_lines l
        WHERE l.shop_id = $1 AND l.account = $3 AND l.payment_alias <> '' AND l.payment_alias = w.payment_id) x
        OFFSET 0) l
    WHERE l.import_id <> $5 AND l.currency = $4"""


def joined_by(tx: ShopTx, key: AccountKey, import_id: str) -> set[str]:
    """Refunds and chargebacks of other imports that may know their sale only by rows of this one: their events."""
    rows = load(tx, _NAMED_WITH, key.account, key.currency, import_id)
    return followers_in([*rows, *of_payments(tx, key, ids_of(rows))]) if rows else set()


def followers_in(rows: Iterable[LineOfSettlement]) -> set[str]:
    """The events among the rows that are no sales."""
    return {each.movement.group for each in rows if each.movement.kind is not MovementKind.SALE}


def call_followers(tx: ShopTx, posting_ids: Collection[str], now: datetime) -> None:
    """Schedules open refunds and chargebacks of the payments in these postings."""
    rows = tx.rows(
        "SELECT account, currency, entry_reference FROM postings WHERE shop_id = $1 AND id = ANY($2)"
        " AND format = 'settlement'",
        tx.shop_id, sorted(posting_ids),
    )  # fmt: skip
    events: dict[AccountKey, set[str]] = defaultdict(set)
    for account, currency, event in rows:
        events[AccountKey(account, currency)].add(event)
    for key, own in events.items():
        payments = ids_of(of_events(tx, key, own))
        found = of_payments(tx, key, payments, without=own) if payments else []
        if found:
            call_events(tx, key.account, {each.movement.group for each in found}, now)
