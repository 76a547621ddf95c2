"""One month with everything in it, reckoned by hand to the cent: each figure of the month's end has its sum beside it.

Shops in Berlin, whose clocks change on 29 March, and in New York, where the last hour of Berlin's month is another day.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from paymatch.domain.customers.credits import customer_key
from paymatch.domain.money import EUR, Currency
from paymatch.domain.orders.fees import FeeKind
from paymatch.domain.reports.asked import PeriodQuery
from paymatch.domain.reports.catalogue import REPORTS
from paymatch.store.customers import credits as credit_store
from paymatch.store.database import Database
from paymatch.store.reminders import reminders
from paymatch.store.transactions import ShopTx
from paymatch.usecases.matching import assigning
from paymatch.usecases.matching.assigning import Part
from paymatch.usecases.reports import exports, reports
from paymatch.usecases.settlement import credits
from paymatch.usecases.shops import shops
from paymatch.usecases.statements import accounts
from paymatch.usecases.work.check import check_shop
from tests.contract.bank import ACCOUNT, book, entry
from tests.contract.client import Clock
from tests.keys import KEYRING
from tests.usecases.refunds.refund_world import RefundWorld

OTHER: Final = "DE75512108001245126199"
DOLLARS: Final = "DE02120300000000202051"
FRANCS: Final = "CH9300762011623852957"
USD, CHF = Currency("USD"), Currency("CHF")
IBANS: Final = ("AT611904300234573201", "AT483200000012345864")
FIRST, LAST = date(2026, 3, 1), date(2026, 3, 31)
OPENING: Final = 1_000_000
"""Of each account: 10,000.00."""


@pytest.fixture
def database(module_url: str) -> Iterator[Database]:
    opened = Database(module_url, size=4, keyring=KEYRING)
    yield opened
    opened.close()


class Month:
    """March 2026 of a shop with two accounts in EUR, one in USD and one in CHF."""

    def __init__(self, database: Database, folder: Path, zone: str) -> None:
        clock = Clock(datetime(2026, 3, 2, 15, tzinfo=UTC))
        self.world = RefundWorld(database, folder, ibans=(ACCOUNT, OTHER), clock=clock, timezone=zone)
        self.client, self.clock, self.database = self.world.client, clock, database
        accounts.add(database, self.client.shop, DOLLARS, "USD", clock.now)
        accounts.add(database, self.client.shop, FRANCS, "CHF", clock.now)
        with self.tx() as tx:
            shops.change(
                tx, {"ledger-bank": f"{OTHER}:1810,{DOLLARS}:1820,{FRANCS}:1830", "ledger-set-paid": "CASH:1600"}
            )

    def tx(self) -> Any:
        return self.database.of_shop(self.client.shop, at=self.clock.now)

    def on(self, day: int, month: int = 3, hour: int = 15) -> None:
        self.clock.now = datetime(2026, month, day, hour, tzinfo=UTC)

    def order(self, number: int, amount: float, currency: str = "EUR", customer: str = "") -> None:
        body = {"firstName": "Paula", "lastName": f"Petersen{number}", "countryCode": "DE"}
        more = {"customerNumber": customer} if customer else {}
        self.client.submit(f"M-{number}", amount=amount, currency=currency, type="INVOICE", billing=body,
                           date="02-03-2026", **more)  # fmt: skip

    def bank(self, minor: int, text: str, account: str = ACCOUNT, currency: Currency = EUR, **more: Any) -> None:
        """A booking of today."""
        values = {"name": text, "account": IBANS[0], "booking_date": self.clock.now.date(), **more}
        book(self.client, entry(text, minor, **values), account=account, currency=currency)

    def pays(self, number: int, minor: int, *, of: int = 0, fee: int = 0, kind: FeeKind | None = None,
             **more: Any) -> None:  # fmt: skip
        """A booking that a clerk matches to the order, with a fee that its payer has kept."""
        text = f"{number} of {self.client.paid}"
        self.bank(minor, text, **more)
        self.match(text, Part(f"M-{number}", of or minor, fee, kind))

    def match(self, text: str, *parts: Part) -> None:
        assigning.match(self.database, self.client.shop, self.posting(text), list(parts), self.clock.now)

    def posting(self, text: str) -> str:
        [(found,)] = self.client.rows("SELECT id FROM postings WHERE shop_id = $1 AND remittance = $2", text)
        return str(found)

    def aside(self, text: str, reason: str) -> None:
        assigning.set_aside(self.database, self.client.shop, self.posting(text), reason, self.clock.now)

    def credit(self, action: Callable[[ShopTx, str], object], number: int) -> None:
        with self.tx() as tx:
            action(tx, f"M-{number}")

    def refund(self, number: int, amount: float) -> None:
        """A refund that is filed today, sent tomorrow, and booked by the bank on the same day."""
        tomorrow = self.clock.now.date() + timedelta(days=1)
        refund = self.world.file(f"M-{number}", amount, plannedDate=f"{tomorrow:%d-%m-%Y}")
        self.world.set_iban(refund, IBANS[1], f"Paula Petersen{number}")
        self.clock.pass_time(days=1)
        self.world.run()
        self.world.release(refund)
        [_] = self.world.run().files
        self.world.debit(round(amount * 100), self.world.end_to_end(refund), account=IBANS[1])

    def live(self) -> None:
        for number, amount in enumerate((100, 200, 50, 40, 80, 70, 90, 60, 25, 15, 20, 35, 100, 50), 1):
            self.order(number, amount, customer="K-3" if number in (3, 4) else f"K-{number}")
        self.order(15, 75, "USD")
        self.order(16, 120, "CHF")
        self.order(17, 30)
        self.on(3)
        self.pays(1, 10_000)
        self.on(5)
        self.pays(2, 12_000)
        self.on(6)
        self.pays(3, 6_000)
        self.credit(credits.keep, 3)
        self.on(9)
        self.credit(credits.use, 4)
        self.pays(4, 3_000)
        self.on(10)
        self.pays(5, 8_000)
        self.refund(5, 30)
        self.on(12)
        self.pays(6, 7_000)
        self.on(13)
        self.bank(-7_300, "back 6", return_reason="MD06", gvc="109")
        self.match("back 6", Part("M-6", -7_000))
        self.on(16)
        assert self.client.post("order/M-7/setpaid").status == 200
        with self.tx() as tx:
            reminders.add_sent(tx, "M-8", 1, self.clock.now.date(), 250)
        self.on(17)
        self.pays(8, 6_250)
        self.pays(9, 2_450, fee=50, kind=FeeKind.CASH_DISCOUNT)
        assert self.client.post("order/M-10/cancel").status == 200
        self.on(18)
        self.pays(11, 2_030)
        self.credit(credits.book_as_income, 11)
        self.pays(12, 3_500)
        self.refund(12, 35)
        self.on(23)
        self.bank(-3_500, "back 12", return_reason="MD06", gvc="109")
        self.match("back 12", Part("M-12", -3_500))
        self.credit(credits.note_loss, 12)
        self.on(24)
        self.bank(14_550, "Zahlfix payout", account=OTHER)
        self.match("Zahlfix payout", Part("M-13", 9_700, 300, FeeKind.PAYMENT_FEE),
                   Part("M-14", 4_850, 150, FeeKind.PAYMENT_FEE))  # fmt: skip
        self.bank(-900, "account fee", account=OTHER)
        self.aside("account fee", "charges")
        self.pays(15, 7_500, account=DOLLARS, currency=USD)
        self.pays(16, 2_000, account=FRANCS, currency=CHF)
        self.on(30)
        self.bank(1_234, "who is this")
        self.clock.now = datetime(2026, 3, 31, 22, 30, tzinfo=UTC)  # 00:30 on 1 April in Berlin, 18:30 in New York
        self.pays(17, 3_000, booking_date=LAST)


def rows(month: Month, name: str, day: date = LAST) -> list[dict[str, Any]]:
    with month.tx() as tx:
        return [dict(row) for row in reports.rows(tx, REPORTS[name], PeriodQuery(FIRST, LAST, day))]


def columns(month: Month, name: str, *keys: str, day: date = LAST) -> list[tuple[Any, ...]]:
    return [tuple(row[key] for key in keys) for row in rows(month, name, day)]


def journal(month: Month, *, sales: bool) -> dict[tuple[str, str], int]:
    """(Account, currency) -> debit less credit; accounts that are even are left out."""
    sums: Counter[tuple[str, str]] = Counter()
    with month.tx() as tx:
        for row in exports.rows(tx, "journal", FIRST, LAST, sales=sales):
            sums[row["debit"], row["currency"]] += row["amount"]
            sums[row["credit"], row["currency"]] -= row["amount"]
    return {key: minor for key, minor in sums.items() if minor}


IN: Final = 10_000 + 12_000 + 6_000 + 3_000 + 8_000 + 7_000 + 6_250 + 2_450 + 2_030 + 3_500 + 1_234
"""Account 1: M-1, 2, 3, 4, 5, 6, 8 with its fee, 9 less discount, 11, 12, and what no one knows."""
OUT: Final = -3_000 - 7_300 - 3_500 - 3_500
"""Refund of M-5, return of M-6 with 3.00 of charges, refund of M-12, and the return of its payment."""
FOR_ORDERS: Final = IN - 1_234 - 7_000 - 3_500
OPEN: Final = {"M-2": 20_000 - 12_000, "M-6": 7_000 - 7_000 + 7_000}


@pytest.mark.parametrize(("zone", "late"), [("Europe/Berlin", 0), ("America/New_York", 3_000)])
def test_a_month_by_hand(database: Database, tmp_path: Path, zone: str, late: int) -> None:
    """`late`: the payment of M-17, known in the night after 31 March in Berlin and on that day in New York."""
    month = Month(database, tmp_path, zone)
    month.live()
    month.on(2, month=4)
    money_at_the_bank(month, late)
    customers_at_the_end(month, late)
    books_at_the_end(month, late)
    assert [each for each in check_shop(database, month.client.shop) if each.subject != "M-8"] == []
    made = as_of(month)
    afterwards(month)
    assert as_of(month) == made


def money_at_the_bank(month: Month, late: int) -> None:
    keys = ("account", "opening", "in", "out", "closing", "orders", "refunds", "aside", "open")
    assert columns(month, "cash", *keys) == [
        (FRANCS, OPENING, 2_000, 0, OPENING + 2_000, 2_000, 0, 0, 0),
        (DOLLARS, OPENING, 7_500, 0, OPENING + 7_500, 7_500, 0, 0, 0),
        (OTHER, OPENING, 14_550, -900, OPENING + 14_550 - 900, 14_550, 0, -900, 0),
        (ACCOUNT, OPENING, IN + late, OUT, OPENING + IN + late + OUT, FOR_ORDERS + late, -3_000 - 3_500, 0,
         1_234 - 300),
    ]  # fmt: skip
    assert sorted(columns(month, "unexplained", "amount", "open")) == [(-7_300, -300), (1_234, 1_234)]
    assert columns(month, "cash-in", "currency", "amount", "matched", "open") == [
        ("CHF", 2_000, 2_000, 0),
        ("EUR", IN + 14_550 + 3_000, IN - 1_234 + 14_550 + 3_000, 1_234),  # of the period, as known today
        ("USD", 7_500, 7_500, 0),
    ]
    assert columns(month, "fees", "kind", "credited", "fee") == [
        ("PAYMENT_FEE", 10_000 + 5_000, 300 + 150),
        ("CASH_DISCOUNT", 2_450 + 50, 50),
        ("REMINDER_FEE", 6_000, -250),
    ]


def customers_at_the_end(month: Month, late: int) -> None:
    owed = OPEN | ({} if late else {"M-17": 3_000})
    total = sum(owed.values())
    assert total == 8_000 + 7_000 + 3_000 - late
    found = {row["number"]: (row["open"], row["currency"]) for row in rows(month, "open")}
    assert found == {"M-16": (12_000 - 2_000, "CHF")} | {number: (minor, "EUR") for number, minor in owed.items()}
    by_currency: Counter[str] = Counter()
    for open_minor, currency in columns(month, "customers", "open", "currency"):
        by_currency[currency] += open_minor
    assert by_currency == {"EUR": total, "CHF": 10_000}
    ages = {(age, currency): minor for age, currency, minor in columns(month, "ageing", "age", "currency", "open")}
    assert {key: minor for key, minor in ages.items() if minor} == {
        ("15 to 30 days", "EUR"): total, ("15 to 30 days", "CHF"): 10_000,
    }  # fmt: skip
    assert rows(month, "overpaid") == []
    assert columns(month, "set-paid", "number", "amount", "currency") == [("M-7", 9_000, "EUR")]
    with month.tx() as tx:
        assert credit_store.balance(tx, customer_key("K-3", "", ""), "EUR") == 1_000 - 1_000


SALES: Final = 10_000 + 20_000 + 5_000 + 4_000 + 8_000 + 7_000 + 9_000 + 6_000 + 2_500 + 2_000 + 3_500 + 10_000 + 5_000
"""M-1 to M-14 without M-10, which was cancelled; M-17 is beside."""


def books_at_the_end(month: Month, late: int) -> None:
    [row] = [row for row in rows(month, "dso") if row["month"] == FIRST]
    assert (row["sales"], row["open"]) == (SALES + 3_000, 8_000 + 7_000 + 3_000 - late)
    refunds = 3_000 + 3_500
    debtors = SALES + 3_000 - (
        FOR_ORDERS + 3_000 - refunds  # money, with M-17, which is known today
        + 14_550 + 450 + 50  # the payout with its fees, the discount
        - 250 - 1_000 + 1_000 - 30  # reminder fee, credit of M-3, which pays M-4, income of M-11
        + 9_000 + 3_500  # M-7 set paid, the loss of M-12
    )  # fmt: skip
    assert debtors == 8_000 + 7_000 + 3_000 + 3_500, "owed for M-2 and M-6; refunded of M-5 and M-12, and still sold"
    assert journal(month, sales=True) == {
        ("1800", "EUR"): IN + OUT + 3_000,
        ("1810", "EUR"): 14_550 - 900,
        ("1820", "USD"): 7_500,
        ("1830", "CHF"): 2_000,
        ("1370", "EUR"): -1_234 + 300 + 900 + 9_000,  # not known, bank charges, account fee, M-7 paid elsewhere
        ("6855", "EUR"): 450,
        ("4730", "EUR"): 50,
        ("4830", "EUR"): -250 - 30,
        ("6930", "EUR"): 3_500,
        ("10000", "EUR"): debtors,
        ("10000", "CHF"): 12_000 - 2_000,
        ("4400", "EUR"): -SALES - 3_000,
        ("4400", "USD"): -7_500,
        ("4400", "CHF"): -12_000,
    }
    lines = {(item, currency): minor for item, minor, currency in columns(month, "reconciliation", "item", "amount",
                                                                           "currency")}  # fmt: skip
    assert {key: minor for key, minor in lines.items() if minor} == {
        ("debtors of the journal", "EUR"): debtors, ("open orders", "EUR"): 8_000 + 7_000 + 3_000 - late,
        ("refunds without credit note", "EUR"): 3_000 + 3_500,
        **({} if late else {("payments known later", "EUR"): -3_000}),
        ("debtors of the journal", "CHF"): 10_000, ("open orders", "CHF"): 10_000,
    }  # fmt: skip


def as_of(month: Month) -> dict[str, list[dict[str, Any]]]:
    """The reports that show a past day as it was known at its end."""
    found = {name: rows(month, name) for name in ("open", "customers", "ageing", "overpaid", "cash", "postings")}
    for row in (row for each in found.values() for row in each):
        row.pop("knownTo", None)
    return found


def afterwards(month: Month) -> None:
    """April undoes and changes what March has seen."""
    assigning.unmatch(month.database, month.client.shop, month.posting("1 of 0"), month.clock.now)
    month.match("who is this", Part("M-2", 1_234))
    month.order(2, 150, customer="K-2")
    assert month.client.post("order/M-6/cancel").status == 200
    assert month.client.post("order/M-7/setunpaid").status == 200
    month.credit(credits.take_back_use, 4)
    month.on(7, month=4)
    month.pays(16, 10_000, account=FRANCS, currency=CHF)
    assert {row["number"] for row in rows(month, "open", date(2026, 4, 7))} == {"M-1", "M-2", "M-4", "M-7"}
