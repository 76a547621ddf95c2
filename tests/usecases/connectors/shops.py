"""A shop here with a connector to a shop system on 127.0.0.1, and what the worker does for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from paymatch.domain.connectors.systems import ConnectorStatus
from paymatch.domain.shops.shop import Shop
from paymatch.formats.contract.bodies import read_order
from paymatch.outbound.connectors.calls import LIMITS
from paymatch.outbound.http import HttpClient
from paymatch.store.connectors.connectors import ConnectorRow, shops_with_due
from paymatch.store.transactions import ShopId, ShopTx
from paymatch.usecases.connectors import connectors
from paymatch.usecases.connectors.gateways import CONNECTORS, ConnectorGateways
from paymatch.usecases.shops import shops
from paymatch.usecases.work import shop_jobs
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from paymatch.usecases.work.job_kinds import BY_NAME, JobGateways
from paymatch.usecases.work.shop_jobs import Ran
from tests.usecases.conftest import Books


def ways() -> ConnectorGateways:
    """The real way out, to addresses of this machine too."""
    return ConnectorGateways(HttpClient(allow_private=True, limits=LIMITS), read_order)


@dataclass
class Connected:
    """Books with a connector; `clock` is the real moment that the worker sees."""

    books: Books
    name: str
    ways: ConnectorGateways = field(default_factory=ways)
    clock: datetime = field(init=False)

    def __post_init__(self) -> None:
        self.clock = self.books.now

    @property
    def shop(self) -> Shop:
        return shops.find(self.books.database, str(self.books.shop.id))

    def work(self, *, later: timedelta = timedelta(minutes=11)) -> Ran | None:
        """What the worker does some minutes later, if it is due."""
        self.clock += later
        with self.books.database.of_all_shops() as tx:
            due = ShopId(self.books.shop.id) in shops_with_due(tx, self.clock)
        return self.run() if due else None

    def run(self) -> Ran | None:
        """The job, as the worker runs it."""
        doors = JobGateways(connectors=self.ways)
        kind = BY_NAME[CONNECTORS]
        return shop_jobs.run(self.books.database, doors, ShopId(self.books.shop.id), kind, lambda: self.clock)

    def tx(self) -> Any:
        return self.books.database.of_shop(self.books.shop, at=self.clock)

    def row(self) -> ConnectorRow:
        with self.tx() as tx:
            return connectors.find(tx, self.name)

    def set_status(self, status: ConnectorStatus) -> None:
        with self.tx() as tx:
            connectors.set_status(tx, self.name, status)

    def change(self, **settings: str) -> None:
        with self.tx() as tx:
            connectors.change(tx, self.name, {key.replace("_", "-"): text for key, text in settings.items()})

    def whole(self) -> dict[str, Any]:
        with self.tx() as tx:
            return connectors.shown_whole(tx, self.row(), 50)

    def problems(self) -> list[tuple[str, str]]:
        return [(each["order"], each["problem"]) for each in self.whole()["problems"]]

    def statuses(self) -> dict[str, str]:
        return dict(self.books.rows("SELECT number, status FROM orders WHERE shop_id = $1 ORDER BY number"))

    def alerts(self) -> list[tuple[str, str]]:
        with self.tx() as tx:
            keep_alerts(tx)
        return [(each["kind"], str(each["text"])) for each in list_alerts(self.books.database, self.shop)]


def connect(books: Books, system: str, url: str, port: int, secrets: tuple[str, str], **settings: str) -> Connected:
    """The shop with an active connector; callbacks of a person's decisions have no grace."""
    with books.database.of_shop(books.shop) as tx:
        ports = ",".join(map(str, (*books.shop.callback_ports, port)))
        shops.change(tx, {"callback-ports": ports, "callback-grace": "0"})
    books.shop = shops.find(books.database, str(books.shop.id))
    given = {"url": url, **{key.replace("_", "-"): text for key, text in settings.items()}}
    with books.database.of_shop(books.shop, at=books.now) as tx:
        row = _add(tx, books, system, secrets, given)
    found = Connected(books, row.name)
    found.set_status(ConnectorStatus.ACTIVE)
    return found


def _add(tx: ShopTx, books: Books, system: str, secrets: tuple[str, str], settings: dict[str, str]) -> ConnectorRow:
    return connectors.add(tx, system, secrets, settings)
