"""Collective payouts: the orders that a carrier, marketplace or payment service lists, less its fee (D-36)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from paymatch.domain.matching.catalogue import (
    SUM_GAP,
    SUM_NET,
    SUM_REST,
)
from paymatch.domain.matching.evidence import Candidate
from paymatch.domain.matching.families.amount_finder import AmountFinder
from paymatch.domain.matching.model import OrderState
from paymatch.domain.matching.prepare import KeyKind, PostingView
from paymatch.domain.matching.several.hypothesis import Hypothesis, dues_of, several_less
from paymatch.domain.matching.text.names import Likeness
from paymatch.domain.matching.text.reading import Number
from paymatch.domain.orders.fees import (
    FeeKind,
    PayerTerms,
    fee_said,
    is_thinkable,
    share_of,
    withheld_parts,
)
from paymatch.domain.words.message import Message, Sum

LIST_DIGITS: Final = 9
"""Digits of a number that names a parcel or order of its own, with any text around it."""
_LISTED: Final = frozenset({KeyKind.SHIPPING, KeyKind.MARKETPLACE})
MANY_CUSTOMERS: Final = 5
"""Only a collector knows the numbers of parcels or marketplace orders of this many customers."""
_GAP_PERCENT: Final = 5
_GAP_UNITS: Final = 3


def payout(view: PostingView, amounts: AmountFinder, named: Sequence[Candidate]) -> Hypothesis | None:
    """The hypothesis that the posting is a payout for the orders it names; None if it is none, or pays them exactly.

    Certain if every number is found and the missing amount is stated, fits the payer's tariff or is a usual fee.
    """
    terms = amounts.payer_terms(view, [candidate.order for candidate in named])
    terms = replace(terms, lists_many=_lists_many(named))
    if not _pays_for_many(view, amounts, named, terms):
        return None
    awaited = [candidate for candidate in named if _awaits_money(candidate)]
    if len(awaited) < len(named):
        return _without_settled(view, amounts, named, awaited, terms)
    dues = dues_of(view, amounts, named)
    unknown = unknown_numbers(view, named)
    missing = sum(dues) - view.amount
    if missing < 0:
        return _with_rest(view, named, dues, terms, _unknown_words(unknown))
    if missing == 0:
        return None
    gap = None if unknown else _gap(view, named, dues, terms)
    if gap is not None or not is_thinkable(sum(dues), missing):
        return gap
    return _less_fee(view, named, dues, terms, _unknown_words(unknown))


def _lists_many(named: Sequence[Candidate]) -> bool:
    """True if the payer's own numbers name orders of many customers, who do not know each other's (D-84)."""
    by_number = all(
        each.kind in _LISTED and each.number is not None and each.number.digits >= LIST_DIGITS for each in named
    )
    facts = [each.order.facts for each in named]
    customers = {order.names[:1] for order in facts}, {order.email or order.number for order in facts}
    return by_number and all(len(each) >= MANY_CUSTOMERS for each in customers)


def _awaits_money(candidate: Candidate) -> bool:
    return candidate.order.state is OrderState.OPEN and candidate.order.open > 0


def _without_settled(
    view: PostingView,
    amounts: AmountFinder,
    named: Sequence[Candidate],
    awaited: Sequence[Candidate],
    terms: PayerTerms,
) -> Hypothesis | None:
    """The payout with only its unpaid orders, for a person to check: the others may be paid twice."""
    if len(awaited) < 2:
        return None
    settled = next(candidate for candidate in named if not _awaits_money(candidate))
    doubt = Message("payout-of-settled", order=settled.order.number)
    dues = dues_of(view, amounts, awaited)
    missing = sum(dues) - view.amount
    if missing < 0:
        return _with_rest(view, awaited, dues, terms, doubt)
    return _less_fee(view, awaited, dues, terms, doubt) if is_thinkable(sum(dues), missing) else None


def unknown_numbers(view: PostingView, named: Sequence[Candidate]) -> tuple[str, ...]:
    """Long numbers of the text that belong to none of the orders: what they denote may be a part of the payout."""
    places = [(c.number.start, c.number.end) for c in named if c.number is not None]
    listed = [each for each in view.numbers if _is_listed(each, places)]
    listed.sort(key=lambda each: (each.start, -each.end))
    found: list[str] = []
    end = 0
    for each in listed:
        if each.start >= end:  # else it is a part of the number before it, the more complete reading
            found.append(each.compact)
            end = each.end
    return tuple(dict.fromkeys(found))


def _is_listed(number: Number, places: Sequence[tuple[int, int]]) -> bool:
    return (
        number.source == "text"
        and number.digits >= LIST_DIGITS
        and not number.joined
        and all(number.end <= start or end <= number.start for start, end in places)
    )


def _pays_for_many(view: PostingView, amounts: AmountFinder, named: Sequence[Candidate], terms: PayerTerms) -> bool:
    """True if the payer is known to, or is not a customer and shows it: by a word for payouts, or a listed fee."""
    if view.collective:
        return any(amounts.passes_on(view, candidate.order) for candidate in named)
    if any(candidate.likeness >= Likeness.SURNAME for candidate in named):
        return False
    if terms.stated and all(candidate.kind in _LISTED for candidate in named):
        return True
    return view.signals.payout and (bool(terms.stated) or not view.signals.cash_discount)


def _less_fee(
    view: PostingView, named: Sequence[Candidate], dues: Sequence[int], terms: PayerTerms, doubt: str
) -> Hypothesis:
    gross = sum(dues)
    missing = gross - view.amount
    code = "sum-net-stated" if terms.stated.is_of(gross, len(dues), missing) else "sum-net"
    said = Message(code, count=len(dues), share=share_of(missing, gross), fee=fee_said(terms.kind))
    why = SUM_NET.reason(words=said)
    found = several_less(named, dues, withheld_parts(missing, dues), terms.kind, why)
    found.doubt = doubt or terms.doubt(gross, len(dues), missing)
    found.certain = not found.doubt
    found.is_payout = view.collective or terms.is_known(gross, len(dues), missing)
    return found


def _with_rest(
    view: PostingView, named: Sequence[Candidate], dues: Sequence[int], terms: PayerTerms, doubt: str
) -> Hypothesis | None:
    """The payout with everything that its numbers explain; the rest of the money stays open."""
    if not (view.collective or doubt):
        return None
    gross = sum(dues)
    fee = terms.expected_fee(gross, len(dues))
    rest = view.amount - gross + fee
    left = Sum(rest, view.currency)
    words = Message("sum-rest", count=len(dues), left=left)
    found = several_less(named, dues, withheld_parts(fee, dues), terms.kind, SUM_REST.reason(words=words))
    found.certain = False
    found.doubt = Message("payout-left", why=doubt or Message("payout-too-much"), left=left)
    return found


def _unknown_words(unknown: Sequence[str]) -> str:
    if not unknown:
        return ""
    return (
        Message("unknown-order", number=unknown[0])
        if len(unknown) == 1
        else Message("unknown-orders", count=len(unknown))
    )


def _gap(view: PostingView, named: Sequence[Candidate], dues: Sequence[int], terms: PayerTerms) -> Hypothesis | None:
    """The payout without the one order whose money seems to be missing: a proposal that includes a claim for it."""
    gross = sum(dues)
    missing = gross - view.amount
    if len(named) < 3 or terms.is_known(gross, len(dues), missing):
        return None
    skipped = _omitted_place(view, dues, terms)
    if skipped is None:
        return None
    rest = [due for i, due in enumerate(dues) if i != skipped]
    group = [candidate for i, candidate in enumerate(named) if i != skipped]
    words = Message("sum-gap", order=named[skipped].order.number)
    fee = missing - dues[skipped]
    found = several_less(group, rest, withheld_parts(fee, rest), terms.kind, SUM_GAP.reason(words=words))
    found.certain = False
    found.doubt = words
    return found


def _omitted_place(view: PostingView, dues: Sequence[int], terms: PayerTerms) -> int | None:
    """The place of the order that was left out of the payout; None if a fee explains the shortfall better."""
    gross = sum(dues)
    missing = gross - view.amount
    left_out = [(missing - due, i) for i, due in enumerate(dues) if due <= missing]
    if not left_out:
        return None
    known = [i for fee, i in left_out if not fee or terms.is_known(gross - dues[i], len(dues) - 1, fee)]
    if known:
        return known[0]
    fee, smallest = min(left_out)
    per_order = not missing % (5 * len(dues))
    unlikely = terms.kind is FeeKind.COMMISSION or per_order or terms.is_likely(gross, len(dues), missing)
    if unlikely or fee * 100 > _GAP_PERCENT * gross + _GAP_UNITS * 100 * terms.unit:
        return None
    return smallest
