"""One posting for several orders: named ones whose sum fits, and unnamed ones of one customer whose sum is exact."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from paymatch.domain.matching.amounts import CASH_DISCOUNT_RATES, Grade
from paymatch.domain.matching.evidence import Candidate, Weigher
from paymatch.domain.matching.model import OrderState, Reason
from paymatch.domain.matching.order_view import Kind, OrderView
from paymatch.domain.matching.prepare import PostingView
from paymatch.domain.matching.text.names import Likeness, one_error
from paymatch.domain.matching.text.numbers import MIN_DIGITS

MAX_NAMED: Final = 200
LIST_DIGITS: Final = 9
MAX_SUBSET: Final = 14
MAX_TRIED: Final = 20000
MAX_SUM_ORDERS: Final = 6
MAX_SUMS: Final = 5


class Hypothesis:
    """A way to explain a posting: the orders it pays with their amounts in the posting's currency."""

    __slots__ = ("certain", "code", "flags", "parts", "probability", "reasons", "review_reason", "score")

    def __init__(self, code: str, parts: list[tuple[Candidate, int]], score: float, reasons: list[Reason]) -> None:
        self.code = code
        self.parts = parts
        self.score = score
        self.reasons = reasons
        self.certain = False
        self.review_reason = ""
        self.flags: tuple[str, ...] = ()
        self.probability = 0.0

    @property
    def orders(self) -> frozenset[str]:
        """The numbers of its orders."""
        return frozenset(candidate.order.number for candidate, _ in self.parts)


def split_in_proportion(amount: int, weights: Sequence[int]) -> list[int]:
    """`amount` split like `weights`; what rounding leaves goes to the largest remainders, the earlier first."""
    total = sum(weights)
    if total <= 0:
        return [amount] + [0] * (len(weights) - 1)
    shares = [amount * weight // total for weight in weights]
    order = sorted(range(len(weights)), key=lambda i: (-(amount * weights[i] % total), i))
    for i in order[: amount - sum(shares)]:
        shares[i] += 1
    return shares


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
    view: PostingView, weigher: Weigher, named: Sequence[Candidate], candidates: Sequence[Candidate]
) -> Hypothesis | None:
    """The hypothesis that the posting pays all the orders it names, or the largest part of them whose sum is exact."""
    sure = [c for c in named if not c.completed]
    paid = view.amount
    alone = any(c.grade is Grade.EXACT for c in sure)  # then a suffix that makes the sum near is some other number
    for group in ([*named], sure) if len(sure) < len(named) and not alone else (sure,):
        if len(group) > 1:
            found = _exact_group(view, weigher, group, paid)
            if found is not None:
                return found
    if sure:
        found = filled(view, weigher, sure, candidates)
        if found is not None:
            return found
    if len(sure) < 2:
        return None
    return (
        net_payout(view, weigher, sure)
        or _subset(view, weigher, sure, paid)
        or _payers_own(view, weigher, sure, candidates)
        or _shortfall(view, weigher, sure, paid)
    )


def _payers_own(
    view: PostingView, weigher: Weigher, sure: Sequence[Candidate], candidates: Sequence[Candidate]
) -> Hypothesis | None:
    """The payer's own of the orders named and others of his for the rest: a third party's number is a mistake."""
    own = [c for c in sure if c.likeness >= Likeness.PART]
    if not own or len(own) == len(sure):
        return None
    found = filled(view, weigher, own, candidates)
    if found is not None:
        found.certain = False
    return found


def _dues(view: PostingView, weigher: Weigher, group: Sequence[Candidate]) -> list[int]:
    dues = []
    for candidate in group:
        due = weigher.due(view, candidate.order)
        assert due is not None
        dues.append(due[0])
    return dues


def _exact_group(view: PostingView, weigher: Weigher, group: Sequence[Candidate], paid: int) -> Hypothesis | None:
    dues = _dues(view, weigher, group)
    if all(due > 0 for due in dues):
        if sum(dues) == paid:
            return _multi(group, dues, 9.0, "sum-exact", "the amounts of the orders named add up exactly")
        shares = _discounted(dues, paid)
        if shares:
            return _multi(
                group, shares, 6.0, "sum-cash-discount", "the orders named add up, less one rate of cash discount"
            )
        missing = sum(dues) - paid
        unit = weigher.unit(view.currency)
        if _is_fee(view, missing) and (
            missing <= max(unit, weigher.shop.fee_tolerance_minor)
            or (missing <= 30 * unit and (view.signals.fee or view.posting.charges_minor == missing))
        ):
            shares = split_in_proportion(paid, dues)
            return _multi(group, shares, 4.0, "sum-near", "the orders named add up, less cents or a fee")
        if -unit <= missing < 0:
            shares = [*dues[:-1], dues[-1] - missing]
            return _multi(group, shares, 4.0, "sum-near", "the orders named add up, but for cents")
    totals = [c.order.facts.amount_minor for c in group]
    priced = sum(total != 0 for total in totals)  # an order of 0.00 beside one other leaves a single order to judge
    if priced > 1 and all(c.order.facts.currency == view.currency for c in group) and sum(totals) == paid:
        return _multi(group, totals, 5.0, "sum-totals", "the totals of the orders named add up exactly, some are paid")
    return None


def _discounted(dues: Sequence[int], paid: int) -> list[int]:
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


def _multi(group: Sequence[Candidate], shares: Sequence[int], weight: float, code: str, words: str) -> Hypothesis:
    # An order of 0.00 is named like the others, but no part of the money is for it.
    parts = [(candidate, share) for candidate, share in zip(group, shares, strict=True) if share != 0]
    group = [candidate for candidate, _ in parts]
    reasons = [Reason(code, weight, words)]
    for candidate in group:
        reasons += [r for r in candidate.reasons if r.code.startswith("number-")]
    best_name = max(group, key=lambda c: c.likeness)
    reasons += [r for r in best_name.reasons if r.code.startswith(("name-", "iban-"))]
    score = weight + max(c.number_weight for c in group) + 2.0 * (len(group) - 1)
    score += sum(r.weight for r in best_name.reasons if r.code.startswith(("name-", "iban-")))
    score += sum(1.5 for c in group if c.likeness >= Likeness.PART) - 1.5
    found = Hypothesis("multi", parts, score, reasons)
    found.certain = code in ("sum-exact", "sum-cash-discount", "sum-near", "sum-totals", "sum-net")
    return found


def _subset(view: PostingView, weigher: Weigher, sure: Sequence[Candidate], paid: int) -> Hypothesis | None:
    """The largest part of the orders named, two at least, whose open amounts add up exactly."""
    group = [c for c in sure if c.order.state is OrderState.OPEN and c.order.open > 0]
    if len(group) < 2 or len(group) > MAX_SUBSET:
        return None
    dues = _dues(view, weigher, group)
    for size in range(len(group), 1, -1):
        for chosen in combinations(range(len(group)), size):
            if sum(dues[i] for i in chosen) == paid:
                picked = [group[i] for i in chosen]
                words = "a part of the orders named adds up exactly"
                found = _multi(picked, [dues[i] for i in chosen], 6.5, "sum-part", words)
                found.certain = len(picked) == len(group) and len({_customer(c.order) for c in sure}) == 1
                return found
    return None


def _shortfall(view: PostingView, weigher: Weigher, sure: Sequence[Candidate], paid: int) -> Hypothesis | None:
    """All orders named, paid in the order of the text as far as the money goes: a proposal for a person."""
    group = [c for c in sure if c.order.open > 0 and c.grade is not Grade.EXACT]
    dues = _dues(view, weigher, group)
    if len(group) < 2 or len(group) < len(sure):
        return None
    left = paid
    shares = []
    for due in dues:
        share = min(due, left)
        shares.append(share)
        left -= share
    if left > 0:
        shares[-1] += left
    picked = [(c, share) for c, share in zip(group, shares, strict=True) if share > 0]
    words = "several orders are named, but their amounts do not add up"
    return _multi([c for c, _ in picked], [s for _, s in picked], -1.0, "sum-odd", words)


def filled(
    view: PostingView, weigher: Weigher, sure: Sequence[Candidate], candidates: Sequence[Candidate]
) -> Hypothesis | None:
    """The orders named and others of the same customer, open for exactly what is left over.

    Certain if the text names a range around them or holds a damaged number of theirs.
    """
    dues = _dues(view, weigher, sure)
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
        and 0 < c.order.open <= left
        and c.order.facts.currency == view.currency
        and _customer(c.order) == customer
    ]
    pool.sort(key=lambda c: (c.order.facts.order_date, c.order.number))
    ranged = _range_between(view, sure)
    if ranged:
        between = [c for c in pool if _lies_between(c.order, sure[0].order, sure[-1].order)]
        if between and sum(c.order.open for c in between) == left:
            return complete_with_open_orders(sure, dues, between, "the orders of the range named add up exactly", True)
    chosen = _sums(left, pool, smallest=1)
    if not chosen:
        return None
    extra = [candidate for candidate, _ in chosen[0].parts]
    damaged = [c for h in chosen for c, _ in h.parts if len(h.parts) == 1 and _has_damaged_number(view, c, sure)]
    if len(damaged) == 1:
        words = "a damaged number and the amounts point to these orders"
        return complete_with_open_orders(sure, dues, damaged, words, True)
    return complete_with_open_orders(
        sure, dues, extra, "with other open orders of this customer the sum is exact", False
    )


def complete_with_open_orders(
    sure: Sequence[Candidate], dues: Sequence[int], extra: Sequence[Candidate], words: str, certain: bool
) -> Hypothesis:
    found = _multi([*sure, *extra], [*dues, *(c.order.open for c in extra)], 7.0, "sum-filled", words)
    found.certain = certain
    return found


_RANGE: Final = re.compile(r"\s*(?:-+|BIS|BIS ZU|TO|T/M|TOT|AU|A|DO|\.{2,3})\s*")


def _range_between(view: PostingView, sure: Sequence[Candidate]) -> bool:
    first, last = sure[0].number, sure[-1].number
    if len(sure) != 2 or first is None or last is None or first.source != "text" or last.source != "text":
        return False
    between = view.text[first.end : last.start].replace("#", "")
    return _RANGE.fullmatch(between) is not None


def _lies_between(order: OrderView, first: OrderView, last: OrderView) -> bool:
    low, high = sorted((_position(first), _position(last)))
    return low < _position(order) < high


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


_STATED_FEE: Final = re.compile(
    r"(?:ENTGELT|GEBUEHR|GEBUHR|FEE|KOSTEN|PROVISION|FRAIS)[^0-9]{0,6}([0-9]{1,6})[,.]([0-9]{2})(?![0-9])"
)


def net_payout(view: PostingView, weigher: Weigher, sure: Sequence[Candidate]) -> Hypothesis | None:
    """A collective payout: the orders named, less a fee that carriers and marketplaces keep, shared in proportion."""
    if not (view.collective or view.signals.payout):
        return None
    dues = _dues(view, weigher, sure)
    missing = sum(dues) - view.amount
    if missing <= 0 or any(due <= 0 for due in dues):
        return None
    unit = weigher.unit(view.currency)
    market = any(c.kind in (Kind.MARKETPLACE, Kind.ORDER) for c in sure)
    share = 17 if market else 4
    if missing * 100 > share * sum(dues) + 100 * (2 * unit + len(sure) * unit // 2):
        return _with_gap(view, sure, dues, unit)
    if (missing in dues and len(sure) > 2) or not _is_fee(view, missing):
        return _with_gap(view, sure, dues, unit)
    shares = split_in_proportion(view.amount, dues)
    found = _multi(sure, shares, 6.0, "sum-net", f"a collective payout of {len(sure)} orders less a fee")
    found.certain = not _has_unknown_number(view, sure)
    return found


def _is_fee(view: PostingView, missing: int) -> bool:
    """True if `missing` may be a fee: it is not, where the text states another one."""
    stated = _STATED_FEE.search(view.text)
    return missing > 0 and (stated is None or int(stated[1] + stated[2]) == missing)


def _has_unknown_number(view: PostingView, sure: Sequence[Candidate]) -> bool:
    """True if the list holds a long number that is none of the orders': what it stands for is part of the payout."""
    places = [(c.number.start, c.number.end) for c in sure if c.number is not None]
    return any(
        number.source == "text"
        and number.digits >= LIST_DIGITS
        and not number.joined
        and all(number.end <= start or end <= number.start for start, end in places)
        for number in view.numbers
    )


def _with_gap(view: PostingView, sure: Sequence[Candidate], dues: Sequence[int], unit: int) -> Hypothesis | None:
    """The payout without the one order that leaves the smallest fee: a proposal, with that order to be claimed."""
    total = sum(dues)
    fees = [(total - due - view.amount, i) for i, due in enumerate(dues) if total - due >= view.amount]
    if len(sure) < 3 or not fees:
        return None
    fee, skipped = min(fees)
    if fee * 100 > 5 * total + 300 * unit:
        return None
    group = [c for i, c in enumerate(sure) if i != skipped]
    shares = split_in_proportion(view.amount, [due for i, due in enumerate(dues) if i != skipped])
    words = f"a collective payout in which order {sure[skipped].order.number} seems to be missing"
    found = _multi(group, shares, 2.0, "sum-gap", words)
    found.certain = False
    return found


def combine_unnamed(view: PostingView, weigher: Weigher, candidates: Sequence[Candidate]) -> list[Hypothesis]:
    """Hypotheses that the posting pays several open orders of its payer whose sum is exact, though none is named."""
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
        found += _sums(view.amount, group)
    return found


def _customer(order: OrderView) -> str:
    return order.customer or (order.names[0].joined if order.names else order.number)


def _sums(paid: int, group: list[Candidate], smallest: int = 2) -> list[Hypothesis]:
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
            if tried > MAX_TRIED:
                return found
            if sum([opens[i] for i in chosen]) == paid:
                picked = [group[i] for i in chosen]
                found.append(_unnamed(picked, [opens[i] for i in chosen], size == len(group)))
                if len(found) >= MAX_SUMS:
                    return found
    return found


def _unnamed(chosen: list[Candidate], shares: list[int], everything: bool) -> Hypothesis:
    words = "open orders of this payer add up exactly"
    weight = (6.0 if everything else 4.5) - 0.5 * len(chosen)
    reasons = [Reason("sum-unnamed", weight, words)]
    best = max(chosen, key=lambda c: c.likeness)
    reasons += [r for r in best.reasons if r.code.startswith(("name-", "iban-", "number-customer"))]
    return Hypothesis("sum", list(zip(chosen, shares, strict=True)), sum(r.weight for r in reasons), reasons)
