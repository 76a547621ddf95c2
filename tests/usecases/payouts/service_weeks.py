"""Invented weeks at payment services and marketplaces: what happened, and the files that each service makes of it."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, Literal, TypeVar

from paymatch.domain.calendar import plus_bank_days

MONDAY: Final = date(2026, 9, 7)
NUMBER_FORMS: Final = (
    ("SO-{}", "SO-{}"), ("{}", "{}"), ("#1{}", "#1{}"), ("#1{}", "1{}"), ("1{}", "#1{}"), ("2026-00{}", "2026-00{}"),
    ("1000000{}", "1000000{}"), ("B.{}/26", "B.{}/26"),
    ("SO-{}", "so-{}"), ("SO-{}", "SO{}"),
)  # fmt: skip
TEXTS: Final = (
    "Order {}",
    "Bestellung {}",
    "{}",
    "Teehaus Bestellung: {} vom 12.09.2026",
    "Payment for order ({}), 2 items",
)
NamedFile = tuple[str, bytes]


@dataclass(frozen=True)
class Happening:
    """One thing that happened on the account: `minor` has its sign, `fee` is what the service kept."""

    kind: str  # sale, refund, chargeback, won, fee, held, released
    minor: int
    fee: int
    at: datetime
    number: int  # of the happening
    order: int = 0  # 0: of the service itself
    sale: int = 0  # number of the sale that it is about
    usd: int = 0  # what the customer paid or got back, where that is not in euros
    usd_fee: int = 0

    @property
    def net(self) -> int:
        return self.minor - self.fee


@dataclass
class Week:
    """What one payout passes on; `paid` is what reaches the bank, 0 where the week ends below zero."""

    number: int
    happenings: list[Happening] = field(default_factory=list)
    carried_in: int = 0
    carried_out: int = 0
    lag: int = 1  # bank days until the payout arrives

    @property
    def net(self) -> int:
        return sum(each.net for each in self.happenings)

    @property
    def paid(self) -> int:
        return self.carried_in + self.net - self.carried_out

    @property
    def sent(self) -> date:
        return MONDAY + timedelta(days=7 * self.number + 7)

    @property
    def booked(self) -> date:
        return plus_bank_days(self.sent, self.lag)


@dataclass
class Story:
    """All weeks of an account, its orders and what becomes of them."""

    weeks: list[Week]
    orders: dict[int, int]  # order -> what the customer pays
    chance: random.Random
    form: str = "SO-{}"  # of the shop's order numbers
    given: str = "SO-{}"  # as the service has got them
    usd: dict[int, int] = field(default_factory=dict)  # orders in dollars -> what the customer pays
    tells_of_debt: str = (
        ""  # which rows tell of debts: "" none, `in` where they arrive, `both` where they arise as well
    )

    def named(self, order: int) -> str:
        """The order's number in the service's files."""
        return self.given.format(order) if order else ""

    def status_of(self, order: int) -> str:
        """What the shop's order must be once every file is read."""
        happened = [each for week in self.weeks for each in week.happenings if each.order == order]
        given = -sum(each.minor for each in happened if each.kind == "refund")
        disputed = sum(each.minor for each in happened if each.kind in ("chargeback", "won"))
        if disputed:
            return "UNPAID"
        if given:
            return "REFUNDED" if given == self.orders[order] else "REFUNDED_PARTIAL"
        return "PAID"


def story(chance: random.Random, *, carries: str, kinds: Iterable[str], first: int = 101) -> Story:  # noqa: C901, PLR0912
    """Weeks with sales and all that can happen to them later.

    `carries`: what a week below zero may do, one of several words: `debt` to the next week, `in` or `both`, of which
    rows tell, `draws` with a rest that stays, `joins` the next payout, or `kept`: no later file has it. `kinds` are
    what the files of the service know.
    """
    known = set(kinds)
    carries = chance.choice(carries.split())
    draws_parts = carries == "draws"
    carries = "debt" if draws_parts else carries
    tells = carries if carries in ("in", "both") else ""
    carries = "debt" if tells else carries
    usd = dict[int, int]()
    weeks, orders, held, number, debt = [], dict[int, int](), 0, 0, 0
    sales: list[Happening] = []
    disputed: list[Happening] = []
    touched: set[int] = set()
    for place in range(chance.randint(2, 5)):
        week = Week(place, carried_in=-debt if carries == "debt" else 0, lag=chance.choice([1, 1, 2, 3, 5]))
        is_poor = place > 0 and chance.random() < 0.3
        is_twin = place > 0 and chance.random() < 0.3
        wanted = ["sale"] * (0 if is_poor else 1 if is_twin else chance.randint(1, 4))
        if not is_twin:
            wanted += chance.sample(
                ["refund", "chargeback", "won", "fee", "held", "released", "bought"], chance.randint(0, 4)
            )
        for kind in wanted:
            number += 1
            at = datetime.combine(MONDAY + timedelta(days=7 * place + number % 5), time(8, number % 60, 7), UTC)
            free = [each for each in sales if each.order not in touched and each.at < at]
            if kind != "sale" and kind not in known:
                continue
            if kind == "sale":
                minor = 3300 if is_twin else chance.choice([500, 1990, 5877, 5877, 20000, 123456])
                order = first + len(orders)
                orders[order] = minor
                fee = 66 if is_twin else chance.choice([10, 35, 181, minor * 15 // 100])
                made = Happening("sale", minor, min(fee, minor - 100), at, number, order)
                if "foreign" in known and not is_twin and chance.random() < 0.2:
                    usd[order] = minor * 11 // 10
                    made = replace(made, usd=usd[order], usd_fee=made.fee * 11 // 10)
                sales.append(made)
            elif kind == "refund" and free:
                sale = chance.choice(free)
                minor = sale.minor if sale.usd else chance.choice([sale.minor, sale.minor // 3])
                given_back = 0 if sale.usd or "fee back" not in known else -chance.choice([0, 10, sale.fee // 2])
                made = Happening("refund", -minor, given_back, at, number, sale.order, sale.number, -sale.usd)
                touched.add(sale.order)
                if minor < sale.minor and chance.random() < 0.3:  # the same again, in the same second
                    week.happenings.append(made)
                    number += 1
                    made = replace(made, number=number)
            elif kind == "chargeback" and free:
                sale = chance.choice(free)
                made = Happening(
                    "chargeback", -sale.minor, 0 if sale.usd else chance.choice([0, 1500]), at, number, sale.order,
                    sale.number, -sale.usd,
                )  # fmt: skip
                touched.add(sale.order)
                disputed.append(made)
            elif kind == "won" and disputed and disputed[0].at < at:
                lost = disputed.pop(0)
                made = Happening("won", -lost.minor, -lost.fee, at, number, lost.order, lost.sale, -lost.usd)
            elif kind == "bought":
                made = Happening(
                    "bought", 0, 0, at, number, usd=-chance.choice([999, 5877])
                )  # of the shop, from its bank
            elif kind == "fee":
                made = Happening("fee", 0, chance.choice([200, 3999]), at, number)
            elif kind == "held" and not is_poor:
                made = Happening("held", -chance.choice([1000, 2500]), 0, at, number)
                held += 1
            elif kind == "released" and held:
                made = Happening("released", 1000, 0, at, number)
                held -= 1
            else:
                continue
            week.happenings.append(made)
        if not week.happenings:
            continue
        weeks.append(week)
        left = week.net + week.carried_in
        debt = max(0, -left)
        if draws_parts and left > 0 and chance.random() < 0.5:
            debt = -chance.choice([left // 3, left])  # what is left on the account
        if carries == "debt":
            week.carried_out = -debt
        elif carries == "kept":
            week.carried_out = min(week.net, 0)
    if carries == "joins":
        weeks = _joined(weeks, orders, first)
    form, given = chance.choice(NUMBER_FORMS)
    return Story(weeks, orders, chance, form, given, usd, tells)


def _joined(weeks: list[Week], orders: dict[int, int], first: int) -> list[Week]:
    """A week below zero has no payout: its rows come with the next one; a last one is paid by one more sale."""
    found: list[Week] = []
    waiting: list[Happening] = []
    for week in weeks:
        week.happenings = waiting + week.happenings
        waiting = []
        if week.net <= 0:
            waiting = week.happenings
        else:
            found.append(week)
    if waiting and found:
        week = Week(weeks[-1].number, waiting)  # no payout leaves before what it pays has happened
        order, last = first + len(orders), max(each.number for each in waiting) + 1
        orders[order] = 1000 - week.net
        week.happenings = [*waiting, Happening("sale", orders[order], 0, waiting[-1].at, last, order)]
        found.append(week)
    return found


def text_of(minor: int, mark: str = ".", thousands: str = "") -> str:
    sign, whole = ("-" if minor < 0 else ""), abs(minor)
    euros = f"{whole // 100:,}".replace(",", thousands)
    return f"{sign}{euros}{mark}{whole % 100:02d}"


def table(
    rows: list[dict[str, str]],
    chance: random.Random,
    *,
    separator: str = ",",
    keeps_order: bool = True,
    quotes: Literal[0, 1] = csv.QUOTE_MINIMAL,
    must: Iterable[str] = (),
    may_lack: Iterable[str] = (),
    encoding: str = "utf-8",
) -> bytes:
    """A table of these rows, with its columns in some order, some of those that it `may_lack` left out."""
    names = list(rows[0])
    for name in may_lack:
        if chance.random() < 0.3 and name in names:
            names.remove(name)
    if not keeps_order:
        chance.shuffle(names)
    out = io.StringIO()
    writer = csv.DictWriter(
        out, names, delimiter=separator, quoting=quotes, extrasaction="ignore", lineterminator="\r\n"
    )
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode(encoding, errors="replace")


R = TypeVar("R")


def windows(rows: list[R], chance: random.Random) -> list[list[R]]:
    """The rows as one download, or as two that overlap."""
    if len(rows) < 3 or chance.random() < 0.5:
        return [rows]
    start, end = sorted((chance.randint(1, len(rows) - 1), chance.randint(1, len(rows) - 1)))
    return [rows[:end], rows[start:]]


@dataclass(frozen=True)
class Service:
    """A service: how its weeks behave, its files, and how its transfers look at the bank."""

    code: str
    carries: str
    kinds: tuple[str, ...]
    files: Callable[[Story], list[NamedFile]]
    bank: Callable[[Week, random.Random], tuple[str, str]]  # name, text
    marketplace: Callable[[int], str] | None = None
    provider_name: str = ""  # of a service whose files a person has to map once


ALL_KINDS: Final = ("refund", "chargeback", "won", "fee", "held", "released")
