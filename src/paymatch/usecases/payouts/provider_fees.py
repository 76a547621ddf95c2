"""Fees of payment services and marketplaces, per account and month (D-127)."""

from __future__ import annotations

from paymatch.domain.payouts.monthly_fees import JudgedMonth, judge_months
from paymatch.store.payouts import payouts as store
from paymatch.store.transactions import ShopTx


def fees_by_month(tx: ShopTx) -> list[JudgedMonth]:
    """The months of all accounts, the latest first, each with the usual rate of its account."""
    return judge_months(store.fees_by_month(tx))
