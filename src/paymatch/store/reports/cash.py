"""Postings as of the end of a day: their purposes, by month, and the balances around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from paymatch.store.connection import Row
from paymatch.store.reports.reading import each_row
from paymatch.store.statements.posting_snapshots import HELD_BACK, HELD_BACK_MESSAGE, PARTS
from paymatch.store.transactions import ShopTx

_COLUMNS: Final = """account, currency, booking_date, amount_minor, status, by_hand, aside_reason, held_back,
    held_back_message, orders_minor, refunds_minor, withheld_minor, parts"""
_REST: Final = "s.amount_minor - s.orders_minor - s.refunds_minor"
_IS_ASIDE: Final = "(s.status = 'ignored' OR s.aside_reason <> '')"


_SUMS: Final = f"""
SELECT account, currency, date_trunc('month', booking_date::timestamp)::date AS month, count(*) AS postings,
       coalesce(sum(amount_minor) FILTER (WHERE amount_minor > 0), 0)::bigint AS in_minor,
       coalesce(sum(amount_minor) FILTER (WHERE amount_minor < 0), 0)::bigint AS out_minor,
       sum(orders_minor)::bigint AS orders_minor, sum(refunds_minor)::bigint AS refunds_minor,
       coalesce(sum({_REST}) FILTER (WHERE {_IS_ASIDE}), 0)::bigint AS aside_minor,
       coalesce(sum({_REST}) FILTER (WHERE NOT {_IS_ASIDE}), 0)::bigint AS open_minor
FROM (
    SELECT p.account, p.currency, p.booking_date, p.amount_minor, p.status, p.aside_reason,
           p.allocated_minor - coalesce(r.refunds_minor, 0) AS orders_minor,
           coalesce(r.refunds_minor, 0) AS refunds_minor
    FROM postings p LEFT JOIN (
        SELECT posting_id, sum(amount_minor)::bigint AS refunds_minor FROM allocations
        WHERE shop_id = $1 AND kind <> ALL('{{payment,return}}') GROUP BY posting_id) r ON r.posting_id = p.id
    WHERE p.shop_id = $1 AND p.since_date <= $2 AND p.booking_date BETWEEN $3 AND $4
    UNION ALL
    SELECT account, currency, booking_date, amount_minor, status, aside_reason, orders_minor, refunds_minor
    FROM posting_past
    WHERE shop_id = $1 AND until_date > $2 AND since_date <= $2 AND booking_date BETWEEN $3 AND $4) s
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"""


def sums(tx: ShopTx, day: date, first: date, last: date) -> Sequence[Row]:
    """Per account, currency and month: postings, money in and out, and purposes."""
    return tx.rows(_SUMS, tx.shop_id, day, first, last)


_HELD_BACK: Final = HELD_BACK.format(decision="p.decision")
_HELD_BACK_MESSAGE: Final = HELD_BACK_MESSAGE.format(decision="p.decision")
_EXPLAINED: Final = f"""
SELECT s.id, v.*, v.amount_minor - v.orders_minor - v.refunds_minor AS rest_minor,
       coalesce(p.counterparty_name, '') AS originator, coalesce(p.remittance, '') AS text
FROM (
    SELECT * FROM (
        SELECT p.id, p.booking_date, NULL::date AS until_date FROM postings p
        WHERE p.shop_id = $1 AND p.since_date <= $2 AND p.booking_date BETWEEN $3 AND $4 AND {{current}}
        UNION ALL
        SELECT y.posting_id, y.booking_date, y.until_date FROM posting_past y
        WHERE y.shop_id = $1 AND y.until_date > $2 AND y.since_date <= $2 AND y.booking_date BETWEEN $3 AND $4
          AND {{past}}) stood
    WHERE $5::date IS NULL OR (stood.booking_date, stood.id) > ($5, $6)
    ORDER BY stood.booking_date, stood.id LIMIT $7) s
CROSS JOIN LATERAL (
    SELECT p.account, p.currency, p.booking_date, p.amount_minor, p.status, p.by_hand, p.aside_reason,
           {_HELD_BACK} AS held_back, {_HELD_BACK_MESSAGE} AS held_back_message, part.*
    FROM postings p CROSS JOIN {PARTS}
    WHERE p.shop_id = $1 AND p.id = s.id AND s.until_date IS NULL
    UNION ALL
    SELECT {_COLUMNS} FROM posting_past
    WHERE shop_id = $1 AND posting_id = s.id AND until_date = s.until_date) v
LEFT JOIN postings p ON p.shop_id = $1 AND p.id = s.id
ORDER BY s.booking_date, s.id"""
"""Finds the shown postings first: purposes are only read for those."""
_IS_OPEN: Final = "{row}.amount_minor <> {matched} AND {row}.status <> 'ignored' AND {row}.aside_reason = ''"
_STOOD: Final = f"""
SELECT * FROM (
    SELECT p.id, p.account, p.currency, p.booking_date, p.amount_minor, p.status, p.by_hand, p.aside_reason,
           {_HELD_BACK} AS held_back, {_HELD_BACK_MESSAGE} AS held_back_message, part.*,
           p.counterparty_name AS originator, p.remittance AS text
    FROM postings p CROSS JOIN {PARTS}
    WHERE p.shop_id = $1 AND p.since_date <= $2 AND p.booking_date BETWEEN $3 AND $4 AND {{current}}
    UNION ALL
    SELECT y.posting_id, y.account, y.currency, y.booking_date, y.amount_minor, y.status, y.by_hand, y.aside_reason,
           y.held_back, y.held_back_message, y.orders_minor, y.refunds_minor, y.withheld_minor, y.parts,
           coalesce(p.counterparty_name, ''), coalesce(p.remittance, '')
    FROM posting_past y LEFT JOIN postings p ON p.shop_id = $1 AND p.id = y.posting_id
    WHERE y.shop_id = $1 AND y.until_date > $2 AND y.since_date <= $2 AND y.booking_date BETWEEN $3 AND $4
      AND {{past}}) s
ORDER BY booking_date, id"""
"""The same for a whole period at once: a scan instead of lookups row by row."""
_ALL: Final = {"current": "true", "past": "true"}
_OPEN: Final = {
    "current": _IS_OPEN.format(row="p", matched="p.allocated_minor"),
    "past": _IS_OPEN.format(row="y", matched="y.orders_minor + y.refunds_minor"),
}
_PAGES: Final = {only_open: _EXPLAINED.format(**_OPEN if only_open else _ALL) for only_open in (False, True)}
_WHOLE: Final = {only_open: _STOOD.format(**_OPEN if only_open else _ALL) for only_open in (False, True)}


def postings(
    tx: ShopTx,
    day: date,
    first: date,
    last: date,
    *,
    unexplained: bool = False,
    after: tuple[date, str] | None = None,
    limit: int | None = None,
) -> Iterator[Row]:
    """The postings by booking date with their purposes; only unexplained ones if `unexplained`."""
    if limit is None and after is None:
        return tx.stream(_WHOLE[unexplained], tx.shop_id, day, first, last)
    return iter(each_row(tx, limit, _PAGES[unexplained], tx.shop_id, day, first, last, *(after or (None, ""))))


_KNOWN_AND_CURRENT: Final = f"""
SELECT true AS is_current, p.id, p.booking_date, p.currency, part.parts FROM postings p CROSS JOIN {PARTS}
WHERE p.shop_id = $1 AND p.booking_date BETWEEN $3 AND $4
UNION ALL SELECT false, s.id, s.booking_date, s.currency, s.parts FROM ({_WHOLE[False]}) s"""


def known_and_current(tx: ShopTx, day: date, first: date, last: date) -> Iterator[Row]:
    """The purposes of these days' postings, each as now and as known at the end of the day."""
    return tx.stream(_KNOWN_AND_CURRENT, tx.shop_id, day, first, last)


_NAMED: Final = f"""
SELECT p.id, p.account, p.currency, p.booking_date, p.amount_minor, p.status, p.by_hand, p.aside_reason,
       {_HELD_BACK} AS held_back, {_HELD_BACK_MESSAGE} AS held_back_message, part.*,
       p.counterparty_name AS originator, p.remittance AS text
FROM postings p CROSS JOIN {PARTS} WHERE p.shop_id = $1 AND p.id = ANY($2)"""


def postings_by_id(tx: ShopTx, ids: Sequence[str]) -> Sequence[Row]:
    """These postings in their present state, with their purposes."""
    return tx.rows(_NAMED, tx.shop_id, list(ids))


_ACCOUNTS: Final = """
SELECT account, currency FROM bank_accounts WHERE shop_id = $1
UNION SELECT account, currency FROM statements WHERE shop_id = $1
UNION SELECT account, currency FROM statement_past WHERE shop_id = $1 ORDER BY 1, 2"""


def accounts(tx: ShopTx) -> list[tuple[str, str]]:
    """(account, currency) of the shop's accounts and of all accounts in statements."""
    return [(row.account, row.currency) for row in tx.rows(_ACCOUNTS, tx.shop_id)]


_KNOWN: Final = """(
    SELECT account, currency, sequence, first_date, last_date, opening_minor, closing_minor, id FROM statements
    WHERE shop_id = $1 AND since_date <= $2 AND source = 'FINAL' AND first_date IS NOT NULL AND last_date IS NOT NULL
    UNION ALL
    SELECT account, currency, sequence, first_date, last_date, opening_minor, closing_minor, id FROM statement_past
    WHERE shop_id = $1 AND since_date <= $2 AND until_date > $2)"""
_KNOWN_DAYS: Final = f"""
SELECT account, currency, min(first_date) AS first, max(last_date) AS last FROM {_KNOWN} k GROUP BY 1, 2"""


def known_days(tx: ShopTx, day: date) -> dict[tuple[str, str], tuple[date, date]]:
    """(account, currency) -> first and last day of its final statements that were known by the day."""
    return {(row.account, row.currency): (row.first, row.last) for row in tx.rows(_KNOWN_DAYS, tx.shop_id, day)}


_BOOKED: Final = """(
    SELECT sum(x.amount_minor) FROM (
        SELECT amount_minor FROM postings WHERE shop_id = $1 AND account = w.account AND currency = w.currency
          AND since_date <= $2 AND booking_date > {after} AND booking_date <= {until}
        UNION ALL
        SELECT amount_minor FROM posting_past WHERE shop_id = $1 AND account = w.account AND currency = w.currency
          AND since_date <= $2 AND until_date > $2 AND booking_date > {after} AND booking_date <= {until}) x)"""
_AFTER: Final = _BOOKED.format(after="b.last_date", until="day")
_SINCE_FIRST: Final = _BOOKED.format(after="f.first_date - 1", until="day")
_BEFORE_FIRST: Final = _BOOKED.format(after="day", until="f.first_date - 1")
_BALANCES: Final = f"""
WITH known AS MATERIALIZED (SELECT * FROM {_KNOWN} k)
SELECT w.account, w.currency, day, CASE
           WHEN b.closing_minor IS NOT NULL THEN b.closing_minor + coalesce({_AFTER}, 0)
           WHEN f.opening_minor IS NULL THEN NULL
           WHEN day >= f.first_date THEN f.opening_minor + coalesce({_SINCE_FIRST}, 0)
           ELSE f.opening_minor - coalesce({_BEFORE_FIRST}, 0) END::bigint AS balance_minor
FROM unnest($3::text[], $4::text[]) w(account, currency) CROSS JOIN unnest($5::date[]) day
LEFT JOIN LATERAL (
    SELECT closing_minor, last_date FROM known k
    WHERE k.account = w.account AND k.currency = w.currency AND k.last_date <= day AND k.closing_minor IS NOT NULL
    ORDER BY k.last_date DESC, k.first_date DESC, length(k.sequence) DESC, k.sequence DESC, k.id DESC LIMIT 1) b ON true
LEFT JOIN LATERAL (
    SELECT opening_minor, first_date FROM known k
    WHERE k.account = w.account AND k.currency = w.currency AND k.opening_minor IS NOT NULL
    ORDER BY k.first_date, k.last_date, length(k.sequence), k.sequence, k.id LIMIT 1) f ON b.closing_minor IS NULL"""


def balances(
    tx: ShopTx, day: date, accounts: Sequence[tuple[str, str]], ends: Sequence[date]
) -> dict[tuple[str, str, date], int | None]:
    """(account, currency, day) -> balance at its end, from statements known by `day`; None if none has one.

    The bank's closing balance of the last statement up to then, plus later bookings; before the first statement its
    opening balance.
    """
    names, currencies = [account for account, _ in accounts], [currency for _, currency in accounts]
    rows = tx.rows(_BALANCES, tx.shop_id, day, names, currencies, list(ends))
    return {(row.account, row.currency, row.day): row.balance_minor for row in rows}
