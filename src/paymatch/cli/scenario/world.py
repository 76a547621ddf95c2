"""The world of a scenario: a sandbox shop of its own, the merchant API in process, a bank, a receiver, a clock."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import quote, unquote_to_bytes

from paymatch.api import Api, ApiConfig
from paymatch.cli.scenario.receiver import URL, StoryReceiver
from paymatch.clock import utc_now
from paymatch.domain.shops.shop import Shop
from paymatch.outbound.files import NullFiles
from paymatch.store.database import Database
from paymatch.store.sandbox import sandbox as store
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopId
from paymatch.usecases.shops import shops
from paymatch.usecases.work.sandbox_clock import hold_due_work, move

IBAN: Final = "DE89370400440532013000"
_OF_CREATION: Final = frozenset({"name", "currency", "country", "timezone", "iban"})


@dataclass(frozen=True, slots=True)
class ApiReply:
    """An answer of the API; numbers keep their decimals as text."""

    status: int
    json: Any


class World:
    """Everything that a step acts on."""

    def __init__(self, database: Database, new: Shop, key: str, receiver: StoryReceiver) -> None:
        self.database = database
        self.shop_id = ShopId(new.id)
        self.receiver = receiver
        self._new = new
        self._key = key
        config = ApiConfig(("x-service-api-key",), utc_now, 10_000_000)
        self._api = Api(database, NullFiles(), config)

    @property
    def shop(self) -> Shop:
        """The shop in its present state."""
        with self.database.of_shop(self.shop_id) as tx:
            shop = shop_store.load(tx)
        assert shop is not None
        return shop

    def move_to(self, moment: datetime) -> None:
        """The clock goes on to `moment`."""
        move(self.database, self._new, moment, self.receiver, utc_now)

    def settle(self) -> None:
        """What is due at this very moment happens: callbacks of what was just done."""
        self.move_to(self.shop.now(utc_now()))

    def call(self, method: str, path: str, body: Any = None) -> ApiReply:
        """A call of the merchant API; `path` is percent-encoded already."""
        content = b"" if body is None else json.dumps(body).encode()
        route, _, query = path.partition("?")
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": "/api/v2/" + unquote_to_bytes(route).decode("latin-1"),
            "QUERY_STRING": query,
            "CONTENT_LENGTH": str(len(content)),
            "CONTENT_TYPE": "application/json",
            "HTTP_X_SERVICE_API_KEY": self._key,
            "wsgi.input": io.BytesIO(content),
        }
        started: list[str] = []
        answer = b"".join(self._api(environ, lambda status, _: started.append(status)))
        return ApiReply(int(started[0][:3]), json.loads(answer, parse_float=str) if answer else None)

    def order(self, number: str) -> ApiReply:
        """The order with everything that can be included."""
        flags = "includePostings=true&includeRefunds=true&includePaymentReminders=true"
        return self.call("GET", f"order/{quote(number, safe='')}?{flags}")


@contextmanager
def new_world(database: Database, start: datetime, settings: dict[str, str], *, keep: bool = False) -> Iterator[World]:
    """A world with a new shop whose clock is stopped at `start`; the shop is deleted afterwards unless kept.

    SettingRefused if a setting does not exist.
    """
    new = shops.create(
        database,
        settings.get("name", "Scenario"),
        start,
        currency=settings.get("currency", "EUR"),
        country=settings.get("country", "DE"),
        ibans=(settings.get("iban", IBAN),),
        timezone=settings.get("timezone", ""),
        sandbox=True,
        start=start,
    )
    try:
        wanted = {"callbacks": "on", "callback-url": URL} | {
            name: value for name, value in settings.items() if name not in _OF_CREATION
        }
        with database.of_shop(new.shop) as tx:
            shops.change(tx, wanted)
        with hold_due_work(database, new.shop, utc_now):
            yield World(database, new.shop, new.api_key, StoryReceiver())
    finally:
        if not keep:
            with database.of_shop(new.shop) as tx:
                store.delete_shop(tx)
