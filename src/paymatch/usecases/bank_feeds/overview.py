"""An EBICS connection as its page shows it, in one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from paymatch.domain.shops.shop import Shop
from paymatch.store.bank_feeds import orders, uploads
from paymatch.store.bank_feeds.connections import EbicsConnection
from paymatch.store.bank_feeds.orders import EbicsOrder
from paymatch.store.bank_feeds.uploads import UploadRow
from paymatch.store.database import Database
from paymatch.store.shops import shops as shop_store
from paymatch.usecases.bank_feeds.connections import find

_ORDERS_SHOWN: Final = 20
_UPLOADS_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class ConnectionOverview:
    """`accounts`: those that the bank offers, and those that the shop has."""

    row: EbicsConnection
    accounts: list[str]
    orders: list[EbicsOrder]
    uploads: list[UploadRow]


def overview_of(database: Database, shop: Shop, name: str) -> ConnectionOverview:
    """The connection with its last orders and uploads. EbicsUnknown."""
    with database.of_shop(shop) as tx:
        row = find(tx, name)
        own = [each.account for each in shop_store.accounts(tx)]
        return ConnectionOverview(
            row,
            sorted({*row.offered_accounts, *row.accounts, *(() if row.offered_accounts else own)}),
            orders.latest(tx, row.id, _ORDERS_SHOWN),
            uploads.latest(tx, row.id, _UPLOADS_SHOWN),
        )
