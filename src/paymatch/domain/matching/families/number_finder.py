"""Evidence of numbers: an order's own, its customer's and its items' numbers in the text of a posting."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
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
from paymatch.domain.matching.prepare import KeyKind, OrderView, PostingView
from paymatch.domain.matching.text.context import Context
from paymatch.domain.matching.text.names import one_error
from paymatch.domain.matching.text.numbers import MIN_DIGITS, Form, code_length
from paymatch.domain.matching.text.reading import Number, is_inner
from paymatch.domain.words.message import Message

_DIGIT_WEIGHTS: Final = (0.0, 0.5, 1.5, 4.5, 7.5, 9.5, 11.0, 12.5, 14.0, 15.0, 15.5, 16.0)
_FORM_COSTS: Final = {Form.FULL: 0.0, Form.DIGITS: 0.5, Form.ZEROS: 1.5, Form.TAIL: 2.5}


def digit_weight(digits: int) -> float:
    return _DIGIT_WEIGHTS[digits] if digits < len(_DIGIT_WEIGHTS) else _DIGIT_WEIGHTS[-1]


ANNOUNCED_NUMBER: Final = 5.0
"""The weight of a number of one or two digits that is said to be an order's: wrong once in some hundred times."""


def number_weight(number: Number, kind: KeyKind, form: Form, count: int) -> float:
    """The weight of a found number for an order: its length, completeness, the word before it, and its uniqueness."""
    if not number.digits or (kind is KeyKind.CUSTOMER and number.compact[0] > "9"):
        return min(1.2 * len(number.compact), 14.0) - log(count)
    weight = digit_weight(number.digits) - _FORM_COSTS[form]
    if form is Form.FULL and len(number.compact) > number.digits:
        weight = max(weight + 2.0, digit_weight(code_length(number.compact)))
    if form is Form.TAIL and not number.compact.isdigit():  # a code, whose letters count like digits
        weight = digit_weight(len(number.compact)) - _FORM_COSTS[form]
    if kind is KeyKind.REFERENCE:
        weight += 3.0
    context = number.context
    if context is not Context.NONE:
        weight += _context_weight(context, kind)
    if number.joined:
        weight -= 1.0 if form <= Form.DIGITS else 5.0
    elif number.digits < MIN_DIGITS and is_announced(number) and form is Form.FULL and kind <= KeyKind.PROFORMA:
        weight = max(weight, ANNOUNCED_NUMBER)
    if count > 1:
        weight -= log(count)
    return weight


def is_announced(number: Number) -> bool:
    """True if a word (`Bestellung 7`) or its own letters (`SW-7`) show that it is an order's number."""
    return number.context in (Context.ORDER, Context.INVOICE) or len(number.compact) > number.digits


def is_foreign(number: Number, order: OrderView, kind: KeyKind, form: Form) -> bool:
    """True if only a part of the order's number was found, right after letters that the order's number lacks."""
    partly = form >= Form.ZEROS or (form is Form.DIGITS and number.context is Context.NONE)
    return partly and not order.has_letters(kind, number.attached)


def _context_weight(context: Context, kind: KeyKind) -> float:
    if context in (Context.ORDER, Context.INVOICE):
        return 1.5 if kind <= KeyKind.PROFORMA else -1.0 if kind is KeyKind.SHIPPING else -3.0
    if context is Context.CUSTOMER:
        return 1.5 if kind is KeyKind.CUSTOMER else -5.0
    if context is Context.PARCEL:
        return 1.5 if kind is KeyKind.SHIPPING else -2.0
    if context is Context.ITEM:
        return -4.0
    return -6.0


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
    completed: bool = False  # named only by a suffix, which counts together with others
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
    """The evidence of a posting's numbers on an order."""

    own: OwnNumber
    customer: CustomerNumber
    item_weight: float
    reasons: tuple[Reason, ...]


NO_NUMBER: Final = OwnNumber()
_NO_CUSTOMER: Final = CustomerNumber()


def find_numbers(
    view: PostingView, order: OrderView, numbers: Sequence[tuple[Number, int]], *, is_exact: bool
) -> NumberEvidence:
    """The evidence of `numbers`, each with how many orders it found; `is_exact`: the amount is the open amount."""
    own, item_weight = NO_NUMBER, 0.0
    of_customer: list[tuple[Number, float]] = []
    for number, count in numbers:
        known = order.find(number.compact)
        if known is None or (known[0] >= KeyKind.CUSTOMER and not number.digits):
            continue  # a word without digits is not a user name: it may be anyone's name
        kind, form = known
        if kind is KeyKind.ITEM:
            item_weight = max(item_weight, 3.5 if number.context is Context.ITEM else 2.5)
            continue
        weight = number_weight(number, kind, form, count)
        if number.attached and is_foreign(number, order, kind, form):
            weight -= FOREIGN_LETTERS
        if kind is KeyKind.CUSTOMER:
            of_customer.append((number, weight))
        elif own.number is None or (weight, own.completed) > (own.weight, number.completed):  # `28971 1. Rate` is whole
            own = OwnNumber(number, kind, form, weight, number.completed)
    own = _with_words(own) if own.weight > 0 else NO_NUMBER
    customer = _NO_CUSTOMER
    for number, weight in of_customer:
        if not _is_within(number, own.number):
            customer = customer.or_better(number, weight)
    if own.number is None and is_exact and view.numbers:
        own = _short_number(view, order)
    reasons = own.reasons
    if customer.weight > 0:
        reasons += (NUMBER_CUSTOMER.reason(customer.weight),)
    if item_weight:
        reasons += (NUMBER_ITEM.reason(item_weight),)
    return NumberEvidence(own, customer, item_weight, reasons)


def _is_within(number: Number, own: Number | None) -> bool:
    """True for a customer number that is a part of the order's own: `27450` of `ABO-27450-2608` says nothing more."""
    if own is None or own.source != number.source or number.start < 0 or number.digits == 0:
        return False
    return own.start <= number.start and number.end <= own.end and number.compact != own.compact


def _with_words(own: OwnNumber) -> OwnNumber:
    number = own.number
    assert number is not None, "what has a weight was found"
    said = Message(f"found-{own.kind.name.lower()}", number=number.compact)
    return own._replace(reasons=(_NUMBERS[own.kind, own.form].reason(own.weight, said, _place(number)),))


def _place(number: Number) -> tuple[tuple[int, int], ...]:
    return ((number.start, number.end),) if number.start >= 0 else ()


def _short_number(view: PostingView, order: OrderView) -> OwnNumber:
    """The last digits of the order number, which count only together with the exact amount."""
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
    """One error in a number, if amount and name already point to the order; `claimed` are other orders' numbers."""
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
