"""What a world is made of: customers, orders, and payments with the truth about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from random import Random


@dataclass(slots=True)
class Customer:
    """A buyer as the shop's database has him; `name` is what his bank calls him when nothing special happens."""

    number: str
    country: str  # DE AT CH NL FR PL
    language: str
    gender: str  # male female company
    first: str
    last: str
    company: str
    street: str
    post_code: str
    city: str
    phone: str
    iban: str
    user_name: str = ""  # on a marketplace
    spouse: str = ""  # a first name
    parent: str = ""  # a first name; the parent pays for a child in a club
    group: str = ""  # a company that pays for this one

    @property
    def name(self) -> str:
        return self.company or f"{self.first} {self.last}"

    @property
    def person(self) -> str:
        return f"{self.first} {self.last}"


@dataclass(slots=True)
class Order:
    """An order; amounts in minor units of its currency. `prefix` and `digits` are how its number is built."""

    number: str
    day: date
    type: str  # INVOICE PREPAYMENT COD
    amount: int
    currency: str
    customer: Customer
    due: date | None = None
    rate: float = 0.0  # units of its currency per unit of the account currency; 0 when there is an account in it
    invoice: str = ""
    proforma: str = ""
    shipping: str = ""
    marketplace: str = ""
    reference: str = ""  # our RF or QRR reference, when payment information with one was sent
    items: list[tuple[str, str]] = field(default_factory=list)
    method: str = ""
    cancelled: bool = False
    delivery: Customer | None = None
    used: bool = False  # some case has taken it


@dataclass(slots=True)
class Payment:
    """One posting and the truth about it.

    `pays` holds per order what is credited to it, in minor units of the posting's currency; `withheld` is what was kept
    of that on the way: the amount is the sum of the credits less what was withheld.
    """

    day: date
    amount: int  # signed minor units
    currency: str
    name: str
    text: str
    case: str
    auto: str  # certain suggest unrelated: as intended; the clerk can only lower it
    pays: list[tuple[Order, int]] = field(default_factory=list)
    withheld: int = 0
    iban: str = ""
    ultimate: str = ""
    end_to_end: str = ""
    reference: str = ""
    return_reason: str = ""
    booking_text: str = "GUTSCHRIFT"
    instructed: int = 0
    instructed_currency: str = ""
    rate: str = ""
    charges: int = 0
    id: str = ""
    account: str = ""
    alike: int = 1  # orders that the clerk cannot tell from the true one, itself counted
    fixed: bool = False  # text is the bank's own; no noise may touch it


@dataclass(frozen=True, slots=True)
class Partner:
    """A carrier or marketplace that pays out for many orders, always from one account and on the same terms."""

    name: str
    account: Customer
    per_mille: int  # of the gross sum
    per_payout: int  # minor units
    per_order: int
    single: int  # taken off a payout for one parcel


def chance(rng: Random, probability: float) -> bool:
    return rng.random() < probability


def weighted(rng: Random, table: dict[str, float]) -> str:
    """One key, by weight; the same for the same state of `rng`."""
    keys = list(table)
    return rng.choices(keys, weights=[table[k] for k in keys])[0]


def money(minor: int) -> str:
    """`12.30`, signed."""
    sign = "-" if minor < 0 else ""
    return f"{sign}{abs(minor) // 100}.{abs(minor) % 100:02d}"
