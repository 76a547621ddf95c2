"""A shop with one account, orders, and statements that are written and imported."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting
from paymatch.domain.shops.shop import Shop
from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.camt.writer import CamtMessage, CamtStatement, WrittenEntry, write_camt
from paymatch.formats.contract import bodies
from paymatch.store.database import Database
from paymatch.usecases.orders import orders
from paymatch.usecases.shops import shops
from paymatch.usecases.statements.csv_mapping import mapping
from paymatch.usecases.statements.import_report import ImportReport
from paymatch.usecases.statements.statements import import_file
from paymatch.usecases.work.check import check_shop
from tests.keys import KEYRING

ACCOUNT = "DE89370400440532013000"
DAY = date(2026, 3, 10)


@dataclass
class Books:
    """A shop's books and ways to fill and to read them."""

    database: Database
    shop: Shop
    now: datetime = datetime(2026, 3, 11, 9, tzinfo=UTC)
    files: int = field(default=0)

    def order(self, number: str, amount: str, **more: Any) -> None:
        body = {
            "number": number, "date": "01-03-2026", "type": "PREPAYMENT", "amount": amount, "currency": "EUR",
            "billing": {"lastName": "Muster", "countryCode": "DE"}, **more,
        }  # fmt: skip
        checked = [bodies.check_order(each) for each in bodies.decode_orders(json.dumps([body]).encode())]
        with self.database.of_shop(self.shop, at=self.now) as tx:
            orders.submit(tx, checked)

    def bring(self, content: bytes, name: str = "", **more: Any) -> ImportReport:
        self.files += 1
        return import_file(
            self.database,
            self.shop,
            io.BytesIO(content),
            name or f"{self.files}",
            self.now,
            **{"channel": StatementChannel.COMMAND_LINE, **more},
        )

    def confirm_layout(self, table: bytes, account: str = ACCOUNT) -> None:
        """A person says once that tables with these headings are statements of the account."""
        mapping(self.database, self.shop, io.BytesIO(table), account=account, save=True)

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Rows of a question about this shop, whose id is $1."""
        with self.database.of_shop(self.shop) as tx:
            return tx.rows(statement, self.shop.id)

    def postings(self) -> list[tuple[Any, ...]]:
        """(day, amount, source, status) of all postings."""
        return self.rows(
            "SELECT booking_date::text, amount_minor, source, status FROM postings WHERE shop_id = $1 ORDER BY 1, 2, 3"
        )

    def status(self, number: str) -> str:
        return str(dict(self.rows("SELECT number, status FROM orders WHERE shop_id = $1"))[number])

    def events(self, number: str) -> list[str]:
        found = self.rows("SELECT order_number, to_status FROM events WHERE shop_id = $1 ORDER BY seq")
        return [row[1] for row in found if row[0] == number]

    def sound(self) -> None:
        """The invariants hold."""
        assert check_shop(self.database, self.shop) == []


def paid(minor: int, text: str, **more: Any) -> Posting:
    """A payment of Eva Muster on the day."""
    values: dict[str, Any] = {
        "counterparty_name": "Eva Muster", "counterparty_iban": "DE75512108001245126199", "booking_date": DAY, **more,
    }  # fmt: skip
    values.setdefault("value_date", values["booking_date"])
    return Posting(ACCOUNT, EUR, minor, remittance_lines=(text,) if text else (), **values)


def batch(reference: str, *parts: Posting) -> tuple[Posting, ...]:
    """Payments that the bank books as one entry."""
    return tuple(
        replace(part, entry_reference=reference, bank_reference=reference, detail_index=place, batch_size=len(parts))
        for place, part in enumerate(parts)
    )


def camt(
    message: CamtMessage,
    *entries: Posting | tuple[Posting, ...],
    opening: int = 0,
    number: int = 1,
    days: Sequence[date] = (DAY, DAY),
    divided: bool = True,
    account: str = ACCOUNT,
) -> bytes:
    """A camt file of these entries; undivided batches show their sum only."""
    bookings = []
    for entry in entries:
        parts = entry if isinstance(entry, tuple) else (entry,)
        single = len(parts) == 1
        bookings.append(WrittenEntry(parts, bank_reference=parts[0].entry_reference, with_details=single or divided))
    name = f"{message}-{number}-{days[0]}-{len(entries)}"
    statement = CamtStatement(account, EUR, opening, days[0], days[-1], name, number, tuple(bookings))
    return write_camt([statement], datetime(2026, 3, 11, 6, tzinfo=UTC), message)


@pytest.fixture(scope="module")
def database(module_url: str) -> Iterator[Database]:
    found = Database(module_url, size=6, keyring=KEYRING)
    yield found
    found.close()


@pytest.fixture
def books(database: Database) -> Books:
    now = datetime(2026, 3, 11, 9, tzinfo=UTC)
    return Books(database, shops.create(database, "Books", now - timedelta(days=60), ibans=[ACCOUNT]).shop)
