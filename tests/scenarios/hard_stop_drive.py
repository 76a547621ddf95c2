"""A morning in a shop's life as a process of its own: submit, import, match, call back. Run again after a hard stop."""

from __future__ import annotations

import io
import json
from datetime import UTC, date, datetime
from uuid import UUID

from paymatch.domain.money import EUR
from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.contract.bodies import check_order, decode_orders
from paymatch.formats.mt940.writer import EntryToWrite, StatementToWrite, write_mt940
from paymatch.jobs.worker import Worker
from paymatch.outbound.http import HttpClient
from paymatch.store.database import Database
from paymatch.store.fault import boundary_from_environment
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopId
from paymatch.usecases.orders import orders
from paymatch.usecases.statements.statements import import_file
from tests.keys import KEYRING

IBAN = "DE89370400440532013000"
NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
COUNT = 12


def order(number: int, amount: str) -> dict[str, object]:
    """One order of the morning."""
    return {
        "number": f"SO-{number}",
        "date": "15-11-2026",
        "type": "PREPAYMENT",
        "amount": amount,
        "currency": "EUR",
        "billing": {"firstName": "Erika", "lastName": f"Mustermann{number}", "countryCode": "DE"},
    }


def statement() -> bytes:
    """Payments of most of the orders, one of two orders at once, one unrelated."""
    day = date(2026, 11, 19)
    entries = [
        EntryToWrite(
            1000 + number, day, bank_reference=f"REF{number}", name="Erika M", remittance=f"SO-{1000 + number}"
        )
        for number in range(COUNT - 3)
    ]
    both = EntryToWrite(
        1000 + COUNT - 2 + 1000 + COUNT - 1, day, bank_reference="BOTH", name="Erika",
        remittance=f"SO-{1000 + COUNT - 2} SO-{1000 + COUNT - 1}",
    )  # fmt: skip
    other = EntryToWrite(-5000, day, bank_reference="RENT", name="Vermieter", remittance="Miete November")
    return write_mt940([StatementToWrite(IBAN, EUR, 0, day, day, 1, (*entries, both, other))])


def main(url: str, shop_text: str) -> None:
    """The morning's work; each part may be repeated without harm."""
    database = Database(url, size=4, at_boundary=boundary_from_environment(), keyring=KEYRING)
    shop_id = ShopId(UUID(shop_text))
    with database.of_shop(shop_id) as tx:
        shop = shop_store.load(tx)
    assert shop is not None
    bodies = json.dumps([order(1000 + i, f"{(1000 + i) / 100:.2f}") for i in range(COUNT)]).encode()
    with database.of_shop(shop, at=NOW) as tx:
        orders.submit(tx, [check_order(body) for body in decode_orders(bodies)])
    import_file(database, shop, io.BytesIO(statement()), "morning.sta", NOW, channel=StatementChannel.COMMAND_LINE)
    door = HttpClient(allow_private=True)
    Worker(database, door, lambda: NOW).drain()
    door.close()
    database.close()
