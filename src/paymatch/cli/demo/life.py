"""The demo shop as the parts of the demo see it: database, service, receiver, and its clock."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from datetime import time as clock_time
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec
from rich.console import Console

from paymatch.cli.demo.receiver import CallbackListener
from paymatch.cli.demo.service import Client, DemoFailed
from paymatch.domain.callbacks.deliveries import UNFINISHED
from paymatch.domain.shops.audit import Actor, ActorKind
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import Database
from paymatch.usecases import callbacks
from paymatch.usecases.shops import shops

ZONE: Final = ZoneInfo("Europe/Berlin")
OWNER: Final = "owner@demo.example"
CLERK: Final = "clerk@demo.example"
DEVELOPER: Final = "developer@demo.example"
_PATIENCE_SECONDS: Final = 30
_ADDRESS: Final = "127.0.0.1"


@dataclass(slots=True)
class Life:
    """A sandbox shop, the service that runs it, and the shop's own receiver."""

    console: Console
    database: Database
    shop: Shop
    access_code: str
    client: Client
    receiver: CallbackListener
    _quiet_since: tuple[int, float] = field(default=(0, 0.0))

    def as_person(self, email: str) -> Database:
        """The database with a person of the shop as the one who acts."""
        return self.database.acting_as(Actor(ActorKind.PERSON, email, _ADDRESS))

    def change(self, **settings: str) -> None:
        """The owner changes settings of the shop."""
        values = {name.replace("_", "-"): value for name, value in settings.items()}
        with self.as_person(OWNER).of_shop(self.shop) as tx:
            shops.change(tx, values)
        self.refresh()

    def refresh(self) -> None:
        """The shop in its present state."""
        self.shop = shops.find(self.database, str(self.shop.id))

    def move_clock(self, day: date, hour: int, minute: int = 0) -> None:
        """The shop's clock goes on to this time of its day, and everything happens that is due on the way."""
        self.move_clock_to(datetime.combine(day, clock_time(hour, minute), ZONE))

    def move_clock_to(self, moment: datetime) -> None:
        """The shop's clock goes on to the moment."""
        body = {"set": moment.astimezone(UTC).isoformat()}
        while not msgspec.json.decode(self.client.post("sandbox/clock", body))["done"]:
            pass
        self.refresh()

    def ask(self, path: str) -> Any:
        """What the API answers to a GET."""
        return msgspec.json.decode(self.client.get(path))

    def callbacks_waiting(self) -> int:
        """How many of them are not delivered yet, but for those that the receiver refuses."""
        with self.database.of_shop(self.shop) as tx:
            waiting = callbacks.page(tx, tuple(UNFINISHED), limit=100_000)
        return sum(each.order_number not in self.receiver.refused for each in waiting)

    def check_callbacks_flow(self) -> None:
        """DemoFailed if none has arrived for a while."""
        count, now = len(self.receiver.received), time.monotonic()
        if count != self._quiet_since[0] or not self._quiet_since[1]:
            self._quiet_since = (count, now)
        elif now - self._quiet_since[1] > _PATIENCE_SECONDS and self.callbacks_waiting():
            raise DemoFailed(f"No callback has arrived for {_PATIENCE_SECONDS} seconds")

    def wait_for_callbacks(self) -> None:
        """Returns once everything is delivered."""
        while self.callbacks_waiting():
            self.check_callbacks_flow()
            time.sleep(0.05)
