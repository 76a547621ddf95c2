"""Finding: the weighed orders that a posting may be meant for, by its keys; cheap and clear lookups first.

A lookup of something not yet known raises `Lacking`; the caller loads it and asks again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Final

from paymatch.domain.matching.evidence import FUTURE_SLACK_DAYS, Candidate, Weigher
from paymatch.domain.matching.lookup.batch import WEIGHING, KnownOrders
from paymatch.domain.matching.lookup.keys import SHORT_DIGITS
from paymatch.domain.matching.model import OrderState
from paymatch.domain.matching.prepare import KeyKind, OrderView, PostingView
from paymatch.domain.matching.text.context import Context
from paymatch.domain.matching.text.names import Likeness, word_count
from paymatch.domain.matching.text.numbers import Form
from paymatch.domain.matching.text.reading import Number
from paymatch.domain.matching.weigh.ages import delay_weight
from paymatch.domain.matching.weigh.amounts import Grade

MAX_BY_AMOUNT: Final = 8
CLEAR_NUMBER: Final = 7.0
_LONG: Final = 5
"""Digits of a number that is not in a text by chance: if no order has it, a relative's may be meant with an error."""


class Finder:
    """Looks up the keys of postings, and keeps the orders' state after the postings decided so far."""

    def __init__(self, known: KnownOrders, weigher: Weigher) -> None:
        self.known = known
        self.weigher = weigher
        self.views: dict[str, OrderView] = {}

    def order(self, number: str) -> OrderView:
        """The order in its present state; KeyError if its facts are not known."""
        view = self.views.get(number)
        if view is None:
            view = self.views[number] = OrderView(self.known.orders[number])
        return view

    def is_crowded(self, view: PostingView) -> bool:
        """True if more orders have the payer's name and this amount than a key may find."""
        return not self.known.overflowed.isdisjoint(view.pair_amount_keys)

    def is_name_crowded(self, view: PostingView) -> bool:
        """True if more open orders have the payer's name than a key may find."""
        return not self.known.overflowed.isdisjoint(view.pair_keys)

    def known_numbers(self, view: PostingView) -> dict[str, Sequence[str]]:
        """The numbers of the posting that orders have, with these orders."""
        found = {}
        for number, key in zip(view.numbers, view.number_keys, strict=True):
            orders = self.known.find(key)
            if orders:
                found[number.compact] = orders
        return found

    def candidates(self, view: PostingView) -> list[Candidate]:
        """Orders that may be meant: those found by number; unless that is clear, those found by name, then amount."""
        view.count_keys()
        found = self._weigh(view, self._found_by_number(view), frozenset())
        if len(found) > 1:
            found = _without_borrowed(_without_inner(view, found))
        if view.amount < 0:
            return found or self._weigh(view, self._found(view.pair_amount_keys, set()), frozenset(), lasting=True)
        if is_clear(found):
            return found
        claimed = _numbers_of_orders(view, found)
        is_unknown = not found and any(number.digits >= _LONG and number.source == "text" for number in view.numbers)
        seen = {c.order.number for c in found}
        for keys in (view.pair_amount_keys, view.word_keys, view.pair_keys):
            settled = keys is not view.pair_amount_keys and any(is_settling(c) and not c.further_name for c in found)
            if settled and not (view.signals.less if keys is view.pair_keys else view.names_more or is_unknown):
                continue
            found += self._weigh(view, self._found(keys, seen), claimed, lasting=keys is view.pair_amount_keys)
        if view.relative_keys and not any(c.grade is Grade.EXACT and c.named for c in found):
            relatives = self._weigh(view, self._found(view.relative_keys, seen), claimed)
            found += [c for c in relatives if c.name_in_text]
        if not any(c.grade is Grade.EXACT for c in found):
            found = self._with_ends(view, found, claimed)
        if not any(map(_suffices, found)):
            same_amount = self._found((view.amount_key,), seen)
            sampled = len(same_amount) > MAX_BY_AMOUNT
            found += self._weigh(view, self._likeliest(view, same_amount), claimed, sampled=sampled)
        return found

    def _with_ends(self, view: PostingView, found: list[Candidate], claimed: frozenset[str]) -> list[Candidate]:
        """The candidates, with the ends of the payer's own numbers if the text has several of them (`RE 4576/4594`).

        No key finds an end that short: it counts only among the payer's own orders, which the name has found.
        """
        own = [c for c in found if c.number is None and c.likeness >= Likeness.VARIANT and not c.name_in_text]
        texts = [number for number in view.numbers if number.source == "text" and not number.joined]
        view.work.add(len(own) * len(texts))
        ends: dict[str, list[tuple[Number, int]]] = {}
        for candidate in own if len(own) > 1 else ():
            if candidate.order.state is OrderState.OPEN:
                its = [(each, 1) for each in texts if _is_end_of(each, candidate.order)]
                if its:
                    ends[candidate.order.number] = its
        places = {its[0][0].start for its in ends.values()}
        if len(places) < 2 or len(places) < len(ends):
            return found
        return [c for c in found if c.order.number not in ends] + self._weigh(view, ends, claimed)

    def _weigh(
        self,
        view: PostingView,
        found: Mapping[str, Sequence[tuple[Number, int]]],
        claimed: frozenset[str],
        *,
        lasting: bool = False,
        sampled: bool = False,
    ) -> list[Candidate]:
        """The orders that may be meant. `lasting`: found by name and total, keys that find orders for ever.

        `sampled`: a sample of very many orders found only by the amount.
        """
        candidates = []
        view.work.add(WEIGHING * len(found))
        self.known.need(found.keys())
        for number in sorted(found):
            if number not in self.known.orders:
                continue
            order = self.order(number)
            numbers = found[number]
            view.work.add(len(numbers) + len(view.words) + word_count(view.payers) * word_count(order.names))
            early = (order.facts.order_date - view.booked).days if order.facts.order_date > view.booked else 0
            if early > (FUTURE_SLACK_DAYS if numbers else 0):
                continue
            outlasted = order.facts.state is not OrderState.OPEN and not _is_lasting(view, order, numbers, lasting)
            if numbers and order.state is not OrderState.OPEN:
                numbers = [
                    (n, len(self.known.find(k)) or 1) for n, k in zip(view.numbers, view.number_keys, strict=True)
                ]
            candidate = self.weigher.weigh(view, order, numbers, claimed, sampled=sampled, outlasted=outlasted)
            if candidate is not None and (candidate.named or not early):
                candidates.append(candidate)
        return candidates

    def _found_by_number(self, view: PostingView) -> dict[str, list[tuple[Number, int]]]:
        """Order numbers that the posting's numbers found, each with those numbers and how many orders they found."""
        found: dict[str, list[tuple[Number, int]]] = {}
        for keys, numbers in ((view.number_keys, view.numbers), (view.shared_keys, view.shared)):
            for key, number in zip(keys, numbers, strict=True):
                orders = self.known.find(key)
                if orders:
                    for order in orders:
                        found.setdefault(order, []).append((number, len(orders)))
        return found

    def _found(self, keys: Sequence[int], seen: set[str]) -> dict[str, tuple[tuple[Number, int], ...]]:
        """Order numbers not seen before that `keys` found."""
        self.known.need_keys(keys)
        found: dict[str, tuple[tuple[Number, int], ...]] = {}
        for key in keys:
            for order in self.known.find(key):
                if order not in seen:
                    seen.add(order)
                    found[order] = ()
        return found

    def _likeliest(
        self, view: PostingView, found: dict[str, tuple[tuple[Number, int], ...]]
    ) -> dict[str, tuple[tuple[Number, int], ...]]:
        """The few of the orders found only by the amount that are at their usual time of payment."""
        if len(found) <= MAX_BY_AMOUNT:
            return found
        self.known.need(found.keys())
        timely = sorted((-self._timely(view, number), number) for number in found if number in self.known.orders)
        return {number: () for _, number in timely[:MAX_BY_AMOUNT]}

    def _timely(self, view: PostingView, number: str) -> float:
        facts = self.known.orders[number]
        age = (view.booked - facts.order_date).days
        overdue = None if facts.due_date is None else (view.booked - facts.due_date).days
        return delay_weight(age, overdue) if age >= 0 else -inf


def _numbers_of_orders(view: PostingView, found: Sequence[Candidate]) -> frozenset[str]:
    """The numbers that exactly name orders, in all readings (`SW-10841` with and without letters, or zeros)."""
    places = [c.number for c in found if c.number is not None and c.form <= Form.ZEROS]
    if not places:
        return frozenset()
    return frozenset(
        number.compact
        for number in view.numbers
        if any(
            number.compact == place.compact
            or (number.end == place.end >= 0 and number.start >= place.start and place.compact.endswith(number.compact))
            for place in places
        )
    )


def _is_end_of(number: Number, order: OrderView) -> bool:
    """True if it is called an order's or an invoice's, and is the end of such a number of the order."""
    known = order.find(number.compact)
    announced = number.context in (Context.ORDER, Context.INVOICE)
    return announced and known is not None and known[0] <= KeyKind.PROFORMA and number.digits >= SHORT_DIGITS


def _is_lasting(view: PostingView, order: OrderView, numbers: Sequence[tuple[Number, int]], by_total: bool) -> bool:
    """True if an order that awaits no money is found by a key that is kept for ever (`keys.split_keys`)."""
    if not numbers:
        return by_total and order.facts.amount_minor == abs(view.amount)
    kinds = [order.find(number.compact) for number, _ in numbers]
    return any(known is None or known[0] < KeyKind.CUSTOMER for known in kinds)  # none: the reference of a refund


def _suffices(candidate: Candidate) -> bool:
    """True if open orders found only by the amount can be skipped, given this one.

    Keys of names and shared numbers are also stored for paid orders until they overflow: only few orders are found by
    them alone.
    """
    fits, known = candidate.grade >= Grade.NEAR, candidate.likeness >= Likeness.SURNAME
    if candidate.named:
        return fits or known or candidate.grade is Grade.PART
    if candidate.name_in_text and candidate.own_likeness < Likeness.SURNAME:
        return False  # customers choose the names in the text: an order of this amount may be meant
    return fits and known and not candidate.outlasted


def is_clear(found: list[Candidate]) -> bool:
    """True if one order is named, its amount is exact and the name is its customer's: no other order needs a look."""
    named = [c for c in found if c.named]
    if len(named) != 1 or named[0].order.contested or named[0].order.first_for:
        return False
    return is_settling(named[0]) and named[0].number_weight >= CLEAR_NUMBER


def is_settling(candidate: Candidate) -> bool:
    """True if the posting is exactly the open amount and the payer is the customer."""
    return (
        candidate.fit.grade is Grade.EXACT
        and candidate.likeness >= Likeness.VARIANT
        and candidate.order.state is OrderState.OPEN
    )


def _without_inner(view: PostingView, found: Sequence[Candidate]) -> list[Candidate]:
    """A number inside another order's longer number is not evidence (`293` inside `R-2026/00293`)."""
    whole = [c for c in found if c.named and c.number is not None and c.number.start >= 0 and c.form <= Form.ZEROS]
    view.work.add(len(whole) * len(found))
    inner: list[Candidate] = []
    for candidate in found:
        if any(_is_inside(candidate, other) for other in whole if other not in inner):
            inner.append(candidate)
    return [candidate.without_number() if candidate in inner else candidate for candidate in found]


def _is_inside(candidate: Candidate, other: Candidate) -> bool:
    number, outer = candidate.number, other.number
    if number is None or outer is None or number.start < 0 or other is candidate:
        return False
    return (
        outer.start <= number.start
        and number.end <= outer.end
        and outer.end - outer.start > number.end - number.start
        and other.form <= candidate.form
        and outer.digits > number.digits
    )


def _without_borrowed(found: Sequence[Candidate]) -> list[Candidate]:
    """A customer number that is another order's own number is not evidence: user names are chosen (D-80)."""
    own = {
        c.number.compact for c in found if c.number is not None and c.kind < KeyKind.CUSTOMER and c.form <= Form.DIGITS
    }
    return [c.without_customer_number() if c.customer_number and c.customer_number in own else c for c in found]
