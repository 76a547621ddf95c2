"""Customers of the demo shop: when and how much they pay, what they write, and other movements on the account."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Final

from paymatch.cli.demo.orders import DemoOrder
from paymatch.domain.calendar import is_bank_day, minus_bank_days, next_bank_day, plus_bank_days
from paymatch.domain.money import EUR, minor_to_text

CARRIER: Final = "Nordpaket Nachnahme"
CARRIER_FEE_MINOR: Final = 250
_SEED: Final = 977
_PAYOUT_WEEKDAY: Final = 3
_DELIVERED_AFTER: Final = timedelta(days=6)
_UNCLEAR_AMONG: Final = 110
_UNCLEAR_EVERY: Final = 5
"""Among so many of the latest orders one in so many is paid at the end of the story, in a way that takes a person."""


@dataclass(frozen=True, slots=True)
class BankCall:
    """A call of the sandbox's bank: what it books."""

    path: str
    body: Mapping[str, Any]


@dataclass(slots=True)
class BankStory:
    """What the bank books on which of the days up to `last_day`."""

    last_day: date
    days: dict[date, list[BankCall]] = field(default_factory=lambda: defaultdict(list))

    def book(self, day: date, path: str, **body: Any) -> None:
        """Books this on the day, or on the next bank day; later ones are left out."""
        day = next_bank_day(day)
        if day <= self.last_day:
            self.days[day].append(BankCall(path, body))

    def pays(self, day: date, order: DemoOrder, text: str, minor: int | None = None, **more: Any) -> None:
        """The customer pays an order; `minor` None: its amount."""
        amount = minor_to_text(order.amount_minor if minor is None else minor, EUR)
        self.book(day, "sandbox/payments", orderNumber=order.number, text=text, amount=amount, **more)


def bank_story(orders: Sequence[DemoOrder], first_day: date, last_day: date) -> BankStory:
    """The story of the account in euros."""
    story = BankStory(last_day)
    chance = random.Random(_SEED)  # noqa: S311  a story, not a secret
    in_euros = [order for order in orders if order.currency == EUR and order.type != "COD"]
    unclear = [order for order in in_euros[-_UNCLEAR_AMONG:] if order.day < last_day][::_UNCLEAR_EVERY]
    _leave_unclear(story, chance, unclear)
    payable = iter([order for order in in_euros if order not in unclear])
    for order in payable:
        _pay(story, chance, order, payable)
    _payouts(story, [order for order in orders if order.type == "COD"])
    _no_orders(story, first_day)
    return story


def _pay(story: BankStory, chance: random.Random, order: DemoOrder, others: Iterator[DemoOrder]) -> None:
    """One customer's way to pay, chosen by weight."""
    day = order.day + timedelta(days=chance.randint(1, 5) if order.type == "PREPAYMENT" else chance.randint(4, 18))
    (way,) = chance.choices(list(_WAYS), list(_WAYS.values()))
    way(story, chance, order, day, others)


Way = Callable[[BankStory, random.Random, DemoOrder, date, Iterator[DemoOrder]], None]


def _by_the_book(story: BankStory, chance: random.Random, order: DemoOrder, day: date, _: Iterator[DemoOrder]) -> None:
    """The number as it was given, or the invoice's."""
    text = chance.choice((order.number, f"Bestellung {order.number}", f"Rechnung {order.invoice or order.number}"))
    story.pays(day, order, text)


def _wait_between(story: BankStory, chance: random.Random, order: DemoOrder, day: date, _: Iterator[DemoOrder]) -> None:
    digits = order.number.removeprefix("WT-")
    story.pays(day, order, f"Best.-Nr. WT {digits[:2]} {digits[2:]}", payer=order.name.upper())


def _bare(story: BankStory, chance: random.Random, order: DemoOrder, day: date, _: Iterator[DemoOrder]) -> None:
    story.pays(day, order, f"{order.number.removeprefix('WT-')}/{order.customer}")


def _with_typo(story: BankStory, chance: random.Random, order: DemoOrder, day: date, _: Iterator[DemoOrder]) -> None:
    digits = order.number.removeprefix("WT-")
    story.pays(day, order, f"WT-{digits[:3]}{digits[4]}{digits[3]} {order.name.split()[-1]}")


def _vague(story: BankStory, chance: random.Random, order: DemoOrder, day: date, _: Iterator[DemoOrder]) -> None:
    story.pays(day, order, chance.choice(("Tee", "Vielen Dank!", "Ihre Lieferung")))


def _by_somebody_else(
    story: BankStory, chance: random.Random, order: DemoOrder, day: date, _: Iterator[DemoOrder]
) -> None:
    payer = f"{chance.choice(('H.', 'M.', 'S.'))} {chance.choice(('Sommer', 'Brandt', 'Krüger'))}"
    story.pays(day, order, "", payer=payer)


def _in_halves(story: BankStory, chance: random.Random, order: DemoOrder, day: date, _: Iterator[DemoOrder]) -> None:
    first = order.amount_minor // 2
    story.pays(day, order, f"Anzahlung {order.number}", first)
    if chance.random() < 0.6:
        story.pays(day + timedelta(days=9), order, f"Rest {order.number}", order.amount_minor - first)


def _too_much(story: BankStory, chance: random.Random, order: DemoOrder, day: date, _: Iterator[DemoOrder]) -> None:
    story.pays(day, order, f"Bestellung {order.number}", order.amount_minor + chance.choice((490, 1000)))


def _too_little(story: BankStory, chance: random.Random, order: DemoOrder, day: date, _: Iterator[DemoOrder]) -> None:
    story.pays(day, order, f"Bestellung {order.number}", order.amount_minor - 300)


def _several(story: BankStory, chance: random.Random, order: DemoOrder, day: date, others: Iterator[DemoOrder]) -> None:
    """One payment for this order and the next one."""
    other = next(others, None)
    numbers = [each.number for each in (order, other) if each is not None]
    total = order.amount_minor + (other.amount_minor if other else 0)
    later = max(day, other.day + timedelta(days=1)) if other else day
    story.book(
        later, "sandbox/payments", orderNumbers=numbers, amount=minor_to_text(total, EUR), payer=order.name,
        text=f"Bestellungen {' + '.join(numbers)}",
    )  # fmt: skip


def _pay_after_reminder(
    story: BankStory, chance: random.Random, order: DemoOrder, day: date, _: Iterator[DemoOrder]
) -> None:
    """After the first or second reminder."""
    story.pays(order.day + timedelta(days=chance.choice((23, 25, 38))), order, f"Bestellung {order.number}")


def _never(story: BankStory, chance: random.Random, order: DemoOrder, day: date, _: Iterator[DemoOrder]) -> None:
    """Nothing is booked."""


def _gives_back(story: BankStory, chance: random.Random, order: DemoOrder, day: date, _: Iterator[DemoOrder]) -> None:
    """Pays, and has the payment recalled two bank days later."""
    story.pays(day, order, f"Bestellung {order.number}")
    back = plus_bank_days(next_bank_day(day), 2)
    story.book(back, "sandbox/returns", orderNumber=order.number, reason=chance.choice(("FOCR", "AC04")))


_WAYS: Final[Mapping[Way, float]] = {
    _by_the_book: 68,
    _wait_between: 5,
    _bare: 4,
    _with_typo: 4,
    _vague: 4,
    _by_somebody_else: 2,
    _in_halves: 2,
    _too_much: 1.5,
    _too_little: 1,
    _several: 1.5,
    _pay_after_reminder: 3,
    _never: 2.5,
    _gives_back: 1.5,
}


def _leave_unclear(story: BankStory, chance: random.Random, orders: Sequence[DemoOrder]) -> None:
    """Payments of the last two bank days that need a person, each for one of these orders.

    What was ordered at the weekend between them is paid on the last.
    """
    days = (minus_bank_days(story.last_day, 1), story.last_day)
    for place, order in enumerate(orders):
        last, other = order.name.split()[-1], orders[place - 1]
        kinds: tuple[tuple[str, str, int], ...] = (
            (f"{chance.choice(_RELATIVES)} {last}", "", order.amount_minor),  # of the family, without a word
            (f"{chance.choice(_RELATIVES)} Sommer", "Tee", order.amount_minor),  # a stranger; the amount fits
            (order.name, "", order.amount_minor - 150),  # the customer, a little less
            (f"{chance.choice(_RELATIVES)} Brandt", f"WT-{other.number[3:]}", order.amount_minor),  # another's number
            (order.name, f"Bestellung {order.number} abzgl. 3 % Skonto", order.amount_minor * 97 // 100),
            (last.upper(), f"Rechnung vom {order.day:%d.%m.}", order.amount_minor + 490),
        )
        payer, text, minor = kinds[place % len(kinds)]
        story.pays(max(days[place % 2], order.day), order, text, minor, payer=payer)


_RELATIVES: Final = ("Heinrich", "Marianne", "Silvia", "Rolf")


def _payouts(story: BankStory, orders: Sequence[DemoOrder]) -> None:
    """Every second week the carrier pays out what it has collected, less its fee, with the tracking numbers."""
    due: dict[date, list[str]] = defaultdict(list)
    for order in orders:
        day = order.day + _DELIVERED_AFTER
        while day.weekday() != _PAYOUT_WEEKDAY or day.isocalendar().week % 2 or not is_bank_day(day):
            day += timedelta(days=1)
        due[day].append(order.number)
    for day, numbers in due.items():
        fee = minor_to_text(CARRIER_FEE_MINOR * len(numbers), EUR)
        story.book(day, "sandbox/payouts", orderNumbers=numbers, fee=fee, carrier=CARRIER)


def _no_orders(story: BankStory, first_day: date) -> None:
    """What passes over every account."""
    day = first_day
    while day <= story.last_day:
        if day.day == 1:
            _other(story, day, -145_000, "Hausverwaltung Seeblick", "Miete Ladenlokal")
            _other(story, day, -2_350, "", "Entgelt Kontofuehrung")
        if day.day == 12:
            _other(story, day, -286_450, "Teeimport Hansen KG", "Rechnung 2204 vom Vormonat")
        if day.day == 20:
            _other(story, day, 15_000, "Finanzkasse", "Umsatzsteuer Erstattung")
        if day.weekday() == 1:
            _other(story, day, 30_000 + day.day * 731, "Kartenabrechnung", "Terminal 5540012 Umsatz der Vorwoche")
        day += timedelta(days=1)
    _other(story, story.last_day, 8_000, "Teeimport Hansen KG", "Gutschrift Retoure 551")


def _other(story: BankStory, day: date, minor: int, name: str, text: str) -> None:
    story.book(day, "sandbox/bookings", amount=minor_to_text(minor, EUR), name=name, text=text)
