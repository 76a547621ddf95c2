"""The engine's entry: a batch of postings with what their keys found, decided with reasons (DESIGN.md section 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log
from typing import Final

from paymatch.domain.matching.amounts import Grade
from paymatch.domain.matching.assign import Hypothesis, combine_named, combine_unnamed, named_orders
from paymatch.domain.matching.evidence import FUTURE_SLACK_DAYS, Candidate, Kind, OrderView, Weigher
from paymatch.domain.matching.judge import held_back
from paymatch.domain.matching.model import (
    AllocationProposal,
    Caution,
    Decision,
    OrderFacts,
    OrderState,
    Outcome,
    Proposal,
    Reason,
    Related,
    ShopFacts,
)
from paymatch.domain.matching.names import Likeness
from paymatch.domain.matching.numbers import Form, Number
from paymatch.domain.matching.prepare import PostingView, Prepared
from paymatch.domain.matching.returns import find_returned, may_give_back

MAX_SUGGESTIONS: Final = 5
MIN_SUGGESTION: Final = 0.02
MAX_BY_AMOUNT: Final = 8
CLEAR_NUMBER: Final = 7.0
THRESHOLDS: Final = {Caution.CAUTIOUS: 0.998, Caution.NORMAL: 0.99, Caution.BOLD: 0.97}


def decide(
    prepared: Prepared,
    hits: Mapping[int, Sequence[str]],
    overflowed: frozenset[int],
    orders: Mapping[str, OrderFacts],
    shop: ShopFacts,
    related: Mapping[str, Related],
) -> list[Decision]:
    """One decision per posting of the batch, in the batch's order; the same whatever that order is.

    Postings are decided day by day; within a day the clearest first, and each match counts for those after it.
    `overflowed` keys found too many orders to mean anything; nothing is concluded from them.
    """
    batch = _Batch(hits, overflowed, orders, shop, related)
    days: dict[object, list[PostingView]] = {}
    for view in prepared.views:
        days.setdefault(view.booked, []).append(view)
    for day in sorted(days, key=str):
        batch.decide_day(days[day])
    return [batch.decisions[view.id] for view in prepared.views]


class _Verdict:
    """A decision that holds as long as none of the orders it rests on has moved."""

    __slots__ = ("decision", "match", "strength", "touched", "watched")

    def __init__(self, decision: Decision, match: Hypothesis | None, strength: float, watched: list[OrderView]) -> None:
        self.decision = decision
        self.match = match
        self.strength = strength
        self.watched = watched
        self.touched = sum(order.touched for order in watched)

    def stale(self) -> bool:
        return sum(order.touched for order in self.watched) != self.touched


class _Batch:
    """The state of one batch: orders as they stand after the postings decided so far."""

    def __init__(
        self,
        hits: Mapping[int, Sequence[str]],
        overflowed: frozenset[int],
        orders: Mapping[str, OrderFacts],
        shop: ShopFacts,
        related: Mapping[str, Related],
    ) -> None:
        self.hits = hits
        self.overflowed = overflowed
        self.orders = orders
        self.shop = shop
        self.related = related
        self.weigher = Weigher(shop)
        self.views: dict[str, OrderView] = {}
        self.decisions: dict[str, Decision] = {}
        self.none_score = log(max(shop.open_orders, 50)) - 2.0
        self.threshold = THRESHOLDS[shop.caution]

    def decide_day(self, views: list[PostingView]) -> None:
        """Decides the postings of one day, the clearest first."""
        verdicts = [(view, self._verdict(view)) for view in views]
        verdicts.sort(key=lambda pair: (-pair[1].strength, pair[0].id))
        for view, verdict in verdicts:
            if verdict.stale():
                verdict = self._verdict(view)
            self._apply(verdict)
            self.decisions[view.id] = verdict.decision

    def _apply(self, verdict: _Verdict) -> None:
        if verdict.match is None:
            return
        proposal = verdict.decision.match
        assert proposal is not None
        for allocation in proposal.allocations:
            self._order(allocation.order_number).take(allocation.order_amount_minor)

    def _order(self, number: str) -> OrderView:
        view = self.views.get(number)
        if view is None:
            view = self.views[number] = OrderView(self.orders[number])
        return view

    def _verdict(self, view: PostingView) -> _Verdict:
        if not view.amount:
            return _Verdict(Decision(view.id, Outcome.UNMATCHED), None, 0.0, [])
        if may_give_back(view.posting):
            verdict = self._given_back(view)
            if verdict is not None:
                return verdict
        candidates = self._candidates(view)
        if view.amount < 0:
            return self._debit(view, candidates)
        return self._credit(view, candidates)

    # candidates

    def _candidates(self, view: PostingView) -> list[Candidate]:
        """Orders that may be meant: those found by number, and unless that is clear those found by name, then amount."""
        found = self._weighed(view, self._found_by_number(view), frozenset())
        if len(found) > 1:
            _drop_inner(found)
        if view.amount < 0 or _is_clear(found):
            return found
        claimed = frozenset(c.number.compact for c in found if c.number is not None and c.form <= Form.ZEROS)
        seen = {c.order.number for c in found}
        for keys in (view.pair_amount_keys, view.word_keys, view.pair_keys):
            if keys is view.pair_keys and any(map(_is_settling, found)):
                break
            found += self._weighed(view, self._found(keys, seen), claimed)
        if not any(c.named or (c.grade >= Grade.NEAR and c.likeness >= Likeness.SURNAME) for c in found):
            found += self._weighed(view, self._newest(self._found((view.amount_key,), seen)), claimed)
        return found

    def _weighed(
        self, view: PostingView, found: Mapping[str, Sequence[tuple[Number, int]]], claimed: frozenset[str]
    ) -> list[Candidate]:
        today = view.booked.toordinal()
        last_day = today + FUTURE_SLACK_DAYS
        candidates = []
        for number in sorted(found) if len(found) > 1 else found:
            if number not in self.orders:
                continue
            order = self._order(number)
            if order.facts.order_date.toordinal() > (last_day if found[number] else today):
                continue
            candidate = self.weigher.weigh(view, order, found[number], claimed)
            if candidate is not None:
                candidates.append(candidate)
        return candidates

    def _found_by_number(self, view: PostingView) -> dict[str, list[tuple[Number, int]]]:
        """Order numbers that the posting's numbers found, each with those numbers and how many orders they found."""
        hits = self.hits
        found: dict[str, list[tuple[Number, int]]] = {}
        for keys, numbers in ((view.number_keys, view.numbers), (view.shared_keys, view.shared)):
            for key, number in zip(keys, numbers, strict=True):
                orders = hits.get(key)
                if orders:
                    for order in orders:
                        found.setdefault(order, []).append((number, len(orders)))
        return found

    def _found(self, keys: Sequence[int], seen: set[str]) -> dict[str, tuple[tuple[Number, int], ...]]:
        """Order numbers not seen before that `keys` found."""
        found: dict[str, tuple[tuple[Number, int], ...]] = {}
        for key in keys:
            for order in self.hits.get(key, ()):
                if order not in seen:
                    seen.add(order)
                    found[order] = ()
        return found

    def _newest(self, found: dict[str, tuple[tuple[Number, int], ...]]) -> dict[str, tuple[tuple[Number, int], ...]]:
        """The newest few of those that nothing but the amount brings in."""
        if len(found) <= MAX_BY_AMOUNT:
            return found
        newest = sorted((number for number in found if number in self.orders), key=self._age)
        return dict.fromkeys(newest[:MAX_BY_AMOUNT], ())

    def _age(self, number: str) -> tuple[int, str]:
        return (-self.orders[number].order_date.toordinal(), number)

    # money in

    def _credit(self, view: PostingView, candidates: list[Candidate]) -> _Verdict:
        hypotheses = [Hypothesis("single", [(c, view.amount)], c.score, c.reasons) for c in candidates]
        named = named_orders(candidates)
        if len(named) > 1 or (named and named[0].grade < Grade.NEAR and view.amount > named[0].order.open):
            multi = combine_named(view, self.weigher, named, candidates)
            if multi is not None:
                hypotheses.append(multi)
        if len(candidates) > 1 and not any(c.named and c.grade >= Grade.NEAR for c in candidates):
            hypotheses += combine_unnamed(view, self.weigher, candidates)
        _rivals(hypotheses)
        return self._choose(view, candidates, hypotheses)

    def _choose(self, view: PostingView, candidates: list[Candidate], hypotheses: list[Hypothesis]) -> _Verdict:
        watched = [c.order for c in candidates]
        if not hypotheses:
            return _Verdict(Decision(view.id, Outcome.UNMATCHED), None, -100.0, watched)
        if len(hypotheses) > 1:
            hypotheses.sort(key=_rank)
        none = self.none_score + (4.0 if view.says.against else 0.0)
        _probabilities(hypotheses, none)
        best = hypotheses[0]
        why, instead = held_back(view, best, candidates)
        if instead is not None:
            best = _put_first(hypotheses, best, instead, none)
        if not why and best.probability < self.threshold:
            why = f"the probability of {best.probability:.1%} is below what the shop asks for"
        strength = best.score - (hypotheses[1].score if len(hypotheses) > 1 else none)
        if not why:
            decision = Decision(
                view.id, Outcome.MATCHED, self._proposal(view, best), (), _runner_up(best, hypotheses), _flags(best)
            )
            return _Verdict(decision, best, 1000.0 + strength, watched)
        kept = tuple(self._proposal(view, h) for h in hypotheses[:MAX_SUGGESTIONS] if h.probability >= MIN_SUGGESTION)
        outcome = Outcome.SUGGESTED if kept else Outcome.UNMATCHED
        return _Verdict(Decision(view.id, outcome, None, kept, why), None, strength, watched)

    def _proposal(self, view: PostingView, hypothesis: Hypothesis) -> Proposal:
        allocations = tuple(
            AllocationProposal(c.order.number, minor, self._order_minor(view, c, minor))
            for c, minor in hypothesis.parts
        )
        return Proposal(allocations, hypothesis.probability, tuple(hypothesis.reasons))

    def _order_minor(self, view: PostingView, candidate: Candidate, minor: int) -> int:
        """`minor` of the posting in the order's currency; what is open, where the exchange explains the difference."""
        order = candidate.order
        if order.facts.currency == view.currency:
            return minor
        due = self.weigher.due(view, order)
        assert due is not None
        base, own = (due[0], order.open) if due[0] > 0 else (due[1], order.facts.amount_minor)
        if candidate.fit.code in ("amount-exchange", "amount-instructed") and abs(minor) == abs(view.amount):
            return own if minor > 0 else -own
        return round(minor * own / base) if base else minor

    # money out

    def _debit(self, view: PostingView, candidates: list[Candidate]) -> _Verdict:
        """A refund that names its order and goes to its customer; every other debit is none of the orders' business."""
        watched = [c.order for c in candidates]
        own = [c for c in candidates if _own_refund(view, c)]
        if not own:
            own = [c for c in candidates if _refund_by_text(view, c)]
        own.sort(key=lambda c: (-c.number_weight, -c.likeness, c.order.number))
        clear = own and (len(own) == 1 or own[0].number_weight > own[1].number_weight + 1.0)
        if not own:
            return _Verdict(Decision(view.id, Outcome.UNMATCHED), None, -100.0, watched)
        best = own[0]
        chosen = Hypothesis("refund", [(best, view.amount)], best.score, best.reasons)
        chosen.probability = 0.999 if clear else 0.6
        proposal = self._proposal(view, chosen)
        if clear and (best.order.paid >= -view.amount or best.order.paid > 0 or _own_refund(view, best)):
            decision = Decision(view.id, Outcome.MATCHED, proposal, flags=("refund",))
            return _Verdict(decision, chosen, 500.0, watched)
        why = "no payment of the order is known that it could give back" if clear else "several orders are named"
        return _Verdict(Decision(view.id, Outcome.SUGGESTED, None, (proposal,), why), None, 0.0, watched)

    def _given_back(self, view: PostingView) -> _Verdict | None:
        """The return of an earlier posting, which undoes what that posting was allocated to; None if none is known."""
        related = self.related.get(view.id)
        if related is None or not related.earlier:
            return None
        past = find_returned(view.posting, related.earlier)
        if past is None or not past.allocations:
            return None
        sign = -1 if view.amount < 0 else 1
        allocations = tuple(
            AllocationProposal(a.order_number, sign * abs(a.amount_minor), sign * abs(a.order_amount_minor))
            for a in past.allocations
            if a.order_number in self.orders
        )
        if sum(abs(a.amount_minor) for a in allocations) > abs(view.amount) or not allocations:
            return None
        words = f"it gives back the posting of {past.posting.booking_date.isoformat()}"
        proposal = Proposal(allocations, 0.999, (Reason("returned", 16.0, words),))
        flags = ("returned",) if view.amount < 0 else ("refund-returned",)
        decision = Decision(view.id, Outcome.MATCHED, proposal, (), "", flags)
        watched = [self._order(a.order_number) for a in allocations]
        return _Verdict(decision, Hypothesis("returned", [], 100.0, []), 900.0, watched)


def _is_clear(found: list[Candidate]) -> bool:
    """True if one order is named, its amount is exact and the name is its customer's: nothing else needs a look."""
    named = [c for c in found if c.named]
    return len(named) == 1 and _is_settling(named[0]) and named[0].number_weight >= CLEAR_NUMBER


def _is_settling(candidate: Candidate) -> bool:
    """True if the posting is exactly what is open and the payer is the customer."""
    return (
        candidate.fit.grade is Grade.EXACT
        and candidate.likeness >= Likeness.VARIANT
        and candidate.order.state is OrderState.OPEN
    )


def _drop_inner(found: list[Candidate]) -> None:
    """A number inside a longer one that belongs to another order as it stands says nothing (`293` of `R-2026/00293`)."""
    whole = [c for c in found if c.named and c.number is not None and c.number.start >= 0 and c.form <= Form.ZEROS]
    for candidate in found:
        number = candidate.number
        if number is None or number.start < 0:
            continue
        for other in whole:
            outer = other.number
            if (
                other is not candidate
                and outer is not None
                and outer.start <= number.start
                and number.end <= outer.end
                and outer.end - outer.start > number.end - number.start
                and (other.form <= candidate.form)
                and outer.digits > number.digits
            ):
                _forget_number(candidate)
                break


def _forget_number(candidate: Candidate) -> None:
    candidate.reasons = [r for r in candidate.reasons if not (r.code.startswith("number-") and r.highlight)]
    candidate.number, candidate.number_weight = None, 0.0
    candidate.score = sum(r.weight for r in candidate.reasons)


def _rivals(hypotheses: list[Hypothesis]) -> None:
    """Evidence against a named order that is paid already, where its customer has another open one of this amount."""
    singles = [h.parts[0][0] for h in hypotheses if h.code == "single"]
    open_exact = [
        c
        for c in singles
        if c.order.state is OrderState.OPEN and c.grade is Grade.EXACT and c.likeness >= Likeness.PART
    ]
    if not open_exact:
        return
    for hypothesis in hypotheses:
        if hypothesis.code != "single":
            continue
        candidate = hypothesis.parts[0][0]
        if candidate.order.state is OrderState.OPEN or not candidate.named:
            continue
        for other in open_exact:
            if other is not candidate:
                words = f"it is paid already, and order {other.order.number} of this payer is open with this amount"
                hypothesis.reasons = [*hypothesis.reasons, Reason("rival-open", -9.0, words)]
                hypothesis.score -= 9.0
                break


def _put_first(hypotheses: list[Hypothesis], best: Hypothesis, instead: Candidate, none: float) -> Hypothesis:
    """The hypothesis of the order that name and amount point to, now before the one that was named."""
    first = next(h for h in hypotheses if h.code == "single" and h.parts[0][0] is instead)
    weight = min(0.0, first.score - best.score - 1.0)
    words = f"the payer's name and the amount point to order {instead.order.number}"
    best.reasons = [*best.reasons, Reason("rival-name", weight, words)]
    best.score += weight
    hypotheses.sort(key=_rank)
    _probabilities(hypotheses, none)
    return hypotheses[0]


def _rank(hypothesis: Hypothesis) -> tuple[float, int, str, int]:
    """The likeliest first; of equals the newest order."""
    order = hypothesis.parts[0][0].order.facts
    return (-hypothesis.score, -order.order_date.toordinal(), order.number, len(hypothesis.parts))


def _probabilities(hypotheses: list[Hypothesis], none: float) -> None:
    top = max(hypotheses[0].score, none)
    weights = [exp(h.score - top) for h in hypotheses]
    total = sum(weights) + exp(none - top)
    for hypothesis, weight in zip(hypotheses, weights, strict=True):
        hypothesis.probability = weight / total


def _runner_up(best: Hypothesis, hypotheses: list[Hypothesis]) -> str:
    if len(hypotheses) < 2:
        return ""
    second = hypotheses[1]
    numbers = ", ".join(sorted(second.orders))
    worst = min(second.reasons, key=lambda r: r.weight, default=None)
    detail = f": {worst.words}" if worst is not None and worst.weight < 0 else ""
    return f"next was {numbers} with {second.probability:.1%}{detail}"


def _flags(best: Hypothesis) -> tuple[str, ...]:
    flags: list[str] = []
    for candidate, _ in best.parts:
        if candidate.order.state is OrderState.CLOSED:
            flags.append("cancelled-order")
        elif candidate.order.state is OrderState.SETTLED:
            flags.append("duplicate")
        code = candidate.fit.code
        if best.code == "single":
            if code in ("amount-over", "amount-double", "amount-far-over", "amount-rounded"):
                flags.append("overpayment")
            elif code in ("amount-partial", "amount-instalment", "amount-tiny", "amount-total-again"):
                flags.append("partial")
            elif code in ("amount-fee", "amount-short", "amount-charges", "amount-fee-tolerance"):
                flags.append("fee")
            elif code == "amount-skonto":
                flags.append("skonto")
    if best.code == "multi" and any(r.code == "sum-skonto" for r in best.reasons):
        flags.append("skonto")
    return tuple(dict.fromkeys(flags))


def _own_refund(view: PostingView, candidate: Candidate) -> bool:
    references = candidate.order.facts.refund_references
    if not references:
        return False
    posting = view.posting
    ids = (posting.end_to_end_id, posting.original_end_to_end_id)
    return any(reference in ids or reference in posting.text for reference in references if reference)


def _refund_by_text(view: PostingView, candidate: Candidate) -> bool:
    """True if the text names the order and the money goes to its customer."""
    number = candidate.number
    if not candidate.named or number is None or candidate.kind is Kind.ITEM:
        return False
    if candidate.likeness < Likeness.PART and not candidate.name_in_text:
        return False
    return -view.amount <= max(candidate.order.paid, candidate.order.facts.amount_minor) * 3 or True
