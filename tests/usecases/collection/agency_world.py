"""A shop with a collection agency, played through day by day."""

from __future__ import annotations

import json
import zipfile
from datetime import date, timedelta
from pathlib import Path

from paymatch.domain.calendar import is_bank_day
from paymatch.store.database import Database
from paymatch.usecases.collection import cases
from paymatch.usecases.collection.cases import hand_over_due, keep_up
from paymatch.usecases.collection.exchange import AgencyGateways, take_reports, tell_agency
from paymatch.usecases.collection.lapses import lapse_due
from paymatch.usecases.matching.assigning import Part, match
from paymatch.usecases.matching.matching import match_due
from tests.usecases.reminders.mail_world import MailWorld, new_world

AGENCY = {"name": "Agency Ltd", "after_days": "14", "customer_number": "4711"}


class World(MailWorld):
    """A shop with an agency whose folder is below `folder`."""

    folder: Path

    @property
    def ways(self) -> AgencyGateways:
        return AgencyGateways(self.folder)

    def agency(self, **settings: str) -> None:
        with self.database.of_shop(self.shop) as tx:
            cases.set_agency(tx, {name.replace("_", "-"): text for name, text in settings.items()})

    def day(self, day: date, *paid: tuple[int, str]) -> None:
        """A bank day: the statement of the day before, mail at ten, then the day's work for the agency."""
        self.go_to(f"{day} 09:00")
        before = day - timedelta(days=1)
        while not is_bank_day(before):
            before -= timedelta(days=1)
        self.statement(before, self.balance, *paid)
        self.balance += sum(minor for minor, _ in paid)
        match_due(self.database, self.shop, self.now)
        self.send()
        self.work()

    balance: int = 0

    def book(self, number: str) -> None:
        """A clerk books the one posting that is suggested onto the order, then the day's work is done again."""
        ((posting,),) = self.rows("SELECT id FROM postings WHERE shop_id = $1 AND status = 'suggested'")
        match(self.database, self.shop, posting, [Part(number)], self.now)
        self.work()

    def work(self) -> None:
        take_reports(self.database, self.shop, self.ways, self.now)
        hand_over_due(self.database, self.shop, self.now)
        with self.database.of_shop(self.shop, at=self.now) as tx:
            keep_up(tx)
        tell_agency(self.database, self.shop, self.ways, self.now)
        lapse_due(self.database, self.shop, self.now)

    def until(self, first: date, last: date) -> None:
        """Every bank day from the first to the last."""
        day = first
        while day <= last:
            if is_bank_day(day):
                self.day(day)
            day += timedelta(days=1)

    def status(self, number: str = "A-1001") -> str:
        ((found,),) = self.rows("SELECT status FROM orders WHERE shop_id = $1 AND number = $2", number)
        return str(found)

    def case(self, number: str = "A-1001") -> dict[str, object]:
        with self.database.of_shop(self.shop) as tx:
            return cases.details(tx, number)

    def told(self) -> list[tuple[str, str, str]]:
        """(kind, order, open) of everything that the agency has got, in order."""
        found = []
        for path in sorted((self.folder / str(self.id) / "out").glob("*.zip")):
            with zipfile.ZipFile(path) as bundle:
                message = json.loads(bundle.read("message.json"))
            found.append((message["kind"], message["orderNumber"], message["open"]))
        return found


def with_agency(database: Database, folder: Path, **settings: str) -> World:
    """A new shop with two reminders, and an agency whose folder this is."""
    made = new_world(database)
    found = World(database, made.id, made.now, made.door)
    found.folder = folder
    found.plan(levels="7,+7:2.50")
    found.agency(**AGENCY, **settings)
    return found
