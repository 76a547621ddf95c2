"""A shop, its collection agency and a sandbox shop, and what each of them calls the API with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from paymatch.api import Api
from paymatch.store.database import Database
from paymatch.usecases.collection import cases
from paymatch.usecases.collection.tokens import roll_token
from paymatch.usecases.reports import closing
from paymatch_client import AsyncClient, Client, Retries
from tests.contract.bank import ACCOUNT
from tests.contract.client import Clock, ShopClient, new_shop, with_statements
from tests.usecases.callbacks.callback_world import with_callbacks

QUICK = Retries(first_seconds=0.01)


@dataclass(frozen=True)
class World:
    """Who calls, and where."""

    address: str
    shop: ShopClient
    sandbox: ShopClient
    agency: str

    def another(self) -> World:
        """The same again, with its own shops."""
        return new_world(self.shop.api, self.address, self.shop.database, self.shop.clock)

    def pass_time(self) -> None:
        """A moment passes, less than what an answer shows."""
        self.shop.clock.pass_time(milliseconds=1)

    def key(self, who: str) -> str:
        """The key of the shop, the sandbox shop, or the agency's token."""
        return {"shop": self.shop.key, "sandbox": self.sandbox.key, "agency": self.agency}[who]

    def client(self, who: str = "shop") -> Client:
        """A blocking client."""
        return Client(self.address, self.key(who), retries=QUICK)

    def async_client(self, who: str = "shop") -> AsyncClient:
        """A client for asyncio."""
        return AsyncClient(self.address, self.key(who), retries=QUICK)


def new_world(api: Api, address: str, database: Database, clock: Clock) -> World:
    """New shops: callbacks are on, an agency is set, February is closed."""
    shop = with_statements(new_shop(api, database, clock, ibans=[ACCOUNT]))
    shop.shop = with_callbacks(database, shop.shop, "https://shop.example/callback")
    with database.of_shop(shop.shop, at=clock.now) as tx:
        cases.set_agency(tx, {"name": "Agency Ltd"})
        agency = roll_token(tx, timedelta(0))
    closing.close(database, shop.shop, date(2026, 2, 1), clock.now)
    return World(address, shop, new_shop(api, database, clock, sandbox=True), agency)
