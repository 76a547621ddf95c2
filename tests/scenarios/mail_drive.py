"""A day of mail as a process of its own: an order comes in, its mail goes out. Run again after a hard stop."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from paymatch.formats.contract.bodies import check_order, decode_orders
from paymatch.outbound.mail.folder import FolderDoor
from paymatch.outbound.mail.outgoing import OutgoingMail
from paymatch.store.database import Database
from paymatch.store.fault import boundary_from_environment
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopId
from paymatch.usecases.orders import orders
from paymatch.usecases.reminders.reminders import send_due
from tests.keys import KEYRING

NOW = datetime(2026, 3, 16, 10, tzinfo=UTC)


class Log(FolderDoor):
    """Keeps every call: a repetition is a file of its own."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._folder = root

    def send(self, mail: OutgoingMail) -> str:
        place = len(list(self._folder.iterdir()))
        (self._folder / f"{place}.eml").write_bytes(mail.content)
        return ""


def main(url: str, shop_text: str, folder: Path) -> None:
    """Two new orders, of which one gets payment information, and two old ones of one customer to be reminded of."""
    database = Database(url, size=4, at_boundary=boundary_from_environment(), keyring=KEYRING)
    shop_id = ShopId(UUID(shop_text))
    with database.of_shop(shop_id) as tx:
        shop = shop_store.load(tx)
    assert shop is not None
    bodies = json.dumps([
        {
            "number": f"A-{1000 + place}", "date": "16-03-2026" if place < 2 else "23-02-2026", "type": "PREPAYMENT",
            "amount": "10.00", "currency": "EUR", "dueDate": "30-04-2026" if place < 2 else "02-03-2026",
            "billing": {"lastName": "Muster", "countryCode": "DE"},
            **({} if place == 1 else {"customerEmail": f"{min(place, 2)}@example.com"}),
        }
        for place in range(4)
    ]).encode()  # fmt: skip
    with database.of_shop(shop, at=NOW) as tx:
        orders.submit(tx, [check_order(body) for body in decode_orders(bodies)])
    while send_due(database, shop, Log(folder), NOW):
        pass
    database.close()
