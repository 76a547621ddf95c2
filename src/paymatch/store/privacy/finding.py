"""Where a person is found in PostgreSQL: their orders, payments and refunds (D-63)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from paymatch.domain.privacy.person import Identifier, IdentityKind
from paymatch.domain.words.message import Message
from paymatch.store.connection import text_array
from paymatch.store.sealing import POSTING_PARTY, REFUND_PAYEE
from paymatch.store.transactions import ShopTx

_DECODE: Final = msgspec.json.decode
_BY_NUMBERS: Final = """
SELECT number, doc FROM orders WHERE shop_id = $1
  AND (lower(doc::json ->> 'customerEmail') = ANY($2) OR doc::json ->> 'customerNumber' = ANY($3))"""


def orders_of(tx: ShopTx, emails: Collection[str], customers: Collection[str]) -> dict[str, Mapping[str, Any]]:
    """Number -> document of the orders with one of these addresses or customer numbers."""
    lower = text_array(sorted(each.lower() for each in emails))
    return _documents(tx.rows(_BY_NUMBERS, tx.shop_id, lower, text_array(sorted(customers))))


_NAMES: Final = "concat_ws(' | ', {})".format(
    ", ".join(
        f"concat_ws(' ', doc::json #>> '{{{address},firstName}}', doc::json #>> '{{{address},lastName}}'),"
        f" doc::json #>> '{{{address},company}}'"
        for address in ("billing", "shipping")
    )
)
"""The names in an order, each as people write it."""


def orders_naming(tx: ShopTx, pattern: str) -> dict[str, Mapping[str, Any]]:
    """Number -> document of the orders that are from, or go to, a name that the pattern finds."""
    return _documents(
        tx.rows(f"SELECT number, doc FROM orders WHERE shop_id = $1 AND {_NAMES} ~ $2", tx.shop_id, pattern)
    )


def documents(tx: ShopTx, numbers: Collection[str]) -> dict[str, Mapping[str, Any]]:
    """Number -> document of these orders."""
    wanted = text_array(sorted(numbers))
    return _documents(
        tx.rows("SELECT number, doc FROM orders WHERE shop_id = $1 AND number = ANY($2)", tx.shop_id, wanted)
    )


def _documents(rows: Iterable[Any]) -> dict[str, Mapping[str, Any]]:
    return {row.number: _DECODE(row.doc) for row in rows}


_OF_ACCOUNT: Final = """
SELECT a.order_number FROM allocations a JOIN postings p ON p.shop_id = $1 AND p.id = a.posting_id
WHERE a.shop_id = $1 AND p.counterparty_iban = ANY($2)
UNION SELECT order_number FROM refunds WHERE shop_id = $1 AND iban = ANY($3)"""


def orders_of_account(tx: ShopTx, iban: str) -> set[str]:
    """Numbers of the orders that the account paid, or that were refunded to it."""
    vault = tx.vault()
    params = vault.lookups(POSTING_PARTY, iban), vault.lookups(REFUND_PAYEE, iban)
    return {row[0] for row in tx.rows(_OF_ACCOUNT, tx.shop_id, *params)}


_PAID_BY: Final = """
SELECT p.id, p.counterparty_iban AS iban,
    bool_and(a.order_number = ANY($2)) AS is_own
FROM postings p JOIN allocations a ON a.shop_id = $1 AND a.posting_id = p.id
WHERE p.shop_id = $1 AND p.id IN (SELECT x.posting_id FROM allocations x WHERE x.shop_id = $1
                                  AND x.order_number = ANY($2))
GROUP BY p.id, p.counterparty_iban"""


@dataclass(frozen=True, slots=True)
class Paid:
    """A payment of the orders: the account it came from, and whether it is for these alone."""

    id: str
    iban: str
    is_own: bool


def payments_of(tx: ShopTx, numbers: Collection[str]) -> list[Paid]:
    """The postings that are matched to the orders."""
    vault = tx.vault()
    rows = tx.rows(_PAID_BY, tx.shop_id, text_array(sorted(numbers)))
    return [Paid(row.id, vault.open(POSTING_PARTY, row.iban), row.is_own) for row in rows]


_STILL_NAMED: Final = """
SELECT id, counterparty_iban AS iban FROM postings WHERE shop_id = $1 AND id = ANY($2)
  AND (counterparty_name <> '' OR counterparty_iban <> '' OR remittance <> '')"""


def naming_payments(tx: ShopTx, postings: Collection[str]) -> list[Paid]:
    """Those of the postings that still name the payer."""
    vault = tx.vault()
    rows = tx.rows(_STILL_NAMED, tx.shop_id, text_array(sorted(postings)))
    return [Paid(row.id, vault.open(POSTING_PARTY, row.iban), is_own=True) for row in rows]


_OF_OTHERS: Final = """
SELECT DISTINCT p.counterparty_iban FROM postings p JOIN allocations a ON a.shop_id = $1 AND a.posting_id = p.id
WHERE p.shop_id = $1 AND p.counterparty_iban = ANY($2) AND a.order_number <> ALL($3)"""


def accounts_of_others(tx: ShopTx, ibans: Collection[str], numbers: Collection[str]) -> set[str]:
    """Those of the accounts that pay for other orders than these."""
    stored = {text: iban for iban in ibans for text in tx.vault().lookups(POSTING_PARTY, iban)}
    rows = tx.rows(_OF_OTHERS, tx.shop_id, text_array(list(stored)), text_array(sorted(numbers)))
    return {stored[row[0]] for row in rows}


def refunds_of(tx: ShopTx, numbers: Collection[str]) -> dict[str, str]:
    """Refund -> account of the orders' refunds, "" where none is known."""
    vault = tx.vault()
    wanted = text_array(sorted(numbers))
    rows = tx.rows("SELECT id, iban FROM refunds WHERE shop_id = $1 AND order_number = ANY($2)", tx.shop_id, wanted)
    return {row.id: vault.open(REFUND_PAYEE, row.iban or "") for row in rows}


def is_of_others(tx: ShopTx, numbers: Collection[str], identifier: Identifier) -> bool:
    """Whether an order of another customer has it, too."""
    where = _NAMES if identifier.kind is IdentityKind.NAME else "doc"
    return bool(
        tx.value(
            f"SELECT EXISTS (SELECT FROM orders WHERE shop_id = $1 AND number <> ALL($2) AND {where} ~ $3)",
            tx.shop_id, text_array(sorted(numbers)), identifier.pattern,
        )
    )  # fmt: skip


_NAMING: Final = """
SELECT id FROM postings WHERE shop_id = $1
  AND (counterparty_iban = ANY($2) OR facts ~ $3 OR aside_reason ~ $3)
UNION SELECT posting_id FROM statement_lines WHERE shop_id = $1
  AND (facts ~ $3 OR EXISTS (SELECT FROM unnest($2::text[]) sealed WHERE strpos(facts, sealed) > 0))"""


def postings_naming(tx: ShopTx, ibans: Collection[str], pattern: str) -> set[str]:
    """Postings with one of the accounts or a match of the pattern in their lines."""
    vault = tx.vault()
    sealed = [text for iban in sorted(ibans) for text in vault.lookups(POSTING_PARTY, iban)]
    return {row[0] for row in tx.rows(_NAMING, tx.shop_id, text_array(sealed), pattern)}


_UNDECIDED: Final = """
SELECT count(*) FROM postings WHERE shop_id = $1 AND id = ANY($2) AND amount_minor > 0
  AND status IN ('unmatched', 'suggested') AND aside_reason = ''"""
_OPEN: Final = """
SELECT 'open-order' AS code, number, status FROM orders WHERE shop_id = $1 AND number = ANY($2)
  AND status IN ('UNPAID', 'PAID_PARTIAL', 'COLLECTION')
UNION ALL SELECT 'open-refund', id, status FROM refunds WHERE shop_id = $1 AND order_number = ANY($2)
  AND status IN ('NEW', 'BANKDETAILS_MISSING', 'IN_PROCESS')
UNION ALL SELECT 'open-case', order_number, '' FROM collections WHERE shop_id = $1 AND order_number = ANY($2) AND active
UNION ALL SELECT 'open-letter', run_id, '' FROM letters WHERE shop_id = $1 AND order_number = ANY($2)
  AND status = 'PRINTING' ORDER BY 1, 2"""


def open_matters(tx: ShopTx, numbers: Sequence[str], postings: Sequence[str]) -> list[Message]:
    """Why the person's data is still needed: open business between them and the shop."""
    found = [_matter_text(row) for row in tx.rows(_OPEN, tx.shop_id, text_array(numbers))]
    waiting = int(tx.value(_UNDECIDED, tx.shop_id, text_array(postings)))
    return [*found, Message("open-postings", count=waiting)] if waiting else found


def _matter_text(row: Any) -> Message:
    return (
        Message(row.code, number=row.number, status=row.status) if row.status else Message(row.code, number=row.number)
    )


_NAMED_FILES: Final = """
SELECT run_id FROM letters WHERE shop_id = $1 AND order_number = ANY($2) AND run_id IS NOT NULL
UNION SELECT id FROM collections WHERE shop_id = $1 AND order_number = ANY($2) AND id <> ''
UNION SELECT id FROM mails WHERE shop_id = $1 AND order_number = ANY($2)
UNION SELECT id FROM refund_requests WHERE shop_id = $1 AND order_number = ANY($2)"""


def names_of_files(tx: ShopTx, numbers: Collection[str]) -> tuple[str, ...]:
    """Ids of the person's files in folders: print runs with their letters, cases at the agency, mails."""
    return tuple(row[0] for row in tx.rows(_NAMED_FILES, tx.shop_id, text_array(sorted(numbers))))


def is_in_closed_months(tx: ShopTx, pattern: str) -> bool:
    """Whether a reason in a closed month names the person."""
    statement = "SELECT EXISTS (SELECT FROM closed_postings WHERE shop_id = $1 AND explained ~ $2)"
    return bool(tx.value(statement, tx.shop_id, pattern))


def invoices_of(tx: ShopTx, numbers: Collection[str]) -> list[tuple[str, str]]:
    """(order, number of the invoice) of the orders' invoices."""
    statement = "SELECT order_number, invoice_number FROM invoices WHERE shop_id = $1 AND order_number = ANY($2)"
    return [(row[0], row[1]) for row in tx.rows(statement, tx.shop_id, text_array(sorted(numbers)))]
