"""The rule for a number that may be a later order's, which the shop has not submitted yet (D-126, D-148)."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from datetime import timedelta
from functools import lru_cache
from typing import Final

from paymatch.domain.matching.clerk.case import Case, clerk_rule, is_typo_of_own
from paymatch.domain.matching.prepare import PostingView
from paymatch.domain.matching.text.context import Context
from paymatch.domain.matching.text.names import one_error
from paymatch.domain.matching.text.normalise import flat
from paymatch.domain.matching.text.numbers import DATES, PART, is_code_part
from paymatch.domain.matching.text.reading import Number
from paymatch.domain.witnesses import Witness
from paymatch.domain.words.message import Message

_FEW_RUNNING: Final = 3  # last digits that differ between orders of a few days, however short the number is
_LONG_SERIES: Final = _FEW_RUNNING + 2  # digits of a number that is not another one by chance
_MIN_HEAD: Final = 4  # characters with which the codes of one series begin
_OTHERS: Final = (Context.DATE, Context.OTHER, Context.CUSTOMER, Context.ITEM)
SUBMITTED_AFTER: Final = timedelta(days=5)
"""Shops that collect their orders submit them within a few days, weekends included."""
_SLACK: Final = 20
"""How far even a shop of few orders may count on before it submits them."""


@clerk_rule(
    "the text has a number that is made like one of the order's and counts on from it, or differs in all of its end;"
    " one with a single error only if the shop's series is about there",
    Witness.MERCHANT,
    "names-order",
    "later-order",
)
def later_number(case: Case) -> str:
    later = _unsubmitted(case) if case.candidate.damaged else _later_number(case) or _later_code(case)
    if not later:
        return ""
    owner = case.owner_of(later)
    if owner and (sum(map(str.isdigit, later)) < _LONG_SERIES or _is_error(case, owner)):
        return ""  # an order that is here is no later one, and four digits are found by chance
    return Message("names-order", order=owner) if owner else Message("later-order", number=later)


def _is_error(case: Case, owner: str) -> bool:
    """True if the number of another order is an error in the payer's own, as `fits_as_well` reads it."""
    return any(each.order.number == owner and is_typo_of_own(case, each) for each in case.candidates)


def _later_number(case: Case) -> str:
    order = case.candidate.order
    forms, tails = order.full_forms(), [*_tails_of(case)]
    later = [
        each.compact
        for each in case.view.numbers
        if each.source == "text" and (each.context not in _OTHERS or _is_beyond_context(each, case.view))
        if any(_is_later(each, form, case.view) for form in forms)
        or any(_is_later_tail(each, tail, case.view) for tail in tails)
        if order.find(each.compact) is None
    ]
    return max(later, key=len, default="")


def _is_beyond_context(given: Number, view: PostingView) -> bool:
    """True if it has letters of its own, or a customer's number is before it (`Kunde 12233 012161`)."""
    is_second = given.context is Context.CUSTOMER and any(
        each.context is Context.CUSTOMER and each.start >= 0 and each.end <= given.start for each in view.numbers
    )
    return given.digits < len(given.compact) or is_second


def _is_later(given: Number, number: str, view: PostingView) -> bool:
    """True if it has the form of `number`, and the series is about there or it counts on within half of its digits.

    A short one has to be alone or announced as an order or an invoice, and no year. One that is put together over
    blanks begins like `number`. Letters that both begin with show the series, however far it has counted on. Codes do
    not count on.
    """
    text = given.compact
    if not given.joined and (_is_of_codes(text, number) or _is_cut(text, number)):
        return True
    if not is_made_like(text, number) or text == number:
        return False
    if given.joined and not (_begins_alike(text, number) or _is_announced(given, view) or _is_about_now(view, text)):
        return False
    digits = len(number) - len(_letters_of(number))
    if digits < _LONG_SERIES and not (_is_announced(given, view) and digits > _FEW_RUNNING):
        return False
    ahead = _ahead(text, number)
    counts_on = len(str(ahead)) <= max(_FEW_RUNNING, digits // 2) or digits < len(number)
    return (ahead > 0 and counts_on) or (ahead != 0 and _is_about_now(view, text))


def _is_later_tail(given: Number, tail: str, view: PostingView) -> bool:
    """True if it is announced and counts on from the last part of a number (`8381` from `MB-2026-8380`)."""
    same = given.compact.isdigit() and len(given.compact) == len(tail) and not given.joined
    return same and _is_announced(given, view) and 0 < int(given.compact) - int(tail) < 10**_FEW_RUNNING


def _tails_of(case: Case) -> Iterator[str]:
    """The last parts of the order's own numbers and its invoices', if they are digits, and enough of them."""
    facts = case.candidate.order.facts
    for number in (facts.number, *facts.invoice_numbers):
        parts = PART.findall(flat(number))
        if len(parts) > 1 and parts[-1].isdigit() and len(parts[-1]) > _FEW_RUNNING:
            yield parts[-1]


def _is_announced(given: Number, view: PostingView) -> bool:
    """True if the number is all of the text, or said to be an order's or an invoice's, and not a year."""
    is_year = len(given.compact) == len("2026") and given.compact.isdigit()
    if is_year and 0 <= view.booked.year - int(given.compact) <= 1:
        return False
    all_of_text = "".join(filter(str.isalnum, DATES.sub(" ", view.text))).removeprefix("VOM").removesuffix("VOM")
    said = given.context in (Context.ORDER, Context.INVOICE) or given.digits < len(given.compact)
    return said or all_of_text == given.compact


def _unsubmitted(case: Case) -> str:
    """The number in which one digit differs from the order's, if the shop's series is about there."""
    given = case.candidate.number
    forms = case.candidate.order.full_forms()
    if given is None or not any(is_made_like(given.compact, form) and _ahead(given.compact, form) for form in forms):
        return ""
    return given.compact if _is_about_now(case.view, given.compact) else ""


@lru_cache(256)
def codes_like(letters: str, length: int) -> re.Pattern[str]:
    """The codes of a series in a text: its letters, a separator or none, and as many signs as a code of it has."""
    return re.compile(rf"(?<![A-Z0-9]){letters}([-./_ ]?)([A-Z0-9]{{{length}}})(?![A-Z0-9])")


def _later_code(case: Case) -> str:
    """Another code of the order's series in the text, also one of letters only: `TK-TJYAAE`, and not `TK-BPLHV5`."""
    parts = PART.findall(flat(case.candidate.order.facts.number))
    if len(parts) != 2 or not parts[0].isalpha() or not is_code_part(parts[1]):
        return ""
    own = "".join(parts)
    for found in codes_like(parts[0], len(parts[1])).finditer(case.view.text):
        alone = found.group() == case.view.text.strip()
        is_series = alone or found[1].strip() or any(map(str.isdigit, found[2]))
        code = f"{parts[0]}{found[2]}"
        if is_series and not found[2].isdigit() and not one_error(code, own):
            return code
    return ""


def _is_about_now(view: PostingView, number: str) -> bool:
    """True if the shop's series had not passed the number some days before, and may have reached it by now."""
    alike = [
        (day, _running(text))
        for day, compact in view.newest_orders
        for text in {compact, "".join(filter(str.isdigit, compact))}
        if is_made_like(text, number)
    ]
    if not alike:
        return False
    newest = max(place for _, place in alike)
    last = max([place for day, place in alike if day <= view.booked - SUBMITTED_AFTER], default=min(alike)[1])
    return last < _running(number) <= newest + max(newest - last, _SLACK)


def _running(number: str) -> int:
    return int(number[len(_letters_of(number)) :] or 0)


def is_made_like(text: str, number: str) -> bool:
    """True if both have the same length and letters in the same places: two numbers of one series, perhaps."""
    alike = ((one.isdigit() and other.isdigit()) or one == other for one, other in zip(text, number, strict=False))
    return len(text) == len(number) and all(alike)


def _ahead(text: str, number: str) -> int:
    """By how much the digits at the end count on, of numbers made alike; 0 if the letters before them differ."""
    letters = _letters_of(number)
    return int(text[len(letters) :]) - int(number[len(letters) :]) if text.startswith(letters) else 0


def _letters_of(number: str) -> str:
    return number.rstrip(string.digits)


def _begins_alike(text: str, number: str) -> bool:
    """True if the first half of a number that is long enough is the same."""
    half = (len(number) + 1) // 2 if len(number) < 2 * _MIN_HEAD else len(number) // 2
    return len(number) >= _LONG_SERIES and text[:half] == number[:half]


def _is_cut(text: str, number: str) -> bool:
    """True if it is another number of the series that has lost a digit: `MB-2026-828`, and not `MB-2026-8299`."""
    letters = _letters_of(number)
    is_series = bool(letters) and len(number) - len(letters) >= _LONG_SERIES and text.startswith(letters)
    is_short = len(text) == len(number) - 1 and text[len(letters) :].isdigit()
    return is_series and is_short and not one_error(text, number)


def _is_of_codes(text: str, number: str) -> bool:
    """True if both are as long and begin alike, and end in different codes, not in a code with one error."""
    same = next((at for at, (one, other) in enumerate(zip(text, number, strict=False)) if one != other), len(number))
    if len(text) != len(number) or same < max(_MIN_HEAD, len(number) // 2) or text[:same].isdigit():
        return False
    return not number[same:].isdigit() and not one_error(text, number)
