"""Feeds of accounts: the channel of the last statement, and the record of failures of a feed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
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
