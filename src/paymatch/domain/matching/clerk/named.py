"""Rules for an order that the posting names."""

from __future__ import annotations

import re
from typing import Final

from paymatch.domain.matching import catalogue as kinds
from paymatch.domain.matching.clerk.case import Case, clerk_rule, is_of_same_customer, is_one_digit_away, is_said
from paymatch.domain.matching.evidence import Candidate
from paymatch.domain.matching.model import OrderState
from paymatch.domain.matching.prepare import KeyKind, PostingView
from paymatch.domain.matching.returns import is_bank_return
from paymatch.domain.matching.several.payouts import unknown_numbers
from paymatch.domain.matching.text.context import FILLERS, Context, context_of
from paymatch.domain.matching.text.names import Likeness, has_surname
from paymatch.domain.matching.text.numbers import Form, is_calendar_date
from paymatch.domain.matching.text.reading import Number, is_inner
from paymatch.domain.matching.text.wording import CASH_WORDS, RemittanceSignals
from paymatch.domain.matching.weigh.amounts import Grade
from paymatch.domain.witnesses import Witness
from paymatch.domain.words.message import Message

CARRIER_NUMBER: Final = 10.0
CASH_NUMBER: Final = 9.0  # five digits, or four behind a word for an order
LONG_NUMBER: Final = 8  # digits of a number that is distinctive anywhere
_WORDS: Final = re.compile("[A-Z]+")
MIN_SIBLING: Final = 5  # digits of a number whose first half shows that another one is of the same series


@clerk_rule(
    "an open order of exactly this amount is the payer's, and the order named is doubtful",
    Witness.BANK,
    "points-elsewhere",
)
def points_elsewhere(case: Case) -> str:
    candidate = case.candidate
    enough = Likeness.CLOSE if candidate.number_weight >= CARRIER_NUMBER else Likeness.PART
    fits = candidate.grade is Grade.EXACT or is_said(case.view, candidate)
    if fits and case.is_open and _agrees_beyond_first_name(case):
        return ""
    for other in case.candidates:
        if other is candidate or other.order.state is not OrderState.OPEN or other.grade is not Grade.EXACT:
            continue
        if not other.named and (other.likeness >= enough or _is_customers_or_relatives(case, other)):
            case.instead = other
            return Message("points-elsewhere", order=other.order.number)
    return ""


def _is_customers_or_relatives(case: Case, other: Candidate) -> bool:
    """True if the order fits better than the one named: the same customer's, or one that has the stranger's surname.

    The order named is not of this amount, or its number is one digit away from the relative's.
    """
    named = case.candidate
    if named.grade is not Grade.EXACT and is_of_same_customer(named, other):
        return True
    doubtful = named.grade is not Grade.EXACT or is_one_digit_away(case, other)
    return doubtful and named.likeness is Likeness.OTHER and has_surname(case.view.payers, other.order.names)


def _agrees_beyond_first_name(case: Case) -> bool:
    found = case.candidate
    return found.likeness > Likeness.SURNAME or (
        found.likeness is Likeness.SURNAME and (found.name_in_text or has_surname(case.view.payers, found.order.names))
    )


@clerk_rule("the text names another order too, for which the money or a part of it may be", Witness.PAYER, "also-names")
def also_names(case: Case) -> str:
    other = _also_open(case) or (_equally_named(case) if case.amount_fits else _other_named(case))
    return "" if other is None else Message("also-names", order=other.order.number)


def _also_open(case: Case) -> Candidate | None:
    """An open one elsewhere in the text, if the amount does not cover this one exactly."""
    if case.candidate.grade is Grade.EXACT:
        return None
    for other in case.candidates:
        if (
            other is not case.candidate
            and other.named
            and other.order.state is OrderState.OPEN
            and other.order.open > 0
            and _stands_apart(case.candidate, other)
        ):
            return other
    return None


def _equally_named(case: Case) -> Candidate | None:
    """Another one that the text names in full, open for exactly this amount, and no less the payer's."""
    mine = case.candidate
    if mine.number is None or mine.form is not Form.FULL:
        return None
    for other in case.candidates:
        its = other.number
        if other is mine or not other.named or its is None or other.form is not Form.FULL:
            continue
        fits = other.grade is Grade.EXACT and other.order.state is OrderState.OPEN
        apart = its.source != mine.number.source or its.start < 0 or _stands_apart(mine, other)
        own = min(other.likeness, Likeness.CLOSE) >= min(mine.likeness, Likeness.CLOSE)
        if fits and apart and own and its.context not in (Context.CUSTOMER, Context.ITEM, Context.OTHER):
            return other
    return None


def _stands_apart(candidate: Candidate, other: Candidate) -> bool:
    mine, its = candidate.number, other.number
    if mine is None or its is None or mine.source != "text" or its.source != "text":
        return False
    return mine.end <= its.start or its.end <= mine.start


def _other_named(case: Case) -> Candidate | None:
    candidate = case.candidate
    for other in case.candidates:
        if (
            other is not candidate
            and other.named
            and other.number is not None
            and candidate.number is not None
            and other.number.start != candidate.number.start
            and other.number_weight >= candidate.number_weight - 2.0
        ):
            return other
    return None


@clerk_rule(
    "another payment may be for it already, and its customer has a second open order of exactly this amount",
    Witness.PERSON,
    "contested-twin",
)
def contested_twin(case: Case) -> str:
    order = case.candidate.order
    waiting = [each.booked for each in order.first_for if each.posting != case.view.id]
    if not order.contested and not waiting:
        return ""
    twins = [
        other.order.facts.order_date
        for other in case.candidates
        if other is not case.candidate
        and other.order.state is OrderState.OPEN
        and other.grade is Grade.EXACT
        and other.likeness >= Likeness.PART
    ]
    # A waiting posting without a number may be for either, unless it came before the other order.
    only_for_it = bool(waiting) and any(ordered > min(waiting) for ordered in twins)
    return Message("contested-twin") if only_for_it or (order.contested and twins) else ""


@clerk_rule(
    "the text calls the number something else, or it reads as a date, and payer and amount do not both agree",
    Witness.PAYER,
    "another-kind-of-number",
)
def other_kind_of_number(case: Case) -> str:
    number = case.candidate.number
    others = (Context.OTHER, Context.CUSTOMER, Context.ITEM)
    doubtful = number is not None and (number.context in others or _is_date(case.view, number))
    return Message("another-kind-of-number") if doubtful and not (case.payer_known and case.amount_fits) else ""


def _is_date(view: PostingView, number: Number) -> bool:
    """True if eight digits read as a date, and the word before them does not announce an order or invoice."""
    if number.context is not Context.DATE or not is_calendar_date(number.compact, view.booked):
        return False
    words = [word for word in _WORDS.findall(view.text[: number.start]) if word not in FILLERS]
    return not words or context_of(words[-1]) not in (Context.ORDER, Context.INVOICE)


@clerk_rule("the bank returns a payment, and nothing was paid out for the order", Witness.BANK, "return-of-nothing")
def returns_nothing(case: Case) -> str:
    returns = is_bank_return(case.view.posting) and case.candidate.order.open <= 0
    return Message("return-of-nothing") if returns else ""


@clerk_rule("the order awaits no money, and the amount is not its total", Witness.BANK, "named-paid-not-total")
def paid_and_not_total(case: Case) -> str:
    return "" if case.candidate.grade is Grade.EXACT else Message("named-paid-not-total")


@clerk_rule("the order awaits no money, and the payer is someone else", Witness.PERSON, "named-paid-other-payer")
def paid_by_another(case: Case) -> str:
    return "" if case.payer_known else Message("named-paid-other-payer")


@clerk_rule(
    "what a payer kept is not known of it",
    Witness.PERSON,
    "kept-other-stated",
    "kept-unlike-before",
    "kept-confirm",
    "kept-other-kind",
)
def kept_in_doubt(case: Case) -> str:
    doubtful = case.candidate.fit.kind is kinds.AMOUNT_KEPT_IN_DOUBT
    return case.candidate.fit.reason.words if doubtful else ""


@clerk_rule("a payer of many customers' money, and the number is short", Witness.PAYER, "collective-short-number")
def short_number_of_carrier(case: Case) -> str:
    return Message("collective-short-number") if case.candidate.number_weight < CARRIER_NUMBER else ""


@clerk_rule("a number beside it is not an order of the shop", Witness.MERCHANT, "unknown-order")
def names_unknown(case: Case) -> str:
    unknown = unknown_numbers(case.view, (case.candidate,))
    return Message("unknown-order", number=unknown[0]) if unknown else ""


@clerk_rule("text or payer speak of something other than a payment", Witness.PAYER, "no-payment")
def no_payment(case: Case) -> str:
    return Message("no-payment") if case.is_no_payment else ""


@clerk_rule(
    "neither payer nor amount agrees, nor is it an instalment by its words and its amount for a long and whole number",
    Witness.BANK,
    "nothing-matches-named",
)
def nothing_matches(case: Case) -> str:
    agrees = case.payer_known or case.amount_fits or _is_said_of_whole_number(case)
    return "" if agrees else Message("nothing-matches-named")


def _is_said_of_whole_number(case: Case) -> bool:
    """True if the text says why an even part is paid (`MB-2026-8476 2. Rate`), and no one mistypes such a number."""
    found = case.candidate
    whole = found.form is Form.FULL and found.kind <= KeyKind.PROFORMA and found.number_weight >= CARRIER_NUMBER
    return whole and is_said(case.view, found)


@clerk_rule(
    "text or payer speak of something other than a payment, and the payer, or amount and name, do not agree",
    Witness.PAYER,
    "no-payment",
)
def doubtful_and_no_payment(case: Case) -> str:
    agrees = case.payer_known and (case.amount_fits or case.candidate.likeness >= Likeness.CLOSE)
    return Message("no-payment") if case.is_no_payment and not agrees and not _is_cash_for_it(case) else ""


@clerk_rule(
    "it is younger than the payment, the payer is someone else, and the number is short", Witness.BANK, "named-younger"
)
def younger_than_payment(case: Case) -> str:
    found = case.candidate
    is_younger = found.order.facts.order_date > case.view.booked and found.number_weight < CARRIER_NUMBER
    return Message("named-younger") if is_younger and not case.payer_known else ""


def _is_cash_for_it(case: Case) -> bool:
    """True if money was paid in at a desk for this order: its whole number, exactly its amount, and no other payer."""
    view, found = case.view, case.candidate
    whole = found.form is Form.FULL and found.kind <= KeyKind.PROFORMA and found.number_weight >= CASH_NUMBER
    no_one = not view.payers or all(CASH_WORDS.issuperset(payer.words) for payer in view.payers)
    other_words = RemittanceSignals(view.words - CASH_WORDS)
    return whole and no_one and found.grade is Grade.EXACT and not other_words.contradicts_payment


@clerk_rule(
    "a relative's open order of exactly this amount, whose first name is in the text (`B-17 Mia`)",
    Witness.PAYER,
    "relative",
)
def relative_meant(case: Case) -> str:
    if case.candidate.likeness is not Likeness.SURNAME or case.candidate.name_in_text:
        return ""
    for other in case.candidates:
        is_open = other is not case.candidate and other.order.state is OrderState.OPEN
        if is_open and other.name_in_text and other.grade is Grade.EXACT:
            return Message("relative", order=other.order.number)
    return ""


@clerk_rule(
    "a relative's or namesake's order, and the payer's own open order is of exactly this amount",
    Witness.BANK,
    "payers-own",
)
def payers_own(case: Case) -> str:
    if case.candidate.likeness is not Likeness.SURNAME or case.candidate.name_in_text:
        return ""
    for other in case.candidates:
        is_open = other is not case.candidate and other.order.state is OrderState.OPEN
        if is_open and not other.named and other.likeness >= Likeness.VARIANT and other.grade is Grade.EXACT:
            return Message("payers-own", order=other.order.number)
    return ""


@clerk_rule(
    "a stranger pays, and the number is a part of that payer's name (`Baeckerei Lutz 8501`)",
    Witness.PAYER,
    "number-of-name",
)
def number_of_name(case: Case) -> str:
    number = case.candidate.number
    if case.payer_known or number is None:
        return ""
    in_name = any(each.source == "name" and each.compact == number.compact for each in case.view.numbers)
    return Message("number-of-name") if in_name else ""


@clerk_rule("a stranger pays, and the number is a part of a longer one", Witness.PAYER, "number-of-longer")
def number_of_longer(case: Case) -> str:
    number = case.candidate.number
    if case.payer_known or number is None:
        return ""
    return Message("number-of-longer") if number.digits < LONG_NUMBER and is_inner(case.view.text, number) else ""


@clerk_rule(
    "a stranger pays, and the number is a part of another open order's whole number",
    Witness.PAYER,
    "names-order",
)
def number_of_other(case: Case) -> str:
    number = case.candidate.number
    if case.payer_known or number is None or number.source != "text":
        return ""
    for other in case.candidates:
        its = other.number
        if other is case.candidate or its is None or its.source != "text" or other.order.state is not OrderState.OPEN:
            continue
        around = its.start <= number.start and number.end <= its.end and len(its.compact) > len(number.compact)
        if around and other.named and other.form is Form.FULL and other.kind <= KeyKind.ORDER:
            return Message("names-order", order=other.order.number)
    return ""


@clerk_rule("the amount is far more than what is open", Witness.BANK, "far-too-much")
def far_too_much(case: Case) -> str:
    return Message("far-too-much") if case.candidate.fit.kind is kinds.AMOUNT_FAR_OVER else ""


@clerk_rule(
    "the amount is more than what is open, and what else this customer has open is not found by the payer's name",
    Witness.BANK,
    "too-much-unknown-name",
)
def too_much_of_stranger(case: Case) -> str:
    over = case.candidate.fit.kind in (kinds.AMOUNT_OVER, kinds.AMOUNT_DOUBLE)
    unseen = case.crowded or case.candidate.likeness < Likeness.VARIANT
    return Message("too-much-unknown-name") if over and unseen else ""


@clerk_rule(
    "the amount is more than what is open, and another open order explains the rest", Witness.BANK, "excess-for-other"
)
def excess_for_other(case: Case) -> str:
    if not _is_more(case):
        return ""
    excess = case.view.amount - case.candidate.order.open
    for other in case.candidates:
        if other is case.candidate or other.order.state is not OrderState.OPEN or other.order.open <= 0:
            continue
        if other.completed or (other.order.open == excess and other.likeness >= Likeness.PART):
            return Message("excess-for-other", order=other.order.number)
    return ""


@clerk_rule(
    "the amount is more than what is open, and a number beside it may be another order's",
    Witness.MERCHANT,
    "also-names",
    "may-be-unknown-order",
)
def excess_for_unknown(case: Case) -> str:
    unknown = _unknown_beside(case) if _is_more(case) else ""
    if not unknown:
        return ""
    owner = case.owner_of(unknown)
    return Message("also-names", order=owner) if owner else Message("may-be-unknown-order", number=unknown)


@clerk_rule(
    "the amount is more than what is open, and the excess covers another open order of the payer",
    Witness.BANK,
    "excess-for-other",
)
def excess_for_further(case: Case) -> str:
    found = case.candidate
    if found.fit.kind not in (kinds.AMOUNT_OVER, kinds.AMOUNT_DOUBLE):
        return ""
    for other in case.candidates:
        is_own = other is not found and other.likeness >= Likeness.PART
        is_open = other.order.state is OrderState.OPEN
        is_covered = 0 < other.order.open <= case.view.amount - found.order.open
        if is_open and is_own and is_covered and other.order.facts.currency == found.order.facts.currency:
            return Message("excess-for-other", order=other.order.number)
    return ""


@clerk_rule(
    "the amount is a part of what is open, and a number beside it is made like the order's own",
    Witness.MERCHANT,
    "may-be-unknown-order",
)
def part_for_unknown(case: Case) -> str:
    if case.amount_fits or _is_more(case):
        return ""
    number = case.candidate.number
    if number is None or number.source != "text":
        return ""
    alike = [each.compact for each in case.view.numbers if _is_sibling(each, number)]
    return Message("may-be-unknown-order", number=alike[0]) if alike else ""


def _is_sibling(other: Number, number: Number) -> bool:
    """True if it is a separate word, with the letters and the first half of the digits of the number."""
    read_whole = other.source == "text" and not (other.joined or other.completed)
    apart = read_whole and (other.end <= number.start or number.end <= other.start)
    one, own = other.compact, number.compact
    if not apart or one == own or len(one) != len(own) or number.digits < MIN_SIBLING:
        return False
    half = len(own) - number.digits // 2
    return one[:half] == own[:half] and one[half:].isdigit() and own[half:].isdigit()


def _is_more(case: Case) -> bool:
    kind = case.candidate.fit.kind
    swapped = kind is kinds.AMOUNT_SWAPPED and case.view.amount > case.candidate.order.open
    return swapped or kind in (kinds.AMOUNT_TOTAL_AGAIN, kinds.AMOUNT_OVER, kinds.AMOUNT_DOUBLE)


def _unknown_beside(case: Case) -> str:
    """A number of the text, in its fullest reading, that is as long as the order's own but not one of its numbers."""
    number = case.candidate.number
    if number is None or number.source != "text":
        return ""
    others = [
        each
        for each in case.view.numbers
        if each.source == "text"
        and (each.end <= number.start or each.start >= number.end)
        and each.digits
        and abs(each.digits - number.digits) <= 1
        and not each.joined
        and each.context not in (Context.DATE, Context.OTHER, Context.CUSTOMER)
    ]
    return max((each.compact for each in others if each.end == others[0].end), key=len, default="")
