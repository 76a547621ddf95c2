"""How the orders of the reminder trial are paid, and when their money was known: the generator and its truth.

Each kind is a way in which a reminder goes wrong in life. Money counts as known on the morning on which the service has
read the file that has it, whatever the service made of it.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from lab.many_orders import Customer, large_shop
from paymatch.domain.calendar import is_bank_day, next_bank_day
from paymatch.domain.money import EUR
from paymatch.domain.postings import Posting
from paymatch.formats.camt.writer import CamtStatement, WrittenEntry, write_camt

FIRST: Final = date(2025, 11, 3)
ACCOUNTS: Final = ("DE53677979049691425502", "DE89370400440532013000")
KINDS: Final = {
    "number": 30, "invoice": 9, "name only": 6, "late": 9, "on the day of the reminder": 4, "halves": 3,
    "bank charge": 2, "stated charge": 3, "instalments less stated charges": 1, "another person": 2,
    "text rewritten by a bank": 4, "marketplace list": 4, "payout that names nothing": 3, "payout with an advice": 5,
    "settlement file": 7, "returned": 2, "returned and paid again": 2, "credit from the order before": 2, "never": 2,
}  # fmt: skip
"""How an order is paid -> of a hundred orders."""
_TOGETHER: Final = 6
_LATE_FILES: Final = 0.03
MARKET: Final = "Amazon Payments Europe S.C.A."
COURIER: Final = "Kurier Blitz GmbH"
_CHARGES: Final = (1, 5, 20, 35, 95, 149)


@dataclass(frozen=True, slots=True)
class LifeOrder:
    """An order and how it is paid."""

    place: int
    customer: Customer
    ordered: date
    kind: str
    account: str
    customer_number: str

    @property
    def number(self) -> str:
        return self.customer.number

    @property
    def name(self) -> str:
        return f"{self.customer.first} {self.customer.last}"

    @property
    def marketplace_number(self) -> str:
        market = self.kind in ("marketplace list", "payout that names nothing")
        return f"305-{4_000_000 + self.place}-{1_000_000 + self.place}" if market else ""


@dataclass(slots=True)
class DayFile:
    """A file and the morning on which the service reads it."""

    day: date
    name: str
    content: bytes
    is_advice: bool = False


@dataclass(slots=True)
class Lives:
    """A number of orders' lives: what the service reads, and the truth about it."""

    orders: list[LifeOrder]
    files: list[DayFile] = field(default_factory=list)
    money: dict[str, list[tuple[date, int]]] = field(default_factory=lambda: defaultdict(list))
    last: date = FIRST
    owners: dict[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)  # bank reference -> whose money it is

    def known(self, number: str, day: date) -> int:
        """What the service had read of the order's money by this day, less what was returned."""
        return sum(minor for came, minor in self.money[number] if came <= day)


@dataclass(frozen=True, slots=True)
class _Row:
    """A booking; `of` are the orders whose money it is."""

    day: date
    account: str
    minor: int
    name: str
    text: str
    of: tuple[tuple[str, int], ...]
    more: tuple[tuple[str, Any], ...] = ()


def lives(count: int, days: int, seed: int) -> Lives:
    """The orders, their files and the truth, the same every time."""
    rng = random.Random(seed)
    kinds = rng.choices([*KINDS], [*KINDS.values()], k=count)
    orders = []
    for place, kind in enumerate(kinds):
        ordered = FIRST + timedelta(days=rng.randrange(max(days - 60, 1)))
        account = ACCOUNTS[rng.random() < 0.25]
        orders.append(LifeOrder(place, large_shop(rng, place), ordered, kind, account, f"{500_000 + place}"))
    _pair_credits(rng, orders)
    found = Lives(orders, last=FIRST + timedelta(days=days))
    rows = [row for each in orders for row in _rows(rng, each)]
    rows += _collected(rng, found)
    rows += _credited(rng, orders)
    _write_statements(rng, found, [row for row in rows if row.day < found.last])
    found.files.sort(key=lambda each: each.day)
    return found


def _pair_credits(rng: random.Random, orders: list[LifeOrder]) -> None:
    """Two by two the orders of this kind are one customer's, the second some weeks after the first."""
    places = [place for place, each in enumerate(orders) if each.kind == "credit from the order before"]
    for first, second in zip(places[::2], places[1::2], strict=False):
        one, two = orders[first], orders[second]
        who = Customer(
            two.customer.number, two.customer.invoice, one.customer.first, one.customer.last, two.customer.minor,
            two.customer.ordered,
        )  # fmt: skip
        later = one.ordered + timedelta(days=rng.randint(10, 25))
        orders[second] = LifeOrder(two.place, who, later, two.kind, one.account, one.customer_number)


def _bank_day(day: date) -> date:
    return day if is_bank_day(day) else next_bank_day(day)


def _pay_day(rng: random.Random, order: LifeOrder) -> date:
    if order.kind == "on the day of the reminder":
        return _bank_day(order.ordered + timedelta(days=10 + rng.choice((7, 21, 35))))
    late = order.kind == "late" or rng.random() < 0.1
    return _bank_day(order.ordered + timedelta(days=rng.randint(12, 45) if late else rng.choice((1, 2, 3, 5, 8, 10))))


def _rows(rng: random.Random, order: LifeOrder) -> list[_Row]:  # noqa: C901, PLR0911 - a table of kinds
    """The bookings of an order that is paid alone."""
    day, minor, number, text = _pay_day(rng, order), order.customer.minor, order.number, f"Order {order.number}"

    def row(day: date, minor: int, text: str, *, name: str = order.name, of: int | None = None, **more: Any) -> _Row:
        whose = ((number, minor if of is None else of),)
        return _Row(day, order.account, minor, name, text, whose, tuple(more.items()))

    def after(first: int, last: int) -> date:
        return _bank_day(day + timedelta(days=rng.randint(first, last)))

    taken = rng.choice(_CHARGES)
    match order.kind:
        case "number" | "late" | "on the day of the reminder":
            return [row(day, minor, text)]
        case "invoice":
            return [row(day, minor, order.customer.invoice)]
        case "name only":
            return [row(day, minor, "thanks")]
        case "another person":
            return [row(day, minor, "thanks", name="Maria Anders")]
        case "halves":
            half = minor // 2
            return [row(day, half, text), row(after(1, 20), minor - half, text)]
        case "bank charge":
            return [row(day, minor - taken, text)]
        case "stated charge":
            return [row(day, minor - min(taken, minor // 20), text, of=minor, charges_minor=min(taken, minor // 20))]
        case "instalments less stated charges":
            half, taken = minor // 2, min(taken, minor // 50)
            parts = ((day, half), (after(5, 20), minor - half))
            return [row(at, part - taken, text, of=part, charges_minor=taken) for at, part in parts]
        case "text rewritten by a bank":
            return [row(day, minor, _rewritten(rng, order))]
        case "returned" | "returned and paid again":
            back = after(1, 6)
            found = [row(day, minor, text), row(back, -minor, f"RETOURE {text}", is_return=True, return_reason="AC04")]
            again = [row(_bank_day(back + timedelta(days=rng.randint(2, 20))), minor, text)]
            return found + (again if order.kind == "returned and paid again" else [])
        case _:
            return []


def _rewritten(rng: random.Random, order: LifeOrder) -> str:
    number = order.number
    return rng.choice(
        [
            f"EREF+NOTPROVIDED SVWZ+BESTELLUNG {number} {order.name.upper()}",
            f"bestellung {number[:4]} {number[4:]}",
            f"Bestellung Nr. {number[:1]} {number[1:]} vom {order.ordered:%d.%m.%Y}",
            f"{number.lower()} DATUM {order.ordered:%d.%m.%Y}, 14.03 UHR1.TAN 482911",
            f"/REMI/USTD//Order {number}/",
        ]
    )


def _collected(rng: random.Random, found: Lives) -> Iterator[_Row]:
    """Payouts of marketplaces, couriers and a payment service; advices and settlement files are added to the files."""
    for kind in ("marketplace list", "payout that names nothing", "payout with an advice", "settlement file"):
        own = sorted((each for each in found.orders if each.kind == kind), key=_due)
        for start in range(0, len(own), _TOGETHER):
            some = own[start : start + _TOGETHER]
            yield from _payout(rng, found, kind, some, f"{kind[:4]}{start:06d}".replace(" ", "-"))


def _due(order: LifeOrder) -> date:
    return _bank_day(order.ordered + timedelta(days=3 + order.place % 6))


def _payout(rng: random.Random, found: Lives, kind: str, some: list[LifeOrder], ident: str) -> Iterator[_Row]:
    day, gross = _due(some[-1]), sum(each.customer.minor for each in some)
    whose = tuple((each.number, each.customer.minor) for each in some)
    match kind:
        case "marketplace list":
            text = "Auszahlung " + " ".join(each.marketplace_number for each in some)
            yield _Row(day, ACCOUNTS[0], gross, MARKET, text, whose)
        case "payout that names nothing":
            yield _Row(day, ACCOUNTS[0], gross, MARKET, f"Auszahlung {ident}", whose)
        case "payout with an advice":
            yield _Row(day, ACCOUNTS[0], gross, COURIER, f"Sammelauszahlung {ident}", whose)
            comes = day + timedelta(days=rng.choice((-1, 0, 1, 2)))
            found.files.append(DayFile(max(comes, FIRST), f"{ident}.csv", _advice(some, ident), is_advice=True))
        case _:
            comes = max(_bank_day(day - timedelta(days=1)), FIRST)
            found.files.append(DayFile(comes, f"{ident}.csv", _settlement(some, day, ident)))
            for number, minor in whose:
                found.money[number].append((comes, minor))
            fee = sum(_fee(each) for each in some)
            yield _Row(_bank_day(day + timedelta(days=1)), ACCOUNTS[0], gross - fee, "Stripe", f"STRIPE po_{ident}", ())


def _fee(order: LifeOrder) -> int:
    return 25 + order.customer.minor * 15 // 1000


def _money(minor: int) -> str:
    return f"{minor // 100}.{minor % 100:02d}"


def _advice(some: list[LifeOrder], ident: str) -> bytes:
    rows = [f"{each.number};{_money(each.customer.minor).replace('.', ',')}" for each in some]
    total = _money(sum(each.customer.minor for each in some)).replace(".", ",")
    return "\n".join([f"Auftraggeber: {COURIER}", "Bestellnummer;Betrag", *rows, f"Summe;{total}", ""]).encode()


def _settlement(some: list[LifeOrder], day: date, ident: str) -> bytes:
    lines = [
        "automatic_payout_id,automatic_payout_effective_at,balance_transaction_id,created_utc,currency,gross,fee,net,"
        "reporting_category,charge_id,description,payment_metadata[order_id]"
    ]
    for each in some:
        gross, fee = each.customer.minor, _fee(each)
        lines.append(
            f"po_{ident},{day:%Y-%m-%d} 00:00:00,txn_{each.number},{_due(each):%Y-%m-%d} 08:00:00,eur,"
            f"{_money(gross)},{_money(fee)},{_money(gross - fee)},charge,ch_{each.number},Order,{each.number}"
        )
    return "\n".join(lines).encode()


def _credited(rng: random.Random, orders: list[LifeOrder]) -> Iterator[_Row]:
    """Too much for the first order, so much less for the second; what is too much counts for the second."""
    own: dict[str, list[LifeOrder]] = defaultdict(list)
    for each in orders:
        if each.kind == "credit from the order before":
            own[each.customer_number].append(each)
    for some in own.values():
        first, day = some[0], _pay_day(rng, some[0])
        if len(some) == 1:
            yield _Row(
                day,
                first.account,
                first.customer.minor,
                first.name,
                first.number,
                ((first.number, first.customer.minor),),
            )
            continue
        second = some[1]
        more = min(second.customer.minor // 2, 1000)
        parts = ((first.number, first.customer.minor), (second.number, more))
        yield _Row(day, first.account, first.customer.minor + more, first.name, f"Order {first.number}", parts)
        rest = second.customer.minor - more
        later = _bank_day(max(second.ordered, day) + timedelta(days=rng.choice((2, 4, 8))))
        text = f"Order {second.number} abzgl. Guthaben"
        yield _Row(later, first.account, rest, second.name, text, ((second.number, rest),))


def _write_statements(rng: random.Random, found: Lives, rows: list[_Row]) -> None:
    """A statement of each account for each bank day; some come days late."""
    by_day: dict[tuple[str, date], list[_Row]] = defaultdict(list)
    for row in rows:
        by_day[row.account, row.day].append(row)
    for account in ACCOUNTS:
        balance, number, day = 0, 0, FIRST - timedelta(days=3)
        while day < found.last:
            if is_bank_day(day):
                number += 1
                late = rng.randint(1, 4) if rng.random() < _LATE_FILES else 0
                comes = day + timedelta(days=1 + late)
                some = by_day[account, day]
                content = _camt(account, day, balance, number, some)
                found.files.append(DayFile(comes, f"{account[-4:]}-{day}.xml", content))
                balance += sum(row.minor for row in some)
                found.owners |= {_reference(account, number, place): row.of for place, row in enumerate(some)}
                for whose, minor in ((whose, minor) for row in some for whose, minor in row.of):
                    found.money[whose].append((comes, minor))
            day += timedelta(days=1)


def _reference(account: str, number: int, place: int) -> str:
    return f"{account[-4:]}{number:05d}{place:05d}"


def _camt(account: str, day: date, balance: int, number: int, rows: list[_Row]) -> bytes:
    bookings = tuple(
        WrittenEntry((
            Posting(
                account=account, currency=EUR, amount_minor=row.minor, booking_date=day, value_date=day,
                bank_reference=_reference(account, number, place), counterparty_name=row.name,
                remittance_lines=(row.text,), bank_code="PMNT/RCDT/ESCT", **dict(row.more),
            ),
        ))
        for place, row in enumerate(rows)
    )  # fmt: skip
    statement = CamtStatement(account, EUR, balance, day, day, f"{account[-4:]}-{number}", number, bookings)
    return write_camt([statement], datetime(day.year, day.month, day.day, 20, tzinfo=UTC))
