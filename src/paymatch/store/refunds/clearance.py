"""What clears a refund (D-37): payers of its order and returns to them, its releases, unusual exchange rates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

from paymatch.domain.statement_channels import TRUSTED
from paymatch.store.connection import build
from paymatch.store.key_lookups import row_to_write, written_by_key
from paymatch.store.orders.order_json import IS_OF_CUSTOMER
from paymatch.store.refunds.refunds import RefundRow
from paymatch.store.sealing import POSTING_PARTY, REFUND_PAYEE, TRANSFER_PAYEE
from paymatch.store.transactions import ShopTx

CARRIES_AN_IBAN: Final = "p.counterparty_has_iban"


@dataclass(frozen=True, slots=True)
class PayerPayment:
    """An account that paid an order; `own` is the shop's account that it was paid to.

    `arrived_minor` is the money of the posting, in its own currency: nothing withheld, discounted or converted (D-37).
    """

    order_number: str
    arrived_minor: int
    currency: str  # of the posting
    in_order_currency: bool
    iban: str  # "" where the customer's own account is unknown (D-5)
    forgotten: bool  # the account was known, and erased with its person (D-63)
    bic: str
    holder: str
    own: str


def payments_of(tx: ShopTx, numbers: Sequence[str]) -> dict[str, list[PayerPayment]]:
    """The orders' payers, latest payment first."""
    rows = tx.rows(
        "SELECT a.order_number, a.amount_minor AS arrived_minor, p.currency,"
        " p.currency = o.currency AS in_order_currency,"
        f" CASE WHEN {IS_OF_CUSTOMER} THEN p.counterparty_iban ELSE '' END AS iban,"
        " p.facts::json->'forgotten' IS NOT NULL AS forgotten,"
        " coalesce(p.facts::json->>'counterparty_bic', '') AS bic, p.counterparty_name AS holder,"
        " p.account AS own"
        " FROM allocations a JOIN postings p ON p.shop_id = a.shop_id AND p.id = a.posting_id"
        " JOIN orders o ON o.shop_id = a.shop_id AND o.number = a.order_number"
        " WHERE a.shop_id = $1 AND a.order_number = ANY($2) AND a.amount_minor > 0 AND a.kind = 'payment'"
        " ORDER BY p.booking_date DESC, p.id DESC",
        tx.shop_id,
        list(numbers),
    )
    vault, found = tx.vault(), dict[str, list[PayerPayment]]()
    for row in rows:
        payment = build(PayerPayment, row, iban=vault.open(POSTING_PARTY, row.iban))
        found.setdefault(payment.order_number, []).append(payment)
    return found


def sent_back(tx: ShopTx, numbers: Sequence[str]) -> dict[tuple[str, str], int]:
    """(order, account) -> money returned to it, in minor units of the order's currency: refunds in a transfer file or
    executed, banks' charges on returned refunds, returned payments, other debits. The account "" has amounts without a
    known account.

    A refund whose return is only stated by a file from an untrusted channel still counts as paid out (D-37).
    """
    vault, found = tx.vault(), Counter[tuple[str, str]]()
    for place, number, iban, minor in tx.rows(_SENT_BACK, tx.shop_id, list(numbers), sorted(TRUSTED)):
        found[number, vault.open(_SEALED_IN[place], iban)] += minor
    return found


_SEALED_IN: Final = {"refund": REFUND_PAYEE, "transfer": TRANSFER_PAYEE, "posting": POSTING_PARTY}
"""Part of `_SENT_BACK` -> the place that its account is sealed in."""
_SENT_BACK: Final = f"""
SELECT 'refund' AS place, order_number, iban, order_amount_minor FROM refunds
WHERE shop_id = $1 AND order_number = ANY($2) AND status IN ('IN_PROCESS', 'PROCESSED')
UNION ALL
SELECT 'posting', a.order_number, CASE WHEN {CARRIES_AN_IBAN} THEN p.counterparty_iban ELSE '' END,
       -CASE WHEN p.currency = o.currency THEN a.amount_minor ELSE a.order_amount_minor END
FROM allocations a JOIN postings p ON p.shop_id = a.shop_id AND p.id = a.posting_id
JOIN orders o ON o.shop_id = a.shop_id AND o.number = a.order_number
WHERE a.shop_id = $1 AND a.order_number = ANY($2) AND a.kind IN ('return', 'outgoing')
UNION ALL
SELECT 'transfer', r.order_number, t.iban, t.amount_minor - CASE WHEN EXISTS (
           SELECT FROM statement_lines l JOIN imports i ON i.shop_id = l.shop_id AND i.id = l.import_id
           WHERE l.shop_id = $1 AND l.posting_id = t.return_posting_id AND i.channel = ANY($3))
       THEN least(p.amount_minor, t.amount_minor) ELSE 0 END
FROM refunds r JOIN transfers t ON t.shop_id = r.shop_id AND t.refund_id = r.id
JOIN postings p ON p.shop_id = $1 AND p.id = t.return_posting_id
WHERE r.shop_id = $1 AND r.order_number = ANY($2) AND t.return_posting_id <> ''
  AND (t.attempt < r.attempt OR r.status = 'RETURNED')"""
"""The last part: the missing amounts of returned transfers; the posting has the received amount."""


def left_otherwise(tx: ShopTx, payees: Mapping[str, str]) -> frozenset[str]:
    """Those of the refunds, by the accounts they go to, whose money may have left already, other than by a transfer
    of ours: since a refund was filed a payment of its order went back or money went out for it by hand, or a debit
    waits for a person that names the order, or is of this amount to this account, or is the bank's return, without an
    account, of the amount of a payment of the order."""
    vault = tx.vault()
    pairs = [(id_, text) for id_, iban in payees.items() for text in vault.lookups(POSTING_PARTY, iban) or [iban]]
    rows = tx.rows(_LEFT_OTHERWISE, tx.shop_id, [pair[0] for pair in pairs], [pair[1] for pair in pairs])
    return frozenset(row[0] for row in rows)


_LEFT_OTHERWISE: Final = """
SELECT DISTINCT r.id FROM unnest($2::text[], $3::text[]) w(id, iban)
JOIN refunds r ON r.shop_id = $1 AND r.id = w.id
WHERE EXISTS (
    SELECT FROM allocations a JOIN postings p ON p.shop_id = a.shop_id AND p.id = a.posting_id
    WHERE a.shop_id = $1 AND a.order_number = r.order_number AND a.kind IN ('return', 'outgoing')
      AND a.amount_minor < 0 AND p.created_at >= r.created_at)
OR EXISTS (
    SELECT FROM suggested_orders s JOIN postings p ON p.shop_id = s.shop_id AND p.id = s.posting_id
    WHERE s.shop_id = $1 AND s.order_number = r.order_number AND p.amount_minor < 0
      AND p.status IN ('suggested', 'unmatched') AND p.booking_date >= r.created_at::date - 30)
OR EXISTS (
    SELECT FROM postings p
    WHERE p.shop_id = $1 AND p.counterparty_iban = w.iban AND p.counterparty_iban <> ''
      AND p.amount_minor = -r.amount_minor AND p.currency = r.currency
      AND p.status IN ('suggested', 'unmatched') AND p.booking_date >= r.created_at::date - 30)
OR EXISTS (
    SELECT FROM allocations a JOIN postings q ON q.shop_id = a.shop_id AND q.id = a.posting_id
    JOIN postings p ON p.shop_id = $1 AND p.account = q.account AND p.amount_minor = -q.amount_minor
    WHERE a.shop_id = $1 AND a.order_number = r.order_number AND a.kind = 'payment' AND a.amount_minor > 0
      AND p.is_return AND p.status IN ('suggested', 'unmatched') AND p.counterparty_iban = ''
      AND p.currency = q.currency AND p.booking_date >= q.booking_date)"""


def add_release(tx: ShopTx, refund: RefundRow, released_by: str, now: datetime) -> None:
    """Records a release; one that the person has given before stays as it is."""
    tx.run(
        "INSERT INTO refund_releases (shop_id, refund_id, attempt, account_version, released_by, released_at)"
        " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
        tx.shop_id,
        refund.id,
        refund.attempt,
        refund.account_version,
        released_by,
        now,
    )


def valid_releases(tx: ShopTx, refund_ids: Sequence[str]) -> dict[str, frozenset[str]]:
    """Refund -> who has released its present state; releases of an earlier attempt or account do not count."""
    rows = tx.rows(
        "SELECT r.id, array_agg(l.released_by) FROM refunds r JOIN refund_releases l ON l.shop_id = r.shop_id"
        " AND l.refund_id = r.id AND l.attempt = r.attempt AND l.account_version = r.account_version"
        " WHERE r.shop_id = $1 AND r.id = ANY($2) GROUP BY r.id",
        tx.shop_id,
        list(refund_ids),
    )
    return {row[0]: frozenset(row[1]) for row in rows}


_UNMARKED: Final = row_to_write("orders", "number", "r.number", "of_key.rate_before IS DISTINCT FROM r.rate")
_MARK_RATES: Final = written_by_key(
    "orders", "o", f"unnest($2::text[], $3::numeric[]) r(number, rate) CROSS JOIN {_UNMARKED} o", rate_before="r.rate"
)


def mark_unusual_rates(tx: ShopTx, before: Mapping[str, Decimal | None]) -> None:
    """Writes per order the rate that its own is far away from; None if it is usual, or if it has none."""
    tx.put(_MARK_RATES, tx.shop_id, list(before), list(before.values()))


def with_unusual_rate(tx: ShopTx, numbers: Sequence[str]) -> frozenset[str]:
    """Those of the orders whose rate is unusual."""
    rows = tx.rows(
        "SELECT number FROM orders WHERE shop_id = $1 AND number = ANY($2) AND rate_before IS NOT NULL",
        tx.shop_id,
        list(numbers),
    )
    return frozenset(row[0] for row in rows)
