"""Fees that payers have kept of the shop's money, and the tariffs learned from them (D-36)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from paymatch.domain.matching.model import Payer
from paymatch.domain.matching.text.payers import payer_of
from paymatch.domain.money import Currency
from paymatch.domain.orders.fees import PAYOUT_FEES, FeeKind, PayerTariffs
from paymatch.store.matching import payers as store
from paymatch.store.matching.payers import KeptRow
from paymatch.store.transactions import ShopTx


@dataclass(frozen=True, slots=True)
class WithheldFees:
    """One payer's fees of one kind in a period; amounts in minor units of `currency`."""

    payer: str  # as the bank named it last
    iban: str
    kind: FeeKind
    currency: Currency
    postings: int
    orders: int
    gross_minor: int
    withheld_minor: int
    tariffs: PayerTariffs | None = None


def fees(tx: ShopTx, first: date | None = None, last: date | None = None) -> list[WithheldFees]:
    """Each payer's fees from the postings of these days, the largest sums first."""
    rows = sorted(store.withheld(tx, first, last), key=_key)
    groups = [(key, list(group)) for key, group in groupby(rows, key=_key)]
    tariffs = store.tariffs(tx, [group[-1].posting for _, group in groups])
    found = [
        _withheld_fees(group, tariffs.get(payer) if kind in PAYOUT_FEES else None) for (payer, kind), group in groups
    ]
    return sorted(found, key=lambda each: (-each.withheld_minor, each.payer, each.kind))


def _key(row: KeptRow) -> tuple[Payer, FeeKind]:
    return payer_of(row.posting), row.kind


def _withheld_fees(rows: Sequence[KeptRow], tariffs: PayerTariffs | None) -> WithheldFees:
    posting = rows[-1].posting
    return WithheldFees(
        payer=posting.counterparty_name,
        iban=posting.counterparty_iban,
        kind=rows[-1].kind,
        currency=posting.currency,
        postings=len(rows),
        orders=sum(row.orders for row in rows),
        gross_minor=sum(row.credited_minor for row in rows),
        withheld_minor=sum(row.withheld_minor for row in rows),
        tariffs=tariffs,
    )
