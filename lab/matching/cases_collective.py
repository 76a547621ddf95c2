"""Collective payouts: parcel carriers for cash on delivery, marketplaces for their sellers."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from lab.matching import phrases
from lab.matching.scene import Scene, bank_day, case
from lab.matching.values import Order, Partner, Payment, chance

CARRIERS: Final = [
    "DHL Paket GmbH",
    "Deutsche Post AG",
    "DPD Deutschland GmbH",
    "General Logistics Systems Germany",
    "Hermes Germany GmbH",
    "UPS SCS GmbH",
    "Österreichische Post AG",
]
MARKETS: Final = [
    "Kaufland e-commerce Services",
    "OTTO Payments GmbH",
    "Amazon Payments Europe S.C.A.",
    "eBay S.a.r.l.",
    "Cdiscount SA",
    "bol.com B.V.",
    "Allegro sp. z o.o.",
]


def _carrier(s: Scene) -> Partner:
    """One of the world's two carriers."""
    if "carriers" not in s.partners:
        rng = s.rng
        terms = [(0, 0, 0), (0, 0, 0), (rng.randint(8, 30), 0, 0), (0, 200, 10)]
        parcel = s.kind.parcel_fee
        s.partners["carriers"] = [
            Partner(name, s.stranger("DE"), 0, 0, parcel, parcel)
            if parcel
            else Partner(name, s.stranger("DE"), *rng.choice(terms), single=rng.choice([0, 0, 200, 360, 560]))
            for name in rng.sample(CARRIERS, 2)
        ]
    return s.rng.choice(s.partners["carriers"])


def _market(s: Scene) -> Partner:
    """One of the world's two marketplaces."""
    if "markets" not in s.partners:
        s.partners["markets"] = [
            Partner(name, s.stranger("DE"), s.kind.commission or s.rng.choice([0, 50, 70, 85, 120]), 0, 0, 0)
            for name in s.rng.sample(MARKETS, 2)
        ]
    return s.rng.choice(s.partners["markets"])


def _fee(partner: Partner, orders: list[Order]) -> int:
    gross = sum(o.amount for o in orders)
    return round(gross * partner.per_mille / 1000) + partner.per_payout + partner.per_order * len(orders)


def _payout(s: Scene, orders: list[Order], partner: Partner, text: str, fee: int, *, auto: str, days: int) -> Payment:
    net = sum(o.amount for o in orders) - fee
    day = bank_day(max(o.day for o in orders) + timedelta(s.rng.randint(5, days)))
    p = s.pay(orders[0], text, auto=auto, name=partner.name, payer=partner.account, day=day, fixed=True)
    p.amount = net
    s.credit_in_full(p, orders)
    for o in orders:
        o.used = True
    return p


def _plainly_missing(partner: Partner, orders: list[Order], missing: Order) -> bool:
    """True if no fee could explain that this order's money is not in the payout."""
    return not _fee(partner, orders) or missing.amount * 12 > sum(o.amount for o in orders)


def carrier_payout(s: Scene, orders: list[Order]) -> Payment:
    """One payout for parcels: complete list, some numbers missing in it, or one parcel of the list not paid."""
    rng, partner = s.rng, _carrier(s)
    way = rng.choices(["full", "short_list", "gap"], weights=[70, 18, 12])[0] if len(orders) > 3 else "full"
    listed, paid = list(orders), list(orders)
    if way == "short_list":
        listed = sorted(rng.sample(orders, len(orders) - rng.randint(1, 2)), key=lambda o: o.shipping)
        if sum(o.amount for o in orders) - _fee(partner, orders) <= sum(o.amount for o in listed):
            way, listed = "full", list(orders)  # the fee would hide that something is missing in the list
    missing = rng.choice(orders)
    if way == "gap" and not _plainly_missing(partner, orders, missing):
        way = "full"
    if way == "gap":
        paid.remove(missing)
    fee, between = _fee(partner, paid), rng.choice([" ", ",", ", ", ";"])
    head = rng.choice(["NN-Auszahlung ", "Nachnahme Sendungen ", "COD ", "NACHNAHMEBETRAEGE ", "Nachnahme Lauf {r} "])
    tail = f" abzgl. Entgelt {fee // 100},{fee % 100:02d}" if fee and chance(rng, 0.5) else ""
    text = head.format(r=rng.randint(100, 999)) + between.join(o.shipping for o in listed) + tail
    if chance(rng, 0.3):
        text = phrases.wrap(text, rng.choice([27, 35]), "space")  # as many banks join the lines of a long text
    s.label = {"full": "carrier_payout", "short_list": "carrier_short_list", "gap": "carrier_gap"}[way]
    return _payout(s, paid, partner, text, fee, auto="certain" if way == "full" else "suggest", days=14)


@case("carrier_single")
def carrier_single(s: Scene, o: Order) -> list[Payment] | None:
    """One parcel, one transfer, in full or less the carrier's fee."""
    if o.type != "COD":
        return None
    partner = _carrier(s)
    fee = partner.single if partner.single * 3 < o.amount else 0
    text = s.rng.choice(["NN {n}", "NACHNAHME {n}", "{n}", "Sendung {n} vom {d}", "COD {n} {l}"])
    text = text.format(n=o.shipping, d=phrases.write_date(s.rng, o.day), l=o.customer.last)
    return [_payout(s, [o], partner, text, fee, auto="certain", days=12)]


@case("marketplace_payout")
def marketplace_payout(s: Scene, o: Order) -> list[Payment] | None:
    """The marketplace's payout for a number of orders: gross less fee, with the list or only with its sums."""
    free = [
        x
        for x in s.orders
        if x.marketplace and not x.used and not x.cancelled and not x.rate and 0 <= (x.day - o.day).days <= 7
    ]
    if not o.marketplace or len(free) < 4:
        return None
    orders, partner = free[: s.rng.randint(3, 25)], _market(s)
    gross, fee = sum(x.amount for x in orders), _fee(partner, orders)
    listed = chance(s.rng, 0.8)
    numbers = s.rng.choice([" ", ", ", ","]).join(x.marketplace for x in orders)
    sums = f" Brutto {gross // 100},{gross % 100:02d} Gebuehr {fee // 100},{fee % 100:02d}"
    text = f"Auszahlung {numbers}" if listed else f"Auszahlung {s.rng.randint(10**8, 10**9)}"
    text += sums if chance(s.rng, 0.6) else ""
    return [_payout(s, orders, partner, text, fee, auto="certain" if listed else "suggest", days=12)]
