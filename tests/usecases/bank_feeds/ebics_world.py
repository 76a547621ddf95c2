"""A shop that exchanges with the simulated EBICS bank, its clock, and ways to break both."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from paymatch.domain.calendar import minus_bank_days
from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting
from paymatch.domain.statement_channels import StatementChannel
from paymatch.domain.words.message import Message
from paymatch.formats.camt.writer import CamtStatement, WrittenEntry, write_camt
from paymatch.outbound.ebics.keys import KeyUse, SubscriberKeys
from paymatch.outbound.http import CallFailed, HttpAnswer, HttpCall, NoAnswerReason
from paymatch.store.bank_feeds import orders, uploads
from paymatch.store.bank_feeds.connections import EbicsConnection
from paymatch.store.bank_feeds.orders import EbicsOrder
from paymatch.store.bank_feeds.uploads import UploadRow
from paymatch.store.database import Database
from paymatch.usecases.bank_feeds import connections as use
from paymatch.usecases.bank_feeds.connections import BankAccess, BankUse
from paymatch.usecases.bank_feeds.gateway import EbicsGateway
from paymatch.usecases.bank_feeds.work import EbicsWorked, work_due
from paymatch.usecases.work.alerts import keep_alerts, list_alerts
from tests.contract.bank import ACCOUNT
from tests.contract.client import START
from tests.fakes.ebics_bank import EbicsBank
from tests.usecases.refunds.refund_world import RefundWorld

URL = "https://ebics.bank.example/ebics"


class ProcessKilled(BaseException):
    """Simulates kill -9: nothing of the process goes on after it."""


@dataclass
class BankDoor:
    """Hands messages to the bank. The process dies after `dies_after` of them; `dies_before` it is sent."""

    bank: EbicsBank
    dies_after: int | None = None
    dies_before: int | None = None
    sent: int = 0
    is_dead: bool = False

    def call(self, call: HttpCall) -> HttpAnswer:
        """The bank's answer, as HTTP brings it."""
        self.check_alive()
        self.sent += 1
        if self.sent == self.dies_before:
            self.is_dead = True
            self.check_alive()
        answer = self.bank.answer(call.body)
        if self.sent == self.dies_after:
            self.is_dead = True
            self.check_alive()
        if answer is None:
            raise CallFailed(NoAnswerReason.BROKEN, Message("call-broken"))
        return HttpAnswer(200, answer, truncated=False, retry_after=None, elapsed_seconds=0.1, address="192.0.2.1")

    def check_alive(self) -> None:
        """ProcessKilled once it is dead."""
        if self.is_dead:
            raise ProcessKilled

    def close(self) -> None:
        """Nothing is kept."""


@lru_cache
def bank_keys() -> SubscriberKeys:
    """The bank's keys, made once."""
    return SubscriberKeys.generate("PMBANK", START, 2048)


@dataclass
class EbicsWorld:
    """A shop, its bank, and the worker's turns."""

    books: RefundWorld
    bank: EbicsBank
    name: str = ""
    balance: int = 0
    numbers: int = field(default=0)

    @classmethod
    def new(cls, database: Database, folder: Path, **bank: Any) -> EbicsWorld:
        """A shop whose bank does not know it yet."""
        books = RefundWorld(database, folder)
        return cls(books, EbicsBank(bank_keys(), clock=lambda: books.clock.now, iban=ACCOUNT, **bank))

    @property
    def shop(self) -> Any:
        return self.books.client.shop

    @property
    def now(self) -> Any:
        return self.books.clock.now

    def begin(self) -> EbicsConnection:
        """The connection with new keys."""
        access = BankAccess("Hausbank", URL, self.bank.host_id, self.bank.partner_id, self.bank.user_id)
        made = use.begin(self.books.database, self.shop, access, self.now, key_bits=2048)
        self.name = made.id
        return made

    def active(self, *, sends: bool = True) -> EbicsConnection:
        """Through all steps, to a connection that sends."""
        self.begin()
        use.send_keys(self.books.database, self.shop, self.name, self.gateway(), self.now)
        self.bank.active = True
        use.fetch_bank_keys(self.books.database, self.shop, self.name, self.gateway(), self.now)
        self.confirm()
        self.turn()
        if sends:
            self.use_for(sends=True)
        return self.row()

    def confirm(self, **other: str) -> EbicsConnection:
        """A person has typed the fingerprints from the bank's letter."""
        typed = {**self.bank.public.fingerprints, **{KeyUse(use): text for use, text in other.items()}}
        with self.books.database.of_shop(self.shop, at=self.now) as tx:
            return use.confirm(tx, self.name, typed)

    def use_for(self, *, sends: bool) -> EbicsConnection:
        """What is fetched stays as it is."""
        row = self.row()
        wanted = BankUse(row.fetches, [ACCOUNT], " ".join(row.fetch_times), sends)
        with self.books.database.of_shop(self.shop, at=self.now) as tx:
            return use.set_use(tx, self.name, wanted)

    def gateway(self, door: BankDoor | None = None) -> EbicsGateway:
        return EbicsGateway(door or BankDoor(self.bank))

    def turn(self, door: BankDoor | None = None, database: Database | None = None) -> EbicsWorked:
        """What the worker does of what is due now."""
        return work_due(database or self.books.database, self.shop, self.gateway(door), self.now)

    def later(self, **spans: float) -> EbicsWorked:
        """A turn after a while."""
        self.books.clock.pass_time(**spans)
        return self.turn()

    def row(self) -> EbicsConnection:
        with self.books.database.of_shop(self.shop) as tx:
            return use.find(tx, self.name)

    def log(self) -> list[EbicsOrder]:
        """The orders, the oldest first."""
        with self.books.database.of_shop(self.books.client.id) as tx:
            return orders.latest(tx, self.name, 500)[::-1]

    def upload(self) -> UploadRow:
        """The only upload."""
        with self.books.database.of_shop(self.books.client.id) as tx:
            (found,) = uploads.latest(tx, self.name, 10)
        return found

    def fetch_now(self) -> EbicsWorked:
        """A person asks for it."""
        with self.books.database.of_shop(self.shop, at=self.now) as tx:
            use.fetch_now(tx, self.name)
        return self.turn()

    def alerts(self) -> list[str]:
        """Texts of open alerts about EBICS."""
        with self.books.database.of_shop(self.shop, at=self.now) as tx:
            keep_alerts(tx)
        found = list_alerts(self.books.database, self.shop)
        return [str(row["text"]) for row in found if row["kind"] == "ebics"]

    def statement(self, *amounts: tuple[int, str, str], days_ago: int = 0) -> bytes:
        """A camt.053 of today, or bank days ago, with payments (amount, remittance text, EndToEndId)."""
        self.numbers += 1
        day = minus_bank_days(self.now.date(), days_ago) if days_ago else self.now.date()
        postings = [
            Posting(
                ACCOUNT, EUR, minor, day, value_date=day, remittance_lines=(text,), counterparty_name="Eva Muster",
                counterparty_iban="DE75512108001245126199", end_to_end_id=end_to_end_id,
            )
            for minor, text, end_to_end_id in amounts
        ]  # fmt: skip
        opening, self.balance = self.balance, self.balance + sum(minor for minor, *_ in amounts)
        entries = tuple(WrittenEntry((each,)) for each in postings)
        statement = CamtStatement(
            ACCOUNT, EUR, opening, day - timedelta(days=1), day, f"ST{self.numbers}", self.numbers, entries
        )  # fmt: skip
        return write_camt([statement], self.now, message_id=f"M{self.numbers}")

    def released(self, number: str, amount: float = 40) -> str:
        """A paid order whose refund a run has put into a file: its id."""
        self.books.channel = StatementChannel.EBICS
        self.books.paid(number)
        planned = f"{self.now + timedelta(days=1):%d-%m-%Y}"
        refund = self.books.file(number, amount, plannedDate=planned)
        self.books.pass_days(1)
        run = self.books.run()
        assert len(run.files) == 1, run
        return refund

    def dying(self, url: str, door: BankDoor, at: int) -> Database:
        """The database of a process that dies at the n-th boundary of a transaction."""
        seen = 0

        def boundary(_place: str) -> None:
            nonlocal seen
            door.check_alive()
            seen += 1
            if seen == at:
                door.is_dead = True
                door.check_alive()

        return Database(url, size=2, at_boundary=boundary)
