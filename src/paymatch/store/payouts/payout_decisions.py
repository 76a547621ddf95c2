"""People's decisions about postings on bank accounts: the payout of each one, or none (D-83)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from paymatch.store.transactions import ShopTx


@dataclass(frozen=True, slots=True)
class DecidedPayout:
    """The payout that a person has named."""

    account: str
    currency: str
    payout_id: str


def all_of(tx: ShopTx) -> Mapping[str, DecidedPayout | None]:
    """Posting -> its payout; None if it is not one."""
    rows = tx.rows(
        "SELECT posting_id, account, currency, payout_id FROM payout_decisions WHERE shop_id = $1", tx.shop_id
    )
    return {
        row.posting_id: DecidedPayout(row.account, row.currency, row.payout_id) if row.payout_id else None
        for row in rows
    }


def decide(tx: ShopTx, posting_id: str, payout: DecidedPayout | None) -> None:
    """Stores a person's decision on a posting; its earlier payout is free again."""
    said = payout or DecidedPayout("", "", "")
    tx.run(
        "INSERT INTO payout_decisions (shop_id, posting_id, account, currency, payout_id) VALUES ($1, $2, $3, $4, $5)"
        " ON CONFLICT (shop_id, posting_id) DO UPDATE SET account = excluded.account, currency = excluded.currency,"
        " payout_id = excluded.payout_id",
        tx.shop_id, posting_id, said.account, said.currency, said.payout_id,
    )  # fmt: skip
    tx.run(
        "UPDATE payouts SET posting_id = '', reason = '', short_minor = 0 WHERE shop_id = $1 AND posting_id = $2",
        tx.shop_id,
        posting_id,
    )


def is_tied(tx: ShopTx, posting_id: str) -> bool:
    """Whether the posting is a payout."""
    return bool(
        tx.value("SELECT EXISTS (SELECT FROM payouts WHERE shop_id = $1 AND posting_id = $2)", tx.shop_id, posting_id)
    )
