"""A shop with orders whose status changes, for tests of callbacks."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from paymatch.domain.callbacks.receivers import receiver_of
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import Database
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopId
from paymatch.usecases.orders import orders
from paymatch.usecases.shops import shops

START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


@dataclass
class World:
    """A shop, its clock that tests move by hand, and its database."""

    database: Database
    shop: Shop
    now: datetime = START
    numbers: list[str] = field(default_factory=list)

    @property
    def id(self) -> ShopId:
        return ShopId(self.shop.id)

    def clock(self) -> datetime:
        """The moment that the world is at."""
        return self.now

    def pass_time(self, **spans: float) -> None:
        """The clock goes on."""
        self.now += timedelta(**spans)

    def add_order(self, number: str, amount: str = "19.90") -> None:
        """A new, unpaid order; no status change, so no callback (D-22)."""
        add_orders(self.database, self.id, [number], self.now, amount)
        self.numbers.append(number)

    def set_paid(self, number: str) -> None:
        """A change of the order's status to PAID."""
        with self.database.of_shop(self.shop, at=self.now) as tx:
            orders.set_paid(tx, number)

    def set_unpaid(self, number: str) -> None:
        """A change of the order's status back to UNPAID."""
        with self.database.of_shop(self.shop, at=self.now) as tx:
            orders.set_unpaid(tx, number)

    def cancel(self, number: str) -> None:
        """A change of the order's status to CANCELLED."""
        with self.database.of_shop(self.shop, at=self.now) as tx:
            orders.cancel(tx, number)

    def rows(self, statement: str) -> list[tuple[object, ...]]:
        """Rows of a statement with the shop as $1."""
        with self.database.of_shop(self.id) as tx:
            return tx.rows(statement, self.id)


def new_world(database: Database, url: str = "https://shop.example/callback", *, any_2xx: bool = False) -> World:
    """A shop that wants callbacks at `url`."""
    new = shops.create(database, "Callback shop", START)
    return World(database, with_callbacks(database, new.shop, url, any_2xx=any_2xx))


def with_callbacks(database: Database, shop: Shop, url: str, *, any_2xx: bool = False, on: bool = True) -> Shop:
    """The shop with its callbacks directed to `url`."""
    with database.of_shop(shop) as tx:
        settings = {
            "callbacks": on, "callback_url": url, "callback_success": "2xx" if any_2xx else "200",
            "callback_ports": [receiver_of(url, allow_private=True).port] if url else [],
        }  # fmt: skip
        shop_store.change(tx, settings)
        changed = shop_store.load(tx)
    assert changed is not None
    return changed


def add_orders(database: Database, shop: ShopId, numbers: list[str], now: datetime, amount: str = "19.90") -> None:
    """Unpaid orders, written straight into the table."""
    docs = [
        json.dumps(
            {"number": number, "date": "01-03-2026", "type": "PREPAYMENT", "amount": 0, "currency": "EUR",
             "billing": {"lastName": "Müller", "countryCode": "DE"}},
            ensure_ascii=False, separators=(",", ":"),
        ).replace('"amount":0', f'"amount":{amount}')
        for number in numbers
    ]  # fmt: skip
    with database.of_shop(shop) as tx:
        tx.run(
            "INSERT INTO orders (shop_id, number, doc, type, order_date, currency, digits, amount_minor, status,"
            " reference, created_at, updated_at) SELECT $1, n, d, 'PREPAYMENT', '2026-03-01', 'EUR', 2, $5, 'UNPAID',"
            " 'RF' || n, $4, $4 FROM unnest($2::text[], $3::text[]) AS r(n, d) RETURNING number",
            shop,
            numbers,
            docs,
            now,
            int(amount.replace(".", "")),
        )
