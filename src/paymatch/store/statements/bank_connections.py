"""Connections to banks in PostgreSQL."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from paymatch.store.connection import Row, build
from paymatch.store.sealing import BANK_SYSTEM, BANK_USER, Vault
from paymatch.store.transactions import ShopTx


@dataclass(frozen=True, slots=True)
class ConnectionRow:
    """A connection of an account. `consent_until` None: not known; `last_fetched_at` None: never."""

    account: str
    bank_code: str
    server_url: str
    user: str
    tan_mechanism: str = ""
    tan_medium: str = ""
    system_id: str = ""
    consent_until: date | None = None
    last_fetched_at: datetime | None = None


def connections(tx: ShopTx) -> list[ConnectionRow]:
    """The shop's connections, by account."""
    rows = tx.rows(
        "SELECT account, bank_code, server_url, user_name AS user, tan_mechanism, tan_medium, system_id,"
        " consent_until, last_fetched_at FROM bank_connections WHERE shop_id = $1 ORDER BY account",
        tx.shop_id,
    )
    return [_connection(row, tx.vault()) for row in rows]


def _connection(row: Row, vault: Vault) -> ConnectionRow:
    user, system_id = vault.open(BANK_USER, row.user), vault.open(BANK_SYSTEM, row.system_id)
    return build(ConnectionRow, row, user=user, system_id=system_id)


def add(tx: ShopTx, row: ConnectionRow) -> bool:
    """Stores a connection; False if the account has one."""
    return bool(
        tx.run(
            "INSERT INTO bank_connections (shop_id, account, bank_code, server_url, user_name, tan_mechanism,"
            " tan_medium, consent_until) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
            tx.shop_id,
            row.account,
            row.bank_code,
            row.server_url,
            tx.vault().seal(BANK_USER, row.user),
            row.tan_mechanism,
            row.tan_medium,
            row.consent_until,
        )
    )


def remove(tx: ShopTx, account: str) -> bool:
    """Forgets a connection; False if there is none."""
    return bool(tx.run("DELETE FROM bank_connections WHERE shop_id = $1 AND account = $2", tx.shop_id, account))


def record_identification(
    tx: ShopTx, account: str, system_id: str, way: tuple[str, str], consent_until: date | None
) -> None:
    """Stores the bank's id of this installation, mechanism and medium of TANs, and the end of the consent.

    Empty values change nothing.
    """
    tx.run(
        "UPDATE bank_connections SET system_id = coalesce(nullif($3, ''), system_id),"
        " consent_until = coalesce($4, consent_until), tan_mechanism = coalesce(nullif($5, ''), tan_mechanism),"
        " tan_medium = coalesce(nullif($6, ''), tan_medium) WHERE shop_id = $1 AND account = $2",
        tx.shop_id,
        account,
        tx.vault().seal(BANK_SYSTEM, system_id),
        consent_until,
        *way,
    )


def forget_way(tx: ShopTx, account: str) -> bool:
    """Makes the next dialogue ask again for the TAN method; False if there is no connection."""
    return bool(
        tx.run(
            "UPDATE bank_connections SET tan_mechanism = '', tan_medium = '' WHERE shop_id = $1 AND account = $2",
            tx.shop_id,
            account,
        )
    )


def record_fetch(tx: ShopTx, account: str, now: datetime) -> None:
    """Records when everything from the bank was imported."""
    tx.run(
        "UPDATE bank_connections SET last_fetched_at = $3 WHERE shop_id = $1 AND account = $2", tx.shop_id, account, now
    )
