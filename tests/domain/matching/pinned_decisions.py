"""Decisions on one posting at a time, as tables: what changes with the text, the payer, the amount or an order.

The worlds (`pinned_worlds.py`) are what shops live through; these tables turn one thing after the other. Written and
read like the tables of the engine's parts (`pinned_tables.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import Any, Final

from paymatch.domain.matching.model import (
    AllocationProposal,
    AlwaysRule,
    FirstSuggestion,
    IgnoreRule,
    OrderFacts,
    OrderState,
    PastPosting,
    PostingFacts,
    Related,
    ShopFacts,
)
from paymatch.domain.matching.several.hypothesis import contests, first_orders
from paymatch.domain.orders.fees import FeeKind
from tests.domain.matching.decision_text import told
from tests.domain.matching.world import BOOKED, RATE_PLN, decided, order, paid, posting

SHOP: Final = ShopFacts(open_orders=200)
OWN, INITIAL, RELATIVE, STRANGER = "Claire Gotthard", "C. Gotthard", "Peter Gotthard", "Otto Seiler"
CARRIER, MARKET = "DHL Paket GmbH", "Amazon Payments Europe S.C.A."
ONE: Final = order(
    "SW-10840",
    invoice_numbers=("RG26-10493",),
    shipping_numbers=("00340434160837559566",),
    marketplace_number="302-7654321-1098765",
    item_numbers=("P-21951",),
    item_names=("Gartenbank",),
    customer_number="20009/clai_gotthard72",
)
SETTLED: Final = replace(ONE, **paid(ONE))


def decision_on(
    orders: Sequence[OrderFacts],
    given: PostingFacts,
    shop: ShopFacts = SHOP,
    related: Mapping[str, Related] | None = None,
) -> str:
    """The decision with its words, and the orders that it contests or is first for."""
    (decision,) = decided(orders, [given], shop, related)
    more = [f"why: {decision.review_reason}"] if decision.review_reason else []
    more += [f"{name} {' '.join(of)}" for name, of in (("contests", contests(decision)),) if of]
    more += [f"{name} {' '.join(of)}" for name, of in (("first for", first_orders(decision)),) if of]
    return " | ".join([told(decision), *more])


def _part(facts: OrderFacts, paid_minor: int) -> OrderFacts:
    return replace(facts, paid_minor=paid_minor, open_minor=facts.amount_minor - paid_minor)


TEXTS: Final = (
    *("", "SW-10840", "Bestellung 10840", "SW-10480", "SW-1084", "10840 Rate 1", "0840", "840", "Bestellung 840"),
    *("Kd 20009", "clai_gotthard72", "Art. P-21951", "Gartenbank", "RG26-10493", "10493", "302-7654321-1098765"),
    *("00340434160837559566", "SW-10840 Gutschrift", "Miete", "Claire Gotthard", "Fuer Claire", "vom 02.03.2026"),
    *(
        "Gotthard 02.03.",
        "SW-10840 SW-10841",
        "Rechnung 77123",
        "Rueckerstattung",
        "abzgl. Skonto",
        "Maerz",
        "#10840/1",
        "Kd 20009 Rechnung 77123",
        "clai_gotthard72 RG 88123",
        "Kd 20009 RG26-10499",
    ),
)


def one_order() -> Iterator[str]:
    """One open order, paid exactly: by each text and payer."""
    for text, payer in product(TEXTS, (OWN, INITIAL, RELATIVE, STRANGER, "", CARRIER)):
        yield f"{text} / {payer} -> {decision_on([ONE], posting(text, name=payer))}"


def states() -> Iterator[str]:
    """One order in each state, paid by each amount."""
    orders = {
        "open": ONE,
        "part": _part(ONE, 2500),
        "over": _part(ONE, 6000),
        "paid": SETTLED,
        "gone": replace(ONE, state=OrderState.CLOSED),
        "contested": replace(ONE, contested=True),
        "later": replace(ONE, order_date=BOOKED + timedelta(2)),
        "zloty": replace(ONE, currency="PLN", amount_minor=21307, open_minor=21307, exchange_rate=RATE_PLN),
        "crowns": replace(ONE, currency="CZK"),
    }
    amounts = (4990, 4991, 5000, 4989, 4890, 4500, 2490, 2495, 1663, 490, 9980, 9490, 15000)
    payers = (("SW-10840", OWN), ("SW-10840", STRANGER), ("", OWN))
    for (state, facts), minor, (text, payer) in product(orders.items(), amounts, payers):
        yield f"{state} {minor} {text} / {payer} -> {decision_on([facts], posting(text, minor, payer))}"


FIRST: Final = order("SW-10840")
PAIRS: Final = {
    "twin": [FIRST, order("SW-10841", order_date=FIRST.order_date + timedelta(4))],
    "second open for more": [FIRST, order("SW-10841", 8900)],
    "relative's": [FIRST, order("SW-10841", name="Mia Gotthard")],
    "stranger's": [FIRST, order("SW-10841", name="Hans Pruschke")],
    "second paid": [FIRST, order("SW-10841", **paid(FIRST))],
    "second gone": [FIRST, order("SW-10841", state=OrderState.CLOSED)],
    "twice": [FIRST, order("SW-10841", 9980)],
    "taken": [replace(FIRST, first_for=(FirstSuggestion(BOOKED - timedelta(1), "P0"),)), order("SW-10841")],
}
PAIR_TEXTS: Final = (
    *("", "SW-10841", "SW-10840 und SW-10841", "10840/41", "SW-10814", "SW-10842", "Rate 1 von 2", "abzgl. 2% Skonto"),
    *("Klassenfahrt Mia", "SW-10841 Mia", "Gutschrift", "vom 06.03.2026", "Rechnung 77123"),
)


def two_orders() -> Iterator[str]:
    """Two orders that may be meant: by each text, payer and amount."""
    for (which, orders), text, payer in product(PAIRS.items(), PAIR_TEXTS, (OWN, RELATIVE, STRANGER)):
        yield f"{which}: {text} / {payer} -> {decision_on(orders, posting(text, name=payer))}"
    amounts = (2495, 8900, 9980, 13890, 13870, 4890)
    for (which, orders), text, minor in product(PAIRS.items(), ("", "SW-10841", "SW-10840 SW-10841"), amounts):
        yield f"{which} {minor}: {text} -> {decision_on(orders, posting(text, minor))}"


INVOICES: Final = [
    order("RE26401", 119000, "Möbel Rieck KG", customer_number="40812"),
    order("RE26415", 23800, "Möbel Rieck KG", customer_number="40812", order_date=FIRST.order_date + timedelta(1)),
    order("RE26422", 71400, "Möbel Rieck KG", customer_number="40812", order_date=FIRST.order_date + timedelta(2)),
]
LISTS: Final = (
    *(
        "RE26401 RE26415 RE26422",
        "26401 26415",
        "RE26401-26422",
        "RE26401 bis RE26422",
        "RE26401/15/22",
        "KD 40812",
        "",
    ),
    *("RE26401 RE26451", "RE26401 RE26415 Bankgebuehr", "RE26401 RE77123 Avis", "RE26401 RE26415 Entgelt 15,00"),
)
BY_UNITS: Final = (142800, 142801, 142900, 142901, 142700, 142699, 141300, 141299, 139800, 139799, 134232)
SUMS: Final = (214200, 214100, 214099, 214300, 209916, 142800, 141300, 190400, 95200, 100000)


def several() -> Iterator[str]:
    """Three orders of a company: by each list and sum, and with one of them in another state."""
    for text, minor in product(LISTS, SUMS):
        yield f"{text} {minor} -> {decision_on(INVOICES, posting(text, minor, 'MOEBEL RIECK'))}"
    changes: dict[str, dict[str, Any]] = {
        "paid": paid(INVOICES[1]),
        "gone": {"state": OrderState.CLOSED},
        "part": {"paid_minor": 3800, "open_minor": 20000},
        "another's": {"names": ("Hans Pruschke",), "customer_number": "1"},
        "francs": {"currency": "CHF"},
        "zloty": {"currency": "PLN", "exchange_rate": RATE_PLN},
    }
    tolerant = replace(SHOP, fee_tolerance_minor=300, discount_basis_points=300)
    for (how, change), minor, payer in product(changes.items(), SUMS, ("MOEBEL RIECK", STRANGER)):
        orders = [INVOICES[0], replace(INVOICES[1], **change), INVOICES[2]]
        yield f"{how} {minor} / {payer} -> {decision_on(orders, posting(LISTS[0], minor, payer))}"
    for text, minor in product(LISTS[:3], SUMS):
        yield f"by the surname: {text} {minor} -> {decision_on(INVOICES, posting(text, minor, 'Rieck'))}"
    for minor in (139800, 139799, 139701, 139699, 135660, 135659, 135658, 135657):
        yield f"{LISTS[7]} {minor} -> {decision_on(INVOICES, posting(LISTS[7], minor, 'MOEBEL RIECK'))}"
    yield from _two_less()
    cent = [INVOICES[0], replace(INVOICES[1], paid_minor=23799, open_minor=1), INVOICES[2]]
    for text, minor in product(LISTS[:2], (190400, 190401, 119001, 119000, 1)):
        yield f"open for a cent: {text} {minor} -> {decision_on(cent, posting(text, minor, 'MOEBEL RIECK'))}"
    for more in (23800, 23900):
        orders = [INVOICES[0], replace(INVOICES[1], names=("Hans Pruschke",), customer_number="1")]
        orders.append(order("RE26500", more, "Möbel Rieck KG", customer_number="40812"))
        yield f"swappable {more} -> {decision_on(orders, posting('RE26401 RE26415', 142800, 'MOEBEL RIECK'))}"
    for minor in SUMS[:6]:
        yield f"tolerant {minor} -> {decision_on(INVOICES, posting(LISTS[0], minor, 'MOEBEL RIECK'), tolerant)}"
        charged = posting(LISTS[0], minor, "MOEBEL RIECK", charges_minor=214200 - minor)
        yield f"charged {minor} -> {decision_on(INVOICES, charged)}"


def _two_less() -> Iterator[str]:
    """Two of the orders, whose sum is 142800, on both sides of each bound: cents, fees, cash discounts, charges."""
    two, payer = LISTS[1], "MOEBEL RIECK"
    around = [142800 * (100 - percent) // 100 + off for percent in (1, 2, 3, 5) for off in (-3, -2, 0, 2, 3)]
    for text, minor in product((two, f"{two} Bankgebuehr", f"{two} Entgelt 15,00"), (*BY_UNITS, *around)):
        yield f"{text} {minor} -> {decision_on(INVOICES, posting(text, minor, payer))}"
    for minor, charges in product((142700, 142300, 142299), (499, 500, 501)):
        charged = posting(two, minor, payer, charges_minor=charges)
        yield f"charged {charges} {minor} -> {decision_on(INVOICES, charged)}"
    tolerant = replace(SHOP, fee_tolerance_minor=300, discount_basis_points=300)
    for minor in (142700, 142699, 142500, 142499, *around[10:15]):
        yield f"two tolerant {minor} -> {decision_on(INVOICES, posting(two, minor, payer), tolerant)}"


def payouts() -> Iterator[str]:
    """Payouts of a carrier and of a marketplace for four orders of four customers, less a fee or an order."""
    orders = [order(f"10485{at}", 5000 + 700 * at, f"Kunde{at} Test{at}", type="COD") for at in range(4)]
    total = sum(each.amount_minor for each in orders)
    numbers = [each.number for each in orders]
    texts = {
        "all": " ".join(numbers),
        "three": " ".join(numbers[:3]),
        "one": numbers[0],
        "unknown beside": " ".join([*numbers, "104899"]),
        "fee said": " ".join([*numbers, "Entgelt 12,40"]),
        "share said": " ".join([*numbers, "5 % Provision"]),
        "none": "Nachnahme Sammelauszahlung",
    }
    minors = (
        *(total - 8600, total - 8601, total - 8609, total - 8610, total - 8611),
        total,
        total - 1,
        total - 1240,
        total - total // 20,
        total - 5000,
        total - 5700,
        total + 100,
        5000,
        4750,
    )
    for (said, text), minor, payer in product(texts.items(), minors, (CARRIER, MARKET)):
        yield f"{said} {minor} / {payer} -> {decision_on(orders, posting(text, minor, payer))}"
    changes: dict[str, dict[str, Any]] = {
        "paid": paid(orders[1]),
        "gone": {"state": OrderState.CLOSED},
        "open for nothing": {"amount_minor": 0, "open_minor": 0},
        "open for a cent": {"paid_minor": 5699, "open_minor": 1},
    }
    for state, change in changes.items():
        listed = [orders[0], replace(orders[1], **change), *orders[2:]]
        for minor in minors:
            yield f"one {state} {minor} -> {decision_on(listed, posting(texts['all'], minor, CARRIER))}"


def payouts_of_strangers() -> Iterator[str]:
    """Payouts of a payer that is not known as a carrier: by the kind of numbers listed, and the words beside them."""
    orders = [
        order(f"10485{at}", 5000 + 700 * at, f"Kunde{at} Test{at}", shipping_numbers=(f"0034043416083755{at}566",),
              marketplace_number=f"302-765432{at}-1098765")
        for at in range(3)
    ]  # fmt: skip
    parcels, markets = [each.shipping_numbers[0] for each in orders], [each.marketplace_number for each in orders]
    lists = {
        "orders": [each.number for each in orders], "parcels": parcels, "marketplace": markets,
        "parcels and marketplace": [*parcels[:1], *markets[1:]], "parcels and an order": [*parcels[:2], "104852"],
    }  # fmt: skip
    words = ("", "Auszahlung", "Provision 5 %", "Skonto", "Auszahlung Skonto", "Auszahlung Skonto Provision 5 %")
    total = sum(each.amount_minor for each in orders)
    minors = (total, total - total // 20, total - 600, total - 5700, total + 500)
    for (kind, listed), said, minor in product(lists.items(), words, minors):
        for payer in (STRANGER, "Anna Test0") if minor == minors[1] else (STRANGER,):
            given = posting(" ".join([*listed, said]), minor, payer)
            yield f"{kind} {said} {minor} / {payer} -> {decision_on(orders, given)}"


def money_out() -> Iterator[str]:
    """Debits, returned payments and returned refunds: by text, amount and payer, and with what the ledger knows."""
    refunded = replace(SETTLED, refund_references=("PMRF17",))
    other = order("SW-10841", 3000, **paid(order("SW-10841", 3000)))
    texts = ("", "Erstattung", "SW-10840", "Erstattung SW-10840", "SW-10840 SW-10841", "PMRF17", "Kd 20009", "Miete")
    for text, minor, payer in product(texts, (-1, -2000, -4990, -5140, -5141, -7990, -9000), (OWN, RELATIVE, STRANGER)):
        yield f"{text} {minor} / {payer} -> {decision_on([refunded, other], posting(text, minor, payer))}"
    for text, minor in product(("SW-10840", "SW-10840 SW-10841"), (-4990, -6990, -6991, -7990, -8000, -2000)):
        for original in (None, 4990, 7990):
            back = posting(text, minor, is_return=True, original_amount_minor=original)
            yield f"return {text} {minor} {original} -> {decision_on([refunded, other], back)}"
    yield from _given_back(refunded, other)


def _given_back(refunded: OrderFacts, other: OrderFacts) -> Iterator[str]:
    earlier = posting("zwei Bestellungen", 7990, id="P0", counterparty_iban="DE1", end_to_end_id="E1").posting
    both = (
        AllocationProposal("SW-10840", 4990, 4990, 100, FeeKind.COMMISSION),
        AllocationProposal("SW-10841", 3000, 3000),
    )
    for name, parts, minor in product(("both", "one", "none", "unknown"), (both,), (-7990, -8490, -4990, -2000)):
        allocated = {"both": parts, "one": parts[:1], "none": ()}.get(name, (AllocationProposal("X1", 7990, 7990),))
        past = Related((PastPosting("P0", earlier, allocated),))
        given: tuple[dict[str, Any], ...] = (
            *({"is_return": True}, {"return_reason": "AC04"}),
            {"remittance_lines": ("RETOURE SW-10840",)},
        )
        for said in given:
            back = posting("", minor, counterparty_iban="DE1", **{"original_end_to_end_id": "E1", **said})
            yield f"{name} {minor} {' '.join(said)} -> {decision_on([refunded, other], back, related={'P1': past})}"
    sent = posting("Erstattung", -4990, id="P0", counterparty_iban="DE1", end_to_end_id="PMRF17").posting
    past = Related((PastPosting("P0", sent, (AllocationProposal("SW-10840", -4990, -4990),)),))
    for minor in (4990, 4000, 1):
        back = posting("RETOURE", minor, counterparty_iban="DE1", original_end_to_end_id="PMRF17", is_return=True)
        yield f"refund back {minor} -> {decision_on([refunded, other], back, related={'P1': past})}"


SHARES: Final = (1000, 2000, 3500, 500, 1000, 7000, 250)


def _for_shares(**more: Any) -> list[OrderFacts]:
    """Orders of one payer on following days, the first of which are open for the shares."""
    days = (FIRST.order_date + timedelta(at) for at in range(len(SHARES)))
    return [
        order(f"1048{at}", minor, order_date=day, **more)
        for at, (minor, day) in enumerate(zip(SHARES, days, strict=True))
    ]


def sums() -> Iterator[str]:
    """Orders that are not named and add up, alone or with those that are: by customer, range, state and how many."""
    orders = _for_shares()
    nameless = [replace(each, customer_number="", names=()) for each in orders]
    sets: dict[str, list[OrderFacts]] = {
        "one customer": orders,
        "by name": _for_shares(customer_number=""),
        "two of a name": [*_for_shares(customer_number="")[:3], *orders[3:]],
        "by number alone": _for_shares(names=(), customer_number="20009"),
        "nobody's": nameless,
        "another's among them": [
            *orders[:2],
            replace(orders[2], names=("Hans Pruschke",), customer_number="1"),
            *orders[3:],
        ],
        "one paid": [orders[0], replace(orders[1], **paid(orders[1])), *orders[2:]],
        "one in part": [orders[0], _part(orders[1], 1500), *orders[2:]],
        "one of 0.00": [orders[0], replace(orders[1], amount_minor=0, open_minor=0), *orders[2:]],
        "one in francs": [orders[0], replace(orders[1], currency="CHF"), *orders[2:]],
        "one by now": [orders[0], replace(orders[1], order_date=BOOKED + timedelta(1)), *orders[2:]],
        "one under another name": [replace(orders[0], names=("Claire Anna Gotthard",)), *orders[1:]],
        "one damaged": [orders[0], replace(orders[1], number="73519"), *orders[2:]],
    }
    texts = (
        *("", "Kd 20009", "10480", "10480 10482", "10480-10482", "10480 bis zu 10484", "#10480-#10482"),
        *("10480, 10482", "10484-10480", "10480 10418", "10480 735119", "10480 10481 10482", "10480 99999"),
    )
    minors = (3000, 6500, 6600, 8000, 15250)
    for (said, listed), text, minor in product(sets.items(), texts, minors):
        yield f"{said}: {text} {minor} -> {decision_on(listed, posting(text, minor))}"
    cent = [orders[0], _part(orders[1], 1999), *orders[2:]]
    for text, minor in product(texts, (1001, 4501)):
        yield f"one open for a cent: {text} {minor} -> {decision_on(cent, posting(text, minor))}"
    many = [order(f"2{at:04}", 1000 + at, order_date=FIRST.order_date + timedelta(at % 5)) for at in range(16)]
    for minor in (2001, 2003, 2029, 3006, 6015, 7021, 1000 * 16 + 120, 14 * 1000 + 119):
        yield f"of sixteen {minor} -> {decision_on(many, posting('', minor))}"


def in_part_before() -> Iterator[str]:
    """An order that is partly paid, with what is kept, granted or charged of the rest; payouts of few."""
    half = _part(order("104850", 10000, type="COD"), 4000)
    shops = {
        "plain": SHOP,
        "discount": replace(SHOP, discount_basis_points=300),
        "tolerant": replace(SHOP, fee_tolerance_minor=300),
    }
    minors = (6000, 5999, 5880, 5820, 5850, 5400, 5100, 5700, 5701, 9700, 9800, 5940, 3000)
    texts, payers = ("104850", "104850 Skonto", "104850 Gebuehr"), (OWN, CARRIER, MARKET)
    for (said, shop), text, payer, minor in product(shops.items(), texts, payers, minors):
        yield f"{said}: {text} {minor} / {payer} -> {decision_on([half], posting(text, minor, payer), shop)}"
    for charges in (120, 180, 600):
        given = posting("104850", 6000 - charges, charges_minor=charges)
        yield f"charged {charges} -> {decision_on([half], given, shops['tolerant'])}"
    few = [order(f"10486{at}", 5000 + 700 * at, f"Kunde{at} Test{at}", type="COD") for at in range(3)]
    text = " ".join(each.number for each in few)
    for count, state, minor in product(
        (2, 3),
        (paid(few[0]), {"state": OrderState.CLOSED}, {}),
        (12100, 12099, 11000, 13000, 5700, 6000, 10700, 10100, 17100, 16000),
    ):
        listed = [replace(few[0], **state), *few[1:count]]
        for payer in (CARRIER, MARKET):
            outcome = decision_on(listed, posting(text, minor, payer))
            yield f"{count} of which {state.get('state', 'all open')} {minor} / {payer} -> {outcome}"


def money_back_bounds() -> Iterator[str]:
    """A refund, a return and what a marketplace takes back, on both sides of each bound."""
    one, two, three = (order(f"10490{at}", minor) for at, minor in enumerate((5000, 3000, 0)))
    were_paid = [replace(each, **paid(each)) for each in (one, two, three)]
    texts = ("Erstattung 104900", "104900", "", "104900 104901", "104900 104901 104902", "104902", "Erstattung")
    minors = (-1, -4999, -5000, -5001, -5150, -5151, -7000, -7001, -8000, -8001, -10000, -10001, -3000)
    for text, minor, payer in product(texts, minors, (OWN, MARKET)):
        yield f"{text} {minor} / {payer} -> {decision_on(were_paid, posting(text, minor, payer))}"
    for text, minor, original in product(texts[1:5], minors, (None, 0, 1, 5000, -5000, 7000)):
        back = posting(text, minor, is_return=True, original_amount_minor=original)
        yield f"return {text} {minor} {original} -> {decision_on(were_paid, back)}"


def learnt() -> Iterator[str]:
    """What a shop's rules, remembered payers and shifted weights change."""
    shops: dict[str, ShopFacts] = {
        "plain": SHOP,
        "account": replace(SHOP, known_ibans={"DE9": ("20009/clai_gotthard72",)}),
        "account of another": replace(SHOP, known_ibans={"DE9": ("777",)}),
        "account of a name": replace(SHOP, known_ibans={"DE9": (OWN,)}),
        "always by account": replace(SHOP, always_rules=(AlwaysRule(iban="DE9", customer_number=ONE.customer_number),)),
        "always by name": replace(SHOP, always_rules=(AlwaysRule(name="Seiler", customer_name=OWN),)),
        "always with a word": replace(
            SHOP, always_rules=(AlwaysRule(iban="DE9", customer_name=OWN, words=("Danke",)),)
        ),
        "always of another": replace(SHOP, always_rules=(AlwaysRule(iban="DE9", customer_number="777"),)),
        "always of nobody": replace(SHOP, always_rules=(AlwaysRule(iban="DE9"),)),
        "ignored": replace(SHOP, ignore_rules=(IgnoreRule(name="Seiler", iban="DE9"),)),
        "less": replace(SHOP, weight_shifts={"amount-exact": -2.0, "number-order-full": -1.0}),
    }
    texts, payers = ("", "Danke", "SW-10840"), (OWN, STRANGER)
    for (name, shop), text, payer in product(shops.items(), texts, payers):
        for facts in (ONE, SETTLED):
            given = posting(text, name=payer, counterparty_iban="DE9")
            yield f"{name}: {text} / {payer} {facts.state} -> {decision_on([facts, PAIRS['twice'][1]], given, shop)}"


def _tables(*tables: Callable[[], Iterable[str]]) -> dict[str, Callable[[], Iterable[str]]]:
    return {f"decisions-{table.__name__.replace('_', '-')}": table for table in tables}


DECISIONS: Final = _tables(
    one_order,
    states,
    two_orders,
    several,
    payouts,
    payouts_of_strangers,
    money_out,
    learnt,
    sums,
    in_part_before,
    money_back_bounds,
)
