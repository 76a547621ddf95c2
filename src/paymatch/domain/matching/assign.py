"""One posting for several orders: named ones whose sum fits, and unnamed ones of one customer whose sum is exact."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import combinations, product
from math import prod
from typing import Final

from paymatch.domain.matching.catalogue import (
    NUMBER,
    NUMBER_CUSTOMER,
    SUM_CASH_DISCOUNT,
    SUM_CENTS,
    SUM_DISCOUNT_OFFERED,
    SUM_EXACT,
    SUM_FEE,
    SUM_FILLED,
    SUM_PART,
    SUM_TOTALS,
    SUM_UNNAMED,
)
from paymatch.domain.matching.evidence import WEAK_NUMBER, Candidate
from paymatch.domain.matching.families.amount_finder import AmountFinder
from paymatch.domain.matching.model import OrderState
from paymatch.domain.matching.prepare import OrderView, PostingView
from paymatch.domain.matching.several.hypothesis import (
    NAMED_BY,
    Hypothesis,
    dues_of,
    paying_parts,
    several,
    several_less,
)
from paymatch.domain.matching.several.payouts import payout
from paymatch.domain.matching.several.shortfall import spread
from paymatch.domain.matching.text.context import Context
from paymatch.domain.matching.text.names import Likeness, one_error
from paymatch.domain.matching.text.numbers import MIN_DIGITS, Form
from paymatch.domain.matching.text.reading import Number, is_inner
from paymatch.domain.matching.weigh.amounts import CASH_DISCOUNT_RATES, Grade, charges_of, charges_too_high
from paymatch.domain.orders.fees import FeeKind, split_in_proportion, withheld_parts
from paymatch.domain.words.message import Message

MAX_NAMED: Final = 200
MAX_SUBSET: Final = 14
MAX_TRIED: Final = 20000
MAX_SUM_ORDERS: Final = 6
MAX_SUMS: Final = 5
MAX_DISCOUNTED: Final = 10
MAX_DISCOUNTED_UNSAID: Final = 4
"""With more orders some sum of discounts fits by chance, unless the text mentions one."""


def named_orders(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates whose own numbers are in the posting, one per place in the text, in the order of the text."""
    by_place: dict[tuple[int, int, str], Candidate] = {}
    for candidate in candidates:
        if not (candidate.named or candidate.completed) or candidate.number is None:
            continue
        number = candidate.number
        place = (number.start, number.end, "" if number.start >= 0 else number.compact)
        rival = by_place.get(place)
        if rival is None or candidate.score > rival.score:
            by_place[place] = candidate
    kept = sorted(by_place.values(), key=lambda c: (c.number.start if c.number else 0, c.order.number))
    return kept[:MAX_NAMED]


def combine_named(
    view: PostingView, amounts: AmountFinder, named: Sequence[Candidate], candidates: Sequence[Candidate]
) -> list[Hypothesis]:
    """Hypotheses that the posting pays the orders it names: all, less deductions, or a subset with an exact sum.

    Several only if nothing explains the amount, so a person has to choose.
    """
    sure = [c for c in named if not c.completed]
    alone = any(c.grade is Grade.EXACT for c in sure)  # then a suffix that makes the sum near is some other number
    groups = [group for group in ([sure] if alone else [[*named], sure]) if len(group) > 1]
    found = _first(_exact_group(view, amounts, group) for group in groups)
    if found is None and len(sure) > 1:
        found = payout(view, amounts, sure)
    found = found or _first(_near_group(view, amounts, group) for group in groups)
    if found is None and sure:
        found = fill_up(view, amounts, sure, candidates)
    if found is None:
        found = _subset(view, amounts, sure) or _payers_own(view, amounts, sure, candidates)
    return [found] if found is not None else spread(view, amounts, sure)


def _first(found: Iterable[Hypothesis | None]) -> Hypothesis | None:
    return next((each for each in found if each is not None), None)


def _payers_own(
    view: PostingView, amounts: AmountFinder, sure: Sequence[Candidate], candidates: Sequence[Candidate]
) -> Hypothesis | None:
    """The payer's own named orders, and others of theirs for the rest: a third party's number is a mistake."""
    own = [c for c in sure if c.likeness >= Likeness.PART]
    if not own or len(own) == len(sure):
        return None
    found = fill_up(view, amounts, own, candidates)
    if found is not None:
        found.certain = False
    return found


def _exact_group(view: PostingView, amounts: AmountFinder, group: Sequence[Candidate]) -> Hypothesis | None:
    dues = dues_of(view, amounts, group)
    if any(due <= 0 for due in dues) or sum(dues) != view.amount:
        return None
    why = SUM_EXACT.reason()
    return several(list(zip(group, dues, strict=True)), why)


def _near_group(view: PostingView, amounts: AmountFinder, group: Sequence[Candidate]) -> Hypothesis | None:
    """All of the group, less a cash discount, a bank's fee or cents; or the totals of orders if some are paid."""
    dues = dues_of(view, amounts, group)
    if all(due > 0 for due in dues):
        found = _less_discount(view, amounts, group, dues) or _less_charge(view, amounts, group, dues)
        if found is not None:
            return found
        more = view.amount - sum(dues)
        if 0 < more <= amounts.unit(view.currency):
            why = SUM_CENTS.reason()
            return several(list(zip(group, [*dues[:-1], dues[-1] + more], strict=True)), why)
    totals = [c.order.facts.amount_minor for c in group]
    priced = sum(total != 0 for total in totals)  # an order of 0.00 and one other leave a single order to judge
    if priced > 1 and all(c.order.facts.currency == view.currency for c in group) and sum(totals) == view.amount:
        why = SUM_TOTALS.reason()
        return several(paying_parts(group, totals), why)
    return None


def _less_discount(
    view: PostingView, amounts: AmountFinder, group: Sequence[Candidate], dues: Sequence[int]
) -> Hypothesis | None:
    if any(candidate.order.facts.discounts for candidate in group):
        return _less_offered(view, group, dues)
    shares = _apply_discount(dues, view.amount)
    if not shares:
        return _less_some_discounts(view, amounts, group, dues)
    why = SUM_CASH_DISCOUNT.reason()
    fees = [due - share for due, share in zip(dues, shares, strict=True)]
    if amounts.grants([candidate.order for candidate in group], sum(fees)):
        return several_less(group, dues, fees, FeeKind.CASH_DISCOUNT, why)
    return several(list(zip(group, shares, strict=True)), why)


def _less_offered(view: PostingView, group: Sequence[Candidate], dues: Sequence[int]) -> Hypothesis | None:
    """All of the group, less the discounts that their invoices allow on this day, order by order (D-96)."""
    day, missing = view.posting.booking_date, sum(dues) - view.amount
    options = []
    for candidate, due in zip(group, dues, strict=True):
        offers = [
            each for each in candidate.order.offers_in(view.currency) if each.holds_on(day) and each.amount_minor < due
        ]
        options.append([0, *dict.fromkeys(each.amount_minor for each in offers)])
    if missing <= 0 or prod(map(len, options)) > MAX_TRIED:
        return None
    for fees in product(*options):
        view.work.add(1)
        if sum(fees) == missing:
            return several_less(group, dues, fees, FeeKind.CASH_DISCOUNT, SUM_DISCOUNT_OFFERED.reason())
    return None


def _less_some_discounts(
    view: PostingView, amounts: AmountFinder, group: Sequence[Candidate], dues: Sequence[int]
) -> Hypothesis | None:
    """All of the group, less a cash discount on some of them that the shop grants; the others were paid too late."""
    missing = sum(dues) - view.amount
    most = MAX_DISCOUNTED if view.signals.cash_discount else MAX_DISCOUNTED_UNSAID
    if missing <= 0 or len(dues) > most or not amounts.grants([c.order for c in group], missing):
        return None
    for rate in CASH_DISCOUNT_RATES:
        off = [(due * rate + 5000) // 10000 for due in dues]
        if not 0 < missing <= sum(off) or not amounts.grants([group[0].order], off[0]):
            continue
        for size in range(len(dues) - 1, 0, -1):
            for chosen in combinations(range(len(dues)), size):
                view.work.add(1)
                if sum(off[i] for i in chosen) == missing:
                    fees = [off[i] if i in chosen else 0 for i in range(len(dues))]
                    return several_less(group, dues, fees, FeeKind.CASH_DISCOUNT, SUM_CASH_DISCOUNT.reason())
    return None


def _less_charge(
    view: PostingView, amounts: AmountFinder, group: Sequence[Candidate], dues: Sequence[int]
) -> Hypothesis | None:
    missing, unit, charges = sum(dues) - view.amount, amounts.unit(view.currency), charges_of(view.posting)
    stated = view.stated_fee.amount
    borne = amounts.shop.fee_tolerance_minor
    if missing <= 0 or (stated is not None and stated != missing):
        return None
    said = missing <= 30 * unit and view.signals.fee
    if not (missing <= max(unit, borne) or missing == charges or said):
        return None
    why = SUM_FEE.reason()
    if missing <= borne or missing == charges:
        found = several_less(group, dues, withheld_parts(missing, dues), FeeKind.BANK_CHARGE, why)
        if missing > borne and not amounts.accepts(view, charges):
            found.certain, found.doubt = False, charges_too_high(charges, view.amount, view.currency)
        return found
    cents = missing <= unit and missing < dues[-1]  # stay open on one order, not on all of them
    shares = [*dues[:-1], dues[-1] - missing] if cents else split_in_proportion(view.amount, dues)
    return several(list(zip(group, shares, strict=True)), why)


def _apply_discount(dues: Sequence[int], paid: int) -> list[int]:
    """Shares of `paid` if it is the sum of `dues` less one usual rate of cash discount, else nothing."""
    total = sum(dues)
    if paid * 100 < total * 94 or paid >= total:
        return []
    for rate in CASH_DISCOUNT_RATES:
        shares = [(due * (10000 - rate) + 5000) // 10000 for due in dues]
        off = paid - sum(shares)
        if abs(off) <= len(dues):
            shares[shares.index(max(shares))] += off
            return shares
    return []


def _subset(view: PostingView, amounts: AmountFinder, sure: Sequence[Candidate]) -> Hypothesis | None:
    """The largest part of the orders named, two at least, whose open amounts add up exactly."""
    group = [c for c in sure if c.order.state is OrderState.OPEN and c.order.open > 0]
    if len(group) < 2 or len(group) > MAX_SUBSET:
        return None
    dues = dues_of(view, amounts, group)
    for size in range(len(group), 1, -1):
        for chosen in combinations(range(len(group)), size):
            view.work.add(1)
            if sum(dues[i] for i in chosen) == view.amount:
                why = SUM_PART.reason()
                certain = len(chosen) == len(group) and len({_customer(c.order) for c in sure}) == 1
                return several([(group[i], dues[i]) for i in chosen], why, certain=certain)
    return None


def fill_up(
    view: PostingView, amounts: AmountFinder, sure: Sequence[Candidate], candidates: Sequence[Candidate]
) -> Hypothesis | None:
    """The orders named and others of the same customer, open for exactly what is left over.

    Certain if the text names a range around them or has a damaged number of theirs.
    """
    dues = dues_of(view, amounts, sure)
    left = view.amount - sum(dues)
    if left <= 0 or any(due <= 0 for due in dues):
        return None
    names = {c.order.number for c in sure}
    customer = _customer(sure[0].order)
    pool = [
        c
        for c in candidates
        if c.order.number not in names
        and c.order.state is OrderState.OPEN
        and c.order.open > 0
        and c.order.facts.currency == view.currency
        and _customer(c.order) == customer
    ]
    pool.sort(key=lambda c: (c.order.facts.order_date, c.order.number))
    ranged = _range_between(view, sure)
    if ranged:
        between = [c for c in pool if _lies_between(c.order, sure[0].order, sure[-1].order)]
        if between and sum(c.order.open for c in between) == left:
            words = Message("sum-range")
            return complete_with_open_orders(sure, dues, between, words, True)
    chosen = _sums(view, left, pool, smallest=1)
    if not chosen:
        return None
    extra = [candidate for candidate, _ in chosen[0].parts]
    damaged = [c for h in chosen for c, _ in h.parts if len(h.parts) == 1 and _has_damaged_number(view, c, sure)]
    if len(damaged) == 1:
        words = Message("sum-damaged")
        return complete_with_open_orders(sure, dues, damaged, words, True)
    return complete_with_open_orders(sure, dues, extra, Message("sum-filled"), False)


def complete_with_open_orders(
    sure: Sequence[Candidate], dues: Sequence[int], extra: Sequence[Candidate], words: str, certain: bool
) -> Hypothesis:
    parts = [*zip(sure, dues, strict=True), *((c, c.order.open) for c in extra)]
    return several(parts, SUM_FILLED.reason(words=words), certain=certain)


_RANGE: Final = re.compile(r"\s*(?:-+|BIS|BIS ZU|TO|T/M|TOT|AU|A|DO|\.{2,3})\s*")


def _range_between(view: PostingView, sure: Sequence[Candidate]) -> bool:
    first, last = sure[0].number, sure[-1].number
    if len(sure) != 2 or first is None or last is None or first.source != "text" or last.source != "text":
        return False
    between = view.text[first.end : last.start].replace("#", "")
    return _RANGE.fullmatch(between) is not None


def _lies_between(order: OrderView, first: OrderView, last: OrderView) -> bool:
    return sorted((first, order, last), key=_position)[1] is order


def _position(order: OrderView) -> tuple[int, str]:
    return (order.facts.order_date.toordinal(), order.number)


def _has_damaged_number(view: PostingView, candidate: Candidate, sure: Sequence[Candidate]) -> bool:
    targets = [text for text in candidate.order.full_forms() if len(text) >= MIN_DIGITS]
    for number in view.numbers:
        if number.source != "text" or number.completed or any(c.order.find(number.compact) for c in sure):
            continue
        if any(one_error(number.compact, target) for target in targets):
            return True
    return False


def combine_unnamed(view: PostingView, amounts: AmountFinder, candidates: Sequence[Candidate]) -> list[Hypothesis]:
    """Hypotheses that the posting pays several unnamed open orders of its payer whose sum is exact."""
    by_customer: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        order = candidate.order
        known = candidate.likeness >= Likeness.VARIANT or candidate.customer_weight > 0
        if known and order.state is OrderState.OPEN and order.open > 0 and order.facts.currency == view.currency:
            by_customer.setdefault(_customer(order), []).append(candidate)
    found: list[Hypothesis] = []
    for group in by_customer.values():
        if len(group) < 2:
            continue
        group.sort(key=lambda c: (c.order.facts.order_date, c.order.number))
        found += _sums(view, view.amount, group)
    return found or _of_relatives(view, candidates)


def _of_relatives(view: PostingView, candidates: Sequence[Candidate]) -> list[Hypothesis]:
    """Hypotheses that the posting pays orders of relatives whose first names are in the text (`Kurs Mia und Ben`)."""
    group = [
        c
        for c in candidates
        if (c.name_in_text or c.likeness >= Likeness.VARIANT)
        and c.order.state is OrderState.OPEN
        and c.order.open > 0
        and c.order.facts.currency == view.currency
    ]
    group.sort(key=lambda c: (c.order.facts.order_date, c.order.number))
    return _sums(view, view.amount, group) if any(c.name_in_text for c in group) else []


def _customer(order: OrderView) -> str:
    return order.customer or (order.names[0].joined if order.names else order.number)


def _sums(view: PostingView, paid: int, group: list[Candidate], smallest: int = 2) -> list[Hypothesis]:
    """Parts of the group, few orders first, whose open amounts add up to exactly `paid`; five of them at most."""
    group = [c for c in group if c.order.open <= paid][-MAX_SUBSET:]
    opens = [c.order.open for c in group]
    ranked = sorted(opens)
    found: list[Hypothesis] = []
    tried = 0
    for size in range(smallest, min(len(group), MAX_SUM_ORDERS) + 1):
        if sum(ranked[-size:]) < paid:
            continue
        if sum(ranked[:size]) > paid:
            break
        for chosen in combinations(range(len(group)), size):
            tried += 1
            view.work.add(1)
            if tried > MAX_TRIED:
                return found
            if sum([opens[i] for i in chosen]) == paid:
                picked = [group[i] for i in chosen]
                shares = [opens[i] for i in chosen]
                named = _named_by_ends(view, picked, shares)
                found.append(named or _without_named_orders(picked, shares, size == len(group)))
                if len(found) >= MAX_SUMS:
                    return found
    return found


def _named_by_ends(view: PostingView, chosen: Sequence[Candidate], shares: Sequence[int]) -> Hypothesis | None:
    """The orders named by the last digits of their numbers, one each with none left over (`RE 4224, 4245`)."""
    places = {(each.start, each.end): each for each in reversed(view.numbers) if _may_be_an_end(view, each)}
    ends = list(places.values())
    if len(ends) != len(chosen):
        return None
    view.work.add(len(ends) * len(chosen))
    reasons = []
    for candidate in chosen:
        fitting = [(each, kind) for each in ends if (kind := candidate.order.ends_in(each.compact)) is not None]
        if len(fitting) != 1:
            return None
        ((end, kind),) = fitting
        ends.remove(end)
        words = Message(f"found-{kind.name.lower()}", number=end.compact)
        reasons.append(
            NUMBER[kind.name.lower(), Form.TAIL.name.lower()].reason(WEAK_NUMBER, words, ((end.start, end.end),))
        )
    found = several(list(zip(chosen, shares, strict=True)), SUM_EXACT.reason())
    found.reasons[1:1] = reasons
    found.score += WEAK_NUMBER
    return found


def _may_be_an_end(view: PostingView, number: Number) -> bool:
    """True if the text says that separate digits are of an order or an invoice."""
    whole = number.source == "text" and not (number.joined or number.completed)
    enough = len(number.compact) == number.digits >= MIN_DIGITS
    return whole and enough and number.context in (Context.ORDER, Context.INVOICE) and not is_inner(view.text, number)


def _without_named_orders(chosen: list[Candidate], shares: list[int], everything: bool) -> Hypothesis:
    weight = (6.0 if everything else 4.5) - 0.5 * len(chosen)
    reasons = [SUM_UNNAMED.reason(weight)]
    best = max(chosen, key=lambda c: c.likeness)
    reasons += [r for r in best.reasons if r.family in NAMED_BY or r.kind is NUMBER_CUSTOMER]
    return Hypothesis("sum", list(zip(chosen, shares, strict=True)), sum(r.weight for r in reasons), reasons)
