"""Common to a shop's accounts at banks and payment services: people confirm and remove them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from paymatch.store.transactions import ShopTx


class AccountTable(StrEnum):
    """Where accounts are kept."""

    AT_BANKS = "bank_accounts"
    AT_PROVIDERS = "provider_accounts"


def confirm_all(tx: ShopTx, table: AccountTable) -> None:
    """Confirms every account of the shop, as its owner does who has given their statements."""
    tx.run(f"UPDATE {table} SET confirmed = true WHERE shop_id = $1 AND NOT confirmed", tx.shop_id)


def confirm(tx: ShopTx, table: AccountTable, account: str) -> int:
    """Confirms the account as the shop's own (D-24); returns the number of rows, one per currency."""
    return tx.run(f"UPDATE {table} SET confirmed = true WHERE shop_id = $1 AND account = $2", tx.shop_id, account)


def remove(tx: ShopTx, table: AccountTable, account: str) -> int:
    """Removes the account; returns the number of rows, one per currency. Its bookings stay."""
    return tx.run(f"DELETE FROM {table} WHERE shop_id = $1 AND account = $2", tx.shop_id, account)


def remove_unused(tx: ShopTx, accounts: Sequence[str]) -> list[str]:
    """Those of the accounts that no person confirmed and no statement names any more; they are removed."""
    removed: set[str] = set()
    for table in AccountTable:
        rows = tx.rows(
            f"DELETE FROM {table} b WHERE b.shop_id = $1 AND b.account = ANY($2) AND NOT b.confirmed"
            " AND NOT EXISTS (SELECT FROM statements s WHERE s.shop_id = $1 AND s.account = b.account"
            " AND s.currency = b.currency) RETURNING b.account",
            tx.shop_id,
            list(accounts),
        )
        removed |= {row[0] for row in rows}
    return sorted(removed)
