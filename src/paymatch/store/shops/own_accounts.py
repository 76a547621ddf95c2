"""What a shop's accounts have in common, at banks and at payment services: people confirm and remove them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from paymatch.store.transactions import ShopTx


class AccountTable(StrEnum):
    """Where accounts are kept."""

    AT_BANKS = "bank_accounts"
    AT_PROVIDERS = "provider_accounts"


def confirm(tx: ShopTx, table: AccountTable, account: str) -> int:
    """A person says that the account is the shop's own (D-24); how many rows, one per currency, that were."""
    return tx.run(f"UPDATE {table} SET confirmed = true WHERE shop_id = $1 AND account = $2", tx.shop_id, account)


def remove(tx: ShopTx, table: AccountTable, account: str) -> int:
    """The account leaves the list; how many rows, one per currency, that were. What was booked stays."""
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
