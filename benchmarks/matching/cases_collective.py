"""Collective payouts: parcel carriers for cash on delivery, marketplaces for their sellers."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from benchmarks.matching import phrases
from benchmarks.matching.scene import Scene, bank_day, case
from benchmarks.matching.values import Order, Payment, chance

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


def net_parts(orders: list[Order], net: int) -> list[tuple[Order, int]]:
    """`net` over the orders in proportion to their amounts; the last takes the odd cents."""
    gross = sum(o.amount for o in orders)
    parts = [o.amount * net // gross for o in orders]
    parts[-1] += net - sum(parts)
    return list(zip(orders, parts, strict=True))


def _payout(s: Scene, orders: list[Order], name: str, text: str, net: int, *, auto: str, days: int) -> Payment:
    day = bank_day(max(o.day for o in orders) + timedelta(s.rng.randint(5, days)))
    p = s.pay(orders[0], text, auto=auto, name=name, payer=s.stranger("DE"), day=day, fixed=True)
    p.amount, p.pays = net, net_parts(orders, net)
    for o in orders:
        o.used = True
    return p


def carrier_payout(s: Scene, orders: list[Order]) -> Payment:
    """One payout for parcels: complete list, some numbers missing in it, or one parcel of the list not paid."""
    rng, gross = s.rng, sum(o.amount for o in orders)
    way = rng.choices(["full", "short_list", "gap"], weights=[70, 18, 12])[0] if len(orders) > 3 else "full"
    listed = list(orders)
    if way == "short_list":
        listed = sorted(rng.sample(orders, len(orders) - rng.randint(1, 2)), key=lambda o: o.shipping)
    paid = list(orders)
    if way == "gap":
        paid.remove(rng.choice(orders))
        gross = sum(o.amount for o in paid)
    fee = rng.choice([0, 0, round(gross * rng.uniform(0.008, 0.03)), 200 + 10 * len(orders)])
    between = rng.choice([" ", ",", ", ", ";"])
    head = rng.choice(
        ["NN-Auszahlung ", "Nachnahme Sendungen ", "COD ", "NACHNAHMEBETRAEGE ", "Auszahlung Nachnahme Lauf {r} "]
    ).format(r=rng.randint(100, 999))
    tail = f" abzgl. Entgelt {fee // 100},{fee % 100:02d}" if fee and chance(rng, 0.5) else ""
    s.label = {"full": "carrier_payout", "short_list": "carrier_short_list", "gap": "carrier_gap"}[way]
    text = head + between.join(o.shipping for o in listed) + tail
    if chance(rng, 0.3):
        text = phrases.wrap(text, rng.choice([27, 35]), "space")  # as many banks join the lines of a long text
    return _payout(
        s, paid, rng.choice(CARRIERS), text, gross - fee, auto="certain" if way == "full" else "suggest", days=14
    )


@case("carrier_single")
def carrier_single(s: Scene, o: Order) -> list[Payment] | None:
    """One parcel, one transfer, in full or less the carrier's fee."""
    if o.type != "COD":
        return None
    fee = s.rng.choice([0, 0, 0, 200, 560, 360])
    if fee * 3 > o.amount:
        fee = 0
    text = s.rng.choice(["NN {n}", "NACHNAHME {n}", "{n}", "Sendung {n} vom {d}", "COD {n} {l}"])
    return [
        _payout(
            s,
            [o],
            s.rng.choice(CARRIERS),
            text.format(n=o.shipping, d=phrases.write_date(s.rng, o.day), l=o.customer.last),
            o.amount - fee,
            auto="certain",
            days=12,
        )
    ]


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
    orders = free[: s.rng.randint(3, 25)]
    gross = sum(x.amount for x in orders)
    fee = round(gross * s.rng.choice([0.0, 0.05, 0.07, 0.085, 0.12]))
    listed = chance(s.rng, 0.8)
    numbers = s.rng.choice([" ", ", ", ","]).join(x.marketplace for x in orders)
    sums = (
        f" Brutto {gross // 100},{gross % 100:02d} Gebuehr {fee // 100},{fee % 100:02d}" if chance(s.rng, 0.6) else ""
    )
    text = f"Auszahlung {numbers}{sums}" if listed else f"Auszahlung {s.rng.randint(10**8, 10**9)}{sums}"
    return [
        _payout(s, orders, s.rng.choice(MARKETS), text, gross - fee, auto="certain" if listed else "suggest", days=12)
    ]
