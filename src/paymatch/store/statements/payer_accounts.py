"""Accounts from which money came in, file by file: a refund may go back to one that a trusted file shows (D-37).

They are kept beside the postings, because of one payment that two files show a posting says what one of them said.
"""

from __future__ import annotations

from collections.abc import Collection

from paymatch.domain.statement_channels import TRUSTED
from paymatch.store.sealing import PAYER_ACCOUNT
from paymatch.store.transactions import ShopTx


def add(tx: ShopTx, import_id: str, accounts: Collection[str]) -> None:
    """Remembers the accounts that a file shows money from."""
    if accounts:
        tx.run(
            "INSERT INTO payer_accounts (shop_id, account, import_id) SELECT $1, a.account, $2"
            " FROM unnest($3::text[]) a(account) RETURNING 1",
            tx.shop_id,
            import_id,
            sorted(tx.vault().seal(PAYER_ACCOUNT, account) for account in accounts),
        )


def forget(tx: ShopTx, import_id: str) -> None:
    """The import was undone: its file vouches for nothing."""
    tx.run("DELETE FROM payer_accounts WHERE shop_id = $1 AND import_id = $2", tx.shop_id, import_id)


def trusted_accounts(tx: ShopTx, accounts: Collection[str]) -> frozenset[str]:
    """Those of the accounts from which money came in by a file that came by a trusted way."""
    vault = tx.vault()
    stored = {text: account for account in accounts for text in vault.lookups(PAYER_ACCOUNT, account)}
    rows = tx.rows(
        "SELECT DISTINCT a.account FROM payer_accounts a JOIN imports i ON i.shop_id = a.shop_id AND i.id = a.import_id"
        " WHERE a.shop_id = $1 AND a.account = ANY($2) AND i.channel = ANY($3)",
        tx.shop_id,
        list(stored),
        sorted(TRUSTED),
    )
    return frozenset(stored[row[0]] for row in rows)
