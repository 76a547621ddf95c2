"""The last exchange rate of each pair of currencies that the installation has seen; nothing of a shop (D-85)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from paymatch.domain.orders.exchange import LastRate, PairRate
from paymatch.store.transactions import Tx

Pair = tuple[str, str]


def last(tx: Tx, pairs: Collection[Pair]) -> dict[Pair, LastRate]:
    """The last rate of each of these pairs (base, quoted) that has one."""
    rows = tx.rows(
        "SELECT base, quoted, rate, seen_at FROM last_exchange_rates"
        " WHERE (base, quoted) IN (SELECT * FROM unnest($1::text[], $2::text[]))",
        [base for base, _ in pairs], [quoted for _, quoted in pairs],
    )  # fmt: skip
    return {(row.base, row.quoted): LastRate(row.rate, row.seen_at) for row in rows}


def keep(tx: Tx, rates: Collection[PairRate], now: datetime) -> None:
    """These are the last rates from now on, one of each pair; in one order, so that two transactions never lock."""
    kept = sorted(rates)
    tx.run(
        "INSERT INTO last_exchange_rates (base, quoted, rate, seen_at)"
        " SELECT base, quoted, rate, $4 FROM unnest($1::text[], $2::text[], $3::numeric[]) r(base, quoted, rate)"
        " ORDER BY base, quoted"
        " ON CONFLICT (base, quoted) DO UPDATE SET rate = excluded.rate, seen_at = excluded.seen_at",
        [each.base for each in kept], [each.quoted for each in kept], [each.rate for each in kept], now,
    )  # fmt: skip
