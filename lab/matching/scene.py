"""The stage on which cases play: who has ordered what, what is taken already, and how a payment is made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from random import Random
from typing import Any, Final

from lab.matching import names, numbers, phrases, rare_names
from lab.matching.shops import Kind
from lab.matching.values import Customer, Order, Partner, Payment, chance

Play = Callable[["Scene", Order], "list[Payment] | None"]
"""A case: what is posted because of this order; None if the case does not fit it."""

CASES: Final[dict[str, Play]] = {}


def case(*labels: str) -> Callable[[Play], Play]:
    """Registers a case under its labels."""

    def register(play: Play) -> Play:
        for label in labels:
            CASES[label] = play
        return play

    return register


def bank_day(day: date) -> date:
    """The day itself, or Monday for a weekend."""
    return day + timedelta({5: 2, 6: 1}.get(day.weekday(), 0))


class Scene:
    """One world in the making. `label` is the case being played."""

    def __init__(self, kind: Kind, rng: Random, orders: list[Order], accounts: dict[str, str]) -> None:
        self.kind, self.rng, self.orders, self.accounts = kind, rng, orders, accounts
        self.label = ""
        self._bureau: Customer | None = None
        self.partners: dict[str, list[Partner]] = {}  # carriers and marketplaces of this world, see cases_collective
        self.settled: list[tuple[Order, Payment]] = []  # orders that a played payment has paid in full
        self.settled_of: dict[str, list[tuple[Order, Payment]]] = defaultdict(list)
        self.by_customer: dict[str, list[Order]] = defaultdict(list)
        for order in orders:
            self.by_customer[order.customer.number].append(order)
        self._position = {order.number: i for i, order in enumerate(orders)}

    def language(self, c: Customer) -> str:
        """The language a payer writes: his own, sometimes English phrases of a list are in it anyway."""
        if c.country in ("AT", "CH") and c.language == "de" and chance(self.rng, 0.6):
            return c.country.lower()
        return c.language

    def due_to_pay(self, order: Order) -> date:
        """A bank day as real delays have it: prepayment 0-7 days, invoices around the due date, some late."""
        rng = self.rng
        if order.due is None:
            days = int(rng.triangular(0, 8, 2)) if chance(rng, 0.93) else rng.randint(8, 21)
        elif chance(rng, 0.25):
            days = rng.randint(1, 6)
        else:
            days = max(
                1,
                (order.due - order.day).days
                + round(rng.gauss(-2, 4))
                + (rng.randint(7, 30) if chance(rng, 0.1) else 0),
            )
        return bank_day(order.day + timedelta(days))

    def booked(self, order: Order, minor: int) -> tuple[int, str]:
        """An amount in the order's currency as it arrives: in that currency if there is an account, else converted."""
        if not order.rate:
            return minor, order.currency
        return round(minor / order.rate), self.kind.currency

    def phrase(self, bank: dict[str, list[str]], order: Order, number: str, day: date | None = None) -> str:
        c = order.customer
        text = phrases.of(bank, self.language(c), self.rng)
        return text.format(n=number, d=phrases.write_date(self.rng, day or order.day), c=c.number, l=c.last)

    def shown(self, number: str) -> str:
        """The number as most people copy it: as it is, rarely without its `#`."""
        return number.lstrip("#") if number.startswith("#") and chance(self.rng, 0.6) else number

    def pay(self, order: Order, text: str, *, auto: str = "certain", amount: int | None = None, **more: Any) -> Payment:
        """One incoming payment for `order` in full unless `amount` (in the order's currency) says otherwise."""
        rng, payer = self.rng, more.pop("payer", order.customer)
        minor, currency = self.booked(order, order.amount if amount is None else amount)
        written = rare_names.romanised(rng, payer.name) if self.kind.alphabets and not payer.company else payer.name
        name = more.pop("name", None) or phrases.bank_name(rng, written, payer.country, not payer.company)
        day = more.pop("day", None) or self.due_to_pay(order)
        payment = Payment(
            day,
            minor,
            currency,
            name,
            text,
            more.pop("case", self.label),
            auto,
            [(order, minor)],
            iban=payer.iban,
            **more,
        )
        if not payment.end_to_end and chance(rng, 0.35):
            payment.end_to_end = self.bank_end_to_end()
        self._surround(payment, payer)
        return payment

    def credit_in_full(self, payment: Payment, orders: list[Order]) -> None:
        """Says that what is missing of the orders' amounts was withheld: on the way, or as the shop's terms grant."""
        credits = [(o, self.booked(o, o.amount)[0]) for o in orders]
        payment.withheld = sum(part for _, part in credits) - payment.amount
        payment.pays = credits

    def _surround(self, payment: Payment, payer: Customer) -> None:
        rng = self.rng
        if payment.fixed or not payment.text or payment.reference:
            return
        if chance(rng, 0.12):
            payment.text = phrases.plain_letters(payment.text).upper()
        if chance(rng, {"NL": 0.4, "FR": 0.4, "PL": 0.25, "AT": 0.15, "CH": 0.3}.get(payer.country, 0.05)):
            payment.text = phrases.envelope(
                rng, payment.text, payment.day, name=payment.name, iban=payer.iban, country=payer.country
            )
        payment.text = payment.text[:140]
        if chance(rng, 0.04):
            payment.text = phrases.wrap(payment.text, rng.choice([27, 35]), "space")

    def bank_end_to_end(self) -> str:
        rng = self.rng
        return rng.choice(
            [
                f"ZV0{rng.randint(10**12, 10**13 - 1)}",
                f"TAN{rng.randint(10**10, 10**12)}",
                f"2026{rng.randint(10**12, 10**13 - 1)}",
                f"E2E-{rng.randint(10**11, 10**12 - 1)}",
                f"NOTPROVIDED-{rng.randint(10**5, 10**6)}",
                f"{rng.getrandbits(64):016x}",
            ]
        )

    def stranger(self, country: str = "") -> Customer:
        """Someone who is not a customer of the shop."""
        rng, where = self.rng, country or self.rng.choice(sorted(self.kind.countries))
        first, last = names.first_name(rng, where, rng.choice(["male", "female"])), names.surname(rng, where)
        return Customer(
            "", where, names.LANGUAGES[where], "male", first, last, "", "", "", "", "", numbers.iban(rng, where)
        )

    @property
    def bureau(self) -> Customer:
        """The one bookkeeper or trustee of this world who pays for many customers from his own account."""
        if self._bureau is None:
            country = self.kind.country
            firm = (
                f"{names.surname(self.rng, country)} {self.rng.choice(['Treuhand', 'Steuerberatung', 'Inkasso'])} GmbH"
            )
            self._bureau = replace(self.stranger(country), company=firm)
        return self._bureau

    def fellows(self, order: Order, count: int, days: int = 25) -> list[Order]:
        """Up to `count` later free orders of the same customer and currency, within `days`."""
        free = [
            o
            for o in self.by_customer[order.customer.number]
            if o is not order
            and not o.used
            and not o.cancelled
            and o.type != "COD"
            and (o.currency, o.rate) == (order.currency, order.rate)
            and 0 <= (o.day - order.day).days <= days
        ]
        return free[:count]

    def neighbours(self, order: Order, reach: int = 60) -> list[Order]:
        """Orders of other customers with numbers close to this one's, of dates not after a fortnight."""
        i = self._position[order.number]
        near = self.orders[max(0, i - reach) : i + reach // 2]
        return [o for o in near if o.customer is not order.customer and o is not order]

    def settle(self, payment: Payment) -> None:
        """Remembers orders that this payment settled, for stories that come back to them."""
        if payment.amount <= 0 or payment.auto == "unrelated" or len(payment.pays) != 1:
            return
        order = payment.pays[0][0]
        if payment.amount == self.booked(order, order.amount)[0]:
            self.settled.append((order, payment))
            self.settled_of[order.customer.number].append((order, payment))
