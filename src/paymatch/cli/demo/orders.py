"""The orders of the demo shop: invented, realistic, the same on every day but for their dates."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from paymatch.domain.calendar import date_text
from paymatch.domain.money import EUR, Currency, minor_to_text

COUNT: Final = 440
DAYS: Final = 91
"""The days within which the orders were placed."""

SWISS_EVERY: Final = 20
"""One order in so many is by a Swiss customer, in francs."""

SEED: Final = 20_417

_FIRST: Final = (
    "Anna", "Ben", "Clara", "David", "Elif", "Felix", "Greta", "Hannes", "Ines", "Jakub", "Katharina", "Lukas", "Marie",
    "Nils", "Olga", "Paul", "Ronja", "Stefan", "Tomasz", "Ursula", "Viktor", "Wiebke", "Yusuf", "Zoe",
)  # fmt: skip
_LAST: Final = (
    "Aydin", "Bergmann", "Czerny", "Dietrich", "Engelhardt", "Fuchs", "Gärtner", "Huber", "Iversen", "Jäger",
    "Kowalski", "Lindner", "Möller", "Nowak", "Oberländer", "Pfeiffer", "Quandt", "Rößler", "Schäfer", "Thielmann",
    "Ullrich", "Vogt", "Weiß", "Yıldız", "Zimmermann", "van der Meer", "von Hagen", "Schmidt-Lorenz",
    "Petersen", "Haas",
)  # fmt: skip
_COMPANIES: Final = ("Radwerk Nord GmbH", "Café Morgenrot", "Praxis Dr. Albers", "Hof Lindental KG", "Studio Elf UG")
_TOWNS: Final = (
    ("20095", "Hamburg", "DE"), ("10115", "Berlin", "DE"), ("80331", "München", "DE"), ("50667", "Köln", "DE"),
    ("04109", "Leipzig", "DE"), ("1010", "Wien", "AT"), ("8010", "Graz", "AT"), ("70173", "Stuttgart", "DE"),
)  # fmt: skip
_STREETS: Final = ("Lindenstraße", "Am Markt", "Bahnhofstraße", "Gartenweg", "Schillerplatz", "Mühlgasse")
_ITEMS: Final = (
    ("TK-110", "Teekanne, 1 l", 3490), ("TK-200", "Stövchen", 1850), ("GR-031", "Grüntee Sencha, 250 g", 1290),
    ("GR-077", "Jasmintee, 250 g", 1490), ("SW-012", "Assam Blatt, 500 g", 1780), ("SW-048", "Earl Grey, 500 g", 1690),
    ("ZB-005", "Teesieb", 690), ("ZB-017", "Dose, 2er-Set", 1240), ("KR-090", "Kräutertee, 200 g", 840),
)  # fmt: skip
_SWISS_TOWNS: Final = (("8001", "Zürich", "CH"), ("4051", "Basel", "CH"), ("3011", "Bern", "CH"))
CHF: Final = Currency("CHF")
SHIPPING_MINOR: Final = 490


@dataclass(frozen=True, slots=True)
class DemoOrder:
    """An order as the shop keeps it; `amount_minor` in cents."""

    number: str
    day: date
    type: str
    amount_minor: int
    name: str
    company: bool
    town: tuple[str, str, str]
    street: str
    items: tuple[tuple[str, str, int], ...]
    invoice: str
    tracking: str
    customer: str
    currency: Currency = EUR

    @property
    def as_submitted(self) -> dict[str, Any]:
        """The body of `POST /order/{n}`."""
        first, _, last = self.name.partition(" ")
        who = {"company": self.name} if self.company else {"firstName": first, "lastName": last}
        post_code, city, country = self.town
        body: dict[str, Any] = {
            "number": self.number,
            "date": date_text(self.day),
            "type": self.type,
            "amount": minor_to_text(self.amount_minor, self.currency),  # the API takes numeric strings too (D-14)
            "currency": self.currency,
            "customerNumber": self.customer,
            "customerEmail": f"{self.customer.lower()}@example.org",
            "items": [{"number": number, "name": name} for number, name, _ in self.items],
            "billing": who | {"street": self.street, "postCode": post_code, "city": city, "countryCode": country},
        }
        if self.type == "INVOICE":
            body["dueDate"] = date_text(self.day + timedelta(days=14))
        if self.invoice:
            body["invoiceNumbers"] = [self.invoice]
        if self.tracking:
            body["shippingNumbers"] = [self.tracking]
        return body


def demo_orders(last_day: date) -> list[DemoOrder]:
    """The shop's orders of the three months up to `last_day`, oldest first."""
    chance = random.Random(SEED)  # noqa: S311  a story, not a secret
    names = [f"{first} {last}" for first in _FIRST for last in _LAST]
    chance.shuffle(names)
    return [_order(chance, place, names[place], last_day) for place in range(COUNT)]


def _order(chance: random.Random, place: int, name: str, last_day: date) -> DemoOrder:
    items = tuple(chance.sample(_ITEMS, chance.choice((1, 1, 2, 2, 3))))
    swiss = place % SWISS_EVERY == SWISS_EVERY - 1
    kind = "COD" if place % 25 == 23 else chance.choice(("PREPAYMENT", "PREPAYMENT", "INVOICE"))
    company = place % 31 == 30
    return DemoOrder(
        number=f"WT-{10_417 + place * 3 + chance.randrange(3)}",
        day=last_day - timedelta(days=(COUNT - 1 - place) * DAYS // COUNT),
        type="PREPAYMENT" if swiss else kind,
        amount_minor=sum(price for _, _, price in items) * chance.choice((1, 1, 1, 2)) + SHIPPING_MINOR,
        name=_COMPANIES[place % len(_COMPANIES)] if company else name,
        company=company,
        town=chance.choice(_SWISS_TOWNS if swiss else _TOWNS),
        street=f"{chance.choice(_STREETS)} {chance.randrange(1, 120)}",
        items=items,
        invoice=f"RE{73_201 + place * 2}" if kind == "INVOICE" and not swiss else "",
        tracking=f"00340434{100_000_000_000 + place * 7_919 + chance.randrange(1000)}" if kind == "COD" else "",
        customer=f"K{5_120 + place * 7}",
        currency=CHF if swiss else EUR,
    )
