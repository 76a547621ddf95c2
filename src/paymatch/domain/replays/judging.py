"""Two assignments of one payment compared: the facts for each, and whether they prove one of them right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from paymatch.domain.matching.model import OrderFacts
from paymatch.domain.matching.text.names import Likeness, compare, parse_name
from paymatch.domain.postings import Posting

_SHORTEST_NUMBER: Final = 4
_PROVING_FACTS: Final = 2
_MARKS: Final = re.compile(r"[^0-9A-Z]+")
_COMMON: Final = re.compile(r"[0-9]{1,3}|(?:19|20)[0-9]{2}")
"""Numbers that texts of payments hold for other reasons: days, quantities, years."""


class AssignmentFact(StrEnum):
    """Facts for an assignment of a payment, no matter who made it."""

    NUMBER = "number"  # the payment names the order, its invoice or its reference
    AMOUNT = "amount"  # the orders cost exactly the amount paid
    NAME = "name"  # the payer has the customer's name
    CUSTOMER = "customer"  # the payment names the customer's number or mail address
    UNKNOWN = "unknown"  # an order is not in the files: nothing can be said of it


class ReplayVerdict(StrEnum):
    """Who is right about a payment that the two systems assigned differently."""

    OURS = "ours"
    THEIRS = "theirs"
    BOTH = "both"  # the facts do not decide it


def facts_for(posting: Posting, orders: Sequence[OrderFacts]) -> frozenset[AssignmentFact]:
    """The facts for assigning the payment to these orders; empty if there are none."""
    if not orders:
        return frozenset()
    text = _Text(" ".join((posting.text, posting.end_to_end_id)))
    is_exact = abs(posting.amount_minor) == sum(order.amount_minor for order in orders)
    names = [parse_name(name) for name in (posting.counterparty_name, posting.ultimate_name) if name]
    found = {
        AssignmentFact.NUMBER: all(text.names_any(_numbers(order), is_exact=is_exact) for order in orders),
        AssignmentFact.AMOUNT: is_exact,
        AssignmentFact.NAME: all(
            any(compare(payer, parse_name(name)) >= Likeness.PART for payer in names for name in order.names)
            for order in orders
        ),
        AssignmentFact.CUSTOMER: all(text.names_any((order.customer_number, order.email)) for order in orders),
    }
    return frozenset(fact for fact, speaks in found.items() if speaks)


def judge(ours: frozenset[AssignmentFact], theirs: frozenset[AssignmentFact]) -> ReplayVerdict:
    """Who is right: the side that has all facts of the other side, and enough more."""
    if AssignmentFact.UNKNOWN in ours | theirs:
        return ReplayVerdict.BOTH
    if ours > theirs and _proves(ours):
        return ReplayVerdict.OURS
    if theirs > ours and _proves(theirs):
        return ReplayVerdict.THEIRS
    return ReplayVerdict.BOTH


def _proves(facts: frozenset[AssignmentFact]) -> bool:
    """Whether the facts support an assignment: an equal amount or name alone does not."""
    return AssignmentFact.NUMBER in facts or len(facts) >= _PROVING_FACTS


def _numbers(order: OrderFacts) -> tuple[str, ...]:
    return (
        order.number, *order.invoice_numbers, *order.proforma_numbers, order.creditor_reference,
        order.marketplace_number,
    )  # fmt: skip


class _Text:
    """The texts of a payment, searched for numbers in the forms that people and banks write."""

    def __init__(self, text: str) -> None:
        words = [word for word in _MARKS.split(text.upper()) if word]
        self._words = frozenset(words)
        self._joined = "".join(words)

    def names_any(self, numbers: Sequence[str], *, is_exact: bool = False) -> bool:
        """Whether one of the numbers is named; a number like a quantity or a year only with the exact amount."""
        plain = (_MARKS.sub("", number.upper()) for number in numbers if number)
        return any(self._names(number) and (is_exact or not _COMMON.fullmatch(number)) for number in plain)

    def _names(self, number: str) -> bool:
        if number in self._words:
            return any(character.isdigit() for character in number) or len(number) >= _SHORTEST_NUMBER
        if len(number) < _SHORTEST_NUMBER:
            return False
        begin = self._joined.find(number)
        while begin >= 0:
            around = self._joined[max(begin - 1, 0) : begin], self._joined[begin + len(number) :][:1]
            if not (number[0].isdigit() and around[0].isdigit()) and not (number[-1].isdigit() and around[1].isdigit()):
                return True
            begin = self._joined.find(number, begin + 1)
        return False
