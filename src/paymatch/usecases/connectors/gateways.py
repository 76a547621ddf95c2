"""Gateways of connectors: out to the shop, and in through the API's checks of an order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from paymatch.domain.connectors.systems import Connector, Credentials, ShopSystem
from paymatch.domain.orders.submission import SubmittedOrder
from paymatch.domain.shops.shop import Shop
from paymatch.domain.shops.shop_jobs import ALERTS, retry_at
from paymatch.domain.words.message import Message
from paymatch.outbound.connectors.calls import ShopCalls
from paymatch.outbound.connectors.gateway import ConnectorFailed, ShopSystemDoor
from paymatch.outbound.connectors.shopware import Shopware
from paymatch.outbound.connectors.woocommerce import WooCommerce
from paymatch.outbound.http import HttpDoor
from paymatch.store.connectors import connectors as store
from paymatch.store.connectors.connectors import ConnectorRow
from paymatch.store.database import Database
from paymatch.store.work import shop_jobs

CONNECTORS: Final = "connectors"
"""The job for the due work of connectors."""

ReadOrder = Callable[[bytes], SubmittedOrder]
"""The API's reading of an order's JSON; OrderRefused with the first check that fails."""

_CLASSES: Final[Mapping[ShopSystem, Callable[[ShopCalls, Credentials], ShopSystemDoor]]] = {
    ShopSystem.WOOCOMMERCE: WooCommerce,
    ShopSystem.SHOPWARE: Shopware,
}


@dataclass(frozen=True, slots=True)
class ConnectorGateways:
    """The gateway to shop systems, and the reader of orders; without them there is nothing to do."""

    http: HttpDoor | None = None
    read_order: ReadOrder | None = None

    def door(self, shop: Shop, settings: Connector, credentials: Credentials) -> ShopSystemDoor:
        """The gateway to a shop system; ConnectorFailed if this installation has none."""
        if self.http is None:
            raise ConnectorFailed(Message("connector-no-way"), for_a_person=True)
        calls = ShopCalls(self.http, settings.url, shop.callback_ports)
        return _CLASSES[settings.system](calls, credentials)

    def reader(self) -> ReadOrder:
        """The reader of orders; ConnectorFailed if this installation has none."""
        if self.read_order is None:
            raise ConnectorFailed(Message("connector-no-way"), for_a_person=True)
        return self.read_order


NO_WAYS: Final = ConnectorGateways()


def note_failure(database: Database, shop: Shop, row: ConnectorRow, error: ConnectorFailed, clock: datetime) -> None:
    """Backs off from the shop, longer each time and at least as long as it asks; checks the alerts."""
    until = retry_at(row.failures + 1, clock)
    if error.wait is not None:
        until = max(until, clock + error.wait)
    with database.of_shop(shop, at=clock) as tx:
        store.record_failure(tx, row.name, error.message, clock, until, for_a_person=error.for_a_person)
        shop_jobs.wake(tx, ALERTS, shop.now(clock))


def next_poll_at(settings: Connector, clock: datetime) -> datetime:
    """When the shop is polled again."""
    return clock + timedelta(minutes=settings.minutes)
