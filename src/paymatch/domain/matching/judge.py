"""The clerk's rules: when the likeliest explanation of a posting may be taken without asking a person."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from typing import Final

from paymatch.domain.matching import catalogue as kinds
from paymatch.domain.matching.evidence import Candidate
from paymatch.domain.matching.model import OrderState
from paymatch.domain.matching.prepare import PostingView
from paymatch.domain.matching.returns import is_bank_return
from paymatch.domain.matching.several.hypothesis import Hypothesis
from paymatch.domain.matching.several.payouts import unknown_numbers
from paymatch.domain.matching.text.context import Context
from paymatch.domain.matching.text.names import Likeness, has_surname
from paymatch.domain.matching.text.normalise import flat
from paymatch.domain.matching.text.reading import Number, is_inner
from paymatch.domain.matching.weigh.amounts import Grade
from paymatch.domain.matching.weigh.exchange import no_rate
from paymatch.domain.words.said import Said

CARRIER_NUMBER: Final = 10.0
LONG_NUMBER: Final = 8  # digits of a number that is its own wherever it stands
_RUNNING: Final = 3  # last digits in which the orders of some days differ
_OF_WORDS: Final = string.digits + string.ascii_uppercase


KnownNumbers = Mapping[str, Sequence[str]]
"""Numbers of the posting that are orders' numbers here, with these orders."""


def review_reason(
    view: PostingView, best: Hypothesis, candidates: Sequence[Candidate], known: KnownNumbers
) -> tuple[str, Candidate | None]:
    """Why `best` is left to a person, in words, and the order that speaks against it; empty if it may be taken."""
    lapsed = next((each.order.number for each, _ in best.parts if each.order.facts.lapsed), "")
    if lapsed:
        return Said("lapsed-order", order=lapsed), None
    if best.code == "sum":
        return Said("sum-fits-unnamed"), None
    if best.code == "multi":
        return _multi(view, best, candidates), None
    candidate = best.parts[0][0]
    why = _exchange(view, candidate)
    if why:
        return why, None
    if candidate.order.state is OrderState.CLOSED and not candidate.named:
        return Said("cancelled-unnamed"), None
    if not candidate.named:
        return _unnamed(view, candidate, candidates, known), None
    rival = _rival(view, candidate, candidates)
    if rival is not None:
        return Said("points-elsewhere", order=rival.order.number), rival
    return _named(view, candidate, candidates, known), None


def _exchange(view: PostingView, candidate: Candidate) -> str:
    """Why an order in another currency is left to a person, in words: no rate, or one that the bank alone knows."""
    order = candidate.order.facts
    if order.currency == view.currency:
        return ""
    if not candidate.rate_known:
        return Said("no-rate-advice", why=no_rate(view.currency, order.currency))
    if not order.exchange_rate and candidate.grade is not Grade.EXACT:
        return Said("instructed-not-open", currency=order.currency)
    return ""


def _multi(view: PostingView, best: Hypothesis, candidates: Sequence[Candidate]) -> str:
    if not best.certain:
        return best.doubt or Said("several-do-not-add-up")
    for candidate, share in best.parts:
        if candidate.likeness <= Likeness.OTHER and _is_swappable(candidate, share, best, candidates):
            return Said("swappable", order=candidate.order.number)
    parts = [candidate for candidate, _ in best.parts]
    likeness = max(candidate.likeness for candidate in parts)
    passed_on = view.collective or best.is_payout
    if likeness < Likeness.SURNAME and len({c.order.customer for c in parts}) > 1 and not passed_on:
        return Said("different-customers")
    return ""


def _is_swappable(candidate: Candidate, share: int, best: Hypothesis, candidates: Sequence[Candidate]) -> bool:
    """True if an order of the payer's own, open for the same amount, may be meant in place of this part."""
    taken = best.orders
    return any(
        other.order.number not in taken
        and other.order.state is OrderState.OPEN
        and other.order.open == share
        and other.likeness >= Likeness.CLOSE
        for other in candidates
    )


def _named(view: PostingView, candidate: Candidate, candidates: Sequence[Candidate], numbers: KnownNumbers) -> str:
    known = candidate.likeness >= Likeness.SURNAME or candidate.name_in_text or candidate.customer_weight > 0
    exact = candidate.grade >= Grade.NEAR
    other = _also_open(candidate, candidates) or (None if exact else _other_named(candidate, candidates))
    if other is not None:
        return Said("also-names", order=other.order.number)
    if candidate.order.contested and _has_twin(candidate, candidates):
        return Said("contested-twin")
    number = candidate.number
    if (
        number is not None
        and number.context in (Context.OTHER, Context.CUSTOMER, Context.ITEM)
        and not (known and exact)
    ):
        return Said("another-kind-of-number")
    if candidate.order.state is not OrderState.OPEN:
        return _named_settled(view, candidate, known)
    if candidate.fit.kind in (kinds.AMOUNT_KEPT, kinds.AMOUNT_KEPT_IN_DOUBT):
        return _kept(view, candidate)
    if not known and not exact:
        return Said("nothing-matches-named")
    if _contradicts_payment(view) and (not known or (not exact and candidate.likeness < Likeness.CLOSE)):
        return Said("no-payment")
    why = _relative_meant(candidate, candidates) if known else _foreign_number(view, number)
    return why or _too_much(view, candidate, candidates, numbers)


def _kept(view: PostingView, candidate: Candidate) -> str:
    """Why what a payer kept of a single order's money has to be confirmed, in words."""
    if candidate.fit.kind is kinds.AMOUNT_KEPT_IN_DOUBT:
        return candidate.fit.reason.words
    if candidate.number_weight < CARRIER_NUMBER:
        return Said("collective-short-number")
    unknown = unknown_numbers(view, (candidate,))
    if unknown:
        return Said("unknown-order", number=unknown[0])
    return Said("no-payment") if _contradicts_payment(view) else ""


def _also_open(candidate: Candidate, candidates: Sequence[Candidate]) -> Candidate | None:
    """Another open order that the text names, where the amount covers this one not exactly: it is for both, perhaps."""
    if candidate.grade is Grade.EXACT:
        return None
    for other in candidates:
        if (
            other is not candidate
            and other.named
            and other.order.state is OrderState.OPEN
            and other.order.open > 0
            and _stands_apart(candidate, other)
        ):
            return other
    return None


def _stands_apart(candidate: Candidate, other: Candidate) -> bool:
    """True if the two orders are named by numbers in different places of the text."""
    mine, its = candidate.number, other.number
    if mine is None or its is None or mine.source != "text" or its.source != "text":
        return False
    return mine.end <= its.start or its.end <= mine.start


def _relative_meant(candidate: Candidate, candidates: Sequence[Candidate]) -> str:
    """The order of a relative whose first name is in the text beside the number (`B-17 Mia`), in words."""
    if candidate.likeness is not Likeness.SURNAME or candidate.name_in_text:
        return ""
    for other in candidates:
        is_open = other is not candidate and other.order.state is OrderState.OPEN
        if is_open and other.name_in_text and other.grade is Grade.EXACT:
            return Said("relative", order=other.order.number)
    return ""


def _foreign_number(view: PostingView, number: Number | None) -> str:
    """Why the number that a third party gives may be no order's, in words."""
    if number is None:
        return ""
    if _is_of_payers_name(view, number):
        return Said("number-of-name")
    if number.digits < LONG_NUMBER and is_inner(view.text, number):
        return Said("number-of-longer")
    return ""


def _contradicts_payment(view: PostingView) -> bool:
    """True if text or payer speak of something other than a payment; a carrier's payout is one."""
    return view.signals.contradicts_payment and not (view.collective and view.signals.payout)


def _is_of_payers_name(view: PostingView, number: Number) -> bool:
    """True if the payer's name holds the number: a branch has one (`Baeckerei Lutz 8501`)."""
    return any(each.source == "name" and each.compact == number.compact for each in view.numbers)


def _has_twin(candidate: Candidate, candidates: Sequence[Candidate]) -> bool:
    """True if the customer has another open order of exactly this amount."""
    return any(
        other is not candidate
        and other.order.state is OrderState.OPEN
        and other.grade is Grade.EXACT
        and other.likeness >= Likeness.PART
        for other in candidates
    )


def _too_much(view: PostingView, candidate: Candidate, candidates: Sequence[Candidate], numbers: KnownNumbers) -> str:
    kind = candidate.fit.kind
    if kind is kinds.AMOUNT_FAR_OVER:
        return Said("far-too-much")
    if kind is kinds.AMOUNT_TOTAL_AGAIN or (kind is kinds.AMOUNT_SWAPPED and view.amount > candidate.order.open):
        return _more_meant(view, candidate, candidates, numbers)
    if kind in (kinds.AMOUNT_OVER, kinds.AMOUNT_DOUBLE):
        if candidate.likeness < Likeness.VARIANT:
            return Said("too-much-unknown-name")
        return _more_meant(view, candidate, candidates, numbers)
    return ""


def _more_meant(view: PostingView, candidate: Candidate, candidates: Sequence[Candidate], numbers: KnownNumbers) -> str:
    """Why an amount that is too large may be meant for more than the order named, in words."""
    excess = view.amount - candidate.order.open
    for other in candidates:
        if other is candidate or other.order.state is not OrderState.OPEN or other.order.open <= 0:
            continue
        if other.completed or (other.order.open == excess and other.likeness >= Likeness.PART):
            return Said("excess-for-other", order=other.order.number)
    unknown = _unknown_beside(view, candidate)
    if not unknown:
        return ""
    owner = _owner(unknown, candidate, numbers)
    return Said("also-names", order=owner) if owner else Said("may-be-unknown-order", number=unknown)


def _unknown_beside(view: PostingView, candidate: Candidate) -> str:
    """A number of the text that is as long as the order's own and none of its, in its most complete reading."""
    number = candidate.number
    if number is None or number.source != "text":
        return ""
    others = [
        each
        for each in view.numbers
        if each.source == "text"
        and (each.end <= number.start or each.start >= number.end)
        and each.digits
        and abs(each.digits - number.digits) <= 1
        and not each.joined
        and each.context not in (Context.DATE, Context.OTHER, Context.CUSTOMER)
    ]
    return max((each.compact for each in others if each.end == others[0].end), key=len, default="")


def _named_settled(view: PostingView, candidate: Candidate, known: bool) -> str:
    if is_bank_return(view.posting) and candidate.order.open <= 0:
        return Said("return-of-nothing")
    if candidate.grade is not Grade.EXACT:
        return Said("named-paid-not-total")
    return "" if known else Said("named-paid-other-payer")


def _rival(view: PostingView, candidate: Candidate, candidates: Sequence[Candidate]) -> Candidate | None:
    """An open order of exactly this amount whose customer has the payer's name, where the order named does not fit."""
    for other in candidates:
        if other is candidate or other.order.state is not OrderState.OPEN or other.grade is not Grade.EXACT:
            continue
        if other.named or other.likeness < (
            Likeness.CLOSE if candidate.number_weight >= CARRIER_NUMBER else Likeness.PART
        ):
            continue
        fits = candidate.grade is Grade.EXACT or _is_said(view, candidate)
        doubtful = not fits or not _agrees_beyond_first_name(view, candidate)
        if doubtful or candidate.order.state is not OrderState.OPEN:
            return other
    return None


def _other_named(candidate: Candidate, candidates: Sequence[Candidate]) -> Candidate | None:
    for other in candidates:
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


def _unfit(view: PostingView, candidate: Candidate) -> str:
    """Why this unnamed order is not matched, whatever other orders there are, in words."""
    if candidate.grade is not Grade.EXACT:
        return Said("unnamed-not-exact")
    if candidate.order.state is not OrderState.OPEN:
        return Said("unnamed-paid")
    if view.signals.no_purchase:
        return Said("no-purchase")
    if candidate.order.facts.order_date > view.booked:
        return Said("unnamed-younger")
    if _contradicts_payment(view) and (candidate.name_in_text or candidate.likeness < Likeness.PART):
        return Said("unnamed-no-purchase")
    if candidate.sampled:
        return Said("unnamed-crowd")
    return ""


def _owner(compact: str, candidate: Candidate, numbers: KnownNumbers) -> str:
    """Another order that has this number; empty if there is none here."""
    return next((number for number in numbers.get(compact, ()) if number != candidate.order.number), "")


def _unnamed(view: PostingView, candidate: Candidate, candidates: Sequence[Candidate], numbers: KnownNumbers) -> str:
    why = _unfit(view, candidate)
    if why:
        return why
    by_customer = candidate.user_name or (
        candidate.customer_weight >= (5.0 if candidate.likeness is not Likeness.OTHER else 10.0)
    )
    by_damaged = candidate.damaged and candidate.likeness >= Likeness.PART
    if not by_customer and not by_damaged and (candidate.likeness < Likeness.CLOSE or _is_initials(view, candidate)):
        return Said("unnamed-other-name")
    if by_customer and not candidate.user_name and candidate.likeness is Likeness.OTHER:
        unknown = _unknown_document(view, candidate)
        if unknown:
            return Said("unknown-document", number=unknown)
    later = "" if candidate.damaged else _later_number(view, candidate)
    if later:
        owner = _owner(later, candidate, numbers)
        if owner:
            return Said("names-order", order=owner)
        return Said("later-order", number=later)
    return _fits_as_well(view, candidate, candidates)


def _unknown_document(view: PostingView, candidate: Candidate) -> str:
    """A number that the text calls an order or an invoice, and that is none of the order's: a supplier's, perhaps."""
    for each in view.numbers:
        announced = each.context in (Context.ORDER, Context.INVOICE)
        if announced and each.source == "text" and candidate.order.find(each.compact) is None:
            return each.compact
    return ""


def _later_number(view: PostingView, candidate: Candidate) -> str:
    """A number in the text that reads as one of the order's own would, but is higher in its last digits."""
    forms = candidate.order.full_forms()
    others = (Context.DATE, Context.OTHER, Context.CUSTOMER, Context.ITEM)
    later = [
        each.compact
        for each in view.numbers
        if each.source == "text" and not each.joined and each.context not in others
        if any(_is_later(each.compact, form) for form in forms) and candidate.order.find(each.compact) is None
    ]
    return max(later, key=len, default="")


def _is_later(text: str, number: str) -> bool:
    if len(text) != len(number) or len(text) < _RUNNING + 2 or text[:-_RUNNING] != number[:-_RUNNING]:
        return False
    return text[-_RUNNING:].isdigit() and number[-_RUNNING:].isdigit() and text[-_RUNNING:] > number[-_RUNNING:]


def _agrees_beyond_first_name(view: PostingView, candidate: Candidate) -> bool:
    """True if more agrees than a first name."""
    likeness = candidate.likeness
    return likeness > Likeness.SURNAME or (
        likeness is Likeness.SURNAME and (candidate.name_in_text or has_surname(view.payers, candidate.order.names))
    )


def _is_said(view: PostingView, candidate: Candidate) -> bool:
    """True if the text says why the amount is less than what is open: a cash discount, a fee, an instalment."""
    kind = candidate.fit.kind
    if kind in (kinds.AMOUNT_CASH_DISCOUNT, kinds.AMOUNT_CASH_DISCOUNT_SAID):
        return view.signals.cash_discount
    instalment = kind in (kinds.AMOUNT_INSTALMENT, kinds.AMOUNT_INSTALMENT_SAID)
    return kind is kinds.AMOUNT_FEE or (instalment and view.signals.instalment)


def _is_initials(view: PostingView, candidate: Candidate) -> bool:
    """True if nothing but initials agrees: `M.J M Vererwinkel` is not Jürgen Müller."""
    close = candidate.likeness is Likeness.CLOSE and not candidate.name_in_text
    return close and not has_surname(view.payers, candidate.order.names)


def _fits_as_well(view: PostingView, candidate: Candidate, candidates: Sequence[Candidate]) -> str:
    """Another order that could be meant as well as this unnamed one, in words."""
    for other in candidates:
        if other is candidate or other.order.facts.order_date > view.booked:
            continue
        why = _claims_number(other)
        its = other.likeness >= Likeness.SURNAME and _is_written(view, other)
        if not why and its and not _is_written(view, candidate):
            why = Said("names-order", order=other.order.number)
        if not why and _competes(view, candidate, other):
            why = Said("fits-as-well", order=other.order.number)
        if why:
            return why
    return ""


def _is_written(view: PostingView, candidate: Candidate) -> bool:
    """True if the order's number stands in the text as a word of its own, however short it is (`Bestellung 7`)."""
    number = flat(candidate.order.number)
    at = view.text.find(number) if number else -1
    while at >= 0:
        neighbours = (view.text[max(at - 1, 0) : at], view.text[at + len(number) : at + len(number) + 1])
        if not any(each and each in _OF_WORDS for each in neighbours):
            return True
        at = view.text.find(number, at + 1)
    return False


def _claims_number(other: Candidate) -> str:
    """How an order claims the number in the text, in words."""
    number, order = other.number, other.order.number
    if other.named and other.grade >= Grade.PART:
        return Said("names-order", order=order)
    if other.named and number is not None and not number.joined:
        return Said("has-number", order=order)
    if number is not None and other.likeness >= Likeness.SURNAME and not other.damaged and not other.completed:
        return Said("may-have-number", order=order)
    return ""


def _competes(view: PostingView, candidate: Candidate, other: Candidate) -> bool:
    """True if `other`, unnamed as well, is no less the payer's and its amount fits exactly or as the text says."""
    if other.order.state is not OrderState.OPEN:
        return False
    if other.grade is not Grade.EXACT and (candidate.order.paid > 0 or not _is_said(view, other)):
        return False
    if candidate.name_in_text and not other.name_in_text and other.likeness is Likeness.SURNAME:
        return False  # the text has the first name of the one (`Klassenfahrt Mia`), and of the other the surname only
    if (candidate.damaged and not other.damaged) or (candidate.customer_weight and not other.customer_weight):
        return False
    if candidate.dated and not other.dated:
        return False
    if other.name_in_text or (other.dated and not candidate.dated and other.likeness >= Likeness.SURNAME):
        return True
    enough = Likeness.SURNAME if candidate.likeness <= Likeness.CLOSE else candidate.likeness
    return other.likeness >= enough
