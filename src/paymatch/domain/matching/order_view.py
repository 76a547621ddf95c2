"""An order as the engine sees it: its numbers and names made ready, its open amount moving while a batch is decided."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from paymatch.domain.matching.lookup.keys import compact_of, customer_numbers
from paymatch.domain.matching.model import FirstSuggestion, OrderFacts, OrderState
from paymatch.domain.matching.text.names import Name, parse_name
from paymatch.domain.matching.text.normalise import flat
from paymatch.domain.matching.text.numbers import Form, forms_of
from paymatch.domain.orders.invoice_terms import DiscountOffer


class KeyKind(IntEnum):
    """Which of an order's numbers was found; the first are the order's own, the last many orders share."""

    REFERENCE = 0
    ORDER = 1
    INVOICE = 2
    MARKETPLACE = 3
    PROFORMA = 4
    SHIPPING = 5
    CUSTOMER = 6
    ITEM = 7


_ITSELF: Final = (KeyKind.ORDER, Form.FULL)


class OrderView:
    """An order with what is computed from it; its open amount moves as postings of the batch are decided."""

    __slots__ = (
        "_kinds",
        "_names",
        "contested",
        "customer",
        "facts",
        "first_for",
        "number",
        "open",
        "paid",
        "state",
        "touched",
    )

    def __init__(self, facts: OrderFacts) -> None:
        self.facts = facts
        self.number = facts.number
        self.open = facts.open_minor
        self.paid = facts.paid_minor
        self.state = facts.state
        self.contested = facts.contested
        self.first_for = set(facts.first_for)
        self.touched = 0  # postings of this batch that were matched to it
        self._names: tuple[Name, ...] | None = None
        self._kinds: dict[str, tuple[KeyKind, Form] | None] = {}
        self.customer = facts.customer_number

    def find(self, compact: str) -> tuple[KeyKind, Form] | None:
        """Which of the order's numbers is written as `compact`, and how completely; None if it is none of them."""
        if compact == self.number:
            return _ITSELF
        if compact not in self._kinds:
            self._kinds[compact] = self._find(compact)
        return self._kinds[compact]

    def _find(self, compact: str) -> tuple[KeyKind, Form] | None:
        facts = self.facts
        if compact == facts.creditor_reference:
            return KeyKind.REFERENCE, Form.FULL
        best: tuple[KeyKind, Form] | None = None
        for kind, numbers in self._own_numbers():
            for number in numbers:
                if number[-1:].isdigit() and number[-1] != compact[-1]:
                    continue  # every form of it ends with its last digit
                form = forms_of(flat(number)).get(compact)
                if form is Form.FULL:
                    return kind, form
                if form is not None and (best is None or form < best[1]):
                    best = kind, form
        if best is not None:
            return best
        if compact in map(compact_of, customer_numbers(facts)):
            return KeyKind.CUSTOMER, Form.FULL
        if compact in map(compact_of, facts.item_numbers):
            return KeyKind.ITEM, Form.FULL
        return None

    def _own_numbers(self) -> tuple[tuple[KeyKind, tuple[str, ...]], ...]:
        facts = self.facts
        return (
            (KeyKind.ORDER, (facts.number,)),
            (KeyKind.INVOICE, facts.invoice_numbers),
            (KeyKind.MARKETPLACE, (facts.marketplace_number,) if facts.marketplace_number else ()),
            (KeyKind.PROFORMA, facts.proforma_numbers),
            (KeyKind.SHIPPING, facts.shipping_numbers),
        )

    def ends_in(self, digits: str) -> KeyKind | None:
        """Which of its own numbers ends in these digits and is longer (`4224` of `RE-2026-4224`); None if none does."""
        for kind, numbers in self._own_numbers():
            for number in numbers:
                own = "".join(filter(str.isdigit, flat(number)))
                if len(own) > len(digits) and own.endswith(digits):
                    return kind
        return None

    def offers_in(self, currency: str) -> tuple[DiscountOffer, ...]:
        """The cash discounts of its invoice; none for a payment in another currency, to which no cent compares."""
        return self.facts.discounts if self.facts.currency == currency else ()

    def is_called(self, flat_name: str) -> bool:
        """True if one of its names is `flat_name` (flat capitals) letter by letter; the cheap way to be sure."""
        if flat_name:
            for name in self.facts.names:
                if len(name) == len(flat_name) and flat(name) == flat_name:
                    return True
        return False

    def has_letters(self, kind: KeyKind, letters: str) -> bool:
        """True if a number of this kind has these letters in it."""
        return any(letters in flat(number) for own, numbers in self._own_numbers() if own is kind for number in numbers)

    def full_forms(self) -> list[str]:
        """Its own numbers as they are written completely, with and without their letters."""
        return [
            text
            for _, numbers in self._own_numbers()
            for number in numbers
            for text, form in forms_of(flat(number)).items()
            if form <= Form.DIGITS
        ]

    @property
    def names(self) -> tuple[Name, ...]:
        if self._names is None:
            self._names = tuple(parse_name(name) for name in dict.fromkeys(self.facts.names) if name)
        return self._names

    def contest(self) -> None:
        """From now on a posting that is left to a person may be this order's payment."""
        if not self.contested:
            self.contested = True
            self.touched += 1

    def propose(self, suggestion: FirstSuggestion) -> None:
        """From now on this undecided posting is proposed for the order first."""
        self.first_for.add(suggestion)
        self.touched += 1

    def take(self, order_minor: int, tolerance: int) -> None:
        """The order as it stands after a payment (negative: a refund or return) of this batch.

        It is settled once no more than the shop's tolerance is open (D-2).
        """
        self.open -= order_minor
        self.paid += order_minor
        self.touched += 1
        if self.state is OrderState.OPEN and self.open <= tolerance:
            self.state = OrderState.SETTLED
        elif self.state is OrderState.SETTLED and self.open > tolerance and order_minor < 0:
            self.state = OrderState.OPEN
