"""The demo shop as the parts of the demo see it: database, service, receiver, and its clock."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from rich.console import Console

from paymatch.cli.demo.receiver import Receiver
from paymatch.cli.demo.service import Client, DemoFailed
from paymatch.domain.callbacks.deliveries import UNFINISHED
from paymatch.domain.shops.shop import Shop
from paymatch.store import shops as shop_store
from paymatch.store.database import Database, ShopId
from paymatch.usecases import callbacks

_PATIENCE_SECONDS: Final = 30


@dataclass(slots=True)
class Life:
    """A sandbox shop, the service that runs it, and the shop's own receiver."""

    console: Console
    database: Database
    shop: Shop
    access_code: str
    client: Client
    receiver: Receiver
    _quiet_since: tuple[int, float] = field(default=(0, 0.0))

    def change(self, **settings: Any) -> None:
        """Writes settings of the shop."""
        values = {name: value == "on" if value in ("on", "off") else value for name, value in settings.items()}
        with self.database.transaction(ShopId(self.shop.id)) as tx:
            shop_store.change(tx, ShopId(self.shop.id), values)

    def set_clock(self, moment: datetime) -> None:
        """The shop's clock stands at `moment` from now on."""
        self.change(sandbox_now=moment)
        self.shop = replace(self.shop, sandbox_now=moment)

    def callbacks_waiting(self) -> int:
        """How many of them are not delivered yet."""
        with self.database.transaction(ShopId(self.shop.id)) as tx:
            return len(callbacks.page(tx, self.shop, tuple(UNFINISHED), limit=100_000))

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
