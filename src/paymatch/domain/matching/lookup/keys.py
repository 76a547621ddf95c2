"""Lookup keys: they find an order for a posting without looking at any other order (docs/matching.md).

A key is a signed 64-bit number, the beginning of a BLAKE2b digest of its kind and text. Keys find, they never decide:
each result is weighed against the order itself, so a collision only costs one comparison.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from hashlib import blake2b
from struct import Struct
from typing import Final

from paymatch.domain.matching.model import OrderFacts, OrderState
from paymatch.domain.matching.text.names import pair_words, parse_name, single_words
from paymatch.domain.matching.text.normalise import canonical, flat
from paymatch.domain.matching.text.numbers import DATES, Form, forms_of
from paymatch.domain.matching.text.payers import COMMON, SHORT

MAX_HITS: Final = 64
"""A key with more orders than this is unspecific: the store reports it as overflowed and returns none of them."""

NUMBER: Final = "n"  # any number of the order, in any of its written forms
NUMBER_AMOUNT: Final = "m"  # a number that many orders share (customer, item, last four digits), with the amount
PAIR: Final = "p"  # two words of a name
PAIR_AMOUNT: Final = "q"
WORD_AMOUNT: Final = "w"  # one word of a name, with the amount
AMOUNT: Final = "a"
SHORT_DIGITS: Final = 4
_signed: Final = Struct(">q").unpack
_MAX_PER_FIELD: Final = 4
_PHONE: Final = re.compile(r"(?:\+|00?)[0-9 ()/.-]{7,20}")
_ANNOUNCING: Final = COMMON - {"CLIENT", "CLIENTE", "CUSTOMER", "KLANT", "KLIENT", "KUNDE", "KUNDEN"}
"""Words before numbers that are not a customer's: a user name made of them is found in any payment."""


def key(text: str) -> int:
    """The lookup key of a text that begins with its kind."""
    return keys_of((text,))[0]


def keys_of(texts: Collection[str]) -> list[int]:
    """The lookup keys of texts that begin with their kind, in the same order."""
    return [_signed(blake2b(text.encode(), digest_size=8).digest())[0] for text in texts] if texts else []


def compact_of(number: str) -> str:
    """`number` in flat capitals, letters and digits only."""
    if number.isalnum():
        return flat(number)
    return "".join(filter(str.isalnum, flat(number)))


def customer_parts(customer_number: str) -> tuple[str, ...]:
    """The flat parts of a customer number; a marketplace user name follows after `/` (docs/api.md, Order)."""
    if "/" not in customer_number:
        return (flat(customer_number),) if customer_number.strip() else ()
    return tuple([part for part in flat(customer_number).split("/") if part.strip()])


def customer_numbers(order: OrderFacts) -> tuple[str, ...]:
    """Flat customer number and user name of an order, as far as they identify people (D-80).

    A user name that customers choose does not count if it has only digits, or digits and everyday words. Nor does one
    that looks like a telephone number, a date, or a number with letters in the series of the order's own.
    """
    found = []
    for place, part in enumerate(customer_parts(order.customer_number)):
        words = set(re.findall("[A-Z]+", part))
        chosen = place > 0 and all(len(word) <= SHORT or canonical(word) in COMMON for word in words)
        everyday = bool(words) and all(canonical(word) in _ANNOUNCING for word in words)
        if not (chosen or everyday or _is_phone_or_date(part) or (words and _is_made_like(part, flat(order.number)))):
            found.append(part)
    return tuple(found)


def _is_phone_or_date(part: str) -> bool:
    digits = "".join(filter(str.isdigit, part))
    if not digits or any(char.isalpha() for char in part):
        return False
    return bool(_PHONE.fullmatch(part)) or DATES.fullmatch(part) is not None


def _is_made_like(one: str, other: str) -> bool:
    """True if both have the same length, letters and signs, so only digits differ."""
    alike = ((a.isdigit() and b.isdigit()) or a == b for a, b in zip(one, other, strict=False))
    return len(one) == len(other) and all(alike)


def order_keys(order: OrderFacts) -> frozenset[int]:
    """The keys that find the order in its present state: see `split_keys`."""
    lasting, while_open = split_keys(order)
    return lasting | while_open if order.state is OrderState.OPEN else lasting


def split_keys(order: OrderFacts) -> tuple[frozenset[int], frozenset[int]]:
    """(keys that find the order in any state, further keys while it awaits money).

    Numbers, and name with the total, find an order for ever (duplicates, refunds, old numbers); its name alone,
    its amount and its customer's number find it only while it is open. They depend on the open amount.
    """
    lasting: set[str] = set()
    _number_texts(order, lasting)
    total_tag = f":{order.amount_minor}{order.currency}"
    amounts = {order.amount_minor, order.open_minor}
    tags = [f":{amount}{order.currency}" for amount in amounts if amount > 0]
    while_open = {NUMBER + compact_of(part) for part in customer_numbers(order)}
    for name in dict.fromkeys(order.names):
        parsed = parse_name(name)
        for pair in pair_words(parsed):
            if order.amount_minor > 0:
                lasting.add(PAIR_AMOUNT + pair + total_tag)
            while_open.update(PAIR_AMOUNT + pair + tag for tag in tags)
            while_open.add(PAIR + pair)
        while_open.update(WORD_AMOUNT + word + tag for word in single_words(parsed) for tag in tags)
    while_open.update(AMOUNT + tag for tag in tags)
    while_open.update(NUMBER_AMOUNT + text + tag for text in _shared_numbers(order) for tag in tags)
    return frozenset(keys_of(lasting)), frozenset(keys_of(while_open - lasting))


def amount_key(amount_minor: int, currency: str) -> int:
    """The key under which all open orders of this amount are found."""
    return key(f"{AMOUNT}:{amount_minor}{currency}")


def _number_texts(order: OrderFacts, texts: set[str]) -> None:
    for text in forms_of(flat(order.number)):
        texts.add(NUMBER + text)
    if order.creditor_reference:
        texts.add(NUMBER + order.creditor_reference)
    for group in (order.invoice_numbers, order.proforma_numbers, order.shipping_numbers):
        for number in group[:_MAX_PER_FIELD]:
            for text, form in forms_of(flat(number)).items():
                if form is not Form.TAIL or len(text) > SHORT_DIGITS:
                    texts.add(NUMBER + text)
    if order.marketplace_number:
        for text in forms_of(flat(order.marketplace_number)):
            texts.add(NUMBER + text)
    for reference in order.refund_references:
        texts.add(NUMBER + compact_of(reference))


def _shared_numbers(order: OrderFacts) -> set[str]:
    shared = {compact_of(part) for part in customer_numbers(order)}
    for item in order.item_numbers[:_MAX_PER_FIELD]:
        shared.add(compact_of(item))
    digits = "".join(c for c in order.number if c.isdigit() and c.isascii())
    if len(digits) > SHORT_DIGITS:
        shared.add(digits[-SHORT_DIGITS:])
    return {text for text in shared if text}
