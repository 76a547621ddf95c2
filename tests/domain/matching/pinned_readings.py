"""Decisions on texts that say almost what an order is called, as tables: numbers beside it, typos, dates, ages, hints.

Written and read like the tables of the engine's parts (`pinned_tables.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import Any, Final

from paymatch.domain.matching.model import Delay, FirstSuggestion, OrderFacts
from paymatch.domain.matching.text.names import Likeness, compare, has_surname, parse_name
from tests.domain.matching.pinned_decisions import INITIAL, OWN, RELATIVE, SHOP, STRANGER, decision_on
from tests.domain.matching.world import BOOKED, order, paid, posting

MANY_NAMES: Final = (
    *(
        "Claire Gotthard",
        "C. Gotthard",
        "Gotthard",
        "Claire",
        "Clair Gotthard",
        "Clara Gotthart",
        "Claire Gotthard-Meir",
    ),
    *(
        "Claire Meier",
        "Hans Meir",
        "Hans Meier",
        "Hans Maier",
        "H. Meier",
        "HP Meier",
        "Hans Peter Meier",
        "P. H. Meier",
    ),
    *(
        "Meier GmbH",
        "Meier Bau GmbH",
        "Hans Meier Bau GmbH",
        "HansMeier",
        "Mei.er Hans",
        "M?ier Hans",
        "Anna u. Hans Meier",
    ),
    *("Li Wu", "Li W", "L W", "Jan van den Berg", "J. Berg", "Berg Jan", "Dr. Jan Berg KG", "Ber", "Ana Hans"),
)


def many_names() -> Iterator[str]:
    """How alike each payer's name is to each customer's, in the order of the list; and of whom it has the surname."""
    names = [parse_name(text) for text in MANY_NAMES]
    short = {likeness: likeness.name[:3] for likeness in Likeness}
    for text, payer in zip(MANY_NAMES, names, strict=True):
        alike = " ".join(short[compare(payer, name)] for name in names)
        surname = " ".join(each for each, name in zip(MANY_NAMES, names, strict=True) if has_surname([payer], [name]))
        yield f"{text} -> {alike} | {surname}"


NUMBERED: Final = {
    "104853": (
        *("104854", "104863", "104953", "105853", "105854", "104852", "1048531", "10485", "204853", "104835", "14853"),
        *("104 853", "10485 3", "1O4853", "104853-1", "104853.2026", "4853", "853", "53", "104.853", "2026104853"),
    ),
    "SW-10840": (
        *(
            "SW-10841",
            "SW-10940",
            "SW-11840",
            "SV-10841",
            "SW10841",
            "10841",
            "10480",
            "SW-1084",
            "SW-108400",
            "W-10840",
        ),
        *("SWX-10840", "SW 10 840", "SW-10840-2", "R-10840", "KD-10840", "0840", "SW-0840", "SW-I0840"),
    ),
    "R-2026/00293": (
        *("R-2026/00294", "R-2026/00393", "R-2026/293", "2026/293", "293", "R-2026/0293", "R-2025/00293", "R 2026 293"),
        *("R-2026/00239", "00293", "R-293", "2026-00294"),
    ),
    "1834": ("184", "183", "1835", "18345", "8134", "1384", "Bestellung 183", "19"),
    "001834": ("1834", "01834", "001834", "001835", "834", "18345"),
    "SW-184": ("SW-18", "SW-185", "SW-1845", "SW-14", "W-184", "SWA-184", "SV-184"),
    "48": ("48", "Nr. 48", "Bestellung 48", "Rechnung 48", "48/2026", "A48", "480", "Kunde 48", "48.", "48 49"),
}
"""What may stand in a text for each order number."""
SAID_BEFORE: Final = ("", "Bestellung ", "Rechnung ", "Kundennr ", "Artikel ", "Paket ", "Tel. ", "vom ")


def near_numbers() -> Iterator[str]:
    """An order whose number is almost written, by its customer, by a person with the initial, by a stranger."""
    for number, texts in NUMBERED.items():
        for text, payer in product(texts, (OWN, INITIAL, STRANGER)):
            yield f"{number}: {text} / {payer} -> {decision_on([order(number)], posting(text, name=payer))}"
        for said, payer in product(SAID_BEFORE, (INITIAL, STRANGER)):
            for text in (number, texts[0]):
                given = posting(f"{said}{text}", name=payer)
                yield f"{number}: {said}{text} / {payer} -> {decision_on([order(number)], given)}"


def beside_numbers() -> Iterator[str]:
    """An order that is named beside another number, whether that is an order or not, and paid in part or too much."""
    other = order("104860", 3000, "Hans Pruschke")
    texts = (
        *("104853 104860", "104853 104861", "104853 Rechnung 104861", "104853/60", "104853 u. 61", "104853 Tel 104861"),
        *("104853 204861", "104853 SW-10840", "104853 1048531", "104853 12", "104853 DANKE 10486", "104860"),
    )
    amounts = (4990, 5000, 7990, 9980, 9490, 3000, 2495, 1200, 4973, 60000)
    for text, minor, (has, orders) in product(texts, amounts, (("alone", []), ("both", [other]))):
        given = posting(text, minor)
        yield f"{has} {minor}: {text} -> {decision_on([order('104853'), *orders], given)}"


def inner_numbers() -> Iterator[str]:
    """A number within a longer one that is another order's, and one that names a whole."""
    whole = order("R-2026/00293", name="Hans Pruschke")
    for number, payer, minor in product(("293", "2026293", "00293"), (OWN, "Hans Pruschke", STRANGER), (4990, 3000)):
        for text in ("R-2026/00293", "R-2026/00293 und 293", "293"):
            found = decision_on([whole, order(number, minor)], posting(text, name=payer))
            yield f"{number} {minor}: {text} / {payer} -> {found}"
    wholes, inners = ("0010480", "10480", "SW-10480", "2026-10480"), ("480", "0480", "10", "104")
    for outer, number, text in product(wholes, inners, ("10480", "10 480", "10/480", "SW-10/480", "104.80")):
        for payer in (OWN, "Hans Pruschke"):
            found = decision_on([order(outer, name="Hans Pruschke"), order(number)], posting(text, name=payer))
            yield f"{number} within {outer}: {text} / {payer} -> {found}"


def short_numbers() -> Iterator[str]:
    """A relative's order with a number of one digit, which is a separate word of the text or not."""
    orders = [order("48"), order("7", name=RELATIVE)]
    for text in ("7", "7 danke", "danke 7", "17", "71 danke", "A7", "7A", "x 7/", "77 7", "48", "48 7", "(7)"):
        yield f"{text} -> {decision_on(orders, posting(text))}"
    twin = [order("1834", invoice_numbers=("RG26-10493", "RG26-1049")), order("1835")]
    for text in ("10493", "1049", "RG26-10493", "1834", "Rechnung 10493", "10493 1835"):
        yield f"{text} -> {decision_on(twin, posting(text))}"


def ages() -> Iterator[str]:
    """Orders of several ages and due dates, paid with and without a number, and what a date in the text says."""
    for age, due in product((-4, -3, -1, 0, 1, 7, 30, 90, 400), (None, -30, 0, 14)):
        day = BOOKED - timedelta(age)
        facts = order("SW-10840", order_date=day, due_date=None if due is None else BOOKED + timedelta(due))
        for text, payer in (("SW-10840", STRANGER), ("", OWN)):
            yield f"{age} {due}: {text} / {payer} -> {decision_on([facts], posting(text, name=payer))}"
    for text in (
        "vom 02.03.2026",
        "02.03.",
        "09.03.2026",
        "10.03.2026",
        "01.03.2026",
        "2026-03-02",
        "20260302",
        "31.02.2026",
        "09.30 UHR",
    ):
        twin = order("SW-10841", order_date=BOOKED - timedelta(8))
        for payer in (OWN, RELATIVE):
            yield f"{text} / {payer} -> {decision_on([order('SW-10840'), twin], posting(text, name=payer))}"


def hints() -> Iterator[str]:
    """Equal orders of a customer, of which something small speaks for one."""
    said: dict[str, dict[str, Any]] = {
        "nothing": {},
        "announced": {"announced_date": BOOKED - timedelta(10)},
        "announced long ago": {"announced_date": BOOKED - timedelta(11)},
        "item": {"item_names": ("Gartenbank",)},
        "short item": {"item_names": ("Bank",)},
        "paid": paid(order("1")),
        "recipient": {"names": ("Hans Pruschke", OWN), "recipient_names": (OWN,)},
        "other type": {"type": "OTHER"},
        "February": {"order_date": BOOKED - timedelta(20)},
        "taken before": {"first_for": (FirstSuggestion(BOOKED - timedelta(1), "P0"),)},
        "taken after": {"first_for": (FirstSuggestion(BOOKED + timedelta(1), "P2"),)},
        "taken by itself": {"first_for": (FirstSuggestion(BOOKED, "P1"),)},
        "invoice": {"due_date": BOOKED + timedelta(3), "type": "INVOICE"},
    }
    texts = ("Danke", "Gartenbank", "Bank", "Februar", "Maerz Claire", "Rate")
    late = replace(SHOP, delays=(Delay(30, 16), Delay(7, None)) * 40)
    for (what, change), text in product(said.items(), texts):
        orders: list[OrderFacts] = [order("SW-10840"), order("SW-10841", **change)]
        yield f"{what}: {text} -> {decision_on(orders, posting(text))}"
        half = posting(text, 2495)
        yield f"{what} half: {text} -> {decision_on([*orders, order('SW-10842')], half, late)}"
        on_behalf = posting(text, name=STRANGER, ultimate_name="Peter Gotthard")
        yield f"{what} on behalf: {text} -> {decision_on(orders, on_behalf, late)}"


def companies() -> Iterator[str]:
    """A company's order, and who pays it: with a word of its name, its form, or none."""
    names = ("Rieck KG", "Möbel Rieck KG", "Rieck", "Anna Rieck")
    texts = ("", "Rieck KG", "Rieck GmbH", "Rieck", "fuer Moebel Rieck", "Anna Rieck", "Re. Rieck", "Kuechen")
    for name, text, payer in product(names, texts, (STRANGER, "Rieck", "Moebel Rieck", "A. Rieck", "Otto Rieck GmbH")):
        yield f"{name}: {text} / {payer} -> {decision_on([order('SW-10840', name=name)], posting(text, name=payer))}"


def instalments() -> Iterator[str]:
    """What a text says of parts of a whole, and which totals may be the whole of them."""
    texts = ("1 von 3", "2/3", "3 of 3", "Rate 1", "1/13", "12/12", "1/1", "Anzahlung", "1 VON 3 / 2026", "1/3/2026")
    for text, total in product(texts, (4986, 4987, 4988, 4989, 4990, 4991, 4992, 19956, 19944, 21619)):
        for payer in (OWN, "I. J. Gotthard"):
            yield f"{total}: {text} / {payer} -> {decision_on([order('SW-10840', total)], posting(text, 1663, payer))}"


def _tables(*tables: Callable[[], Iterable[str]]) -> dict[str, Callable[[], Iterable[str]]]:
    return {table.__name__.replace("_", "-"): table for table in tables}


READINGS: Final = _tables(
    many_names, near_numbers, beside_numbers, inner_numbers, short_numbers, ages, hints, companies, instalments
)
