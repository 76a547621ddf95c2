"""Accounts at payment services and marketplaces, and their payouts with contents and postings (D-83)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, Final

import msgspec

from paymatch.domain.payouts.monthly_fees import MonthOfFees
from paymatch.domain.payouts.order_moves import ProviderOrder
from paymatch.domain.payouts.payouts import Payout
from paymatch.domain.words.message import as_text
from paymatch.store.connection import Row, build, text_array
from paymatch.store.orders.orders import customer_of
from paymatch.store.payouts.settlement_lines import AccountKey
from paymatch.store.sealing import POSTING_PARTY
from paymatch.store.transactions import ShopTx


@dataclass(frozen=True, slots=True)
class ProviderAccountRow:
    """An account at a provider; `layout` is the JSON of a layout that a person has mapped."""

    account: str
    currency: str
    provider: str
    name: str
    confirmed: bool
    layout: str = ""


def provider_accounts(tx: ShopTx) -> list[ProviderAccountRow]:
    """The shop's accounts at providers; confirmed ones first."""
    rows = tx.rows(
        "SELECT account, currency, provider, name, confirmed, layout FROM provider_accounts WHERE shop_id = $1"
        " ORDER BY confirmed DESC, created_at, account, currency",
        tx.shop_id,
    )
    return [build(ProviderAccountRow, row) for row in rows]


def add_provider_account(tx: ShopTx, row: ProviderAccountRow, now: datetime) -> None:
    """Registers an account; one that is known keeps its data, but confirming it counts, and so does a layout."""
    tx.run(
        "INSERT INTO provider_accounts (shop_id, account, currency, provider, name, layout, confirmed, created_at)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (shop_id, account, currency) DO UPDATE SET"
        " confirmed = provider_accounts.confirmed OR excluded.confirmed,"
        " layout = CASE WHEN excluded.layout = '' THEN provider_accounts.layout ELSE excluded.layout END",
        tx.shop_id, row.account, row.currency, row.provider, row.name, row.layout, row.confirmed, now,
    )  # fmt: skip


_ENCODE: Final = msgspec.json.Encoder(enc_hook=as_text).encode


@dataclass(frozen=True, slots=True)
class PayoutRow:
    """A stored payout; amounts in minor units."""

    account: str
    currency: str
    payout_id: str
    amount_minor: int
    gross_minor: int  # customers' payments less refunds
    fee_minor: int  # total fees: of its rows and of the payout itself
    own_fee_minor: int  # of the payout itself
    net_minor: int
    carried_in_minor: int
    carried_out_minor: int
    line_count: int
    order_count: int
    sent_on: date | None
    trace_id: str
    implied: bool = False  # no file states the amount
    posting_id: str = ""
    reason: str = ""
    short_minor: int = 0
    booked_on: date | None = None  # day of the posting

    @property
    def rest_minor(self) -> int:
        """The part that the rows do not explain."""
        return self.carried_in_minor + self.net_minor - self.own_fee_minor - self.carried_out_minor - self.amount_minor

    def as_payout(self) -> Payout:
        """The payout without its movements."""
        return Payout(
            self.payout_id, self.currency, self.amount_minor, self.net_minor, self.sent_on, self.carried_in_minor,
            self.carried_out_minor, self.own_fee_minor, self.trace_id, is_implied=self.implied,
        )  # fmt: skip


_COLUMNS: Final = """y.account, y.currency, y.payout_id, y.amount_minor, y.gross_minor, y.fee_minor, y.own_fee_minor,
    y.net_minor, y.carried_in_minor, y.carried_out_minor, y.line_count, y.order_count, y.sent_on, y.trace_id,
    y.implied, y.posting_id, y.reason, y.short_minor,
    (SELECT p.booking_date FROM postings p WHERE p.shop_id = $1 AND p.id = y.posting_id) AS booked_on"""


def _row(row: Row) -> PayoutRow:
    return build(PayoutRow, row)


def any_of(tx: ShopTx) -> bool:
    """Whether a settlement file has reported a payout of the shop."""
    return bool(tx.value("SELECT EXISTS (SELECT FROM payouts WHERE shop_id = $1)", tx.shop_id))


def all_of(tx: ShopTx) -> list[PayoutRow]:
    """The payouts of all accounts, the latest first."""
    rows = tx.rows(
        f"SELECT {_COLUMNS} FROM payouts y WHERE y.shop_id = $1"
        " ORDER BY y.sent_on DESC NULLS LAST, y.account, y.currency, y.payout_id",
        tx.shop_id,
    )
    return [_row(row) for row in rows]


def fees_by_month(tx: ShopTx) -> list[MonthOfFees]:
    """Fees per account, currency and month of the payouts, with customers' payments."""
    rows = tx.rows(
        "SELECT account, currency, date_trunc('month', sent_on)::date AS month, count(*) AS payouts,"
        " sum(gross_minor)::bigint AS gross_minor, sum(fee_minor)::bigint AS fee_minor FROM payouts"
        " WHERE shop_id = $1 AND sent_on IS NOT NULL GROUP BY 1, 2, 3",
        tx.shop_id,
    )
    return [build(MonthOfFees, row) for row in rows]


def find(tx: ShopTx, key: AccountKey, payout_id: str) -> PayoutRow | None:
    """One payout."""
    row = tx.row(
        f"SELECT {_COLUMNS} FROM payouts y WHERE y.shop_id = $1 AND y.account = $2 AND y.currency = $3"
        " AND y.payout_id = $4",
        tx.shop_id, key.account, key.currency, payout_id,
    )  # fmt: skip
    return _row(row) if row else None


def of_posting(tx: ShopTx, posting_id: str) -> PayoutRow | None:
    """The payout of a posting on a bank account; None if the posting is not one."""
    row = tx.row(f"SELECT {_COLUMNS} FROM payouts y WHERE y.shop_id = $1 AND y.posting_id = $2", tx.shop_id, posting_id)
    return _row(row) if row else None


_WRITE: Final = """
INSERT INTO payouts (shop_id, account, currency, payout_id, amount_minor, gross_minor, fee_minor, own_fee_minor,
    net_minor, carried_in_minor, carried_out_minor, line_count, order_count, sent_on, trace_id, implied)
SELECT $1, r.account, r.currency, r.payout_id, r.amount_minor, r.gross_minor, r.fee_minor, r.own_fee_minor,
    r.net_minor, r.carried_in_minor, r.carried_out_minor, r.line_count, r.order_count, r.sent_on, r.trace_id,
    r.implied
FROM json_to_recordset($2::json) AS r(account text, currency text, payout_id text, amount_minor bigint,
    gross_minor bigint, fee_minor bigint, own_fee_minor bigint, net_minor bigint, carried_in_minor bigint,
    carried_out_minor bigint, line_count integer, order_count integer, sent_on date, trace_id text, implied boolean)
ON CONFLICT (shop_id, account, currency, payout_id) DO UPDATE SET amount_minor = excluded.amount_minor,
    gross_minor = excluded.gross_minor, fee_minor = excluded.fee_minor, own_fee_minor = excluded.own_fee_minor,
    net_minor = excluded.net_minor, carried_in_minor = excluded.carried_in_minor,
    carried_out_minor = excluded.carried_out_minor, line_count = excluded.line_count,
    order_count = excluded.order_count, sent_on = excluded.sent_on, trace_id = excluded.trace_id,
    implied = excluded.implied
RETURNING 1"""


def write(tx: ShopTx, rows: Sequence[PayoutRow]) -> None:
    """Writes computed payouts; their ties stay until they are recomputed."""
    if rows:
        tx.run(_WRITE, tx.shop_id, _ENCODE(rows).decode())


def delete_others(tx: ShopTx, key: AccountKey, looked_at: Collection[str] | None, kept: set[str]) -> None:
    """Deletes those of the payouts `looked_at`, or of the whole account if None, that no file reports any more."""
    tx.run(
        "DELETE FROM payouts WHERE shop_id = $1 AND account = $2 AND currency = $3"
        " AND ($4::text[] IS NULL OR payout_id = ANY($4)) AND payout_id <> ALL($5)",
        tx.shop_id, key.account, key.currency, None if looked_at is None else sorted(looked_at), sorted(kept),
    )  # fmt: skip


def ids_of(tx: ShopTx, key: AccountKey) -> set[str]:
    """The ids of all payouts of an account."""
    rows = tx.rows(
        "SELECT payout_id FROM payouts WHERE shop_id = $1 AND account = $2 AND currency = $3",
        tx.shop_id,
        key.account,
        key.currency,
    )
    return {row[0] for row in rows}


def statement_of(tx: ShopTx, key: AccountKey, import_id: str) -> str:
    """The statement of the account that came with an import; empty if none did."""
    found = tx.value(
        "SELECT id FROM statements WHERE shop_id = $1 AND import_id = $2 AND account = $3 AND currency = $4 LIMIT 1",
        tx.shop_id, import_id, key.account, key.currency,
    )  # fmt: skip
    return str(found or "")


def tie(tx: ShopTx, row: PayoutRow, posting_id: str, reason: str, short_minor: int) -> None:
    """Stores the payout's posting; "" for none."""
    tx.run(
        "UPDATE payouts SET posting_id = $5, reason = $6, short_minor = $7 WHERE shop_id = $1 AND account = $2"
        " AND currency = $3 AND payout_id = $4",
        tx.shop_id, row.account, row.currency, row.payout_id, posting_id, reason, short_minor,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class PayoutCandidate:
    """A posting on a bank account that may be a payout."""

    id: str
    account: str
    currency: str
    amount_minor: int
    booking_date: date
    counterparty_name: str
    counterparty_iban: str
    remittance: str
    end_to_end_id: str
    status: str
    by_hand: bool


NAMING_SERVICES: Final = "amazon|klarna|mollie|paypal|shopify|stripe|sumup|wise"
"""The words of the index postings_naming_services: another word needs another index."""

_CANDIDATES: Final = f"""
SELECT p.id, p.account, p.currency, p.amount_minor, p.booking_date, p.counterparty_name, p.counterparty_iban,
       p.remittance, p.end_to_end_id, p.status, p.by_hand
FROM postings p
WHERE p.shop_id = $1 AND p.booking_date >= $2 AND p.amount_minor <> 0 AND p.source = 'FINAL'
  AND p.account <> ALL($3) AND NOT (p.by_hand AND p.status = 'matched')
  AND p.id IN (
    SELECT s.id FROM postings s WHERE s.shop_id = $1 AND s.amount_minor = ANY($4)
    UNION ALL
    SELECT y.posting_id FROM payouts y WHERE y.shop_id = $1 AND y.posting_id <> ''
    UNION ALL
    SELECT n.id FROM postings n WHERE $5 <> '' AND n.shop_id = $1 AND n.booking_date >= $2
      AND lower(n.counterparty_name || ' ' || n.remittance) ~ '{NAMING_SERVICES}'
      AND lower(n.counterparty_name || ' ' || n.remittance) ~ $5
    UNION ALL
    SELECT o.id FROM postings o WHERE $6 <> '' AND o.shop_id = $1 AND o.booking_date >= $2
      AND lower(o.counterparty_name || ' ' || o.remittance) ~ $6)
ORDER BY p.booking_date, p.id"""


def candidates(
    tx: ShopTx,
    first: date,
    accounts: Sequence[str],
    amounts: Collection[int],
    services: Iterable[str],
    others: Iterable[str],
) -> list[PayoutCandidate]:
    """Postings on bank accounts since a day that have one of the amounts or one of the words, in lower case.

    `services` are words of NAMING_SERVICES, found by index. For `others` all postings of these days are read.
    """
    patterns = ("|".join(sorted(map(re.escape, words))) for words in (services, others))
    rows = tx.rows(_CANDIDATES, tx.shop_id, first, list(accounts), sorted(amounts), *patterns)
    vault = tx.vault()
    return [
        replace(found, counterparty_iban=vault.open(POSTING_PARTY, found.counterparty_iban))
        for found in (build(PayoutCandidate, row) for row in rows)
    ]


@dataclass(frozen=True, slots=True)
class PayoutLine:
    """A part of a payout: one posting on the provider's account, and its order."""

    posting_id: str
    booking_date: date
    text: str
    amount_minor: int
    withheld_minor: int
    order_number: str
    order_status: str
    customer: str


_LINES: Final = """
SELECT p.id AS posting_id, p.booking_date, p.remittance AS text, p.amount_minor,
       coalesce(a.withheld_minor, 0)::bigint AS withheld_minor,
       coalesce(a.order_number, '') AS order_number, coalesce(o.status, '') AS order_status, coalesce(o.doc, '') AS doc
FROM postings p
LEFT JOIN allocations a ON a.shop_id = $1 AND a.posting_id = p.id
LEFT JOIN orders o ON o.shop_id = $1 AND o.number = a.order_number
WHERE p.shop_id = $1 AND p.account = $2 AND p.currency = $3 AND p.entry_reference <> ''
  AND p.entry_reference IN (
    SELECT l.event FROM settlement_lines l WHERE l.shop_id = $1 AND l.account = $2 AND l.currency = $3
      AND l.paid_by <> '' AND l.paid_by = $4 AND l.kind <> 'payout')
ORDER BY p.booking_date, p.id, a.order_number LIMIT $5"""


def lines_of(tx: ShopTx, row: PayoutRow, limit: int) -> list[PayoutLine]:
    """The parts of a payout, by day."""
    rows = tx.rows(_LINES, tx.shop_id, row.account, row.currency, row.payout_id, limit)
    return [PayoutLine(**columns, customer=customer_of(doc) if doc else "") for columns, doc in map(_without_doc, rows)]


def _without_doc(row: Row) -> tuple[dict[str, Any], str]:
    columns = row._asdict()
    return columns, columns.pop("doc")


@dataclass(frozen=True, slots=True)
class BookedRow:
    """The recomputed data of a posting on an account at a provider."""

    id: str
    amount_minor: int
    by_hand: bool
    status: str
    import_id: str
    event: str


def booked_postings(tx: ShopTx, key: AccountKey, events: Collection[str]) -> list[BookedRow]:
    """The postings of these events."""
    rows = tx.rows(_BOOKED, tx.shop_id, key.account, key.currency, text_array(sorted(set(events))))
    return [build(BookedRow, row) for row in rows]


# By key, one after another, regardless of PostgreSQL's estimates for rows without statistics. The index of entry
# references has no empty ones, and serves a statement only if that excludes them, too. The status is checked outside:
# otherwise the whole index of open postings would be read.
_BOOKED: Final = """
SELECT p.id, p.amount_minor, p.by_hand, p.status, p.import_id, p.entry_reference AS event
FROM unnest($4::text[]) AS w(event) CROSS JOIN LATERAL (
    SELECT * FROM postings p WHERE p.shop_id = $1 AND p.account = $2 AND p.currency = $3
        AND p.entry_reference <> '' AND p.entry_reference = w.event OFFSET 0) p
ORDER BY p.id"""
_CALL: Final = """
UPDATE postings SET rematch_at = $4 WHERE shop_id = $1 AND id = ANY(ARRAY(
    SELECT p.id FROM unnest($3::text[]) AS w(event) CROSS JOIN LATERAL (
        SELECT * FROM postings p WHERE p.shop_id = $1 AND p.account = $2 AND p.entry_reference <> ''
            AND p.entry_reference = w.event OFFSET 0) p
    WHERE p.status IN ('suggested', 'unmatched') AND NOT p.by_hand))
RETURNING 1"""
_SALES: Final = """
SELECT p.entry_reference, min(a.order_number) AS number, min(o.currency) AS currency,
       min(o.amount_minor) AS amount_minor
FROM unnest($3::text[]) AS w(event) CROSS JOIN LATERAL (
    SELECT * FROM postings p WHERE p.shop_id = $1 AND p.account = $2 AND p.entry_reference <> ''
        AND p.entry_reference = w.event OFFSET 0) p
CROSS JOIN LATERAL (SELECT * FROM allocations a WHERE a.shop_id = $1 AND a.posting_id = p.id OFFSET 0) a
CROSS JOIN LATERAL (SELECT * FROM orders o WHERE o.shop_id = $1 AND o.number = a.order_number OFFSET 0) o
WHERE p.status = 'matched' AND a.kind = 'payment'
GROUP BY 1 HAVING count(DISTINCT a.order_number) = 1"""


def call_events(tx: ShopTx, account: str, events: Collection[str], now: datetime) -> None:
    """Schedules the open postings of these events."""
    tx.rows(_CALL, tx.shop_id, account, text_array(sorted(set(events))), now)


def orders_of_sales(tx: ShopTx, account: str, events: Collection[str]) -> dict[str, ProviderOrder]:
    """Event -> the one order that its posting is matched to."""
    rows = tx.rows(_SALES, tx.shop_id, account, text_array(sorted(set(events))))
    return {row[0]: _order(row) for row in rows}


_CREDITED: Final = """
SELECT a.order_number, sum(a.order_amount_minor)::bigint
FROM unnest($3::text[]) AS w(number) CROSS JOIN LATERAL (
    SELECT * FROM allocations a WHERE a.shop_id = $1 AND a.order_number = w.number OFFSET 0) a
CROSS JOIN LATERAL (SELECT * FROM postings p WHERE p.shop_id = $1 AND p.id = a.posting_id OFFSET 0) p
WHERE a.kind = 'payment' AND p.account = $2 GROUP BY 1"""


def credited_by_account(tx: ShopTx, account: str, numbers: Collection[str]) -> dict[str, int]:
    """Order -> minor units of its currency that postings of this account at a provider credited to it."""
    if not numbers:
        return {}
    rows = tx.rows(_CREDITED, tx.shop_id, account, text_array(sorted(set(numbers))))
    return {number: minor for number, minor in rows}  # noqa: C416


_TAKEN: Final = """
SELECT DISTINCT p.id FROM unnest($3::text[]) AS w(number) CROSS JOIN LATERAL (
    SELECT * FROM allocations a WHERE a.shop_id = $1 AND a.order_number = w.number OFFSET 0) a
CROSS JOIN LATERAL (SELECT * FROM postings p WHERE p.shop_id = $1 AND p.id = a.posting_id OFFSET 0) p
WHERE a.kind IN ('return', 'outgoing', 'refund') AND p.account = $2 AND p.status = 'matched' AND NOT p.by_hand"""


def taken_from_orders(tx: ShopTx, account: str, numbers: Collection[str]) -> list[str]:
    """The postings of this account at a provider that were matched automatically and took money from these orders."""
    if not numbers:
        return []
    return [row[0] for row in tx.rows(_TAKEN, tx.shop_id, account, text_array(sorted(set(numbers))))]


def _order(row: Row) -> ProviderOrder:
    return ProviderOrder(row.number, row.currency, row.amount_minor)


def orders_by_number(tx: ShopTx, numbers: Collection[str]) -> dict[str, ProviderOrder]:
    """The orders that have one of these numbers."""
    rows = tx.rows(
        "SELECT number, currency, amount_minor FROM orders WHERE shop_id = $1 AND number = ANY($2)",
        tx.shop_id,
        text_array(sorted(numbers)),
    )
    return {row.number: _order(row) for row in rows}


def orders_of_marketplaces(tx: ShopTx, numbers: Collection[str]) -> list[tuple[str, ProviderOrder]]:
    """(marketplace number, order) of those of the orders that have one."""
    rows: list[Any] = tx.rows(
        "SELECT doc::json->>'marketplaceNumber', number, currency, amount_minor FROM orders"
        " WHERE shop_id = $1 AND number = ANY($2) AND coalesce(doc::json->>'marketplaceNumber', '') <> ''",
        tx.shop_id,
        text_array(sorted(numbers)),
    )
    return [(row[0], _order(row)) for row in rows]


def tied_postings(tx: ShopTx) -> list[str]:
    """The postings on bank accounts that count as payouts, including those of removed payouts."""
    rows = tx.rows(
        "SELECT posting_id FROM payouts WHERE shop_id = $1 AND posting_id <> ''"
        " UNION SELECT id FROM postings WHERE shop_id = $1 AND status = 'ignored' AND NOT by_hand"
        ' AND decision LIKE \'{"flags":["payout"]%\' ORDER BY 1',
        tx.shop_id,
    )
    return [row[0] for row in rows]


def charged_back(tx: ShopTx) -> list[tuple[str, int, str]]:
    """(order, amount, its currency) of orders that providers have charged back, and that are open again."""
    rows = tx.rows(
        "SELECT o.number, sum(-a.order_amount_minor)::bigint, o.currency FROM allocations a"
        " JOIN postings p ON p.shop_id = $1 AND p.id = a.posting_id AND p.format = 'settlement'"
        " JOIN orders o ON o.shop_id = $1 AND o.number = a.order_number AND o.status IN ('UNPAID', 'PAID_PARTIAL')"
        " WHERE a.shop_id = $1 AND a.kind = 'return' GROUP BY 1, 3 ORDER BY 1",
        tx.shop_id,
    )
    return [(number, minor, currency) for number, minor, currency in rows]
