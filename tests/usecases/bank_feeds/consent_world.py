"""A shop whose accounts are read by a consent, its provider and bank, and the worker's turns."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from paymatch.domain.shops.audit import Actor, ActorKind
from paymatch.domain.statement_channels import StatementChannel
from paymatch.outbound.account_information.gateway import AccountInformationGateway
from paymatch.store.bank_feeds.consents import BankConsent, ConsentAccount
from paymatch.store.database import Database
from paymatch.usecases.bank_feeds import consents as use
from paymatch.usecases.bank_feeds.consent_reading import ConsentsWorked, read_due
from paymatch.usecases.bank_feeds.consents import BankReturn, ConsentPlace, WantedBank
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from tests.contract.bank import ACCOUNT
from tests.fakes.enable_banking import AccountAtBank, EnableBankingFake, key_of_shop
from tests.usecases.refunds.refund_world import RefundWorld

OWNER = Actor(ActorKind.PERSON, "owner@shop.example")


@dataclass
class ConsentWorld:
    """A shop, its provider, and the clock of both."""

    books: RefundWorld
    bank: EnableBankingFake
    name: str = ""
    account: AccountAtBank = field(default_factory=lambda: AccountAtBank(ACCOUNT))

    @classmethod
    def new(cls, database: Database, folder: Path) -> ConsentWorld:
        """A shop that has entered its key at the provider."""
        books = RefundWorld(database, folder)
        books.channel = StatementChannel.COMMAND_LINE
        world = cls(books, EnableBankingFake(lambda: books.clock.now))
        world.bank.accounts.append(world.account)
        with world.database.of_shop(world.shop, at=world.now) as tx:
            key = key_of_shop()
            use.set_key(tx, "enable-banking", key.application_id, key.private_key, world.gateway)
        return world

    @property
    def database(self) -> Database:
        """The database as the owner acts in it."""
        return self.books.database.acting_as(OWNER)

    @property
    def shop(self) -> Any:
        return self.books.client.shop

    @property
    def now(self) -> datetime:
        return self.books.clock.now

    @property
    def today(self) -> date:
        return self.now.date()

    @property
    def gateway(self) -> AccountInformationGateway:
        return AccountInformationGateway(self.bank)

    @property
    def place(self) -> ConsentPlace:
        return ConsentPlace(use.return_url("https://pay.example.com", self.shop))

    def begin(self) -> str:
        """The address of the bank's page."""
        wanted = WantedBank("enable-banking", "DE", "Hausbank")
        made, url = use.begin(self.database, self.shop, wanted, self.place, self.gateway, self.now)
        self.name = made.id
        return url

    def come_back(self, address: str, database: Database | None = None) -> BankConsent:
        """The person is sent back to this address."""
        found = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        came = BankReturn(found.get("state", ""), found.get("code", ""), found.get("error", ""))
        return use.finish(database or self.database, self.shop, came, self.gateway, self.now)

    def active(self) -> BankConsent:
        """Through all steps: the shop's account is read."""
        return self.come_back(self.bank.give(self.begin()))

    def renew(self) -> BankConsent:
        """A person gives the consent anew."""
        url = use.renew(self.database, self.shop, self.name, self.place, self.gateway, self.now)
        return self.come_back(self.bank.give(url))

    def turn(self, database: Database | None = None) -> ConsentsWorked:
        """What the worker does of what is due now."""
        return read_due(database or self.books.database, self.shop, self.gateway, self.now)

    def later(self, **spans: float) -> ConsentsWorked:
        """A turn after a while."""
        self.books.clock.pass_time(**spans)
        return self.turn()

    def at(self, hour: int, minute: int = 0, *, days: int = 0) -> ConsentsWorked:
        """A turn at this hour of the day in UTC."""
        day = self.now + timedelta(days=days)
        self.books.clock.now = day.replace(hour=hour, minute=minute, second=0, microsecond=0)
        return self.turn()

    def fetch_now(self) -> ConsentsWorked:
        """A person asks for it."""
        with self.database.of_shop(self.shop, at=self.now) as tx:
            use.fetch_now(tx, self.name)
        return self.turn()

    def row(self) -> BankConsent:
        return use.load(self.books.database, self.shop, self.name)

    def accounts(self) -> list[ConsentAccount]:
        with self.books.database.of_shop(self.shop) as tx:
            return use.overview_of(tx, self.name).accounts

    def alerts(self, *, with_resolved: bool = False) -> list[str]:
        """Texts of open alerts about feeds, or of all that there ever were."""
        with self.books.database.of_shop(self.shop, at=self.now) as tx:
            keep_alerts(tx)
        found = list_alerts(self.books.database, self.shop, with_resolved=with_resolved)
        return [str(row["text"]) for row in found if row["kind"] in ("account-information", "silent-feed")]

    def postings(self) -> list[tuple[int, str, str]]:
        """Amount, source and reference of each posting."""
        rows = self.books.client.rows(
            "SELECT amount_minor, source, bank_reference FROM postings WHERE shop_id = $1 ORDER BY booking_date, id"
        )
        return [tuple(row) for row in rows]
