"""A bookkeeper's month: what happens at three accounts and in the shop, reckoned in plain integers beside the product.

Statements come late and overlap; a clerk decides what names no order. Each decision changes the reckoning here, which
reads nothing that the product has reckoned.
"""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import ClassVar, Final

from paymatch.domain.calendar import is_bank_day
from paymatch.domain.money import EUR, Currency
from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.orders.settlement import SetPaidAccount
from paymatch.domain.postings import Posting
from paymatch.domain.refunds.refunds import SubmittedRefund
from paymatch.formats.camt.writer import CamtMessage, CamtStatement, WrittenEntry, write_camt
from paymatch.store.database import Database
from paymatch.usecases.matching import assigning, matching
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.orders import orders
from paymatch.usecases.refunds import refunds
from paymatch.usecases.reports import closing, export_files
from paymatch.usecases.reports.export_files import ExportRequest
from paymatch.usecases.shops import shops
from paymatch.usecases.statements import accounts
from tests.usecases.conftest import ACCOUNT, Books

OTHER: Final = "DE75512108001245126199"
DOLLARS: Final = "DE02120300000000202051"
USD: Final = Currency("USD")
BANKS: Final = {ACCOUNT: ("1800", EUR), OTHER: ("1810", EUR), DOLLARS: ("1820", USD)}
"""Account -> its number in the ledger and its currency."""
FIRST, LAST, APRIL_END = date(2026, 3, 1), date(2026, 3, 31), date(2026, 4, 30)
NAMES: Final = ("journal", "datev", "beancount")
Sums = Counter[tuple[str, str]]
"""(Account of the ledger, currency) -> debit less credit in minor units."""


@dataclass
class Owed:
    """An order as the bookkeeper has it: what it costs, and what moved it."""

    currency: str
    amount: int
    type: str
    credited: int = 0
    returned: int = 0
    set_paid: int = 0
    is_cancelled: bool = False

    @property
    def owes(self) -> int:
        """What is to be paid: nothing after a cancellation, a refund, or if somebody set it paid."""
        if self.is_cancelled or self.set_paid or self.returned:
            return 0
        return max(self.amount - self.credited, 0)

    @property
    def paid_too_much(self) -> int:
        """What the customer should get back."""
        return max(self.credited - self.returned - (0 if self.is_cancelled else self.amount), 0)


@dataclass
class Entry:
    """A booking at the bank: what it is meant for, and what the clerk makes of it."""

    account: str
    day: date
    minor: int
    reference: str
    kind: str
    number: str = ""
    fee: int = 0
    decided: list[tuple[str, int, int]] = field(default_factory=list)  # order, minor units, fee
    credited: int = 0  # in the order's currency, where that is another one
    is_aside: bool = False
    is_known: bool = False
    is_return: bool = False
    counterparty: str = ""


class Bookkeeper:
    """A month of a shop from a seed, and the sums that it must come to."""

    PLAYED: ClassVar[frozenset[str]] = frozenset()
    """Rules of the books that the month breaks, because it plays what the product would do."""

    def __init__(self, database: Database, seed: int) -> None:
        self.chance = random.Random(seed)
        now = datetime(2026, 3, 1, 9, tzinfo=UTC)
        shop = shops.create(database, f"Month {seed}", now - timedelta(days=9), ibans=[ACCOUNT, OTHER]).shop
        self.books = Books(database, shop, now)
        accounts.add(database, shop, DOLLARS, "USD", now)
        with database.of_shop(shop, at=now) as tx:
            shops.change(
                tx,
                {
                    "datev-consultant": "29098", "datev-client": "55003", "datev-rates": "USD:1.2500",
                    "ledger-bank": f"{OTHER}:1810,{DOLLARS}:1820", "ledger-set-paid": "CASH:1600",
                },
            )  # fmt: skip
        self.orders: dict[str, Owed] = {}
        self.bodies: dict[str, dict[str, object]] = {}
        self.planned: Counter[str] = Counter()  # order -> refunds that are to go out
        self.adjusted: dict[str, tuple[str, int]] = {}  # order -> account, what was kept or booked as income
        self.meant: set[str] = set()
        self.entries: list[Entry] = []
        self.known_to = dict.fromkeys(BANKS, FIRST)
        self.statements: Counter[str] = Counter()
        self.left: dict[tuple[str, date], bytes] = {}
        self.did: Counter[str] = Counter()

    def live(self) -> None:
        """March day by day; then late statements and corrections before and after March has left."""
        while self.books.now.date() <= LAST:
            self._day(self.books.now.date())
            self.books.now += timedelta(days=1)
        self.books.now += timedelta(days=3)
        self._bring(self.chance.choice(list(BANKS)), LAST)
        self._leave(FIRST)
        self.books.now += timedelta(days=2)
        for account in BANKS:
            self._bring(account, LAST)
        for _ in range(4):
            self._correct()
        self.books.now = datetime(2026, 5, 4, 9, tzinfo=UTC)
        self._leave(date(2026, 4, 1))

    def _day(self, today: date) -> None:
        for _ in range(self.chance.choice((0, 1, 2))):
            self._order(today)
        if is_bank_day(today):
            for account in BANKS:
                if self.chance.random() < 0.5:
                    self._book(account, today)
        action = self.chance.choice((self._set_paid, self._cancel, self._refund, self._correct, self._nothing))
        action()
        account = self.chance.choice(list(BANKS))
        late = today - timedelta(days=self.chance.choice((0, 1, 4)))
        if self.chance.random() < 0.5 and late > self.known_to[account]:
            self._bring(account, late)

    def _order(self, today: date) -> None:
        number = f"N-{1000 + len(self.orders)}"
        currency = self.chance.choice(("EUR", "EUR", "EUR", "USD"))
        minor, kind = self.chance.randrange(1000, 20000), self.chance.choice(("PREPAYMENT", "INVOICE", "COD", "OTHER"))
        self.bodies[number] = {
            "date": f"{today:%d-%m-%Y}", "type": kind, "currency": currency,
            "billing": {"firstName": "Paula", "lastName": f"Petersen{len(self.orders)}", "countryCode": "DE"},
        }  # fmt: skip
        self._submit(number, minor)
        self.orders[number] = Owed(currency, minor, kind)

    def _submit(self, number: str, minor: int) -> None:
        self.books.order(number, f"{minor // 100}.{minor % 100:02}", **self.bodies[number])

    def _some(self, *, currency: str = "", is_open: bool = True) -> str:
        """An order that is open and that nothing else is meant for, or one that was paid; "" without any."""
        found = [
            number
            for number, each in self.orders.items()
            if currency in ("", each.currency)
            and (number not in self.meant and each.owes == each.amount if is_open else each.credited > each.returned)
            and not each.is_cancelled
            and not each.set_paid
            and number not in self.adjusted
        ]
        return self.chance.choice(found) if found else ""

    def _book(self, account: str, today: date) -> None:
        """Something happens at the bank."""
        kind = self.chance.choice(("named", "named", "payout", "part", "over", "charge", "unknown", "back"))
        currency = BANKS[account][1]
        number = self._some(currency=currency, is_open=kind != "back") if kind not in ("charge", "unknown") else ""
        if not number:
            kind = self.chance.choice(("charge", "unknown"))
        cost, fee = (self.orders[number].amount if number else 0), 0
        match kind:
            case "named":
                minor = cost
            case "payout":
                fee = cost // 20
                minor = cost - fee
            case "part":
                minor = cost // 3
            case "over":
                minor = cost + 777
            case "back":
                minor = -min(self.orders[number].credited - self.orders[number].returned, 500)
            case "charge":
                minor = -self.chance.randrange(100, 900)
            case _:
                minor = self.chance.randrange(100, 9999)
        if kind != "back":
            self.meant.add(number)
        self.entries.append(Entry(account, today, minor, f"R-{len(self.entries)}", kind, number, fee))
        self.did[kind] += 1

    def _bring(self, account: str, last: date) -> None:
        """A statement up to a day; it may begin some days before the one of before ended."""
        begins = max(FIRST, self.known_to[account] - timedelta(days=self.chance.choice((-1, -1, 0, 2))))
        begins = min(begins, last)
        own = [each for each in self.entries if each.account == account]
        shown = [each for each in own if begins <= each.day <= last]
        opening = sum(each.minor for each in own if each.day < begins)
        self.statements[account] += 1
        number, currency = self.statements[account], BANKS[account][1]
        written = tuple(WrittenEntry((self._posting(each),), bank_reference=each.reference) for each in shown)
        name = f"S-{account[-4:]}-{number}"
        statement = CamtStatement(account, currency, opening, begins, last, name, number, written)
        self.books.bring(write_camt([statement], self.books.now, CamtMessage.STATEMENT))
        self.known_to[account] = max(self.known_to[account], last)
        matching.match_due(self.books.database, self.books.shop, self.books.now)
        for each in shown:
            if not each.is_known:
                each.is_known = True
                self._decide(each)

    def _posting(self, entry: Entry) -> Posting:
        name = f"Paula Petersen{entry.number[2:]}" if entry.kind == "named" else f"Somebody {entry.reference}"
        text = f"order {entry.number}" if entry.kind == "named" else f"thanks {entry.reference}"
        return Posting(
            entry.account, BANKS[entry.account][1], entry.minor, counterparty_name=name, booking_date=entry.day,
            counterparty_iban=entry.counterparty, is_return=entry.is_return,
            return_reason="MD06" if entry.is_return else "",
            value_date=entry.day, remittance_lines=(text,), bank_reference=entry.reference,
            entry_reference=entry.reference,
        )  # fmt: skip

    def _id(self, entry: Entry) -> str:
        ((found,),) = self.books.rows(
            f"SELECT id FROM postings WHERE shop_id = $1 AND account = '{entry.account}'"
            f" AND bank_reference = '{entry.reference}'"
        )
        return str(found)

    def _decide(self, entry: Entry) -> None:
        """What the clerk does with what matching leaves, and what it comes to."""
        if entry.kind == "charge":
            assigning.set_aside(self.books.database, self.books.shop, self._id(entry), "charges", self.books.now)
            entry.is_aside = True
        elif entry.kind == "transfer":
            entry.is_aside = True
        elif entry.number:
            self._match(entry, entry.number, entry.fee)

    def _match(self, entry: Entry, number: str, fee: int) -> None:
        kind = FeeKind.COMMISSION if fee > 0 else None
        part = Part(number, entry.minor, max(fee, 0), kind)
        assigning.match(self.books.database, self.books.shop, self._id(entry), [part], self.books.now)
        entry.decided = [(number, entry.minor, fee)]
        owed = self.orders[number]
        if entry.minor > 0 or entry.is_return:
            owed.credited += entry.credited or entry.minor + fee
            owed.set_paid = 0
        else:
            owed.returned -= entry.minor

    def _correct(self) -> None:
        """A match is undone, and half of the time the money goes to another order."""
        found = [each for each in self.entries if each.decided and each.minor > 0 and each.kind != "named"]
        found = [each for each in found if not self.orders[each.number].returned and each.decided[0][0] == each.number]
        found = [each for each in found if each.number not in self.adjusted]
        if not found:
            return
        entry = self.chance.choice(found)
        number, minor, fee = entry.decided[0]
        assigning.unmatch(self.books.database, self.books.shop, self._id(entry), self.books.now)
        self.orders[number].credited -= entry.credited or minor + fee
        entry.decided, entry.credited = [], 0
        another = self._some(currency=BANKS[entry.account][1])
        if another and self.chance.random() < 0.5:
            self.meant.add(another)
            self._match(entry, another, 0)
        self.did["corrected"] += 1

    def _set_paid(self) -> None:
        number = self._some()
        if number:
            with self.books.database.of_shop(self.books.shop, at=self.books.now) as tx:
                orders.set_paid(tx, number, reason="at the till", account=SetPaidAccount.CASH)
            self.orders[number].set_paid = self.orders[number].amount
            self.meant.add(number)
            self.did["set paid"] += 1

    def _cancel(self) -> None:
        number = self._some()
        if number:
            with self.books.database.of_shop(self.books.shop, at=self.books.now) as tx:
                orders.cancel(tx, number)
            self.orders[number].is_cancelled = True
            self.meant.add(number)
            self.did["cancelled"] += 1

    def _refund(self) -> None:
        """A refund is planned, and may be cancelled again: neither moves money."""
        number = self._some(is_open=False)
        if number and self.orders[number].credited - self.orders[number].returned >= 100:
            day = self.books.now.date()
            currency = Currency(self.orders[number].currency)
            wanted = SubmittedRefund(f"X-{number}-{day}", 100, currency, 2, day + timedelta(days=60))
            with self.books.database.of_shop(self.books.shop, at=self.books.now) as tx:
                refund = json.loads(refunds.create(tx, number, wanted))["id"]
                if self.chance.random() < 0.5:
                    refunds.cancel(tx, refund)
                else:
                    self.planned[number] += 100
            self.did["refund"] += 1

    def _nothing(self) -> None:
        self.did["quiet"] += 1

    def _leave(self, month: date) -> None:
        """The month's files are exported, and in half of the months March is closed."""
        for name in NAMES:
            self.left[name, month] = self.export(name, month)
        if month == FIRST and self.chance.random() < 0.5:
            closing.close(self.books.database, self.books.shop, month, self.books.now)

    def export(self, name: str, month: date) -> bytes:
        """The file of a month, as a person gets it."""
        return self.export_days(name, month, LAST if month == FIRST else APRIL_END)

    def export_days(self, name: str, first: date, last: date) -> bytes:
        """The file of some days."""
        wanted = ExportRequest(name, first, last, sales=True)
        with self.books.database.of_shop(self.books.shop, at=self.books.now) as tx:
            export_files.prepare(tx, wanted, self.books.now)
        with self.books.database.of_shop(self.books.shop, at=self.books.now) as tx:
            return b"".join(export_files.chunks(tx, wanted, self.books.now, None))

    # what it must come to

    def ledger(self) -> Sums:
        """What the books must have on each account."""
        found: Sums = Counter()
        for entry in self.entries:
            number, currency = BANKS[entry.account]
            found[number, currency] += entry.minor
            matched = sum(minor for _, minor, _ in entry.decided)
            found["1460" if entry.kind == "transfer" else "1370", currency] -= entry.minor - matched
            fees = sum(fee for _, _, fee in entry.decided)
            found["6770" if fees > 0 else "4830", currency] += fees
            if entry.credited:
                owed = self.orders[entry.decided[0][0]]
                found["6880", currency] -= matched
                found["6880", owed.currency] += entry.credited
                found["10000", owed.currency] -= entry.credited
            else:
                found["10000", currency] -= matched + fees
        for owed in self.orders.values():
            cost = 0 if owed.is_cancelled else owed.amount
            found["10000", owed.currency] += cost - owed.set_paid
            found["4400", owed.currency] -= cost
            found["1600", owed.currency] += owed.set_paid
        for number, (account, minor) in self.adjusted.items():
            found[account, self.orders[number].currency] -= minor
            found["10000", self.orders[number].currency] += minor
        return Counter({key: minor for key, minor in found.items() if minor})

    def balances(self) -> dict[str, int]:
        """Account -> its balance at the end of March."""
        found: dict[str, int] = defaultdict(int)
        for each in self.entries:
            found[each.account] += each.minor
        return dict(found)
