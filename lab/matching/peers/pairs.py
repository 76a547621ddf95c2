"""Pairs of a posting and an order that something brings together, with what can be compared of them.

Blocking is the same for all adapters: a number of the order in the posting, its amount, or a word of its name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from lab.matching.clerk import runs, words

Json = dict[str, Any]
MOST: Final = 150
"""Pairs of one posting that are looked at; those with a number come first."""


def day_of(text: str) -> date:
    """`31-03-2026` as a date."""
    return date(int(text[6:]), int(text[3:5]), int(text[:2]))


def minor(amount: object) -> int:
    """An amount in hundredths."""
    return round(float(str(amount)) * 100)


@dataclass(slots=True)
class KnownOrder:
    """An order as the adapters see it."""

    number: str
    amount: int
    currency: str
    day: date
    due: date | None
    names: list[str]
    surname_words: frozenset[str]
    keys: dict[str, int]  # number as it may be written -> its length
    customer: str
    cancelled: bool


@dataclass(slots=True)
class Pair:
    """A posting and an order; `key` is the longest number of the order that is in the posting."""

    posting: str
    order: KnownOrder
    key: str
    customer_named: bool
    amount_ratio: float  # paid / due
    surname_seen: bool
    age_days: int
    due_days: int
    payer: str
    name: str
    rivals: int = 0  # other orders that have a number in this posting
    alike: int = 0  # orders of exactly this amount


@dataclass(slots=True)
class Pairs:
    """All pairs of a world, by posting, and the index that found them."""

    by_posting: dict[str, list[Pair]] = field(default_factory=lambda: defaultdict(list))


def known_order(o: Json) -> KnownOrder:
    """The order from its body."""
    names = []
    for address in (o.get("billing", {}), o.get("shipping") or {}):
        person = f"{address.get('firstName', '')} {address.get('lastName', '')}".strip()
        names += [name for name in (address.get("company", ""), person) if name]
    numbers = [o["number"], o.get("marketplaceNumber", ""), o.get("referenceNumber", "")]
    for several in ("invoiceNumbers", "proformaNumbers", "shippingNumbers"):
        numbers += o.get(several, [])
    keys = {}
    for number in filter(None, numbers):
        for key in ("".join(words(number)), "".join(c for c in number if c.isdigit())):
            if len(key) >= 3 and any(c.isdigit() for c in key):
                keys[key] = len(key)
    last = " ".join([o.get("billing", {}).get("lastName", ""), o.get("billing", {}).get("company", "")])
    return KnownOrder(
        o["number"], minor(o["amount"]), o["currency"], day_of(o["date"]),
        day_of(o["dueDate"]) if "dueDate" in o else None,
        names, frozenset(w for w in words(last) if len(w) > 3), keys, o.get("customerNumber", "").split("/")[0],
        o.get("paymentStatus") == "CANCELLED",
    )  # fmt: skip


def pairs_of(orders: list[Json], postings: list[Json]) -> tuple[dict[str, KnownOrder], Pairs]:
    """The orders by number, and the pairs of every incoming posting."""
    known = {o["number"]: known_order(o) for o in orders}
    by_key: dict[str, list[KnownOrder]] = defaultdict(list)
    by_amount: dict[tuple[int, str], list[KnownOrder]] = defaultdict(list)
    by_word: dict[str, list[KnownOrder]] = defaultdict(list)
    for order in known.values():
        for key in order.keys:
            by_key[key].append(order)
        by_amount[order.amount, order.currency].append(order)
        for word in order.surname_words:
            by_word[word].append(order)
    found = Pairs()
    for p in postings:
        if p["amount"] > 0:
            found.by_posting[p["id"]] = _pairs_of(p, by_key, by_amount, by_word)
    return known, found


def written(p: Json) -> set[str]:
    """Every number that may be read in the posting."""
    return runs(p["text"]) | runs(p["endToEndId"]) | runs(p["reference"])


def _pairs_of(
    p: Json,
    by_key: dict[str, list[KnownOrder]],
    by_amount: dict[tuple[int, str], list[KnownOrder]],
    by_word: dict[str, list[KnownOrder]],
) -> list[Pair]:
    seen, booked, paid = written(p), day_of(p["postingDate"]), minor(p["amount"])
    said = frozenset(words(f"{p['name']} {p['ultimateName']} {p['text']}"))
    named: dict[str, str] = {}
    for key in seen:
        for order in by_key.get(key, ()):
            if len(key) > len(named.get(order.number, "")):
                named[order.number] = key
    equal = by_amount.get((paid, p["currency"]), [])
    brought = [order for key in seen for order in by_key.get(key, ())]
    brought += [*equal, *(order for word in said for order in by_word.get(word, ()))]
    found: dict[str, Pair] = {}
    for order in _until(brought, booked):
        if order.number not in found and len(found) < MOST and order.currency == p["currency"]:
            found[order.number] = Pair(
                p["id"], order, named.get(order.number, ""), bool(order.customer) and order.customer in seen,
                paid / max(order.amount, 1), bool(order.surname_words & said), (booked - order.day).days,
                (booked - order.due).days if order.due else 0, p["ultimateName"] or p["name"],
                order.names[0] if order.names else "", len(named), len(equal),
            )  # fmt: skip
    return list(found.values())


def _until(orders: Iterable[KnownOrder], booked: date) -> Iterable[KnownOrder]:
    return (order for order in orders if order.day <= booked and not order.cancelled)
