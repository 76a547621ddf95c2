"""Evidence of numbers: an order's own, its customer's and its items' numbers in the text of a posting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from paymatch.domain.matching.catalogue import (
    NEAR_NUMBER,
    NUMBER,
    NUMBER_CUSTOMER,
    NUMBER_DAMAGED,
    NUMBER_ITEM,
    NUMBER_SHORT,
    Reason,
)
from paymatch.domain.matching.lookup.keys import SHORT_DIGITS
from paymatch.domain.matching.order_view import KeyKind, OrderView
from paymatch.domain.matching.prepare import PostingView
from paymatch.domain.matching.text.context import Context
from paymatch.domain.matching.text.names import one_error
from paymatch.domain.matching.text.numbers import MIN_DIGITS, Form
from paymatch.domain.matching.text.reading import Number, is_inner
from paymatch.domain.matching.weigh.numbers import digit_weight, is_foreign, number_weight
from paymatch.domain.words.message import Message

FOREIGN_LETTERS: Final = 5.0
USER_NAME_LENGTH: Final = 6

_NUMBERS: Final = {
    (kind, form): NUMBER[kind.name.lower(), form.name.lower()]
    for kind in KeyKind
    if kind < KeyKind.CUSTOMER
    for form in Form
}


class OwnNumber(NamedTuple):
    """The number of this very order that counts most."""

    number: Number | None = None
    kind: KeyKind = KeyKind.ITEM
    form: Form = Form.TAIL
    weight: float = 0.0
    completed: bool = False  # named by a suffix only, which counts together with others
    damaged: bool = False
    reasons: tuple[Reason, ...] = ()


class CustomerNumber(NamedTuple):
    """A number or user name of the customer; the best of them counts."""

    number: str = ""  # as it was found
    weight: float = 0.0
    user_name: bool = False

    def or_better(self, number: Number, weight: float) -> CustomerNumber:
        """This one, or the number if it counts more."""
        user_name = self.user_name or (len(number.compact) >= USER_NAME_LENGTH and number.compact[0] > "9")
        if weight > self.weight:
            return CustomerNumber(number.compact, weight, user_name)
        return self._replace(user_name=user_name)


class NumberEvidence(NamedTuple):
    """What the numbers of a posting say of an order."""

    own: OwnNumber
    customer: CustomerNumber
    item_weight: float
    reasons: tuple[Reason, ...]


NO_NUMBER: Final = OwnNumber()
_NO_CUSTOMER: Final = CustomerNumber()


def find_numbers(
    view: PostingView, order: OrderView, numbers: Sequence[tuple[Number, int]], *, is_exact: bool
) -> NumberEvidence:
    """The evidence of `numbers`, each with how many orders it found; `is_exact`: the amount is what is open."""
    own, customer, item_weight = NO_NUMBER, _NO_CUSTOMER, 0.0
    for number, count in numbers:
        known = order.find(number.compact)
        if known is None or (known[0] >= KeyKind.CUSTOMER and not number.digits):
            continue  # a word without digits is not a user name: it may be anybody's name
        kind, form = known
        if kind is KeyKind.ITEM:
            item_weight = max(item_weight, 3.5 if number.context is Context.ITEM else 2.5)
            continue
        weight = number_weight(number, kind, form, count)
        if number.attached and is_foreign(number, order, kind, form):
            weight -= FOREIGN_LETTERS
        if kind is KeyKind.CUSTOMER:
            customer = customer.or_better(number, weight)
        elif own.number is None or weight > own.weight:
            own = OwnNumber(number, kind, form, weight, number.completed)
    own = _with_words(own) if own.weight > 0 else NO_NUMBER
    if own.number is None and is_exact and view.numbers:
        own = _short_number(view, order)
    reasons = own.reasons
    if customer.weight > 0:
        reasons += (NUMBER_CUSTOMER.reason(customer.weight),)
    if item_weight:
        reasons += (NUMBER_ITEM.reason(item_weight),)
    return NumberEvidence(own, customer, item_weight, reasons)


def _with_words(own: OwnNumber) -> OwnNumber:
    number = own.number
    assert number is not None, "what has a weight was found"
    said = Message(f"found-{own.kind.name.lower()}", number=number.compact)
    return own._replace(reasons=(_NUMBERS[own.kind, own.form].reason(own.weight, said, _place(number)),))


def _place(number: Number) -> tuple[tuple[int, int], ...]:
    return ((number.start, number.end),) if number.start >= 0 else ()


def _short_number(view: PostingView, order: OrderView) -> OwnNumber:
    """The last digits of the order number, which mean something together with the exact amount only."""
    number = order.number
    digits = number if number.isdigit() else "".join(filter(str.isdigit, number))
    if len(digits) <= SHORT_DIGITS:
        return NO_NUMBER
    view.work.add(len(view.numbers))
    for each in view.numbers:
        tail = each.compact
        if not (digits.endswith(tail) and MIN_DIGITS <= len(tail) < len(digits)):
            continue
        if is_inner(view.text, each):
            continue
        announced = each.context in (Context.ORDER, Context.INVOICE)
        if announced or (each.context in (Context.NONE, Context.CUSTOMER) and len(tail) >= SHORT_DIGITS):
            weight = 4.5 if len(tail) < SHORT_DIGITS else 6.5
            reason = NUMBER_SHORT.reason(weight, Message("number-order-short", digits=tail), _place(each))
            return OwnNumber(each, KeyKind.ORDER, Form.TAIL, weight, reasons=(reason,))
    return NO_NUMBER


def find_damaged_number(view: PostingView, order: OrderView, claimed: frozenset[str]) -> OwnNumber:
    """One error in a number, where amount and name point to the order already; `claimed` are other orders' numbers."""
    targets = [text for text in order.full_forms() if len(text) >= SHORT_DIGITS]
    near: Number | None = None
    view.work.add(len(view.numbers))
    for number in view.numbers:
        if number.digits < SHORT_DIGITS - 1 or number.context in (Context.OTHER, Context.DATE, Context.CUSTOMER):
            continue
        if not any(one_error(number.compact, target) for target in targets):
            continue
        if number.compact in claimed:
            near = number
        else:
            weight = max(2.5, digit_weight(number.digits) - 5.0)
            said = Message("number-damaged", number=number.compact)
            reason = NUMBER_DAMAGED.reason(weight, said, _place(number))
            return OwnNumber(number, KeyKind.ORDER, Form.TAIL, weight, damaged=True, reasons=(reason,))
    if near is not None:
        said = Message("near-number", number=near.compact)
        return OwnNumber(reasons=(NEAR_NUMBER.reason(words=said, highlight=_place(near)),))
    return NO_NUMBER
