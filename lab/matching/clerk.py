"""The careful clerk: lowers a case from certain to suggest when another order fits the posting as well.

He knows three facts per order: is a number of it written here (whole, or with one mistake), does the name fit (whole,
or only the surname), does the amount fit (to the cent, or nearly). He is certain when the true order's facts are enough
and nobody else's come close. Nothing of a matcher is used, so that the labels depend on the data alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from lab.matching.phrases import plain_letters
from lab.matching.values import Customer, Order, Payment

ENOUGH: Final = 5.0
CLEAR: Final = 1.5
NAME: Final = 1.5
AMOUNT: Final = 1.5
DAMAGED: Final = 2.0
TOO_CLOSE_FOR_UNRELATED: Final = 6.0
_LEGAL_WORDS: Final = (
    "GMBH AG KG OHG OG CO UG HAFTUNGSBESCHRANKT EK EV E K V MBH GESELLSCHAFT GES M B H SA SARL SAS EURL SCI BV NV VOF "
    "SP Z O J S C HOLDING GENOSSENSCHAFT EU U FA UND AKTIENGESELLSCHAFT KOMMANDITGESELLSCHAFT"
)
_LEGAL: Final = frozenset(_LEGAL_WORDS.split())


def fold(text: str) -> str:
    """Capitals without diacritics, ä and ae and a alike."""
    return re.sub(r"(?<=[AOU])E", "", plain_letters(text).upper())


def words(text: str) -> list[str]:
    return re.findall(r"[A-Z]+|\d+", fold(text))


def runs(text: str, longest: int = 9) -> set[str]:
    """Every concatenation of up to `longest` neighbouring words that contains a digit."""
    parts = words(text)
    found: set[str] = set()
    for i in range(len(parts)):
        joined = ""
        for part in parts[i : i + longest]:
            joined += part
            if len(joined) > 40:
                break
            if any(c.isdigit() for c in joined):
                found.add(joined)
    return found


def one_mistake(a: str, b: str) -> bool:
    """True if one digit wrong, missing, doubled or exchanged with its neighbour makes `a` into `b`."""
    if abs(len(a) - len(b)) > 1 or a == b:
        return False
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    x, y = a[start:], b[start:]
    return (
        x[1:] == y[1:]
        or x[1:] == y
        or x == y[1:]
        or (len(x) > 1 and len(y) > 1 and x[0] == y[1] and x[1] == y[0] and x[2:] == y[2:])
    )


@dataclass(slots=True)
class _Person:
    first: str
    lasts: tuple[str, ...]
    company: tuple[str, ...]
    whole: str


def _person(c: Customer) -> _Person:
    lasts = tuple(w for w in words(c.last) if len(w) > 3) or tuple(words(c.last)[-1:])
    company = tuple(w for w in words(c.company) if w not in _LEGAL)[:2]
    return _Person((words(c.first) or [""])[0], () if c.company else lasts, company, "".join(words(c.name)))


def name_level(person: _Person, given: set[str], shortened: set[str], joined: str) -> int:
    """2 for first and last name or the company's two words, 1 for the surname or its first word, else 0."""

    def seen(word: str) -> bool:
        return word in given or any(len(t) >= 4 and word.startswith(t) for t in shortened)

    if person.whole and len(person.whole) > 6 and person.whole in joined:
        return 2
    if person.company:
        if not seen(person.company[0]):
            return 0
        return 2 if all(seen(w) for w in person.company) else 1
    if not any(seen(w) for w in person.lasts):
        return 0
    return 2 if person.first in given or person.first[:1] in given else 1


@dataclass(slots=True)
class _Known:
    order: Order
    people: list[_Person]
    keys: dict[str, float]  # number as it may be written -> what it is worth
    customer_keys: set[str]
    open: int


@dataclass(slots=True)
class _Seen:
    """A posting as the clerk reads it."""

    runs: set[str]
    given: set[str]
    shortened: set[str]
    joined: str
    amount: int
    currency: str
    facts: dict[str, float] = field(default_factory=dict)


def _worth(key: str) -> float:
    digits = sum(c.isdigit() for c in key)
    return 2.5 if digits <= 3 else 3.5 if digits == 4 else 4.0 if digits < 10 else 5.0


def _keys(o: Order) -> dict[str, float]:
    found: dict[str, float] = {}
    for number in (o.number, o.invoice, o.proforma, o.shipping, o.marketplace, o.reference, o.reference.lstrip("0")):
        whole = "".join(words(number))
        digits = "".join(c for c in number if c.isdigit())
        for key in (whole, digits):
            if len(key) >= 3 and any(c.isdigit() for c in key):
                found[key] = _worth(key)
    return found


class Clerk:
    """Reads the postings in their order and keeps his own ledger of what is certainly paid."""

    def __init__(self, orders: list[Order]) -> None:
        self._known = {o.number: self._know(o) for o in orders}
        self._by_key: dict[str, list[_Known]] = defaultdict(list)
        self._by_amount: dict[tuple[int, str], list[_Known]] = defaultdict(list)
        self._by_name: dict[str, list[_Known]] = defaultdict(list)
        for known in self._known.values():
            o = known.order
            for key in known.keys | dict.fromkeys(known.customer_keys, 0.0):
                self._by_key[key].append(known)
            if not o.rate:
                self._by_amount[o.amount, o.currency].append(known)
            for person in known.people:
                for word in {*person.lasts, *person.company[:1]}:
                    self._by_name[word[:4]].append(known)

    @staticmethod
    def _know(o: Order) -> _Known:
        people = [_person(o.customer)] + ([_person(o.delivery)] if o.delivery else [])
        mine = {o.customer.number, "".join(words(o.customer.user_name))}
        return _Known(o, people, _keys(o), {k for k in mine if len(k) >= 4}, 0 if o.cancelled else o.amount)

    def read(self, p: Payment) -> str:
        """`certain`, `suggest` or `unrelated`; empty if the data say the contrary of the truth."""
        seen = self._see(p)
        if p.auto == "unrelated":
            return "" if any(self._too_close(k, seen) for k in self._candidates(seen, p)) else "unrelated"
        if p.amount > 0 and not p.return_reason and self._misleading(p, seen):
            return ""
        sure = p.auto == "certain" and (p.amount < 0 or bool(p.return_reason) or self._sure(p, seen))
        p.alike = 1 if sure else self._alike(p, seen)
        self._book(p, sure)
        return "certain" if sure else "suggest"

    def _alike(self, p: Payment, seen: _Seen) -> int:
        """How many orders show the number, name and amount that the true one shows; 1 if it is the only one.

        What is paid for several orders, or given back, counts as distinguished.
        """
        if len(p.pays) != 1 or p.amount < 0:
            return 1
        true = self._known[p.pays[0][0].number]

        def facts(known: _Known) -> tuple[float, int, int]:
            return self._literal(known, seen), self._name(known, seen), self._amount(known, seen)

        mine = facts(true)
        return 1 + sum(facts(k) == mine for k in self._candidates(seen, p) if k is not true and k.open > 0)

    @staticmethod
    def _see(p: Payment) -> _Seen:
        names = words(f"{p.name} {p.ultimate}")
        text = words(p.text)
        return _Seen(
            runs(p.text) | runs(p.end_to_end) | runs(p.reference),
            {*names, *(w for w in text if len(w) > 2)},
            set(names),
            "".join(names) + "/" + "".join(text),
            p.amount,
            p.currency,
        )

    def _candidates(self, seen: _Seen, p: Payment) -> list[_Known]:
        found: dict[str, _Known] = {}
        for key in seen.runs:
            found.update((k.order.number, k) for k in self._by_key.get(key, ()))
        found.update((k.order.number, k) for k in self._by_amount.get((abs(p.amount), p.currency), ()) if k.open > 0)
        for word in seen.given:
            found.update((k.order.number, k) for k in self._by_name.get(word[:4], ()))
        return [k for k in found.values() if k.order.day <= p.day]

    def _too_close(self, known: _Known, seen: _Seen) -> bool:
        named_and_priced = bool(self._literal(known, seen)) and self._amount(known, seen) == 2
        return named_and_priced or self._value(known, seen) >= TOO_CLOSE_FOR_UNRELATED

    def _misleading(self, p: Payment, seen: _Seen) -> bool:
        """Name and amount fit an open order that it does not pay, and the true one less: nobody could know better."""
        true = [self._known[o.number] for o, _ in p.pays]
        if any(self._literal(k, seen) for k in true):
            return False
        mine, own = {k.order.number for k in true}, max(self._value(k, seen) for k in true)
        return any(
            self._amount(k, seen) == 2 and self._name(k, seen) == 2 and self._value(k, seen) > own
            for k in self._candidates(seen, p)
            if k.order.number not in mine
        )

    def _literal(self, known: _Known, seen: _Seen) -> float:
        return max((worth for key, worth in known.keys.items() if key in seen.runs), default=0.0)

    def _value(self, known: _Known, seen: _Seen) -> float:
        """How much speaks for this order: number, name and amount added up."""
        amount = self._amount(known, seen)
        name = self._name(known, seen)
        value = self._literal(known, seen) + NAME * name + AMOUNT * amount
        if value < ENOUGH + 4 and name + amount >= 2 and not self._literal(known, seen):
            value += DAMAGED * any(
                one_mistake(run, key) for key in known.keys if len(key) > 3 for run in seen.runs if len(run) > 2
            )
        return value

    @staticmethod
    def _name(known: _Known, seen: _Seen) -> int:
        if known.customer_keys & seen.runs:
            return 2
        return max(name_level(person, seen.given, seen.shortened, seen.joined) for person in known.people)

    @staticmethod
    def _due(known: _Known) -> int:
        return round(known.order.amount / known.order.rate) if known.order.rate else known.order.amount

    @staticmethod
    def _amount(known: _Known, seen: _Seen) -> int:
        o, due = known.order, known.open
        if o.rate:
            due = round(due / o.rate)
            return 2 if due > 0 and abs(due - seen.amount) <= due * 0.016 else 0
        if o.currency != seen.currency or due <= 0:
            return 0
        if due == seen.amount:
            return 2
        return 1 if abs(due - seen.amount) <= max(100, due * 0.05) else 0

    def _sure(self, p: Payment, seen: _Seen) -> bool:
        true = [self._known[o.number] for o, _ in p.pays]
        mine = {k.order.number for k in true}
        rivals = [k for k in self._candidates(seen, p) if k.order.number not in mine]
        literal = [k for k in true if self._literal(k, seen)]
        named = [k for k in rivals if self._literal(k, seen)]
        if len(true) > 1:
            return self._sure_of_several(p, true, literal, named, rivals)
        if named and not literal:
            return False
        customer = true[0].order.customer.number
        if p.amount > 1.5 * self._due(true[0]) and any(
            k.order.customer.number == customer and k.open > 0 for k in rivals
        ):
            return False  # perhaps meant for the other orders as well
        own = self._value(true[0], seen)
        return own >= ENOUGH and all(own - self._value(k, seen) >= CLEAR for k in rivals)

    def _sure_of_several(
        self, p: Payment, true: list[_Known], literal: list[_Known], named: list[_Known], rivals: list[_Known]
    ) -> bool:
        """All are named and nothing else open is; or the sum is exact and no other orders of the customer have it."""
        if p.case in ("carrier_payout", "marketplace_payout"):
            return len(literal) == len(true)
        exact = sum(k.open for k in true) == p.amount
        open_named = [k for k in named if k.open > 0]
        if len(literal) == len(true):
            return not open_named or (exact and not self._other_sum(p.amount, true, open_named))
        customer = true[0].order.customer.number
        theirs = [k for k in rivals if k.order.customer.number == customer and k.open > 0]
        return exact and not open_named and not self._other_sum(p.amount, true, theirs)

    @staticmethod
    def _other_sum(amount: int, true: list[_Known], others: list[_Known]) -> bool:
        pool = (true + others)[:14]
        mine = {k.order.number for k in true}
        return any(
            sum(k.open for k in group) == amount and {k.order.number for k in group} != mine
            for size in range(1, min(len(pool), 6) + 1)
            for group in combinations(pool, size)
        )

    def _book(self, p: Payment, sure: bool) -> None:
        """Certain payments change what is open; after an uncertain one the order stays open for him."""
        for o, part in p.pays:
            known = self._known[o.number]
            if sure and not o.cancelled and not p.case.startswith("refund"):
                known.open -= round(part * o.rate) if o.rate else part
