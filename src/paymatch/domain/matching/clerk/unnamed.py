"""Rules for an order that the posting does not name."""

from __future__ import annotations

import string
from itertools import combinations
from typing import Final

from paymatch.domain.matching.catalogue import IBAN_KNOWN
from paymatch.domain.matching.clerk.case import (
    MIN_STRANGE,
    Case,
    clerk_rule,
    is_one_digit_away,
    is_said,
    is_typo_of_own,
)
from paymatch.domain.matching.clerk.later import is_made_like
from paymatch.domain.matching.evidence import Candidate
from paymatch.domain.matching.families.number_finder import is_announced
from paymatch.domain.matching.model import OrderFacts, OrderState, PaidCustomer
from paymatch.domain.matching.prepare import KeyKind, PostingView
from paymatch.domain.matching.text.context import Context, context_of
from paymatch.domain.matching.text.names import (
    Likeness,
    all_words,
    best_likeness,
    has_surname,
    identifying_words,
    parse_name,
    surnames_of,
)
from paymatch.domain.matching.text.normalise import canonical, flat
from paymatch.domain.matching.text.numbers import DATES, MIN_DIGITS, Form
from paymatch.domain.matching.text.payers import is_chosen_name
from paymatch.domain.matching.text.reading import Number
from paymatch.domain.matching.weigh.amounts import Grade
from paymatch.domain.witnesses import Witness
from paymatch.domain.words.message import Message

_MOST_NAMED: Final = 8
_MOST_TOGETHER: Final = 4
_PURCHASE: Final = (Context.ORDER, Context.INVOICE, Context.CUSTOMER, Context.ITEM, Context.PARCEL)
_FIRMS: Final = frozenset(("EURL", "FIRMA", "GMBH", "OHG", "SARL", "UG"))
_OF_WORDS: Final = string.digits + string.ascii_uppercase


@clerk_rule("it was cancelled", Witness.PAYER, "cancelled-unnamed")
def cancelled(case: Case) -> str:
    return Message("cancelled-unnamed") if case.candidate.order.state is OrderState.CLOSED else ""


@clerk_rule("the amount is not exactly what is open", Witness.BANK, "unnamed-not-exact")
def not_exact(case: Case) -> str:
    return "" if case.candidate.grade is Grade.EXACT else Message("unnamed-not-exact")


@clerk_rule("it is paid already", Witness.PAYER, "unnamed-paid")
def paid_already(case: Case) -> str:
    return "" if case.is_open else Message("unnamed-paid")


@clerk_rule("the text is about something other than a purchase", Witness.PAYER, "no-purchase")
def no_purchase(case: Case) -> str:
    return Message("no-purchase") if case.view.signals.no_purchase else ""


@clerk_rule("it is younger than the payment", Witness.PAYER, "unnamed-younger")
def younger(case: Case) -> str:
    return Message("unnamed-younger") if case.candidate.order.facts.order_date > case.view.booked else ""


@clerk_rule(
    "text or payer speak of something other than a payment, and the payer's own name does not agree",
    Witness.PAYER,
    "unnamed-no-purchase",
)
def no_payment(case: Case) -> str:
    by_other = case.candidate.name_in_text or case.candidate.likeness < Likeness.PART
    return Message("unnamed-no-purchase") if case.is_no_payment and by_other else ""


@clerk_rule(
    "the payer is called like an office, an insurer, a bank or a desk, as any customer may call himself, and the text"
    " speaks of no purchase (D-80)",
    Witness.CUSTOMER,
    "unnamed-chosen-name",
)
def office_name(case: Case) -> str:
    if case.candidate.customer_weight > 0 or any(context_of(word) in _PURCHASE for word in case.view.words):
        return ""
    return Message("unnamed-chosen-name") if any(map(is_chosen_name, case.view.payers)) else ""


@clerk_rule("it is one of very many that only the amount found", Witness.PAYER, "unnamed-crowd")
def crowded(case: Case) -> str:
    return Message("unnamed-crowd") if case.candidate.sampled else ""


@clerk_rule(
    "the name is not the customer's, nor is there a customer number, or an order number with a typo",
    Witness.PAYER,
    "unnamed-other-name",
)
def other_name(case: Case) -> str:
    candidate = case.candidate
    by_damaged = candidate.damaged and candidate.likeness >= Likeness.PART
    if _is_by_customer(case, candidate) or by_damaged:
        return ""
    stranger = candidate.likeness < Likeness.CLOSE or _agrees_in_initials(case)
    return Message("unnamed-other-name") if stranger else ""


@clerk_rule(
    "only a name or user name in the text points to it, and the payer's own order or another number does elsewhere",
    Witness.PAYER,
    "fits-as-well",
)
def chosen_name(case: Case) -> str:
    found = case.candidate
    chosen = found.name_in_text or found.user_name
    if not chosen or found.own_likeness >= Likeness.SURNAME:
        return ""
    for other in case.candidates:
        if other is found or other.order.state is not OrderState.OPEN or other.grade is not Grade.EXACT:
            continue
        if _is_payers_own(case, other) or is_one_digit_away(case, other):
            return Message("fits-as-well", order=other.order.number)
    return ""


def _is_payers_own(case: Case, other: Candidate) -> bool:
    """True if the order has the payer's own name, surname or account; a first name alone does not count."""
    if other.own_likeness is Likeness.SURNAME:
        return has_surname(case.view.payers, other.order.names)
    return other.own_likeness > Likeness.SURNAME or any(reason.kind is IBAN_KNOWN for reason in other.reasons)


def _is_by_customer(case: Case, candidate: Candidate) -> bool:
    """True if a number of the customer identifies the payer; against another name it has to be a long one.

    So it has to be where a payment service pays, whose texts have numbers of its own (`PP.81595.PP`).
    """
    enough = 5.0 if candidate.likeness is not Likeness.OTHER and not case.view.collective else 10.0
    return candidate.user_name or candidate.customer_weight >= enough


def _agrees_in_initials(case: Case) -> bool:
    """True if only initials agree: `M.J M Vererwinkel` is not Jürgen Müller."""
    close = case.candidate.likeness is Likeness.CLOSE and not case.candidate.name_in_text
    return close and not has_surname(case.view.payers, case.candidate.order.names)


@clerk_rule(
    "the name is not clearly the customer's, and a number in the text is unknown here: a supplier's, perhaps",
    Witness.PAYER,
    "unknown-document",
)
def unknown_document(case: Case) -> str:
    candidate = case.candidate
    if candidate.user_name or candidate.damaged:
        return ""
    by_number = candidate.likeness is Likeness.OTHER and _is_by_customer(case, candidate)
    forms = candidate.order.full_forms() if candidate.likeness < Likeness.VARIANT else []
    for each in case.view.numbers:
        announced = each.context in (Context.ORDER, Context.INVOICE)
        suspect = announced and (by_number or any(is_made_like(each.compact, form) for form in forms))
        if suspect and each.source == "text" and candidate.order.find(each.compact) is None:
            return Message("unknown-document", number=each.compact)
    return ""


@clerk_rule(
    "an unknown document number is beside a customer number or a firm's name that is not the order's",
    Witness.PAYER,
    "another-shop",
)
def another_shop(case: Case) -> str:
    candidate = case.candidate
    facts = candidate.order.facts
    if candidate.damaged or candidate.customer_weight:
        return ""
    given = {Context.ORDER} | ({Context.INVOICE} if facts.invoice_numbers else set())
    strange = [each for each in case.view.numbers if _is_strange(case, each)]
    document = next((each.compact for each in strange if each.context in given), "")
    customer = facts.customer_number and any(each.context is Context.CUSTOMER for each in strange)
    names = (*case.view.payers, *candidate.order.names)
    firm = not any(name.company for name in names) and not _FIRMS.isdisjoint(case.view.words)
    return Message("another-shop", number=document) if document and (customer or firm) else ""


def _is_strange(case: Case, number: Number) -> bool:
    """True if a number of the text, too long to be an error in a short one, belongs to no one here."""
    read_whole = number.source == "text" and not (number.joined or number.completed)
    return read_whole and number.digits >= MIN_STRANGE and not case.is_known(number.compact)


@clerk_rule(
    "the payer's account has paid for another customer of this name, and never for this one (D-149)",
    Witness.BANK,
    "account-of-namesake",
)
def account_of_namesake(case: Case) -> str:
    candidate = case.candidate
    paid = case.view.paid_customers
    if candidate.customer_weight > 0 or any(_is_of(each, candidate.order.facts) for each in paid):
        return ""
    names = [parse_name(name) for each in paid for name in each.names]
    is_namesake = best_likeness(names, candidate.order.names) >= Likeness.VARIANT
    return Message("account-of-namesake") if is_namesake else ""


def _is_of(paid: PaidCustomer, order: OrderFacts) -> bool:
    """True if the order is this customer's: the number, the e-mail address or the postcode is the same."""
    if paid.number and paid.number == order.customer_number:
        return True
    if paid.email and paid.email.casefold() == order.email.casefold():
        return True
    return bool(paid.post_code) and paid.post_code == order.post_code


@clerk_rule("the text names other customers, whose open orders add up to the amount", Witness.PAYER, "fits-as-well")
def others_add_up(case: Case) -> str:
    others = [
        each
        for each in case.candidates
        if each.name_in_text
        and each is not case.candidate
        and each.order.state is OrderState.OPEN
        and each.order.facts.currency == case.view.currency
        and 0 < each.order.open < case.view.amount
    ][:_MOST_NAMED]
    for size in range(2, min(len(others), _MOST_TOGETHER) + 1):
        for chosen in combinations(others, size):
            adds_up = sum(each.order.open for each in chosen) == case.view.amount
            if adds_up and not (case.candidate.name_in_text and all(_is_same(case, each) for each in chosen)):
                return Message("fits-as-well", order=chosen[0].order.number)
    return ""


def _is_same(case: Case, other: Candidate) -> bool:
    """True if both orders have the same name: other orders of the one person that the text names."""
    return {name.bag for name in case.candidate.order.names} == {name.bag for name in other.order.names}


@clerk_rule(
    "another order could be meant as well",
    Witness.PAYER,
    "names-order",
    "has-number",
    "may-have-number",
    "fits-as-well",
)
def fits_as_well(case: Case) -> str:
    for other in case.candidates:
        if other is case.candidate or other.order.facts.order_date > case.view.booked:
            continue
        own = other.number is not None and (_is_customers(case, other.number) or is_typo_of_own(case, other))
        why = "" if own else _claims_text(case, other)
        if not why and _competes(case, other):
            why = Message("fits-as-well", order=other.order.number)
        if why:
            return why
    return ""


def _is_relative_in_text(view: PostingView, other: Candidate) -> bool:
    """True if the text has what the payer's name lacks of the order's: however common the first name is here."""
    own = {word for payer in view.payers for word in all_words(payer)}
    words = {canonical(word) for word in view.words}
    names = [name for name in other.order.names if not name.company and has_surname(view.payers, (name,))]
    lacking = [[each for each in identifying_words(name) if own.isdisjoint(each)] for name in names]
    return any(each and all(not words.isdisjoint(options) for options in each) for each in lacking)


def _claims_text(case: Case, other: Candidate) -> str:
    """How an order claims a number in the text, or to be named there; a message."""
    why = _claims_number(case, other)
    its = other.likeness >= Likeness.SURNAME or _is_for_amount(case, other)
    if not why and its and _is_written(case.view, other) and not _is_written(case.view, case.candidate):
        return Message("names-order", order=other.order.number)
    return why


def _is_written(view: PostingView, candidate: Candidate) -> bool:
    """True if the order's number is a separate word of the text, however short and unannounced it is (`7`)."""
    number = flat(candidate.order.number)
    at = view.text.find(number) if number else -1
    while at >= 0:
        neighbours = (view.text[max(at - 1, 0) : at], view.text[at + len(number) : at + len(number) + 1])
        if not any(each and each in _OF_WORDS for each in neighbours) and not _is_in_date(view.text, at):
            return True
        at = view.text.find(number, at + 1)
    return False


def _is_for_amount(case: Case, other: Candidate) -> bool:
    """True if the number is this order's only, of no other kind, and the order is open for exactly this amount."""
    number = other.number
    if number is None or number.context not in (Context.NONE, Context.ORDER, Context.INVOICE):
        return False
    own = case.candidate.number
    apart = own is None or own.end <= number.start or number.end <= own.start
    fits = other.grade is Grade.EXACT and other.order.state is OrderState.OPEN
    return fits and apart and case.candidate.order.find(number.compact) is None


def _is_in_date(text: str, place: int) -> bool:
    """True if a date or a time of day is at this place of the text."""
    return any(match.start() <= place < match.end() for match in DATES.finditer(text))


def _claims_number(case: Case, other: Candidate) -> str:
    """How an order claims the number in the text; a message."""
    number, order = other.number, other.order.number
    if other.named and other.grade >= Grade.PART:
        return Message("names-order", order=order)
    if other.named and number is not None and not number.joined:
        return Message("has-number", order=order)
    its = other.likeness >= Likeness.SURNAME or _is_announced_as(case, other)
    if number is not None and its and not other.damaged and not other.completed:
        return Message("may-have-number", order=order)
    return ""


def _is_customers(case: Case, number: Number) -> bool:
    """True if the text calls the number a customer's, and it is the customer number of the order."""
    known = case.candidate.order.find(number.compact) if number.context is Context.CUSTOMER else None
    return known is not None and known[0] is KeyKind.CUSTOMER


def _is_announced_as(case: Case, other: Candidate) -> bool:
    """True if a number of one or two digits, which alone counts little, is said to be only this order's."""
    number = other.number
    if number is None or number.digits >= MIN_DIGITS or not is_announced(number):
        return False
    return (
        other.form is Form.FULL and other.kind <= KeyKind.PROFORMA and case.candidate.order.find(number.compact) is None
    )


def _competes(case: Case, other: Candidate) -> bool:
    """True if `other`, also unnamed, is equally the payer's and its amount fits exactly or as the text says."""
    candidate = case.candidate
    if other.order.state is not OrderState.OPEN:
        return False
    if other.grade is not Grade.EXACT and (candidate.order.paid > 0 or not is_said(case.view, other)):
        return False
    if candidate.name_in_text and not other.name_in_text and other.likeness is Likeness.SURNAME:
        return False  # the text has the first name of the one (`Klassenfahrt Mia`), and of the other the surname only
    if (candidate.damaged and not other.damaged) or (candidate.customer_weight and not other.customer_weight):
        return False
    by_number = other.grade is Grade.EXACT and _is_by_customer(case, other) and not candidate.customer_weight
    if by_number or _is_errors_relative(case, other):
        return True
    if candidate.dated and not other.dated:
        return False
    if other.name_in_text or (other.dated and not candidate.dated and other.likeness >= Likeness.SURNAME):
        return True
    enough = Likeness.SURNAME if candidate.likeness <= Likeness.CLOSE else candidate.likeness
    return other.likeness >= enough or _is_perhaps_for_relative(case, other)


def _is_errors_relative(case: Case, other: Candidate) -> bool:
    """True if the text has one error of a relative's number, and none of the payer's own."""
    relative = other.grade is Grade.EXACT and has_surname(case.view.payers, other.order.names)
    return relative and is_one_digit_away(case, other) and not is_one_digit_away(case, case.candidate)


def _is_perhaps_for_relative(case: Case, other: Candidate) -> bool:
    """True for a relative's order if the text names the relative, or the payer is not the candidate's own customer."""
    view, candidate = case.view, case.candidate
    if candidate.further_name and (has_surname(view.payers, other.order.names) or _is_surname_in_text(view, other)):
        return True
    return not candidate.name_in_text and _is_relative_in_text(view, other)


def _is_surname_in_text(view: PostingView, other: Candidate) -> bool:
    """True if a bank that names no payer has the surname of the order's customer in the text."""
    words = {canonical(word) for word in view.words}
    persons = [name for name in other.order.names if not name.company]
    return not view.payers and any(not words.isdisjoint(surnames_of(name)) for name in persons)
