"""A shop that sends mail: orders, statements up to a day, and a mail server that answers as a test says."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting
from paymatch.domain.shops.shop import Shop
from paymatch.domain.statement_channels import StatementChannel
from paymatch.formats.camt.writer import CamtStatement, WrittenEntry, write_camt
from paymatch.formats.contract import bodies
from paymatch.outbound.mail.outgoing import MailNotSent, OutgoingMail
from paymatch.store.database import Database
from paymatch.store.shops import shops as shop_store
from paymatch.store.transactions import ShopId
from paymatch.usecases.orders import orders
from paymatch.usecases.reminders.reminders import send_due
from paymatch.usecases.shops import dunning_plans, shops
from paymatch.usecases.statements.statements import import_file

ACCOUNT = "DE89370400440532013000"
START = datetime(2026, 3, 2, 9, tzinfo=UTC)  # a Monday, 10:00 in Berlin


@dataclass
class Door:
    """Takes mail, or fails as `failure` says."""

    delivers: bool = True
    failure: MailNotSent | None = None
    sent: list[OutgoingMail] = field(default_factory=list)

    def send(self, mail: OutgoingMail) -> str:
        if self.failure is not None:
            raise self.failure
        self.sent.append(mail)
        return ""

    def close(self) -> None:
        """Nothing to let go of."""


@dataclass
class MailWorld:
    """The shop and what happens to it."""

    database: Database
    id: ShopId
    now: datetime = START
    door: Door = field(default_factory=Door)

    @property
    def shop(self) -> Shop:
        with self.database.of_shop(self.id) as tx:
            found = shop_store.load(tx)
        assert found is not None
        return found

    def set(self, **settings: str) -> None:
        with self.database.of_shop(self.shop) as tx:
            shops.change(tx, {name.replace("_", "-"): value for name, value in settings.items()})

    def plan(self, **settings: str) -> None:
        with self.database.of_shop(self.shop) as tx:
            dunning_plans.change_plan(tx, {name.replace("_", "-"): text for name, text in settings.items()})

    def order(self, number: str, amount: str = "49.90", **more: Any) -> None:
        body = {
            "number": number, "date": "02-03-2026", "dueDate": "09-03-2026", "type": "PREPAYMENT", "amount": amount,
            "currency": "EUR", "customerEmail": f"{number.lower()}@example.com",
            "billing": {"firstName": "Erika", "lastName": "Mustermann", "countryCode": "DE"}, **more,
        }  # fmt: skip
        checked = [bodies.check_order(each) for each in bodies.decode_orders(json.dumps([body]).encode())]
        with self.database.of_shop(self.shop, at=self.now) as tx:
            orders.submit(tx, checked)

    def statement(self, day: date, opening: int = 0, *paid: tuple[int, str]) -> None:
        """The bank's statement of a day, with payments of (minor units, text)."""
        postings = [
            Posting(ACCOUNT, EUR, minor, day, value_date=day, remittance_lines=(text,), bank_reference=f"{day}-{place}")
            for place, (minor, text) in enumerate(paid)
        ]
        bookings = tuple(WrittenEntry((posting,)) for posting in postings)
        number = day.timetuple().tm_yday
        written = CamtStatement(ACCOUNT, EUR, opening, day, day, f"S{number}", number, bookings)
        import_file(
            self.database,
            self.shop,
            io.BytesIO(write_camt([written], self.now)),
            f"{day}",
            self.now,
            channel=StatementChannel.DROP_FOLDER,
        )

    def send(self) -> int:
        """Everything that is due now; how many orders were looked at."""
        count = 0
        while done := send_due(self.database, self.shop, self.door, self.now):
            count += done
        return count

    def go_to(self, text: str) -> None:
        """`2026-03-16 10:00`, UTC."""
        self.now = datetime.fromisoformat(text).replace(tzinfo=UTC)

    def expire_claims(self) -> None:
        self.now += timedelta(minutes=11)

    def rows(self, statement: str, *params: Any) -> list[tuple[Any, ...]]:
        with self.database.of_shop(self.id) as tx:
            return tx.rows(statement, self.id, *params)

    def mails(self) -> list[tuple[Any, ...]]:
        """(order, level, status) of all mails, sorted."""
        return sorted(self.rows("SELECT order_number, dunning_level, status FROM mails WHERE shop_id = $1"))

    def held(self, number: str) -> str:
        ((found,),) = self.rows("SELECT held FROM reminder_dues WHERE shop_id = $1 AND order_number = $2", number)
        return str(found)


def new_world(database: Database, **settings: str) -> MailWorld:
    """A shop with reminders on."""
    new = shops.create(database, "Mail", START, ibans=[ACCOUNT])
    world = MailWorld(database, ShopId(new.shop.id))
    world.set(**({"mail_from": "post@shop.example", "reminders": "on"} | settings))
    world.plan(levels="7,21:2.50", grace_days="7")
    return world
