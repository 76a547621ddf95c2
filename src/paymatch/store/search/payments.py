"""The payment that a customer says they made: postings by amount, day, name and account, in any status."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from paymatch.store.connection import build
from paymatch.store.sealing import POSTING_ACCOUNT_END, POSTING_PARTY
from paymatch.store.transactions import ShopTx

ACCOUNT_END: Final = 4
"""The number of an account's last characters that is enough to find it."""
_MOST: Final = 20


@dataclass(frozen=True, slots=True)
class WantedPayment:
    """The known facts of a payment; "", None or empty if unknown.

    `words` are those of the payer's name in all spellings, `number` is the order's without marks. The amount is of
    `currency`; the payment itself may be of any.
    """

    currency: str
    first: date
    last: date
    amount_minor: int | None = None
    words: Sequence[str] = ()
    account: str = ""
    number: str = ""


@dataclass(frozen=True, slots=True)
class ComplaintPayment:
    """A posting with the orders that it pays, and the wishes that it meets."""

    id: str
    booking_date: date
    amount_minor: int
    currency: str
    name: str
    text: str
    status: str
    orders: tuple[str, ...]
    by_amount: bool
    by_name: bool
    by_account: bool
    by_number: bool


_FIND: Final = """
SELECT * FROM (
    SELECT p.id, p.booking_date, p.amount_minor, p.currency, p.counterparty_name AS name, p.remittance AS text,
           p.status,
           ARRAY(SELECT DISTINCT a.order_number FROM allocations a WHERE a.shop_id = p.shop_id AND a.posting_id = p.id
                 ORDER BY 1) AS orders,
           coalesce(p.amount_minor = $5 AND p.currency = $2, false) AS by_amount,
           p.counterparty_name ILIKE ANY($6) OR p.remittance ILIKE ANY($6) AS by_name,
           p.counterparty_iban = ANY($7) OR p.counterparty_account_end = ANY($8) AS by_account,
           $9 <> '' AND regexp_replace(upper(p.remittance), '[^A-Z0-9]', '', 'g') ~ $9 AS by_number
    FROM postings p WHERE p.shop_id = $1 AND p.amount_minor > 0 AND NOT p.is_return
      AND p.booking_date BETWEEN $3 AND $4) f
WHERE f.by_amount OR f.by_name OR f.by_account OR f.by_number
ORDER BY 2 * f.by_number::int + f.by_amount::int + f.by_name::int + 2 * f.by_account::int DESC,
         f.booking_date DESC, f.id
LIMIT $10"""


def find_payments(tx: ShopTx, wanted: WantedPayment) -> list[ComplaintPayment]:
    """The postings that meet most of the wishes, those first that meet more."""
    vault, account = tx.vault(), wanted.account
    rows = tx.rows(
        _FIND, tx.shop_id, wanted.currency, wanted.first, wanted.last, wanted.amount_minor,
        [f"%{word}%" for word in wanted.words], vault.lookups(POSTING_PARTY, account),
        vault.lookups(POSTING_ACCOUNT_END, account[-ACCOUNT_END:]) if len(account) >= ACCOUNT_END else [],
        _within(wanted.number), _MOST,
    )  # fmt: skip
    return [build(ComplaintPayment, row, orders=tuple(row.orders)) for row in rows]


def _within(number: str) -> str:
    """A pattern of the number that is not part of a longer one: 12 is not in 112, nor in a year. "" for none."""
    before = "(?<![0-9])" if number[:1].isdigit() else ""
    after = "(?![0-9])" if number[-1:].isdigit() else ""
    return f"{before}{number}{after}" if number else ""
