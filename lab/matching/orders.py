"""Orders and customers of one world, in the order of their dates, with numbers as that kind of shop gives them."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date, timedelta
from random import Random
from typing import Final

from lab.matching import names, numbers, rare_names
from lab.matching.shops import Kind
from lab.matching.values import Customer, Order, chance, weighted

FIRST_DAY: Final = date(2026, 3, 2)
DAYS: Final = 90


class Customers:
    """The shop's customers so far; hands out old ones and makes new ones."""

    def __init__(self, kind: Kind, rng: Random) -> None:
        self._kind, self._rng = kind, rng
        self._next = kind.customer_first + rng.randint(0, 50)
        self.known: list[Customer] = []

    def pick(self) -> Customer:
        """An old customer (recent ones rather), a relative of one, or a new one."""
        rng, kind = self._rng, self._kind
        if self.known and chance(rng, kind.repeat):
            back = min(int(rng.expovariate(1 / 25)), len(self.known) - 1)
            return self.known[-1 - back]
        if self.known and chance(rng, kind.families):
            return self._add(self._relative(rng.choice(self.known[-40:])))
        return self._add(self._stranger())

    def _add(self, customer: Customer) -> Customer:
        self.known.append(customer)
        return customer

    def _number(self) -> str:
        self._next += self._rng.randint(1, 3)
        return str(self._next)

    def _relative(self, other: Customer) -> Customer:
        """Same surname and address, another first name: husband, wife, child, or a namesake elsewhere."""
        rng = self._rng
        gender = rng.choice(["male", "female"])
        first = names.first_name(rng, other.country, gender)
        shares_account = chance(rng, 0.5)
        return replace(
            other,
            number=self._number(),
            gender=gender,
            first=first,
            company="",
            spouse=other.first,
            parent=other.first,
            iban=other.iban if shares_account else numbers.iban(rng, other.country),
            user_name="",
        )

    def _stranger(self) -> Customer:
        rng, kind = self._rng, self._kind
        country = weighted(rng, kind.countries)
        is_company = chance(rng, kind.companies)
        gender = rng.choice(["male", "female"])
        first = names.first_name(rng, country, gender)
        last = names.feminine(names.surname(rng, country), country, gender)
        if kind.alphabets and not is_company and chance(rng, kind.alphabets):
            first, last = rng.choice(rare_names.FIRST), rng.choice(rare_names.LAST)
        number = self._number()
        language = rng.choice(["de", "de", "de", "fr"]) if country == "CH" else names.LANGUAGES[country]
        return Customer(
            number=number,
            country=country,
            language=language,
            gender="company" if is_company else gender,
            first=first,
            last=last,
            company=names.company(rng, country) if is_company else "",
            street=names.street(rng, country),
            post_code=names.post_code(rng, country),
            city=names.city(rng, country),
            phone=names.phone(rng, country),
            iban=numbers.iban(rng, country if chance(rng, 0.95) else "DE"),
            user_name=_user_name(rng, first, last) if chance(rng, kind.users) else "",
            spouse=names.first_name(rng, country, "female" if gender == "male" else "male"),
            parent=names.first_name(rng, country, rng.choice(["male", "female"])),
            group=names.company(rng, country) if is_company and chance(rng, 0.25) else "",
        )


def _user_name(rng: Random, first: str, last: str) -> str:
    plain = "".join(c for c in f"{first}{last}".lower() if c.isascii() and c.isalpha())
    return rng.choice(
        [
            f"{plain[:4]}_{plain[-7:]}{rng.randint(10, 99)}",
            f"{plain[:8]}{rng.randint(1, 2010)}",
            f"{rng.choice(['sonnen', 'pixel', 'turbo', 'garten'])}{rng.choice(['blume', 'fuchs', '-shop', 'star'])}"
            f"{rng.randint(1, 999)}",
        ]
    )


def _menu(kind: Kind, rng: Random) -> list[int]:
    """The shop's usual totals in cents; `same_item` of them, so prices cluster as they do."""

    def one() -> int:
        if kind.prices == "round":
            return rng.choice(
                [990, 1490, 1990, 2490, 2990, 3990, 4990, 5900, 6990, 7990, 9900, 9990, 12900, 14900, 19900, 29900]
            )
        if kind.prices == "b2b":
            return round(math.exp(rng.gauss(11.8, 1.2))) // 5 * 5 + rng.choice([0, 0, 3, 4])
        if kind.prices == "fees":
            return rng.choice(
                [1000, 1200, 1500, 1800, 2000, 2400, 2500, 3000, 3600, 4500, 4800, 6000, 7500, 9600, 12000]
            )
        if kind.prices == "subscription":
            return rng.choice([990, 1490, 1990, 2490, 2990, 3900, 4900, 7900, 9900])
        base = max(4, round(math.exp(rng.gauss(3.6, 0.8))))
        return base * 100 + rng.choice([90, 95, 99, 0, 50, 85, 80])

    return [one() for _ in range(kind.same_item)]


def _price(kind: Kind, rng: Random, menu: list[int]) -> int:
    if kind.prices == "b2b":
        return _menu(replace(kind, same_item=1), rng)[0]
    amount = rng.choice(menu)
    if kind.prices == "retail":
        if chance(rng, 0.35):
            amount += rng.choice(menu)
        if chance(rng, 0.5):
            amount += rng.choice([390, 490, 495, 590])
    elif kind.prices == "round" and chance(rng, 0.3):
        amount += rng.choice([395, 495, *menu])
    elif kind.prices == "fees" and chance(rng, 0.15):
        amount *= rng.randint(2, 4)
    return amount


class Numbering:
    """The shop's counters for orders, invoices and the like."""

    def __init__(self, kind: Kind, rng: Random) -> None:
        self._kind, self._rng = kind, rng
        self._counters = {pattern: first for pattern, first, _ in kind.numbers}
        self._invoice = 7000321 if kind.invoice == "{n}" else 323
        self._proforma = 96000
        self.serial = 0

    def order(self, day: date) -> str:
        patterns = {pattern: weight for pattern, _, weight in self._kind.numbers}
        pattern = weighted(self._rng, patterns)
        self._counters[pattern] += 1 if chance(self._rng, 0.75) else self._rng.randint(2, 4)
        self.serial += 1
        return pattern.format(n=self._counters[pattern], y=day.year)

    def invoice(self, day: date) -> str:
        self._invoice += self._rng.randint(1, 2)
        return self._kind.invoice.format(n=self._invoice, y=day.year, yy=day.year % 100)

    def proforma(self) -> str:
        self._proforma += self._rng.randint(1, 9)
        return f"AB-{self._proforma}"


def _dress(order: Order, kind: Kind, rng: Random, numbering: Numbering) -> None:
    """Gives the order its further numbers."""
    day = order.day
    if (chance(rng, kind.invoice_share) and order.type != "PREPAYMENT") or chance(rng, kind.invoice_share / 3):
        order.invoice = numbering.invoice(day)
    if order.type == "PREPAYMENT" and chance(rng, 0.2):
        order.proforma = numbering.proforma()
    if order.type == "COD" or chance(rng, kind.shipping_share):
        style = rng.choice(["sscc", "long", "s10", "short"]) if kind.tracking == "mixed" else kind.tracking
        order.shipping = numbers.tracking(rng, style, "DE")
    if chance(rng, kind.marketplace):
        order.marketplace = numbers.marketplace_number(rng)
    if kind.references != "none" and order.type != "COD" and chance(rng, kind.reference_share):
        digits = "".join(c for c in order.number if c.isdigit())
        if kind.references == "QRR" and order.currency == "CHF" and chance(rng, 0.85):
            order.reference = numbers.qr_reference(
                f"{rng.choice([881200, 700443])}{order.customer.number:0>9}{digits:0>9}"
            )
        else:
            order.reference = numbers.creditor_reference(f"{rng.randint(10**9, 10**10 - 1)}{digits[-6:]:0>6}")


def _currency(order: Order, kind: Kind, rng: Random) -> None:
    if kind.second_currency and chance(rng, kind.second_share):
        order.currency = kind.second_currency
    elif kind.rate_currencies and chance(rng, kind.rate_share):
        order.currency, order.rate = rng.choice(sorted(kind.rate_currencies.items()))
        if order.rate > 2:
            order.amount = round(order.amount * order.rate / 100) * 100 + rng.choice([0, 0, 90, 99])


def generate(kind: Kind, rng: Random, count: int) -> list[Order]:
    """`count` orders over about 90 days, oldest first."""
    customers, numbering, menu = Customers(kind, rng), Numbering(kind, rng), _menu(kind, rng)
    days = sorted(FIRST_DAY + timedelta(int(rng.triangular(0, DAYS, DAYS * 0.55))) for _ in range(count))
    orders: list[Order] = []
    for day in days:
        customer = customers.pick()
        order = Order(
            numbering.order(day), day, weighted(rng, kind.types), _price(kind, rng, menu), kind.currency, customer
        )
        _currency(order, kind, rng)
        if kind.prices == "subscription":
            order.amount = _subscribed(orders, customer, order.amount, rng)
        if order.type == "INVOICE":
            order.due = day + timedelta(rng.choice([14, 14, 30, 10]))
        _dress(order, kind, rng, numbering)
        order.items = [(_item(rng), names.article(rng)) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
        if chance(rng, 0.06):
            order.delivery = replace(customers.pick(), street=customer.street, company="")
        orders.append(order)
    return orders


def _subscribed(orders: list[Order], customer: Customer, amount: int, rng: Random) -> int:
    """A subscriber pays the same each month, mostly."""
    earlier = [o.amount for o in orders if o.customer is customer and not o.rate]
    return earlier[-1] if earlier and chance(rng, 0.85) else amount


def _item(rng: Random) -> str:
    return f"{rng.choice(['P-', 'A', 'ART-', ''])}{rng.randint(10000, 99999)}"
