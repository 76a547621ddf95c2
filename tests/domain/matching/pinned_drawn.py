"""Drawn texts and drawn small shops, as tables: combinations that no one thought of.

The other tables turn one thing after the other; here everything turns at once, by a seed. Written and read like the
tables of the engine's parts (`pinned_tables.py`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

from paymatch.domain.matching.model import (
    AllocationProposal,
    AlwaysRule,
    Caution,
    Delay,
    IgnoreRule,
    OrderFacts,
    OrderState,
    PastPosting,
    PostingFacts,
    Related,
    ShopFacts,
)
from paymatch.domain.matching.several.hypothesis import contests
from paymatch.domain.matching.text.reading import read_text
from tests.domain.matching.decision_text import told
from tests.domain.matching.pinned_decisions import CARRIER, MARKET
from tests.domain.matching.world import BOOKED, decided, order, paid, posting

TEXTS: Final = 500
SHOPS: Final = 600

_SAID: Final = (
    "",
    "",
    "",
    "BESTELLUNG",
    "RE",
    "RG-NR.",
    "KD",
    "ART",
    "TEL",
    "VOM",
    "NR",
    "REF",
    "DANKE",
    "FAMILIE",
    "RATE",
)
_GAPS: Final = (" ", " ", " ", "", "-", "/", ".", ", ", " UND ", " + ", "_", ": ", " X ", "#", "; ", " AM ")
_PIECES: Final = (
    *(
        "10480",
        "104853",
        "1834",
        "34",
        "7",
        "SW-10840",
        "SW10840",
        "R-24-117",
        "R-2026/00293",
        "00293",
        "2026",
        "24117",
    ),
    *("02.03.2026", "20260302", "2.3.", "49,90", "EUR 49,90", "1 VON 3", "302-7654321-1098765", "MIA_12", "CLAI72"),
    *(
        "1O480",
        "104 853",
        "RF18539007547034",
        "090933755493",
        "+++090/9337/55493+++",
        "B7",
        "12A",
        "A12B",
        "KUNDE9",
        "0",
    ),
)


def drawn_texts() -> Iterator[str]:
    """The numbers that are read in a text, with what is said of them, and the days that it names."""
    rng = random.Random(16)
    for _ in range(TEXTS):
        text = rng.choice(_SAID)
        for _ in range(rng.randint(1, 4)):
            text += (
                rng.choice(_GAPS) + rng.choice(_PIECES) + (rng.choice(_GAPS) + rng.choice(_SAID)) * (rng.random() < 0.4)
            )
        numbers, days = read_text(text.strip(), BOOKED)
        read = [
            f"{each.compact}:{each.start}-{each.end} {each.context.name.lower()}"
            + " joined" * each.joined
            + " completed" * each.completed
            for each in numbers
        ]
        yield f"{text.strip()} -> {', '.join(read)} | {' '.join(map(str, sorted(days)))}"


_NAMES: Final = (
    *(
        "Claire Gotthard",
        "Claire Gotthard",
        "Peter Gotthard",
        "C. Gotthard",
        "Gotthard",
        "Otto Seiler",
        "Hans Pruschke",
    ),
    *("Rieck KG", "Möbel Rieck KG", "Jürgen Müller", "M?ller J", ""),
)
_NUMBERS: Final = (
    ("10480", "10481", "10490", "10840", "20480"),
    ("SW-10840", "SW-10841", "SW-10849", "SW-1084", "R-10840"),
    ("R-24-117", "R-24-118", "R-24-1170", "R-24-7", "R-23-117"),
    ("0010480", "10480", "480", "48", "104801"),
    ("7", "8", "12", "78", "112"),
)
_MINORS: Final = (4990, 4990, 4990, 2495, 9980, 5000, 3000, 1995)
_SHOPS: Final = (
    ShopFacts(open_orders=200),
    ShopFacts(open_orders=200),
    ShopFacts(open_orders=4000, tolerance_minor=50, caution=Caution.CAUTIOUS),
    ShopFacts(open_orders=20, discount_basis_points=200, caution=Caution.BOLD, fee_tolerance_minor=300),
    ShopFacts(open_orders=200, known_ibans={"DE9": ("C51423", "Otto Seiler")}, delays=(Delay(30, 16),) * 60),
    ShopFacts(
        open_orders=200,
        always_rules=(AlwaysRule(iban="DE9", customer_name="Claire Gotthard"),),
        ignore_rules=(IgnoreRule(name="OTTO SEILER", words=("MIETE",)),),
    ),
)


def _order(rng: random.Random, number: str) -> OrderFacts:
    more: dict[str, Any] = {"order_date": BOOKED - timedelta(rng.choice((-2, 0, 3, 7, 7, 12, 40, 200)))}
    if rng.random() < 0.3:
        more["due_date"] = more["order_date"] + timedelta(14)
        more["type"] = rng.choice(("INVOICE", "INVOICE", "COD"))
    if rng.random() < 0.25:
        more["invoice_numbers"] = (rng.choice(("RG26-10493", "2026-0117", "10480", "R-24-119")),)
    if rng.random() < 0.2:
        more["customer_number"] = rng.choice(("20009", "20009/clai_gotthard72", "10490", "48"))
    if rng.random() < 0.1:
        more["item_names"], more["item_numbers"] = ("Gartenbank",), ("P-21951",)
    if rng.random() < 0.1:
        more["marketplace_number"] = "302-7654321-1098765"
    if rng.random() < 0.1:
        more["currency"], more["exchange_rate"] = "PLN", rng.choice((None, Decimal("4.27")))
    if rng.random() < 0.1:
        more["recipient_names"] = more["names"] = (rng.choice(_NAMES[:7]),)
    if rng.random() < 0.1:
        more["contested"] = True
    facts = order(number, rng.choice(_MINORS), rng.choice(_NAMES[:-2]), **more)
    state = rng.random()
    if state < 0.15:
        return replace(facts, **paid(facts))
    if state < 0.25:
        return replace(facts, open_minor=facts.amount_minor - 1995, paid_minor=1995)
    if state < 0.3:
        return replace(facts, state=OrderState.CLOSED, lapsed=rng.random() < 0.5)
    return facts


def _text(rng: random.Random, orders: Sequence[OrderFacts]) -> str:
    """Numbers of orders as people write them, and their surroundings."""
    parts = [
        rng.choice(
            ("", "", "Danke", "Bestellung", "Rechnung", "Kundennr", "Gartenbank", "Miete", "Rate 1 von 2", "Re.")
        )
    ]
    for facts in rng.sample(orders, rng.choice((0, 1, 1, 1, 2))) if len(orders) > 1 else orders:
        number = rng.choice((facts.number, facts.number, *facts.invoice_numbers, facts.customer_number))
        at = rng.randrange(len(number))
        parts.append(
            rng.choice(
                (
                    *(number, number, number, number.lower(), number.replace("-", " "), number.replace("-", "")),
                    *(number[1:], number[:at] + number[at + 1 :], number[:at] + "7" + number[at + 1 :], number + "1"),
                    *("0" + number, number + "/26", number[-3:]),
                )
            )
        )
    parts.append(
        rng.choice(("", "", "", "vom 02.03.2026", "Claire Gotthard", "10499", "Tel 104853", "inkl. 49,90 EUR"))
    )
    return rng.choice((" ", " ", ", ", "/")).join(filter(None, parts))


def _posting(rng: random.Random, place: int, orders: Sequence[OrderFacts]) -> PostingFacts:
    due = [facts.open_minor or facts.amount_minor for facts in orders]
    minor = rng.choice(
        (*due, *due, sum(due[:2]), sum(due), due[0] // 2, due[0] + 1, due[0] - 40, due[0] * 98 // 100, due[0] * 2, 777)
    )
    names = [name for facts in orders for name in facts.names]
    more: dict[str, Any] = {}
    if rng.random() < 0.3:
        more["counterparty_iban"] = "DE9"
    if rng.random() < 0.1:
        more["end_to_end_id"] = rng.choice([facts.number for facts in orders])
    if rng.random() < 0.1:
        more["ultimate_name"] = rng.choice(_NAMES)
    if rng.random() < 0.15:
        minor, more["is_return"] = -minor, rng.random() < 0.6
    more["booking_date"] = BOOKED + timedelta(rng.choice((0, 0, 0, 1)))
    name = rng.choice((*names, *names, *_NAMES, CARRIER, MARKET))
    return posting(_text(rng, orders), minor, name, id=f"P{place}", **more)


def _told_order(facts: OrderFacts) -> str:
    minor, day = f"{facts.open_minor}/{facts.amount_minor} {facts.currency}", facts.order_date.strftime("%d.%m.")
    return f"{facts.number} {minor} {day} {facts.state} {'/'.join(facts.names)}"


def drawn_shops() -> Iterator[str]:
    """Some orders of a shop, what comes in one after the other, and what is decided on each."""
    rng = random.Random(18)
    for place in range(SHOPS):
        numbers = rng.choice(_NUMBERS)
        orders = [_order(rng, number) for number in rng.sample(numbers, rng.choice((1, 2, 2, 3, 4)))]
        given = [_posting(rng, at, orders) for at in range(1, rng.choice((2, 2, 3)))]
        shop = rng.choice(_SHOPS)
        first = orders[0]
        before = posting(first.number, first.amount_minor, first.names[0], id="P0", counterparty_iban="DE9")
        share = AllocationProposal(first.number, first.amount_minor, first.amount_minor)
        known = Related((PastPosting("P0", before.posting, (share,) if first.paid_minor else ()),))
        decisions = decided(orders, given, shop, {each.id: known for each in given if each.open_minor < 0})
        yield f"{place}: {'; '.join(map(_told_order, orders))}"
        for each, decision in zip(given, decisions, strict=True):
            said = f"{each.posting.text} / {each.posting.counterparty_name} {each.open_minor}"
            more = [f"contests {' '.join(contests(decision))}"] if contests(decision) else []
            yield f"    {said} -> {' | '.join([told(decision), *more])}"


def _tables(*tables: Callable[[], Iterable[str]]) -> dict[str, Callable[[], Iterable[str]]]:
    return {table.__name__.replace("_", "-"): table for table in tables}


DRAWN: Final = _tables(drawn_texts, drawn_shops)
