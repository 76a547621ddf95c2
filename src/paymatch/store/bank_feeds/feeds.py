"""Feeds of accounts: the channel of the last statement, and the record of failures of a feed."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Final, NamedTuple

from paymatch.store.messages import message_to_json
from paymatch.store.transactions import ShopId, ShopTx, Tx


class FeedTable(NamedTuple):
    """A table of feeds, their kind of job, and the states in which a feed has work."""

    name: str
    job: str
    working: tuple[str, ...]


EBICS: Final = FeedTable("ebics_connections", "ebics", ("SUBMITTED", "ACTIVE"))
CONSENTS: Final = FeedTable("bank_consents", "account-information", ("ACTIVE",))

RECOVERED: Final = "failures = 0, failing_since = NULL, last_error = NULL, resting_until = NULL"
"""What a feed's columns become once its bank answers."""


@dataclass(frozen=True, slots=True)
class LastFed:
    """The last import with a statement of the account, and its channel."""

    channel: str
    at: datetime


def last_fed(tx: ShopTx) -> dict[str, LastFed]:
    """Account -> its last import that was not undone."""
    rows = tx.rows(
        "SELECT DISTINCT ON (s.account) s.account, i.channel, i.created_at AS at FROM statements s"
        " JOIN imports i ON i.shop_id = s.shop_id AND i.id = s.import_id"
        " WHERE s.shop_id = $1 AND i.status = 'BOOKED' AND s.account <> ''"
        " ORDER BY s.account, i.created_at DESC",
        tx.shop_id,
    )
    return {row.account: LastFed(row.channel, row.at) for row in rows}


class StatementCame(NamedTuple):
    """Statements of the same days: the days, both included, when the first of them came, and the account's first file.

    The last two are days in the shop's time zone.
    """

    first_date: date
    last_date: date
    came_on: date
    begun_on: date


_RECENT: Final = """
WITH came AS (
    SELECT s.account, coalesce(s.first_date, s.last_date) AS first_date, s.last_date, min(i.created_at) AS came_at,
           min(min(i.created_at)) OVER (PARTITION BY s.account) AS begun_at
    FROM statements s JOIN imports i ON i.shop_id = s.shop_id AND i.id = s.import_id
    WHERE s.shop_id = $1 AND i.status = 'BOOKED' AND s.account <> '' AND s.last_date IS NOT NULL GROUP BY 1, 2, 3)
SELECT account, first_date, last_date, (came_at AT TIME ZONE $3)::date AS came_on,
       (begun_at AT TIME ZONE $3)::date AS begun_on, 0 AS postings FROM came WHERE last_date >= $2
UNION ALL
SELECT known.account, day.booking_date, NULL, NULL, NULL, day.postings FROM (SELECT DISTINCT account FROM came) known
CROSS JOIN LATERAL (SELECT p.booking_date, count(*) AS postings FROM postings p
                    WHERE p.shop_id = $1 AND p.account = known.account AND p.booking_date >= $2 GROUP BY 1) day
ORDER BY 1, 2, 3"""


@dataclass(slots=True)
class RecentDays:
    """What came for an account lately: its statements by day, and booking date -> number of postings."""

    statements: list[StatementCame] = field(default_factory=list)
    postings: dict[date, int] = field(default_factory=dict)


def recent_days(tx: ShopTx, since: date, timezone: str) -> defaultdict[str, RecentDays]:
    """Account -> its booked statements that end on this day or later, and its postings since then."""
    found: defaultdict[str, RecentDays] = defaultdict(RecentDays)
    for account, first, last, came_on, begun_on, postings in tx.rows(_RECENT, tx.shop_id, since, timezone):
        if last is None:
            found[account].postings[first] = postings
        else:
            found[account].statements.append(StatementCame(first, last, came_on, begun_on))
    return found


def record_failure(tx: ShopTx, feed: FeedTable, name: str, error: str, at: datetime, until: datetime) -> None:
    """Records a failed call to the bank or provider, and the end of its back-off."""
    tx.run(
        f"UPDATE {feed.name} SET failures = failures + 1, failing_since = coalesce(failing_since, $3),"
        " last_error = $4, resting_until = $5, work_at = $5 WHERE shop_id = $1 AND id = $2",
        tx.shop_id,
        name,
        at,
        message_to_json(error),
        until,
    )


def shops_with_due(tx: Tx, clock: datetime, *, feed: FeedTable) -> list[ShopId]:
    """Active shops with a feed that has something to do; needs the operator's view."""
    rows = tx.rows(
        f"SELECT DISTINCT c.shop_id FROM {feed.name} c JOIN shops s ON s.shop_id = c.shop_id"
        " WHERE s.status = 'active' AND c.status = ANY($2) AND c.work_at <= $1"
        " AND (c.resting_until IS NULL OR c.resting_until <= $1)"
        " AND NOT EXISTS (SELECT FROM shop_jobs j WHERE j.shop_id = c.shop_id AND j.kind = $3"
        " AND (j.claimed_until > $1 OR j.due_at > $1))",
        clock,
        list(feed.working),
        feed.job,
    )
    return [ShopId(row[0]) for row in rows]
