"""What is found and how it is weighed, before anything is decided: orders, amounts at their bounds, returned payments.

Written and read like the tables of the engine's parts (`pinned_tables.py`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from functools import partial
from itertools import product
from typing import Any, Final

from paymatch.domain.matching.evidence import Candidate, Weigher
from paymatch.domain.matching.find import Finder
from paymatch.domain.matching.lookup.batch import Work
from paymatch.domain.matching.lookup.memory_index import MemoryIndex
from paymatch.domain.matching.model import AlwaysRule, OrderFacts, OrderState, PastPosting, PostingFacts, ShopFacts
from paymatch.domain.matching.prepare import prepare
from paymatch.domain.matching.returns import find_returned
from paymatch.domain.matching.text.wording import RemittanceSignals
from paymatch.domain.matching.weigh.amounts import Terms, in_order_currency, is_rate_inverted, relate, relate_exchanged
from paymatch.domain.postings import Posting
from tests.domain.matching.pinned_decisions import CARRIER, INITIAL, OWN, RELATIVE, SHOP, STRANGER
from tests.domain.matching.world import BOOKED, order, paid, posting


def found_by(orders: Sequence[OrderFacts], given: PostingFacts, shop: ShopFacts = SHOP) -> str:
    """The orders that may be meant, as they are found, with what is known of each and its evidence."""
    return " | ".join(map(_shown, _search(orders, given, shop)[1]))


def _search(orders: Sequence[OrderFacts], given: PostingFacts, shop: ShopFacts) -> tuple[Work, list[Candidate]]:
    prepared = prepare([given], shop)
    (view,) = prepared.views
    view.work = Work()
    return view.work, Finder(MemoryIndex(orders).known_orders(prepared.keys), Weigher(shop)).candidates(view)


_MARKS: Final = ("named", "damaged", "completed", "dated", "user_name", "name_in_text", "sampled", "outlasted")


def _shown(found: Candidate) -> str:
    marks = [name for name in _MARKS if getattr(found, name)]
    if found.number is not None:
        marks.append(f"{found.kind.name} {found.form.name} {found.number.compact}")
    evidence = ", ".join(f"{each.code} {each.weight:.2f}" for each in found.reasons)
    return f"{found.order.number} {found.likeness.name} {' '.join(marks)}: {evidence}"


RICH: Final = order(
    "R-2026/00293",
    creditor_reference="RF18539007547034",
    invoice_numbers=("RG26-10493", "10494"),
    marketplace_number="302-7654321-1098765",
    proforma_numbers=("PF-77",),
    shipping_numbers=("00340434160837559566",),
    item_numbers=("P-21951",),
    customer_number="20009/clai_gotthard72",
)
WORDS: Final = ("", "Bestellung ", "Rechnung ", "Kundennr ", "Paket ", "Artikel ", "Tel ", "vom ", "Nr ", "#")
WRITTEN: Final = (
    *("R-2026/00293", "R202600293", "2026/293", "00293", "293", "X293", "RF18 5390 0754 7034", "RG26-10493", "10493"),
    *("10 493", "104 94", "302-7654321-1098765", "PF-77", "77", "340434160837559566", "P-21951", "20009", "200 09"),
    *("clai_gotthard72", "R-2026/00239", "202600283", "RX26-10493", "RX-10493", "SW-00293", "1049", "0493", "X2026293"),
)


def numbers_found() -> Iterator[str]:
    """Each number of an order behind each word, from its customer and from a stranger."""
    for word, number in product(WORDS, WRITTEN):
        yield f"{word}{number} -> {found_by([RICH], posting(word + number, name=STRANGER))}"
    for number, payer in product(WRITTEN, (OWN, INITIAL, RELATIVE, "Gotthard", "")):
        yield f"{number} / {payer} -> {found_by([RICH], posting(number, name=payer))}"
    for number in WRITTEN:
        places: tuple[dict[str, Any], ...] = (
            {"end_to_end_id": number}, {"structured_references": (number,)}, {"referred_documents": (number,)},
            {"extra_texts": (number,)}, {"ultimate_name": f"Markt {number}"}, {"counterparty_name": f"Markt {number}"},
            {"remittance_lines": ("Bestellung", number)}, {"remittance_lines": (number, "Danke 4711")},
            {"remittance_lines": (f"{number[:4]}", number[4:])},
        )  # fmt: skip
        for place in places:
            given = posting("", **{"name": STRANGER, **place})
            yield f"{number} as {' '.join(place)} -> {found_by([RICH], given)}"
    for number in ("7", "R-1834", "1834", "R-834", "834", "SW-7", "A-26-480"):
        for text in (f"Bestellung {number}", number, "Bestellung 834", "834", "Bestellung 80", "480", "1834", "7"):
            yield f"order {number} by {text} -> {found_by([order(number)], posting(text, name=STRANGER))}"
    yield from _customers()
    for text, minor in product(("4853", "853", "Bestellung 853", "104853", "2026104853", "04853"), (4990, 4989, 3000)):
        found = found_by([order("2026-104853")], posting(text, minor, OWN))
        yield f"order 2026-104853 by {text} {minor} -> {found}"


def _customers() -> Iterator[str]:
    """A stranger's payment whose text says whose it is: by user names, surnames and numbers of few characters."""
    for user in ("abc12", "abcd12", "1abcd2", "xktrqp", "a_1"):
        facts = order("10480", customer_number=f"20009/{user}")
        for text in (user, f"Kd {user}", f"Kd 20009 {user}", f"10480 {user}"):
            yield f"user {user} by {text} -> {found_by([facts], posting(text, name=STRANGER))}"
    for surname, text in product(("Beck", "Weber", "Li"), ("fuer {0}", "{0}", "Anna {0}", "{0} GmbH", "A. {0}")):
        facts = order("10480", name=f"Anna {surname}")
        found = found_by([facts], posting(text.format(surname), name=STRANGER))
        yield f"customer {surname} by {text.format(surname)} -> {found}"
    few = order("184", customer_number="20009")
    for text, payer in product(("184", "184 Kd 20009", "184 Claire Gotthard", "18 4"), (STRANGER, "", "Gotthard")):
        yield f"order 184 by {text} / {payer} -> {found_by([few], posting(text, name=payer))}"


def _others(**changes: Any) -> list[OrderFacts]:
    return [order("10480"), order("10490", **changes)]


def orders_found() -> Iterator[str]:
    """Which orders are looked for beside the one that is found first, and in which state."""
    changes: dict[str, dict[str, Any]] = {
        "own": {},
        "own of another amount": {"amount": 7000},
        "own of half": {"amount": 9980},
        "own, near": {"amount": 5000},
        "stranger's": {"name": "Hans Pruschke"},
        "relative's": {"name": RELATIVE},
        "paid": paid(order("10490")),
        "paid a while ago, open again": {"open_minor": 4990, "state": OrderState.SETTLED},
        "cancelled": {"state": OrderState.CLOSED},
        "of tomorrow": {"order_date": BOOKED + timedelta(1)},
        "in three days": {"order_date": BOOKED + timedelta(3)},
        "in four days": {"order_date": BOOKED + timedelta(4)},
        "of the day": {"order_date": BOOKED},
        "due": {"due_date": BOOKED - timedelta(3)},
        "contested": {"contested": True},
        "zloty": {"currency": "PLN", "exchange_rate": Decimal("4.27"), "amount": 21307},
        "crowns": {"currency": "CZK"},
        "crowns in part": {"currency": "CZK", "amount": 7480, "open_minor": 4990, "paid_minor": 2490},
        "of another kind": {"type": "OTHER"},
    }
    texts = (
        "",
        "10480",
        "10490",
        "10480 10490",
        "10480/90",
        "Hans Pruschke",
        "vom 02.03.2026",
        "Rate 1 von 2",
        "Skonto",
    )
    for (said, change), text, payer in product(changes.items(), texts, (OWN, INITIAL, RELATIVE, STRANGER)):
        yield f"{said}: {text} / {payer} -> {found_by(_others(**change), posting(text, name=payer))}"
    for (said, change), minor in product(changes.items(), (-4990, -2000)):
        for text in ("", "Erstattung 10490", "Erstattung"):
            yield f"{said}: {text} {minor} -> {found_by(_others(**change), posting(text, minor))}"
    for state, customer in product(OrderState, ("20009", "")):
        facts = order("10480", state=state, customer_number=customer, names=(OWN, RELATIVE))
        for text in ("Kd 20009", "10480", "Kd 20009 10480", "Claire Gotthard", "Claire", ""):
            for payer in (OWN, STRANGER):
                yield f"{state} {customer}: {text} / {payer} -> {found_by([facts], posting(text, name=payer))}"
    crowd = [order(f"2{at:04}", name=f"Kunde{at} Test{at}", order_date=BOOKED - timedelta(at)) for at in range(14)]
    late = [replace(each, order_date=BOOKED + timedelta(2 - at)) for at, each in enumerate(crowd[:5])]
    for size in (7, 8, 9, 14):
        yield f"crowd of {size} -> {found_by(crowd[:size], posting('', name=STRANGER))}"
    yield f"crowd with younger ones -> {found_by([*late, *crowd[5:]], posting('', name=STRANGER))}"
    for name, shop in {
        "account": replace(SHOP, known_ibans={"DE9": ("20009", "Hans Pruschke")}),
        "always": replace(SHOP, always_rules=(AlwaysRule(iban="DE9", customer_number="20009"),)),
        "shifted": replace(SHOP, weight_shifts={"amount-exact": -2.0, "name-other": 1.0}),
    }.items():
        orders = [order("10480", customer_number="20009"), order("10490", 3000, "Hans Pruschke")]
        for text, minor, iban in product(("", "10480", "10490"), (4990, 3000), ("DE9", "")):
            given = posting(text, minor, STRANGER, counterparty_iban=iban)
            yield f"{name}: {text} {minor} {iban} -> {found_by(orders, given, shop)}"
    yield f"a cent -> {found_by([order('10480', 1)], posting('Claire Gotthard', 1, STRANGER))}"
    yield from _nested()


def _nested() -> Iterator[str]:
    for outer, inner in (
        ("R-2026/00293", "293"),
        ("104853", "853"),
        ("SW-10480", "10480"),
        ("10480-7", "7"),
        ("1-10480", "10480"),
    ):
        orders = [order(outer), order(inner, name=RELATIVE)]
        for text in (outer, f"Bestellung {outer}", f"{outer} {inner}", f"{inner} {outer}", inner):
            yield f"{outer} and {inner} by {text} -> {found_by(orders, posting(text, name=STRANGER))}"
    for payer, ultimate in product(
        (CARRIER, "Kurier Huber GmbH", "Huber Kurier"), ("", "Eva Huber", "Huber GmbH", STRANGER)
    ):
        for name in ("Huber Paul", "Huber Paul GmbH", "Huber", OWN):
            given = posting("10480 Auszahlung", 4500, payer, ultimate_name=ultimate)
            yield f"{payer} for {ultimate} of {name} -> {found_by([order('10480', name=name)], given)}"


def steps() -> Iterator[str]:
    """How much work it is to look for the orders of a posting: what is hostile has to be noticed by it."""
    texts = ("", "10480", "10480 10490 10500", "Rechnung 1 2 3 4 5 6", "Hans Pruschke", "vom 02.03.2026", "4711")
    crowd = [order(f"2{at:04}", name=f"Kunde{at} Test{at}") for at in range(14)]
    for (size, orders), text, payer in product(
        {"no": [], "two": _others(), "many": crowd}.items(), texts, (OWN, STRANGER)
    ):
        work, found = _search(orders, posting(text, name=payer), SHOP)
        yield f"{size}: {text} / {payer} -> {work.steps} for {len(found)}"


BOUNDS: Final = (
    *((10000, 6000, 10000), (10000, 5000, 10000), (10000, 4999, 10000), (9900, 4999, 10000)),
    *((9899, 4999, 10000), (4900, 5000, 5000), (4899, 5000, 5000), (5100, 5000, 5000)),
    *((5101, 5000, 5000), (4899, 4999, 4999), (5099, 4999, 4999), (95, 100, 100)),
    *((94, 100, 100), (105, 100, 100), (106, 100, 100), (2000, 1950, 1950)),
    *((2000, 1900, 1900), (2100, 2000, 2000), (2500, 2000, 2000), (10500, 10000, 10000)),
    *((10400, 9900, 9900), (10000, 9500, 9500), (10000, 9524, 9524), (10000, 9523, 9523)),
    *((11000, 10400, 10400), (51000, 50000, 50000), (50000, 49000, 49000), (51000, 49999, 49999)),
    *((61000, 60000, 60000), (61500, 60000, 60000), (60500, 60000, 60000), (61000, 59999, 59999)),
    *((60600, 60000, 60000), (25000, 10000, 10000), (25001, 10000, 10000), (7000, 10000, 10000)),
    *((6999, 10000, 10000), (4500, 6000, 6000), (4499, 5999, 5999), (4500, 5999, 5999)),
    *((8500, 10000, 10000), (8499, 10000, 10000), (1000, 12000, 20000), (999, 12000, 20000)),
    *((834, 10000, 10000), (769, 10000, 10000), (3333, 10000, 10000), (3332, 10000, 10000)),
    *((3336, 10000, 10000), (3337, 10000, 10000), (9500, 10000, 10000), (9400, 10000, 10000)),
    *((9499, 10000, 10000), (9800, 9950, 10000), (9700, 9950, 10000), (9475, 9950, 10000)),
    *((41900, 14900, 14900), (14900, 41900, 41900), (14900, 19400, 19400), (1234, 4321, 4321)),
    *((1234, 1432, 1432), (1324, 1234, 1234), (1243, 1234, 1234), (2134, 1234, 1234)),
    *((9980, 4990, 4990), (9981, 4990, 4990), (1, 5, 5), (1, 12, 12)),
    *((1, 13, 13), (2, 4, 4), (1, 2, 2), (1, 100, 100)),
    *((9, 100, 100), (8, 100, 100)),
    *((1, 1, 100), (2, 1, 100), (100, 1, 100), (1, 0, 1)),
)  # fmt: skip


def amount_bounds() -> Iterator[str]:
    """Amounts on both sides of each bound, with words, charges and a tolerance; then those of two currencies."""
    plain = RemittanceSignals(frozenset())
    terms = {
        "": Terms(100, plain),
        "yen": Terms(1, plain),
        "fee": Terms(100, RemittanceSignals(frozenset({"GEBUEHR"}))),
        "discount": Terms(100, RemittanceSignals(frozenset({"SKONTO"}))),
        "rate": Terms(100, RemittanceSignals(frozenset({"RATE"}))),
        "charges": Terms(100, plain, 1500),
        "tolerance": Terms(100, plain, 0, 500),
        "both": Terms(100, RemittanceSignals(frozenset({"SKONTO"})), 200, 200),
    }
    for (said, term), (minor, due, total) in product(terms.items(), BOUNDS):
        fit = relate(minor, due, total, term)
        yield f"{said} {minor} of {due} {total} -> {fit.grade.name} {fit.kind.code}"
    for missing, (said, term) in product((499, 500, 501, 1499, 1500, 1501, 2999, 3000, 3001), terms.items()):
        yield f"{said} {missing} less -> {relate(20000 - missing, 20000, 20000, term).kind.code}"
    for minor, due, total in product((1, 970, 969, 1030, 1031, 997, 998, 1002, 1003), (1000, 1, 0, -5), (1000, 500)):
        near = relate_exchanged(minor, due, total)
        yield f"exchanged {minor} of {due} {total} -> {f'{near.grade.name} {near.kind.code}' if near else None}"
    rates, minors = (
        ("0.7", "0.71", "0.5", "1.4", "1.42", "0.99"),
        (1, -1, 1000, 1400, 1414, 1429, 1449, 700, 679, 721, 990),
    )
    for rate, minor, open_minor in product(rates, minors, (1000, 0)):
        facts = order("1", 1000, currency="CHF", exchange_rate=Decimal(rate), open_minor=open_minor)
        for sent in ({}, {"charges_minor": 30}, {"instructed_amount_minor": 1000, "instructed_currency": "CHF"}):
            given = posting("1", minor, **sent).posting
            pays, unclear = (way(given, minor, facts, open_minor) for way in (in_order_currency, is_rate_inverted))
            yield f"{rate} {minor} {open_minor} {' '.join(sent)} -> {pays} {unclear}"


def longest_returns() -> Iterator[str]:
    """How many days later a payment is still recognised as given back, by what it shares with what returns it."""
    amounts: dict[str, tuple[int, dict[str, Any]]] = {
        "exact": (-4990, {}),
        "with a charge said": (-5375, {"charges_minor": 385}),
        "with a charge": (-5375, {}),
        "original": (-5375, {"original_amount_minor": 4990}),
    }
    ids: dict[str, dict[str, Any]] = {
        "": {}, "original id": {"original_end_to_end_id": "E1"}, "own id": {"end_to_end_id": "E1"},
        "another id": {"original_end_to_end_id": "E2"},
    }  # fmt: skip
    for (amount, (minor, more)), (said, ids_said), account, name, text in product(
        amounts.items(), ids.items(), ("DE1", "DE2"), (OWN, STRANGER), ("Bestellung 1834", "Danke")
    ):
        given = posting(text, minor, name, counterparty_iban=account, is_return=True, **more, **ids_said).posting
        days = bisect_left(range(440), True, key=partial(_is_too_late, given)) - 1
        shared = [said, "account" * (account == "DE1"), "name" * (name == OWN), "text" * (text != "Danke")]
        yield f"{' '.join([amount, *filter(None, shared)])} -> {days}"


def _is_too_late(given: Posting, days: int) -> bool:
    was = posting("Bestellung 1834", counterparty_iban="DE1", end_to_end_id="E1", booking_date=BOOKED - timedelta(days))
    return find_returned(given, [PastPosting("P0", was.posting, ())]) is None


def _tables(*tables: Callable[[], Iterable[str]]) -> dict[str, Callable[[], Iterable[str]]]:
    return {table.__name__.replace("_", "-"): table for table in tables}


FOUND: Final = _tables(numbers_found, orders_found, steps, amount_bounds, longest_returns)
