"""A posting and its suggestions as a clerk reads them in the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from paymatch.cli.terminal import plain_text
from paymatch.domain.plurals import count_of
from paymatch.domain.refusal import Refused
from paymatch.domain.words.message import Message

if TYPE_CHECKING:
    from paymatch.store.orders.order_list import ListedOrder
    from paymatch.usecases.matching.assigning import Part, TooMuch

Posting = Mapping[str, Any]
_DECIMAL_COMMA = re.compile(r"\d{1,12},\d{1,2}")
_REASONS = 4
"""How many reasons of a suggestion are shown, the strongest first."""


def posting_lines(posting: Posting) -> Iterator[str]:
    """The posting: id, day, amount, who, text, and why it waits."""
    yield f"{posting['id']}   {posting['bookingDate']}   {posting['amount']} {posting['currency']}"
    payer = " ".join(plain_text(posting[name]) for name in ("originator", "iban") if posting[name])
    yield f"  From  {payer or 'unknown'}"
    yield f"  Text  {plain_text(posting['text']) or '(none)'}"
    for name, words in (("heldBack", "Not matched automatically"), ("reason", "Waits")):
        if posting.get(name):
            yield f"  {words}: {plain_text(posting[name])}"


def suggestion_lines(posting: Posting, orders: Mapping[str, ListedOrder]) -> Iterator[str]:
    """The suggestions with their numbers, what each order is about, and the reasons for and against."""
    if not posting["suggestions"]:
        yield "  No suggestion"
    for place, suggestion in enumerate(posting["suggestions"], start=1):
        parts = ", ".join(_allocation(each) for each in suggestion["allocations"])
        yield f"  {place}  {parts}  ({suggestion['probability']:.0%})"
        for allocation in suggestion["allocations"]:
            order = orders.get(allocation["orderNumber"])
            if order is not None:
                yield f"       {order_line(order)}"
        strongest = sorted(suggestion["evidence"], key=lambda each: -abs(each["weight"]))[:_REASONS]
        for reason in strongest:
            yield f"       {'+' if reason['weight'] > 0 else '-'} {plain_text(reason['words'])}"


def _allocation(allocation: Mapping[str, Any]) -> str:
    fee = f" of which {allocation['fee']} was withheld" if allocation.get("feeKind") else ""
    return f"{plain_text(allocation['orderNumber'])} {allocation['amount']}{fee}"


def order_line(order: ListedOrder) -> str:
    """The order in one line: who, when, how much, what is open."""
    from paymatch.domain.money import currency_of, minor_to_text

    currency = currency_of(order.currency)
    open_text = minor_to_text(max(order.amount_minor - order.paid_minor, 0), currency)
    return (
        f"{plain_text(order.customer) or 'no name'}, {order.ordered}, {minor_to_text(order.amount_minor, currency)}"
        f" {currency}, open {open_text}, {order.status}"
    )


def parts_of(suggestion: Mapping[str, Any], currency: str) -> list[Part]:
    """What confirming a suggestion books."""
    from decimal import Decimal

    from paymatch.domain.money import currency_of, decimal_to_minor
    from paymatch.domain.orders.fees import FeeKind
    from paymatch.usecases.matching.assigning import Part

    found: list[Part] = []
    for each in suggestion["allocations"]:
        fee = decimal_to_minor(Decimal(each.get("fee", "0")), currency_of(currency))
        brought = decimal_to_minor(Decimal(each["amount"]), currency_of(currency)) - fee
        kind = each.get("feeKind")
        found.append(Part(each["orderNumber"], brought, fee, FeeKind(kind) if kind else None))
    return found


def read_parts(words: Sequence[str], currency: str) -> list[Part]:
    """`1833`, `1833=20.00` or `1833=18.00+2.00`; what follows the last `=` is an amount only if it reads as one."""
    from paymatch.domain.money import AmountUnreadable, currency_of, text_to_minor
    from paymatch.usecases.matching.assigning import Part

    found: list[Part] = []
    for word in words:
        number, equals, amount = word.rpartition("=")
        own, _, fee = amount.partition("+")
        try:
            minor, fee_minor = (text_to_minor(text, currency_of(currency)) if text else 0 for text in (own, fee))
            found.append(Part(number, minor, fee_minor) if equals else Part(word))
        except AmountUnreadable:
            if _DECIMAL_COMMA.fullmatch(amount):
                raise Refused(Message("amount-with-comma", amount=amount, written=amount.replace(",", "."))) from None
            found.append(Part(word))
    return found


def too_much_lines(found: Sequence[TooMuch]) -> list[str]:
    """What a match would pay too much, with the sums."""
    from paymatch.domain.money import minor_to_text

    return [
        f"Order {plain_text(each.order_number)} over {minor_to_text(each.amount_minor, each.currency)} {each.currency}"
        f" has {minor_to_text(each.paid_minor, each.currency)} already: with this posting"
        f" {minor_to_text(each.would_be_minor, each.currency)},"
        f" {minor_to_text(each.would_be_minor - max(each.amount_minor, 0), each.currency)} too much."
        for each in found
    ]


def left_words(matched: int, decided: int, left: int) -> str:
    """`2 matched, 1 decided otherwise, 5 postings left`."""
    return f"{matched} matched, {decided} decided otherwise, {count_of(left, 'posting')} left"
