"""Rate limit counters in PostgreSQL: one row per name until its whole allowance is restored. Operator's view."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Final

from paymatch.domain.customers.allowances import Allowance
from paymatch.store.transactions import Tx

_FORGOTTEN_AT_ONCE: Final = 10
"""Expired rows that each new row deletes: more than it adds."""


def take(tx: Tx, name: str, allowance: Allowance, now: datetime) -> bool:
    """Counts one; False, and nothing is counted, if the name has none left."""
    tx.run(
        "DELETE FROM page_allowances WHERE name IN"
        " (SELECT name FROM page_allowances WHERE full_at < $1 ORDER BY full_at LIMIT $2 FOR UPDATE SKIP LOCKED)",
        now,
        _FORGOTTEN_AT_ONCE,
    )
    taken = tx.run(
        "INSERT INTO page_allowances AS a (name, full_at) VALUES ($1, $2::timestamptz + $3::interval)"
        " ON CONFLICT (name) DO UPDATE SET full_at = greatest(a.full_at, $2) + $3"
        " WHERE greatest(a.full_at, $2) + $3 <= $2::timestamptz + $4::interval",
        _hash_of(name),
        now,
        allowance.one,
        allowance.whole,
    )
    return bool(taken)


def has(tx: Tx, name: str, allowance: Allowance, now: datetime) -> bool:
    """Whether the name has one left; counts nothing."""
    found: bool = tx.value(
        "SELECT NOT EXISTS (SELECT FROM page_allowances WHERE name = $1"
        " AND full_at + $3::interval > $2::timestamptz + $4::interval)",
        _hash_of(name),
        now,
        allowance.one,
        allowance.whole,
    )
    return found


def _hash_of(name: str) -> int:
    """No address and no link is stored."""
    return int.from_bytes(hashlib.sha256(name.encode("utf-8", "replace")).digest()[:8], "big", signed=True)
