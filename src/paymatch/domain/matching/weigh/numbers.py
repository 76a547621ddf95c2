"""How much a number that was found says for an order: its length, completeness, and the word before it."""

from __future__ import annotations

from math import log
from typing import Final

from paymatch.domain.matching.order_view import KeyKind, OrderView
from paymatch.domain.matching.text.context import Context
from paymatch.domain.matching.text.numbers import MIN_DIGITS, Form, code_length
from paymatch.domain.matching.text.reading import Number

_DIGIT_WEIGHTS: Final = (0.0, 0.5, 1.5, 4.5, 7.5, 9.5, 11.0, 12.5, 14.0, 15.0, 15.5, 16.0)
_FORM_COSTS: Final = {Form.FULL: 0.0, Form.DIGITS: 0.5, Form.ZEROS: 1.5, Form.TAIL: 2.5}


def digit_weight(digits: int) -> float:
    return _DIGIT_WEIGHTS[digits] if digits < len(_DIGIT_WEIGHTS) else _DIGIT_WEIGHTS[-1]


ANNOUNCED_NUMBER: Final = 5.0
"""What a number of one or two digits counts when it is said to be an order's: once in some hundred times it is not."""


def number_weight(number: Number, kind: KeyKind, form: Form, count: int) -> float:
    """How much a number found says for an order: its length, completeness, the word before it, and its uniqueness."""
    if not number.digits or (kind is KeyKind.CUSTOMER and number.compact[0] > "9"):
        return min(1.2 * len(number.compact), 14.0) - log(count)
    weight = digit_weight(number.digits) - _FORM_COSTS[form]
    if form is Form.FULL and len(number.compact) > number.digits:
        weight = max(weight + 2.0, digit_weight(code_length(number.compact)))
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
    """True if a word (`Bestellung 7`) or letters of its own (`SW-7`) say that it is a number of an order."""
    return number.context in (Context.ORDER, Context.INVOICE) or len(number.compact) > number.digits


def is_foreign(number: Number, order: OrderView, kind: KeyKind, form: Form) -> bool:
    """True if only a part of the order's number was found, right behind letters that the order's does not have."""
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
