"""Expired data of the books: payers of old postings, customers of old orders, deleted shops (D-63)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from paymatch.store.area_schema import SCHEMA
from paymatch.store.connection import build
from paymatch.store.privacy.erasing import ErasureTarget
from paymatch.store.row_security import AREA, KEPT_FOR_EVER
from paymatch.store.sealing import POSTING_PARTY
from paymatch.store.transactions import ShopId, ShopTx, Tx

NOTHING: Final = r"(?!)"
"""A pattern that finds nothing: rows go by their owner alone."""


@dataclass(frozen=True, slots=True)
class Periods:
    """A shop's retention periods; None: for ever. `deleted_at`: since when the shop is deleted."""

    keep_payer_days: int | None
    keep_order_years: int | None
    keep_deleted_days: int
    keep_invoice_days: int | None
    keep_drop_days: int | None
    deleted_at: datetime | None
    purged_at: datetime | None


def periods(tx: ShopTx) -> Periods:
    """The shop's periods."""
    row = tx.row(
        "SELECT keep_payer_days, keep_order_years, keep_deleted_days, keep_invoice_days,"
        " keep_drop_days, deleted_at, purged_at"
        " FROM shops WHERE shop_id = $1", tx.shop_id,
    )  # fmt: skip
    assert row is not None
    return build(Periods, row)


_OLD_POSTINGS: Final = """
SELECT p.id, p.counterparty_iban AS iban FROM postings p WHERE p.shop_id = $1 AND p.booking_date < $2
  AND (p.counterparty_name <> '' OR p.counterparty_iban <> '' OR p.remittance <> '')
  AND NOT EXISTS (SELECT FROM allocations a JOIN orders o ON o.shop_id = $1 AND o.number = a.order_number
                  WHERE a.shop_id = $1 AND a.posting_id = p.id
                    AND o.status IN ('UNPAID', 'PAID_PARTIAL', 'COLLECTION'))
ORDER BY p.booking_date, p.id LIMIT $3"""
_OLD_ORDERS: Final = """
SELECT o.number FROM orders o WHERE o.shop_id = $1 AND o.updated_at < $2 AND o.order_date < $3
  AND o.status NOT IN ('UNPAID', 'PAID_PARTIAL', 'COLLECTION') AND strpos(o.doc, '"lastName":"[erased]"') = 0
  AND NOT EXISTS (SELECT FROM refunds r WHERE r.shop_id = $1 AND r.order_number = o.number
                  AND r.status IN ('NEW', 'BANKDETAILS_MISSING', 'IN_PROCESS'))
ORDER BY o.updated_at, o.number LIMIT $4"""


def old_payers(tx: ShopTx, before: date, limit: int) -> ErasureTarget:
    """Postings from before a day that still name the payer; none of an order that is open or in collection."""
    vault, rows = tx.vault(), tx.rows(_OLD_POSTINGS, tx.shop_id, before, limit)
    ibans = {vault.open(POSTING_PARTY, row.iban) for row in rows} - {""}
    return ErasureTarget((), tuple(row.id for row in rows), (), tuple(sorted(ibans)), NOTHING)


def unused_accounts(tx: ShopTx, ibans: Collection[str]) -> tuple[str, ...]:
    """Those of the accounts that no posting names any more."""
    stored = {text: iban for iban in ibans for text in tx.vault().lookups(POSTING_PARTY, iban)}
    rows = tx.rows(
        "SELECT DISTINCT counterparty_iban FROM postings WHERE shop_id = $1 AND counterparty_iban = ANY($2)",
        tx.shop_id, list(stored),
    )  # fmt: skip
    return tuple(sorted(set(ibans) - {stored[row[0]] for row in rows}))


def old_customers(tx: ShopTx, before: datetime, limit: int) -> ErasureTarget:
    """Settled orders, unchanged since a moment, that still name the customer, with their refunds."""
    orders = tuple(row[0] for row in tx.rows(_OLD_ORDERS, tx.shop_id, before, before.date(), limit))
    rows = tx.rows("SELECT id FROM refunds WHERE shop_id = $1 AND order_number = ANY($2)", tx.shop_id, list(orders))
    return ErasureTarget(orders, (), tuple(row[0] for row in rows), (), NOTHING)


def tables(tx: Tx) -> list[str]:
    """Tables with rows of shops that go with their shop; the shop's own row and its due work go last."""
    rows = tx.rows(
        "SELECT c.table_name FROM information_schema.columns c WHERE c.table_schema = current_schema()"
        " AND c.column_name = 'shop_id' AND c.table_name NOT IN ('shops', 'shop_jobs') ORDER BY 1"
    )
    return [row[0] for row in rows if row[0] not in KEPT_FOR_EVER]


def delete_rows(tx: ShopTx, table: str, limit: int) -> int:
    """Deletes at most `limit` rows of the shop; how many."""
    return tx.run(
        f"DELETE FROM {table} WHERE shop_id = $1 AND ctid = ANY(ARRAY(SELECT ctid FROM {table} WHERE shop_id = $1"
        " LIMIT $2))", tx.shop_id, limit,
    )  # fmt: skip


def file_keys(tx: ShopTx) -> list[str]:
    """Keys of all files of the shop's invoices, and of those that are about to be deleted."""
    statement = (
        "SELECT file_key FROM invoices WHERE shop_id = $1 UNION SELECT file_key FROM leaving_files WHERE shop_id = $1"
    )
    return [row[0] for row in tx.rows(statement, tx.shop_id)]


def empty_shop(tx: ShopTx, now: datetime) -> None:
    """Empties the shop's own row except its id, name and certificate."""
    tx.run(
        "UPDATE shops SET learnt = '', print_key = '', callback_url = '', callback_access_code = '',"
        " webhook_secret = '', webhook_secret_old = '', webhook_secret_old_until = NULL, holder = '', street = '',"
        " house_number = '', postcode = '', city = '', mail_from = '', mail_name = '', reply_to = '',"
        " contact_email = '', contact_phone = '', website = '', legal_footer = '',"
        " imprint_url = '', privacy_url = '', callbacks = false,"
        " purged_at = $2 WHERE shop_id = $1", tx.shop_id, now,
    )  # fmt: skip
    tx.run("DELETE FROM shop_jobs WHERE shop_id = $1", tx.shop_id)


def deeds_with_values(tx: ShopTx) -> list[int]:
    """Numbers of all audit entries of the shop that still have their values."""
    return [row[0] for row in tx.rows("SELECT seq FROM audit_log WHERE shop_id = $1 AND erased_at IS NULL", tx.shop_id)]


def delete_in_area(tx: Tx, shop: ShopId) -> dict[str, int]:
    """The merchant area's rows of the shop; the transaction becomes the area's."""
    tx.run("SELECT set_config('role', $1, true)", AREA)  # a SET would go to the nodes too (D-79)
    return dict(_deleted_in_area(tx, shop))


def _deleted_in_area(tx: Tx, shop: ShopId) -> Iterator[tuple[str, int]]:
    for table in ("people_savedview", "people_offeredfile", "people_membership"):
        if tx.value("SELECT to_regclass($1)", f"{SCHEMA}.{table}") is not None:
            rows = tx.run(f"DELETE FROM {SCHEMA}.{table} WHERE shop_id = $1", shop)
            if rows:
                yield f"area.{table}", rows
