"""The due work of a shop's connectors: orders are fetched, and payment statuses written back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from paymatch.domain.connectors.systems import ConnectorStatus
from paymatch.domain.plurals import count_of
from paymatch.domain.shops.shop import Shop
from paymatch.outbound.connectors.gateway import ConnectorFailed
from paymatch.store.connectors import connectors as store
from paymatch.store.connectors import orders
from paymatch.store.connectors.connectors import ConnectorRow
from paymatch.store.database import Database
from paymatch.usecases.connectors.gateways import ConnectorGateways, note_failure
from paymatch.usecases.connectors.polling import look
from paymatch.usecases.connectors.write_back import follow, write_due

PROBLEMS_KEPT: Final = timedelta(days=90)
"""How long an order that was never imported is remembered with its problem."""


@dataclass(frozen=True, slots=True)
class Worked:
    """The work done; `more`: a poll has more pages than there was time for."""

    seen: int = 0
    taken: int = 0
    written: int = 0
    more: bool = False

    @property
    def words(self) -> str:
        """For the list of jobs."""
        return f"{count_of(self.seen, 'order')} seen, {self.taken} taken, {self.written} written back"


def work_due(database: Database, shop: Shop, ways: ConnectorGateways, clock: datetime, seconds: float) -> Worked:
    """Does the due work of all active connectors, each for about this long."""
    with database.of_shop(shop, at=clock) as tx:
        orders.forget_problems(tx, clock - PROBLEMS_KEPT)
        rows = [row for row in store.connectors(tx) if row.status is ConnectorStatus.ACTIVE]
    done = Worked()
    for row in rows:
        one = _work(database, shop, row, ways, clock, seconds)
        done = Worked(
            done.seen + one.seen, done.taken + one.taken, done.written + one.written, done.more or one.more
        )  # fmt: skip
    return done


def _work(
    database: Database, shop: Shop, row: ConnectorRow, ways: ConnectorGateways, clock: datetime, seconds: float
) -> Worked:
    """Writes back first: that work is known, and a poll may bring news of the same orders."""
    follow(database, shop, row, clock)
    if row.rests(clock):
        return Worked()
    with database.of_shop(shop, at=clock) as tx:
        credentials = store.credentials(tx, row.name)
    try:
        door = ways.door(shop, row.settings, credentials)
    except ConnectorFailed as error:
        note_failure(database, shop, row, error, clock)
        return Worked()
    written = write_due(database, shop, row, door, clock, seconds) if row.settings.write_back else 0
    with database.of_shop(shop, at=clock) as tx:
        present = store.connector(tx, row.name)
    if present is None or present.rests(clock) or present.poll_at > clock:
        return Worked(written=written)
    looked = look(database, shop, present, ways, door, clock, seconds)
    return Worked(looked.seen, looked.taken, written, looked.more)
