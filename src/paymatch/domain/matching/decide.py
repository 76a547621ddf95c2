"""The engine's entry: decides a batch of postings with their lookup results, and gives reasons (docs/matching.md)."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from math import exp, log
from typing import Final

from paymatch.domain.bank_codes import is_cash
from paymatch.domain.matching.assign import combine_named, combine_unnamed, named_orders
from paymatch.domain.matching.calibrate import calibrate
from paymatch.domain.matching.catalogue import (
    RIVAL_EXACT,
    RIVAL_NAME,
    RIVAL_OPEN,
)
from paymatch.domain.matching.clerk.table import review_reason
from paymatch.domain.matching.evidence import Candidate, Weigher
from paymatch.domain.matching.find import Finder
from paymatch.domain.matching.learn import is_ignored
from paymatch.domain.matching.lookup.batch import (
    LIMIT,
    TOO_MUCH,
    BatchWork,
    KnownOrders,
    Lacking,
    Lacks,
    TooMuchWork,
    Work,
)
from paymatch.domain.matching.model import (
    Caution,
    Decision,
    FirstSuggestion,
    MatchOutcome,
    OrderState,
    PastPosting,
    Related,
    ShopFacts,
)
from paymatch.domain.matching.outgoing import (
    giving_back,
    refund_of,
    unless_collected,
    unless_returned_already,
)
from paymatch.domain.matching.prepare import OrderView, PostingView, Prepared
from paymatch.domain.matching.rank.delays import Delays
from paymatch.domain.matching.rank.ranking import rank_proposals
from paymatch.domain.matching.returns import find_returned, is_bank_return, is_returned_money, may_give_back
from paymatch.domain.matching.several.hypothesis import (
    Hypothesis,
    contests,
    first_orders,
    flags_of,
    proposal_of,
    runner_up,
    single,
)
from paymatch.domain.matching.text.names import Likeness
from paymatch.domain.matching.text.numbers import Form
from paymatch.domain.matching.text.payers import is_holder_for_others, is_named_like_its_orders
from paymatch.domain.matching.weigh.amounts import Grade
from paymatch.domain.words.message import Message, Value

MAX_SUGGESTIONS: Final = 5
MIN_SUGGESTION: Final = 0.01
AGAINST_COST: Final = 4.0
LONG_NUMBER: Final = 9.0
"""The least weight of a number of five digits."""
FIRST, EARLY, LAST = 1000.0, 500.0, -100.0  # strengths of decisions that need no comparison
THRESHOLDS: Final = {Caution.CAUTIOUS: 0.998, Caution.NORMAL: 0.99, Caution.BOLD: 0.97}


def decide(
    prepared: Prepared,
    known: KnownOrders,
    shop: ShopFacts,
    related: Mapping[str, Related],
    work: BatchWork | None = None,
) -> list[Decision]:
    """The decisions of a batch whose orders are all known; LookupError if one is not."""
    batch = DecisionBatch(prepared, known, shop, related, work)
    for lacks in batch.decide():
        raise LookupError(lacks)
    return batch.in_order()


class _Verdict:
    """A decision that is valid until one of the orders it rests on changes."""

    __slots__ = ("decision", "strength", "touched", "waits", "watched")

    def __init__(self, decision: Decision, strength: float, watched: list[OrderView], *, waits: bool = False) -> None:
        self.decision = decision
        self.strength = strength
        self.watched = watched
        self.touched = sum([order.touched for order in watched])
        self.waits = waits  # for another posting of the day, which is decided in its turn

    def is_stale(self) -> bool:
        return self.waits or sum([order.touched for order in self.watched]) != self.touched


class DecisionBatch:
    """A batch of postings being decided: one decision for each, independent of the batch's order.

    Postings are decided day by day; within a day the clearest first, and each match counts for those after it. Keys
    that found too many orders to mean anything are ignored. The orders of `related` have to be known.

    With `work`, postings beyond its limit are put off without a decision; at least one is decided.
    """

    def __init__(
        self,
        prepared: Prepared,
        known: KnownOrders,
        shop: ShopFacts,
        related: Mapping[str, Related],
        work: BatchWork | None = None,
    ) -> None:
        self.views = prepared.views
        self.finder = Finder(known, Weigher(shop))
        self.amounts = self.finder.weigher.amounts
        self.shop = shop
        self.related = related
        self.waiting = frozenset(view.id for view in prepared.views)
        self.work = work
        self.put_off = False
        self.decisions: dict[str, Decision] = {}
        self.none_score = log(max(shop.open_orders, 50)) - 2.0
        self.delays = Delays(shop.delays)
        self.threshold = THRESHOLDS[shop.caution]

    def decide(self) -> Iterator[Lacks]:
        """Decides the postings. Yields what it lacks; the caller adds that to what is known before it continues."""
        days: dict[int, list[PostingView]] = {}
        for view in self.views:
            days.setdefault(view.booked.toordinal(), []).append(view)
        for day in sorted(days):
            yield from self._decide_day(days[day])

    def in_order(self) -> list[Decision]:
        """The decisions in the order of the batch, without the postings that were put off."""
        return [self.decisions[view.id] for view in self.views if view.id in self.decisions]

    def _decide_day(self, views: Sequence[PostingView]) -> Iterator[Lacks]:
        """Decides the postings of one day, the clearest first, as far as there is work left."""
        verdicts = yield from self._weigh(views, self.work)
        self.put_off = self.put_off or len(verdicts) < len(views)
        for view, first in sorted(verdicts, key=lambda pair: (-pair[1].strength, pair[0].id)):
            verdict = first
            if first.is_stale():
                ((_, verdict),) = yield from self._weigh([view])
            if verdict.waits and self.put_off:
                continue  # what it waits for is decided in another batch
            self._apply(view, verdict.decision)
            self.decisions[view.id] = verdict.decision

    def _weigh(
        self, views: Sequence[PostingView], limit: BatchWork | None = None
    ) -> Generator[Lacks, None, list[tuple[PostingView, _Verdict]]]:
        """Verdicts on the orders' present state, as far as there is work left; asks for all they lack at once."""
        verdicts: list[tuple[PostingView, _Verdict]] = []
        while views:
            lacks, again = Lacks(), []
            for view in views:
                if limit is not None and limit.is_spent:
                    return verdicts
                try:
                    verdicts.append((view, self._verdict(view)))
                except Lacking as lacking:
                    lacks |= lacking.lacks
                    again.append(view)
            if again:
                yield lacks
            views = again
        return verdicts

    def _apply(self, view: PostingView, decision: Decision) -> None:
        order = self.finder.order
        if decision.match is not None:
            for allocation in decision.match.allocations:
                order(allocation.order_number).take(allocation.pays_minor, self.shop.tolerance_minor)
        if not decision.suggestions:
            return
        own = FirstSuggestion(view.booked, view.id)
        for number in {a.order_number for suggestion in decision.suggestions for a in suggestion.allocations}:
            order(number).first_for.discard(own)
        for number in first_orders(decision):
            order(number).propose(own)
        for number in contests(decision):
            order(number).contest()

    def _verdict(self, view: PostingView) -> _Verdict:
        """The decision on the orders' present state; one that would take too much work is left to a person."""
        view.work = Work()
        try:
            verdict = self._weigh_view(view)
        except TooMuchWork:
            decision = Decision(view.id, MatchOutcome.UNMATCHED, review_reason=TOO_MUCH, flags=("too-much-work",))
            verdict = _Verdict(decision, LAST, [])
        if self.work is not None:
            self.work.add(min(view.work.steps, LIMIT))
        return verdict

    def _weigh_view(self, view: PostingView) -> _Verdict:
        if not view.amount or is_ignored(view, self.shop):
            flags = ("ignored",) if view.amount else ()
            return _Verdict(Decision(view.id, MatchOutcome.UNMATCHED, flags=flags), LAST, [])
        if is_bank_return(view.posting):
            past = self._returned_posting(view)
            if past is not None and past.id in self.waiting and past.id not in self.decisions:
                return _Verdict(Decision(view.id, MatchOutcome.UNMATCHED), LAST - 1, [], waits=True)
            decision = self._given_back(view, past)
            if decision is not None:
                allocations = decision.match.allocations if decision.match is not None else ()
                return _Verdict(decision, FIRST, [self.finder.order(a.order_number) for a in allocations])
            if is_returned_money(view.posting):
                words = Message("returned-unknown")
                waits = Decision(view.id, MatchOutcome.UNMATCHED, review_reason=words, flags=("returned",))
                return _Verdict(waits, LAST - 1, [])
        candidates = self.finder.candidates(view)
        if view.amount > 0:
            return self._credit(view, candidates)
        decision = refund_of(self.amounts, view, candidates)
        if decision.outcome is MatchOutcome.UNMATCHED and may_give_back(view.posting):
            decision = self._given_back(view, self._returned_posting(view)) or decision
        related = self.related.get(view.id)
        decision = unless_returned_already(decision, names_returned=related is not None and related.names_returned)
        return _Verdict(unless_collected(view, decision), EARLY, [c.order for c in candidates])

    def _returned_posting(self, view: PostingView) -> PastPosting | None:
        """The earlier posting that is returned, with what it pays, including matches of this batch."""
        related = self.related.get(view.id)
        past = find_returned(view.posting, related.earlier) if related is not None else None
        decided = self.decisions.get(past.id) if past is not None else None
        if past is not None and decided is not None and decided.match is not None:
            return replace(past, allocations=(*past.allocations, *decided.match.allocations))
        return past

    def _given_back(self, view: PostingView, past: PastPosting | None) -> Decision | None:
        if past is None:
            return None
        if not past.allocations and is_bank_return(view.posting):
            # The order that the text names did not receive this money, so it does not lose it either.
            words = Message("reverses-unpaid", day=past.posting.booking_date)
            return Decision(view.id, MatchOutcome.UNMATCHED, review_reason=words, flags=("returned",))
        known = [a.order_number for a in past.allocations if a.order_number in self.finder.known.orders]
        return giving_back(view, past, known)

    def _credit(self, view: PostingView, candidates: list[Candidate]) -> _Verdict:
        hypotheses = [single(view, self.amounts, candidate) for candidate in candidates]
        payable = [c for c in candidates if c.rate_known]
        if len(payable) > 1 or (payable and payable[0].grade < Grade.NEAR):
            named = named_orders(payable)
            if len(named) > 1 or (named and named[0].grade < Grade.NEAR and view.amount > named[0].order.open):
                hypotheses += combine_named(view, self.amounts, named, payable)
        if len(candidates) > 1:
            if not any(c.named and c.grade >= Grade.NEAR for c in candidates):
                explained = {hypothesis.shares for hypothesis in hypotheses}
                hypotheses += [
                    each for each in combine_unnamed(view, self.amounts, payable) if each.shares not in explained
                ]
            _rivals(hypotheses)
            _beside_exact(hypotheses)
        watched = [c.order for c in candidates]
        if not hypotheses:
            return _Verdict(Decision(view.id, MatchOutcome.UNMATCHED, flags=_undecided_flags(view)), LAST, watched)
        return self._choose(view, candidates, hypotheses, watched)

    def _choose(
        self, view: PostingView, candidates: list[Candidate], hypotheses: list[Hypothesis], watched: list[OrderView]
    ) -> _Verdict:
        if len(hypotheses) > 1:
            hypotheses.sort(key=_rank)
        none = self.none_score + (AGAINST_COST if view.signals.contradicts_payment and not view.collective else 0.0)
        _probabilities(hypotheses, none)
        best = hypotheses[0]
        known, crowded = self.finder.known_numbers(view), self.finder.is_name_crowded(view)
        why, instead = review_reason(view, best, candidates, known, crowded=crowded)
        if instead is not None:
            best = _put_first(hypotheses, best, instead, none)
        if not why and best.code == "single" and not best.parts[0][0].named and self.finder.is_crowded(view):
            why = Message("too-many")
        if not why and best.probability < self.threshold:
            why = Message("not-certain")
        strength = best.score - (hypotheses[1].score if len(hypotheses) > 1 else none)
        if why and rank_proposals(view, hypotheses, self.delays):
            hypotheses.sort(key=_rank)
            _probabilities(hypotheses, none)
        if not why:
            proposal = proposal_of(view, best)
            lost = runner_up(hypotheses)
            decision = Decision(view.id, MatchOutcome.MATCHED, proposal, (), lost, _flags(view, best))
            return _Verdict(decision, FIRST + strength, watched)
        for hypothesis in hypotheses:
            hypothesis.probability = calibrate(hypothesis.probability)
        kept = _worth_showing(hypotheses, best, why)
        suggestions = tuple([proposal_of(view, hypothesis) for hypothesis in kept])
        outcome = MatchOutcome.SUGGESTED if kept else MatchOutcome.UNMATCHED
        return _Verdict(Decision(view.id, outcome, None, suggestions, why, _undecided_flags(view)), strength, watched)


def _flags(view: PostingView, best: Hypothesis) -> tuple[str, ...]:
    """What is special about the match; the account of who pays for others is not the customer's (D-5)."""
    names = [candidate.order.names for candidate, _ in best.parts]
    held = is_cash(view.posting) or any(is_holder_for_others(view.payers, each) for each in names)
    is_customer = view.tariffs is None and is_named_like_its_orders(view.payers, names)
    passes_on = best.is_payout or held or (view.collective and not is_customer)
    return (*flags_of(best), "collective") if passes_on else flags_of(best)


def _undecided_flags(view: PostingView) -> tuple[str, ...]:
    """Whether a person must decide on a carrier's or marketplace's payout, which takes longer than a payment."""
    return ("collective",) if view.collective else ()


def _worth_showing(hypotheses: Sequence[Hypothesis], best: Hypothesis, why: str) -> list[Hypothesis]:
    """The suggestions: the likeliest, and, however unlikely, those that a person is asked about.

    These are the two orders that may be meant, the payer's own, and those whose number is in the text, if they are
    open for exactly this amount. Suggested orders may have been paid: their customers are not reminded.
    """
    named = why.values.get("order") if isinstance(why, Message) else None
    named_orders = () if named is None else (named, best.parts[0][0].order.number)
    asked = [h for h in hypotheses if h.code == "single" and _is_asked_about(h.parts[0][0], named_orders)][
        :MAX_SUGGESTIONS
    ]
    others = [h for h in hypotheses if h not in asked and h.probability >= MIN_SUGGESTION]
    return sorted([*asked, *others[: MAX_SUGGESTIONS - len(asked)]], key=hypotheses.index)


def _is_asked_about(candidate: Candidate, named_orders: Collection[Value]) -> bool:
    if candidate.order.state is not OrderState.OPEN or candidate.grade is not Grade.EXACT:
        return False
    written = candidate.number is not None and candidate.form is Form.FULL
    return written or candidate.order.number in named_orders or candidate.likeness >= Likeness.VARIANT


def _rivals(hypotheses: list[Hypothesis]) -> None:
    """Evidence against a named order that is already paid, if its customer has another open one of this amount."""
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
        other = open_exact[0]
        against = RIVAL_OPEN.reason(words=Message("rival-open", order=other.order.number))
        hypothesis.reasons = [*hypothesis.reasons, against]
        hypothesis.score += against.weight


def _beside_exact(hypotheses: list[Hypothesis]) -> None:
    """Evidence against unnamed orders, if another one is named and open for exactly the amount."""
    singles = [h for h in hypotheses if h.code == "single"]
    exact = next((h.parts[0][0] for h in singles if _is_named_exactly(h.parts[0][0])), None)
    if exact is None:
        return
    for hypothesis in singles:
        candidate = hypothesis.parts[0][0]
        fits = candidate.order.state is OrderState.OPEN and candidate.grade is Grade.EXACT
        if candidate.number is None and not fits:
            against = RIVAL_EXACT.reason(words=Message("rival-exact", order=exact.order.number))
            hypothesis.reasons = [*hypothesis.reasons, against]
            hypothesis.score += against.weight


def _is_named_exactly(candidate: Candidate) -> bool:
    """True if a long number is complete and the order is open for exactly the amount: not by chance."""
    whole = candidate.named and candidate.form is Form.FULL and candidate.number_weight >= LONG_NUMBER
    return whole and candidate.grade is Grade.EXACT and candidate.order.state is OrderState.OPEN


def _put_first(hypotheses: list[Hypothesis], best: Hypothesis, instead: Candidate, none: float) -> Hypothesis:
    """The hypothesis of the order that name and amount point to, now ahead of the named one."""
    first = next(h for h in hypotheses if h.code == "single" and h.parts[0][0] is instead)
    weight = min(0.0, first.score - best.score - 1.0)
    words = Message("points-elsewhere", order=instead.order.number)
    best.reasons = [*best.reasons, RIVAL_NAME.reason(weight, words)]
    best.score += weight
    hypotheses.sort(key=_rank)
    _probabilities(hypotheses, none)
    return hypotheses[0]


def _rank(hypothesis: Hypothesis) -> tuple[float, int, str, int]:
    """Sorts the likeliest first; of equals the newest order."""
    order = hypothesis.parts[0][0].order.facts
    return (-hypothesis.score, -order.order_date.toordinal(), order.number, len(hypothesis.parts))


def _probabilities(hypotheses: list[Hypothesis], none: float) -> None:
    top = max(hypotheses[0].score, none)
    weights = [exp(h.score - top) for h in hypotheses]
    total = sum(weights) + exp(none - top)
    for hypothesis, weight in zip(hypotheses, weights, strict=True):
        hypothesis.probability = weight / total
