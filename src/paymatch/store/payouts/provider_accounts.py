"""The shop's accounts at payment services and marketplaces in PostgreSQL (D-83)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from paymatch.store.rows import build
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


def all_of(tx: ShopTx) -> list[ProviderAccountRow]:
    """The shop's accounts at providers; confirmed ones first."""
    rows = tx.rows(
        "SELECT account, currency, provider, name, confirmed, layout FROM provider_accounts WHERE shop_id = $1"
        " ORDER BY confirmed DESC, created_at, account, currency",
        tx.shop_id,
    )
    return [build(ProviderAccountRow, row) for row in rows]


def add(tx: ShopTx, row: ProviderAccountRow, now: datetime) -> None:
    """Registers an account; one that is known keeps its data, but confirming it counts, and so does a layout."""
    tx.run(
        "INSERT INTO provider_accounts (shop_id, account, currency, provider, name, layout, confirmed, created_at)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (shop_id, account, currency) DO UPDATE SET"
        " confirmed = provider_accounts.confirmed OR excluded.confirmed,"
        " layout = CASE WHEN excluded.layout = '' THEN provider_accounts.layout ELSE excluded.layout END",
        tx.shop_id, row.account, row.currency, row.provider, row.name, row.layout, row.confirmed, now,
    )  # fmt: skip
