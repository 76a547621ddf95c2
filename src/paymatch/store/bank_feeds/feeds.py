"""By which way the statements of each account last came."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from paymatch.store.transactions import ShopTx


@dataclass(frozen=True, slots=True)
class LastFed:
    """The last import with a statement of the account, and how it came."""

    channel: str
    at: datetime


def last_fed(tx: ShopTx) -> dict[str, LastFed]:
    """Account -> its last import that stands."""
    rows = tx.rows(
        "SELECT DISTINCT ON (s.account) s.account, i.channel, i.created_at AS at FROM statements s"
        " JOIN imports i ON i.shop_id = s.shop_id AND i.id = s.import_id"
        " WHERE s.shop_id = $1 AND i.status = 'BOOKED' AND s.account <> ''"
        " ORDER BY s.account, i.created_at DESC",
        tx.shop_id,
    )
    return {row.account: LastFed(row.channel, row.at) for row in rows}
