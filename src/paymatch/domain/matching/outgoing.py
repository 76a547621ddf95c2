"""Money out, and money that comes back: refunds, returned payments, returned refunds. Other debits are ignored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from paymatch.domain.bank_codes import is_collected
from paymatch.domain.matching.catalogue import (
    RETURNED,
    Family,
    Reason,
)
from paymatch.domain.matching.evidence import Candidate
from paymatch.domain.matching.families.amount_finder import AmountFinder
from paymatch.domain.matching.model import (
    AllocationProposal,
    Decision,
    MatchOutcome,
    PastPosting,
    Proposal,
)
from paymatch.domain.matching.prepare import KeyKind, PostingView
from paymatch.domain.matching.returns import names_payment
from paymatch.domain.matching.several.hypothesis import Hypothesis, Part, proposal_of
from paymatch.domain.matching.text.context import Context
from paymatch.domain.matching.text.names import Likeness
from paymatch.domain.matching.weigh.amounts import in_order_currency
from paymatch.domain.words.message import Message

SURE: Final = 0.999
REFUND_RETURNED: Final = "refund-returned"
"""Flag of a credit that reverses money that went out."""
UNSURE: Final = 0.6
MAX_RETURN_FEE: Final = 20  # in whole units of the currency; banks charge less for a return


def refund_of(amounts: AmountFinder, view: PostingView, candidates: Sequence[Candidate]) -> Decision:
    """The decision on a debit: a refund or return that names its order and goes to its customer, or nothing."""
    own = [c for c in candidates if _has_own_reference(view, c)]
    found = own or [c for c in candidates if _is_for_customer(c)]
    unnamed = not found
    if unnamed:
        found = [c for c in candidates if c.likeness >= Likeness.VARIANT and _may_be_given_back(view, c)]
    if not found:
        return _charged_back(view, candidates) or Decision(view.id, MatchOutcome.UNMATCHED)
    found.sort(key=lambda c: (-c.number_weight, -c.likeness, c.order.number))
    if view.posting.is_return and len(found) > 1:
        several = _several(amounts, view, found)
        if several is not None:
            return several
    clear = len(found) == 1 or found[0].number_weight > found[1].number_weight + 1.0
    best = found[0]
    amount = _amount(amounts, view, best)
    chosen = _refund(view, [(best, amount)])
    chosen.probability = SURE if clear else UNSURE
    proposal = proposal_of(view, chosen)
    given = -proposal.allocations[0].pays_minor
    why = ""
    if unnamed:
        why = Message("names-none")
    elif not clear:
        why = Message("names-several")
    elif not own and given * 100 > best.order.paid * 103:
        why = Message("not-paid-that-much")
    elif not own and not _speaks_of_refund(view, best):
        why = Message("no-refund-said")
    if why:
        return Decision(view.id, MatchOutcome.SUGGESTED, None, (proposal,), why)
    return Decision(
        view.id, MatchOutcome.MATCHED, proposal, flags=("returned" if view.posting.is_return else "refund",)
    )


def unless_collected(view: PostingView, decision: Decision) -> Decision:
    """The decision on a debit; a suggestion if the payee collected the debit, and so wrote its text and name."""
    if decision.match is None or not is_collected(view.posting):
        return decision
    return decision._replace(
        outcome=MatchOutcome.SUGGESTED,
        match=None,
        suggestions=(decision.match,),
        review_reason=Message("collected-debit"),
        flags=(),
    )


def unless_returned_already(decision: Decision, *, names_returned: bool) -> Decision:
    """The decision on a bank's return; a suggestion if it names a payment that was returned before: the order's
    other payments did not come back by it."""
    if decision.match is None or not names_returned:
        return decision
    return decision._replace(
        outcome=MatchOutcome.SUGGESTED,
        match=None,
        suggestions=(decision.match,),
        review_reason=Message("returned-twice"),
        flags=(),
    )


def _charged_back(view: PostingView, candidates: Sequence[Candidate]) -> Decision | None:
    """The proposal that a collective payer reverses its payments for the orders that it names.

    The money does not go to their customers, so a person confirms it; any surplus stays open.
    """
    if not view.collective:
        return None
    named = [c for c in candidates if c.named and c.kind < KeyKind.CUSTOMER and c.order.paid > 0]
    named = [c for c in named if c.order.facts.currency == view.currency]
    if not named:
        return None
    named.sort(key=lambda c: (-c.number_weight, c.order.number))
    if sum(c.order.paid for c in named) > -view.amount:
        del named[1:]
    parts = [(c, max(view.amount, -c.order.paid)) for c in named]
    chosen = _refund(view, parts)
    chosen.probability = UNSURE
    why = Message("charged-back")
    return Decision(view.id, MatchOutcome.SUGGESTED, None, (proposal_of(view, chosen),), why, ("collective",))


def _speaks_of_refund(view: PostingView, candidate: Candidate) -> bool:
    """True if nothing but the number and the name is needed: a supplier may be called like the customer, too.

    The bank returns a payment, the text mentions a refund, the whole payment goes back, or the name is the customer's
    whole name and the text announces no other order or invoice.
    """
    if view.posting.is_return or view.signals.refund or -view.amount == candidate.order.paid:
        return True
    if candidate.likeness < Likeness.VARIANT:
        return False
    announced = (Context.ORDER, Context.INVOICE)
    others = (each for each in view.numbers if candidate.order.find(each.compact) is None)
    return not any(each.context in announced and each.source == "text" for each in others)


def _may_be_given_back(view: PostingView, candidate: Candidate) -> bool:
    """True if the debit is the whole payment of the order, or a part of it and the text mentions a refund."""
    paid = candidate.order.paid
    return -view.amount <= paid and (view.signals.refund or -view.amount == paid)


def _several(amounts: AmountFinder, view: PostingView, found: Sequence[Candidate]) -> Decision | None:
    """The return of one payment for several named orders: their payments add up to it."""
    parts = [(candidate, -candidate.order.paid) for candidate in found if candidate.order.paid > 0]
    if len(parts) < 2 or sum(amount for _, amount in parts) != view.amount:
        return None
    if any(candidate.order.facts.currency != view.currency for candidate, _ in parts):
        return None
    chosen = _refund(view, parts)
    chosen.probability = SURE
    return Decision(view.id, MatchOutcome.MATCHED, proposal_of(view, chosen), flags=("returned",))


def _refund(view: PostingView, parts: list[Part]) -> Hypothesis:
    """Outgoing money for these orders, with their evidence; the amount is compared with what was paid."""
    reasons: list[Reason] = []
    for candidate, minor in parts:
        order, out = candidate.order, view.amount if len(parts) == 1 else minor
        given = -(in_order_currency(view.posting, out, order.facts, order.open) or 0)
        code = "back-all" if given == order.paid else "back-part" if given < order.paid else "back-more"
        words = Message(code)
        reasons += [r._replace(words=words) if r.family is Family.AMOUNT else r for r in candidate.reasons]
    return Hypothesis("refund", parts, 0.0, reasons)


def _amount(amounts: AmountFinder, view: PostingView, candidate: Candidate) -> int:
    """The part of a debit that is the order's: a returned payment may carry the bank's fee on top."""
    paid = candidate.order.paid
    same = candidate.order.facts.currency == view.currency
    original = view.posting.original_amount_minor
    if view.posting.is_return and original is not None and 0 < abs(original) <= -view.amount:
        return -abs(original)  # the bank itself states its fee
    fee = -view.amount - paid
    if view.posting.is_return and same and paid > 0 and 0 < fee <= MAX_RETURN_FEE * amounts.unit(view.currency):
        return -paid
    return view.amount


def _has_own_reference(view: PostingView, candidate: Candidate) -> bool:
    posting = view.posting
    ids = (posting.end_to_end_id, posting.original_end_to_end_id)
    return any(
        reference in ids or reference in posting.text
        for reference in candidate.order.facts.refund_references
        if reference
    )


def _is_for_customer(candidate: Candidate) -> bool:
    """True if the text names the order and the money goes to its customer."""
    if not candidate.named or candidate.kind >= KeyKind.CUSTOMER:
        return False
    return candidate.likeness >= Likeness.PART


def _part_given_back(
    view: PostingView, past: PastPosting, whole: tuple[AllocationProposal, ...]
) -> tuple[AllocationProposal, ...]:
    """What a part of a payment that the bank names takes from its only order; nothing where it may be another's."""
    if len(past.allocations) != 1 or len(whole) != 1 or not names_payment(view.posting, past):
        return ()
    [only] = whole
    if not -past.posting.amount_minor == only.amount_minor == only.pays_minor or only.withheld_minor:
        return ()  # not all of it, in another currency, or with a fee: a person says how much of the order it is
    return (only._replace(amount_minor=view.amount, order_amount_minor=view.amount),)


def giving_back(view: PostingView, past: PastPosting, known: Sequence[str]) -> Decision | None:
    """The decision that `view` reverses `past` and undoes its allocations to `known` orders, if it does."""
    sign = -1 if view.amount < 0 else 1
    allocations = tuple(
        AllocationProposal(
            a.order_number,
            sign * abs(a.amount_minor),
            sign * abs(a.pays_minor),
            sign * abs(a.withheld_minor),
            a.fee_kind,
        )
        for a in past.allocations
        if a.order_number in known
    )
    is_part = view.amount < 0 and -view.amount < past.posting.amount_minor
    if is_part:
        allocations = _part_given_back(view, past, allocations)
    if not allocations or sum(abs(a.amount_minor) for a in allocations) > abs(view.amount):
        return None
    words = Message("returned", day=past.posting.booking_date)
    proposal = Proposal(allocations, SURE, (RETURNED.reason(words=words),))
    if view.amount < 0:
        flags: tuple[str, ...] = ("returned",)
    else:
        flags = (REFUND_RETURNED, "returned") if past.was_return else (REFUND_RETURNED,)
    return Decision(view.id, MatchOutcome.MATCHED, proposal, flags=flags)
