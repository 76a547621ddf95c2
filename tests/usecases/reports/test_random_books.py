"""Random books with fees, rates, erased people, late and undone statements: reports of past days stay (D-50)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.privacy.person import PersonRefused, sought
from paymatch.domain.refusal import Refused
from paymatch.domain.reports.asked import PeriodQuery
from paymatch.domain.reports.catalogue import REPORTS
from paymatch.domain.words.message import Message
from paymatch.formats.camt.writer import CamtMessage
from paymatch.outbound.files import DirectoryFiles
from paymatch.store.database import Database
from paymatch.usecases.matching import assigning, matching
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.privacy import erasing
from paymatch.usecases.privacy.files import Folders
from paymatch.usecases.reports import closing, reports
from paymatch.usecases.shops import shops
from paymatch.usecases.statements.imports import undo_import
from tests.length import some
from tests.usecases.conftest import ACCOUNT, Books, camt, paid

BEGIN: Final = date(2026, 3, 2)
DAYS: Final = 45
LONGEST_DAYS: Final = 4 * DAYS
DONE: Final = frozenset({"order", "statement", "match_with_fee", "set_aside", "take_back", "undo", "erase"})
"""What every life does at least once."""
SHOWN: Final = {
    "open": tuple(column.key for column in REPORTS["open"].columns if column.key not in ("customer", "dunningLevel")),
    "overpaid": ("number", "amount", "paid", "overpaid", "status"),
    # Names and texts are read as they are today: people are erased.
    "postings": tuple(each.key for each in REPORTS["postings"].columns if each.key not in ("originator", "text")),
    "cash": tuple(column.key for column in REPORTS["cash"].columns),
}
Made = dict[str, list[dict[str, Any]]]


class Life:
    """A shop's days; what is refused is no event."""

    def __init__(self, books: Books, seed: int, folder: Path) -> None:
        self.books, self.chance, self.folder = books, random.Random(seed), folder
        self.did: Counter[str] = Counter()
        self.made: dict[date, Made] = {}
        self.people = 0
        self.statements = 0

    @property
    def today(self) -> date:
        return self.books.now.date()

    def live(self) -> None:
        """Each day some actions, then the reports of that day. Ids are drawn by the service, so a seed does not fix a
        life: it goes on until all of DONE has happened.
        """
        for day in range(LONGEST_DAYS):
            if day >= DAYS and self.did.keys() >= DONE:
                return
            for _ in range(self.chance.choice((1, 2, 4))):
                action = self.chance.choice(self.actions())
                try:
                    action()
                except Refused:
                    continue
                self.did[action.__name__] += 1
            self.made[self.today] = self.reports(self.today)
            self.books.now += timedelta(days=1)

    def actions(self) -> list[Callable[[], None]]:
        return [
            self.order, self.order, self.statement, self.statement, self.statement, self.match_with_fee, self.set_aside,
            self.take_back, self.reconsider, self.undo, self.erase, self.change_order,
        ]  # fmt: skip

    def order(self) -> None:
        self.people += 1
        body: dict[str, Any] = {"date": self.today.strftime("%d-%m-%Y"), "customerEmail": f"p{self.people}@example.org"}
        if self.chance.random() < 0.25:
            body |= {"currency": "USD", "exchangeRate": 1.25}
        name = {"firstName": "Paula", "lastName": f"Petersen{self.people}", "countryCode": "DE"}
        self.books.order(f"N-{1000 + self.people}", f"{self.chance.randrange(10, 90)}.00", billing=name, **body)

    def numbers(self, which: str) -> list[tuple[Any, ...]]:
        columns = "number, amount_minor, currency"
        return self.books.rows(f"SELECT {columns} FROM orders WHERE shop_id = $1 AND {which} ORDER BY number")

    def statement(self) -> None:
        """Payments of today or some days ago, that name an order, a marketplace, or nothing."""
        day = max(BEGIN, self.today - timedelta(days=self.chance.choice((0, 0, 1, 6))))
        entries = []
        for place in range(self.chance.randint(1, 3)):
            kind = self.chance.random()
            found = self.numbers("status = 'UNPAID'")
            if kind < 0.6 and found:
                number, minor, currency = self.chance.choice(found)
                paid_minor = minor * 4 // 5 if currency == "USD" else minor
                extra = self.chance.choice((0, 0, 0, 500, -300))
                entries.append(self.paid(paid_minor + extra, f"order {number}", day, f"{number} {place}"))
            elif kind < 0.8:
                entries.append(self.paid(self.chance.randrange(900, 9000), "payout", day, f"x{place}"))
            else:
                entries.append(self.paid(-self.chance.randrange(100, 900), "charges", day, f"y{place}"))
        self.statements += 1
        self.books.bring(camt(CamtMessage.STATEMENT, *entries, number=self.statements, days=(day,)))
        matching.match_due(self.books.database, self.books.shop, self.books.now)

    def paid(self, minor: int, text: str, day: date, mark: str) -> Any:
        reference = f"E{self.statements}-{mark}"
        return paid(minor, text, booking_date=day, end_to_end_id=reference, bank_reference=reference)

    def some_posting(self, which: str) -> str:
        rows = self.books.rows(f"SELECT id FROM postings WHERE shop_id = $1 AND {which} ORDER BY id")
        if not rows:
            raise Refused(Message("text", value="there is none"))
        return str(self.chance.choice(rows)[0])

    def match_with_fee(self) -> None:
        posting = self.some_posting("status IN ('unmatched', 'suggested') AND amount_minor > 0")
        ((minor,),) = self.books.rows(f"SELECT amount_minor FROM postings WHERE shop_id = $1 AND id = '{posting}'")
        found = self.numbers("status = 'UNPAID' AND currency = 'EUR'")
        if not found:
            raise Refused(Message("text", value="there is none"))
        kind = self.chance.choice((FeeKind.COMMISSION, FeeKind.PAYMENT_FEE, FeeKind.CASH_DISCOUNT))
        part = Part(self.chance.choice(found)[0], minor, self.chance.choice((0, 100, 250)), kind)
        assigning.match(self.books.database, self.books.shop, posting, [part], self.books.now)

    def set_aside(self) -> None:
        posting = self.some_posting("status IN ('unmatched', 'suggested')")
        assigning.set_aside(self.books.database, self.books.shop, posting, "rent", self.books.now)

    def reconsider(self) -> None:
        posting = self.some_posting("aside_reason <> '' OR status = 'ignored'")
        assigning.reconsider(self.books.database, self.books.shop, posting, self.books.now)

    def take_back(self) -> None:
        assigning.unmatch(self.books.database, self.books.shop, self.some_posting("status = 'matched'"), self.books.now)

    def undo(self) -> None:
        rows = self.books.rows("SELECT id FROM imports WHERE shop_id = $1 AND status = 'BOOKED' ORDER BY id")
        if not rows or self.chance.random() < 0.5:
            raise Refused(Message("text", value="there is none"))
        undo_import(self.books.database, self.books.shop, self.chance.choice(rows[-4:])[0], self.books.now)

    def change_order(self) -> None:
        number, minor, currency = self.chance.choice(self.numbers("status <> 'CANCELLED'") or [("", 0, "")])
        if not number or currency != "EUR":
            raise Refused(Message("text", value="there is none"))
        self.books.order(number, f"{max(1, minor // 100 + self.chance.choice((-3, 4)))}.00")

    def erase(self) -> None:
        if not self.people or self.chance.random() < 0.5:
            raise Refused(Message("text", value="nobody"))
        email = f"p{self.chance.randint(1, self.people)}@example.org"
        try:
            erasing.erase(
                self.books.database, self.books.shop, sought(email=email), DirectoryFiles(self.folder / "files"),
                Folders([self.folder]), self.books.now, although_open=True,
            )  # fmt: skip
        except PersonRefused as refusal:
            raise Refused(Message("text", value=str(refusal))) from None

    def reports(self, day: date) -> Made:
        """All reports of the time until a day, and as of it."""
        with self.books.database.of_shop(self.books.shop) as tx:
            return {
                name: [_shown(row, keys) for row in reports.rows(tx, REPORTS[name], PeriodQuery(BEGIN, day, day))]
                for name, keys in SHOWN.items()
            }


def _shown(row: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """What matching said of other orders goes with whom it named; what a person said of a posting stays."""
    found = {key: row.get(key) for key in keys}
    return found | {"reason": ""} if "reason" in found and not row["aside"] else found


@pytest.mark.parametrize("seed", some([1, 2, 3, 4], 1))
def test_past_days_and_closed_months_of_random_books(database: Database, seed: int, tmp_path: Path) -> None:
    now = datetime(2026, 3, 2, 9, tzinfo=UTC)
    shop = shops.create(database, f"Life {seed}", now - timedelta(days=9), ibans=[ACCOUNT]).shop
    life = Life(Books(database, shop, now), seed, tmp_path)
    closes = date(2026, 4, 3)
    sealed: list[dict[str, Any]] = []
    sold: list[dict[str, Any]] = []
    original = life.reports

    def reports_and_close(day: date) -> Made:
        found = original(day)
        if day == closes:
            sold.append(march_of(life))
            closing.close(database, shop, BEGIN.replace(day=1), life.books.now)
            sealed.extend(found["postings"])
        if day >= closes:
            sold.append(march_of(life))
        return found

    life.reports = reports_and_close  # type: ignore[method-assign]
    life.live()
    life.reports = original  # type: ignore[method-assign]
    for day, was in life.made.items():
        assert life.reports(day) == was, day
        every_cent_is_explained(was)
    for day in list(life.made)[::9]:
        debtors_are_reconciled(life, day)
    assert life.did.keys() >= DONE
    changed_since_the_close_is_listed(life, sealed)
    assert len(sold) > 10 and all(row == sold[0] for row in sold), "sales and DSO of a closed month stay"
    life.books.sound()


def march_of(life: Life) -> dict[str, Any]:
    """Sales, DSO and days until paid of March, as they are shown today."""
    with life.books.database.of_shop(life.books.shop) as tx:
        asked = PeriodQuery(BEGIN.replace(day=1), date(2026, 3, 31), life.today)
        [row] = reports.rows(tx, REPORTS["dso"], asked)
    return dict(row)


def every_cent_is_explained(was: Made) -> None:
    for row in was["postings"]:
        assert row["amount"] == row["forOrders"] + row["forRefunds"] + row["aside"] + row["open"], row
        assert row["amount"] - row["aside"] - row["open"] == sum(part[1] for part in row["orders"]), row
        assert row["fee"] == sum(part[2] for part in row["orders"]), row
    for row in was["cash"]:
        if row["opening"] is not None:
            assert row["opening"] + row["in"] + row["out"] + (row["missing"] or 0) == row["closing"], row
        assert row["in"] + row["out"] == row["orders"] + row["refunds"] + row["aside"] + row["open"], row
    assert sum(row["in"] + row["out"] for row in was["cash"]) == sum(row["amount"] for row in was["postings"])


def debtors_are_reconciled(life: Life, day: date) -> None:
    """Open - overpaid + the named items are what the journal has on its debtors."""
    with life.books.database.of_shop(life.books.shop) as tx:
        found = list(reports.rows(tx, REPORTS["reconciliation"], PeriodQuery(BEGIN, day, day)))
    sums: Counter[str] = Counter()
    for row in found:
        sums[row["currency"]] += row["amount"] if row["item"] != "debtors of the journal" else -row["amount"]
        assert row["item"] != "difference" or row["amount"] == 0, (day, found)
    assert set(sums.values()) <= {0}


def changed_since_the_close_is_listed(life: Life, sealed: list[dict[str, Any]]) -> None:
    """What a comparison of the two reports finds, and nothing else."""
    month, last = BEGIN.replace(day=1), date(2026, 3, 31)

    def said(rows: list[dict[str, Any]]) -> dict[str, tuple[Any, ...]]:
        return {
            row["id"]: (row["amount"], row["aside"] != 0, row["reason"] if row["aside"] else "", row["orders"])
            for row in rows
            if row["bookingDate"] <= last
        }

    before, after = said(sealed), said(life.reports(life.today - timedelta(days=1))["postings"])
    differing = {each for each in before.keys() | after.keys() if before.get(each) != after.get(each)}
    with life.books.database.of_shop(life.books.shop) as tx:
        listed = {row["id"] for row in closing.changes(tx, month)}
        [row] = closing.list_closed_months(tx)
    assert listed == differing
    assert (row["seal"], row["changes"]) == ("holds", len(differing))
