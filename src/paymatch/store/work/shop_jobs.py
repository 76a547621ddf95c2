"""Due work of shops in PostgreSQL: find, claim, renew, record, list (D-32).

A claim is a lease: `claimed_until` by the real clock, `claim` the name of its owner. It is taken in one short
transaction and given up in another, with the work between them. `due_at` is a moment of the shop's own clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from paymatch.store.connection import build
from paymatch.store.shops.shops import SHOP_NOW
from paymatch.store.transactions import ShopId, ShopTx, Tx


@dataclass(frozen=True, slots=True)
class JobClaim:
    """A claimed job; `wakes` is the number of requests for it at that time."""

    shop: ShopId
    kind: str
    name: str
    wakes: int
    failures: int
    failing_since: datetime | None


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job for lists. `due_at` None: it waits for its cause; `claimed_until` None: it is not running."""

    kind: str
    due_at: datetime | None
    claimed_until: datetime | None
    failures: int
    failing_since: datetime | None
    last_error: str
    last_done_at: datetime | None
    last_result: str
    done: int
    failed: int

    def state(self, now: datetime, clock: datetime) -> str:
        """running, failing, due, planned or waiting, at the shop's moment `now` and the real one."""
        if self.claimed_until is not None and self.claimed_until > clock:
            return "running"
        if self.failures:
            return "failing"
        if self.due_at is None:
            return "waiting"
        return "due" if self.due_at <= now else "planned"


_NOT_HELD: Final = (
    "(s.sandbox_held_until IS NULL OR s.sandbox_held_until <= $1)"  # the mover of its clock does its work
)


def due(tx: Tx, clock: datetime, kinds: Sequence[str], limit: int) -> list[tuple[ShopId, str]]:
    """(shop, kind) of due, unclaimed jobs, longest due first; needs the operator's view."""
    rows = tx.rows(
        # The first condition is the second without the join: few of very many rows are left for it.
        "SELECT j.shop_id, j.kind FROM shop_jobs j JOIN shops s ON s.shop_id = j.shop_id"
        " WHERE (j.due_at <= $1 OR j.shop_id IN (SELECT shop_id FROM shops WHERE sandbox))"
        f" AND j.due_at <= {SHOP_NOW} AND (j.claimed_until IS NULL OR j.claimed_until <= $1) AND {_NOT_HELD}"
        " AND j.kind = ANY($2) ORDER BY j.due_at, j.shop_id, j.kind LIMIT $3",
        clock,
        list(kinds),
        limit,
    )
    return [(ShopId(row[0]), row[1]) for row in rows]


def unplanned_jobs(
    tx: Tx, kinds: Sequence[str], limit: int, shop: ShopId | None = None
) -> list[tuple[ShopId, datetime, list[str]]]:
    """(shop, when it was created, kinds without a row of its own yet) of all shops or of one."""
    rows = tx.rows(
        "SELECT s.shop_id, s.created_at, array_agg(k.kind) FROM shops s CROSS JOIN unnest($1::text[]) k(kind)"
        " WHERE ($2::uuid IS NULL OR s.shop_id = $2)"
        " AND NOT EXISTS (SELECT FROM shop_jobs j WHERE j.shop_id = s.shop_id AND j.kind = k.kind)"
        " GROUP BY s.shop_id LIMIT $3",
        list(kinds),
        shop,
        limit,
    )
    return [(ShopId(row[0]), row[1], row[2]) for row in rows]


def add(tx: ShopTx, kind: str, due_at: datetime | None) -> None:
    """Plans a job of the shop unless it is planned already."""
    tx.put(
        "INSERT INTO shop_jobs (shop_id, kind, due_at) VALUES ($1, $2, $3) ON CONFLICT (shop_id, kind) DO NOTHING",
        tx.shop_id,
        kind,
        due_at,
    )


def wake(tx: ShopTx, kind: str, now: datetime) -> None:
    """Makes the job due at the shop's moment `now`; if it is running, once more afterwards."""
    tx.put(
        "INSERT INTO shop_jobs (shop_id, kind, due_at, wakes) VALUES ($1, $2, $3, 1) ON CONFLICT (shop_id, kind)"
        " DO UPDATE SET wakes = shop_jobs.wakes + 1, due_at = CASE WHEN shop_jobs.failures > 0 THEN shop_jobs.due_at"
        " ELSE least(shop_jobs.due_at, excluded.due_at) END",
        tx.shop_id,
        kind,
        now,
    )


def pass_over(tx: ShopTx, kind: str, due_at: datetime | None) -> None:
    """Records that the due job had nothing to do; it is due again at `due_at`."""
    tx.run(
        "UPDATE shop_jobs SET due_at = $3 WHERE shop_id = $1 AND kind = $2 AND failures = 0", tx.shop_id, kind, due_at
    )


_CLAIMABLE: Final = """
SELECT j.wakes, j.failures, j.failing_since FROM shop_jobs j JOIN shops s ON s.shop_id = j.shop_id
WHERE j.shop_id = $2 AND j.kind = $3 AND (j.due_at IS NULL OR j.due_at <= $4 OR $5)
  AND (j.claimed_until IS NULL OR j.claimed_until <= $1)
  AND ($6 OR s.sandbox_held_until IS NULL OR s.sandbox_held_until <= $1)
FOR UPDATE OF j SKIP LOCKED"""


def claim(
    tx: ShopTx,
    kind: str,
    name: str,
    *,
    now: datetime,
    clock: datetime,
    until: datetime,
    early: bool = False,
    holding: bool = False,
) -> JobClaim | None:
    """Leases the job until `until`; None if it is not due at the shop's moment `now`, or another process has it.

    `early` takes it before it is due; `holding`: the caller moves the sandbox shop's clock.
    """
    row = tx.row(_CLAIMABLE, clock, tx.shop_id, kind, now, early, holding)
    if row is None:
        return None
    tx.put(
        "UPDATE shop_jobs SET claim = $3, claimed_until = $4 WHERE shop_id = $1 AND kind = $2",
        tx.shop_id,
        kind,
        name,
        until,
    )
    return build(JobClaim, row, shop=tx.shop_id, kind=kind, name=name)


def renew(tx: Tx, claim: JobClaim, until: datetime) -> bool:
    """Prolongs the lease; False if another process has taken the job over."""
    return bool(
        tx.run(
            "UPDATE shop_jobs SET claimed_until = $4 WHERE shop_id = $1 AND kind = $2 AND claim = $3",
            claim.shop,
            claim.kind,
            claim.name,
            until,
        )
    )


def release(tx: Tx, claim: JobClaim) -> None:
    """Releases the claim; the job stays due."""
    tx.run(
        "UPDATE shop_jobs SET claim = '', claimed_until = NULL WHERE shop_id = $1 AND kind = $2 AND claim = $3",
        claim.shop,
        claim.kind,
        claim.name,
    )


def record_done(tx: Tx, claim: JobClaim, result: str, now: datetime, next_at: datetime | None) -> bool:
    """Records a finished job, due again at `next_at`, or at once if it was requested meanwhile.

    False, without any change, if another process has taken it over.
    """
    return bool(
        tx.run(
            "UPDATE shop_jobs SET claim = '', claimed_until = NULL, failures = 0, failing_since = NULL,"
            " last_error = '', last_done_at = $5, last_result = $6, done = done + 1,"
            " due_at = CASE WHEN wakes = $4 THEN $7 ELSE $5 END WHERE shop_id = $1 AND kind = $2 AND claim = $3",
            claim.shop, claim.kind, claim.name, claim.wakes, now, result, next_at,
        )
    )  # fmt: skip


def record_failed(tx: Tx, claim: JobClaim, error: str, now: datetime, retry_at: datetime) -> bool:
    """Records a failed job, due again at `retry_at`; False as in `record_done`."""
    return bool(
        tx.run(
            "UPDATE shop_jobs SET claim = '', claimed_until = NULL, failures = failures + 1, failed = failed + 1,"
            " failing_since = coalesce(failing_since, $4), last_error = $5, due_at = $6"
            " WHERE shop_id = $1 AND kind = $2 AND claim = $3",
            claim.shop, claim.kind, claim.name, now, error, retry_at,
        )
    )  # fmt: skip


def failing_jobs(tx: ShopTx, at_least: int) -> list[tuple[str, int, datetime, str]]:
    """(kind, failures in a row, since when, last error) of jobs that have failed this often."""
    rows = tx.rows(
        "SELECT kind, failures, failing_since, last_error FROM shop_jobs WHERE shop_id = $1 AND failures >= $2"
        " ORDER BY kind",
        tx.shop_id,
        at_least,
    )
    return [(kind, failures, since, error) for kind, failures, since, error in rows]


def rows(tx: ShopTx) -> list[JobRow]:
    """The shop's jobs by kind."""
    found = tx.rows(
        "SELECT kind, due_at, claimed_until, failures, failing_since, last_error, last_done_at, last_result, done,"
        " failed FROM shop_jobs WHERE shop_id = $1 ORDER BY kind",
        tx.shop_id,
    )
    return [build(JobRow, row) for row in found]
