"""Remittance advices in matching: one that explains a posting to the cent decides it or is suggested (D-80, D-94)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from paymatch.domain.advices.advice import Advice
from paymatch.domain.advices.crediting import AdvisedCredit, AdvisedOrder, credit
from paymatch.domain.advices.explaining import (
    LATER,
    NUMBER_LENGTH,
    AdviceLink,
    AdvisedPosting,
    Explanation,
    KnownAdvice,
    explain_postings,
)
from paymatch.domain.matching import catalogue
from paymatch.domain.matching.lookup.keys import MAX_HITS, NUMBER, compact_of, keys_of
from paymatch.domain.matching.model import Decision, MatchOutcome, OrderFacts, OrderState, Proposal
from paymatch.domain.matching.prepare import KeyKind, OrderView
from paymatch.domain.matching.returns import is_bank_return, is_returned_money
from paymatch.domain.matching.text.names import parse_name
from paymatch.domain.matching.text.numbers import Form
from paymatch.domain.matching.text.payers import fee_kind_of, is_named_like_its_orders, payer_of
from paymatch.domain.money import Currency, digits_of
from paymatch.domain.orders.fees import FeeKind, PayerTerms
from paymatch.domain.payouts.providers import is_at_provider
from paymatch.domain.postings import INITIAL, PostingStatus
from paymatch.domain.shops.shop import Shop
from paymatch.domain.statement_channels import TRUSTED
from paymatch.domain.words.message import Message
from paymatch.store.advices import advices as store
from paymatch.store.advices import senders
from paymatch.store.advices.advices import AdviceRow
from paymatch.store.matching import matching as match_store
from paymatch.store.matching import payers as payout_store
from paymatch.store.orders import orders as order_store
from paymatch.store.statements import postings as posting_store
from paymatch.store.statements import statements as statement_store
from paymatch.store.statements.postings import DecidedRow, StoredPosting
from paymatch.store.transactions import ShopTx
from paymatch.usecases.matching.unmatching import release

_CERTAIN, _LIKELY = 0.999, 0.6
_CHOICE: Final = ("choice",)


@dataclass(frozen=True, slots=True)
class AdvisedDecisions:
    """Advices' results for a batch: decisions that need no comparison, and proposals besides the engine's."""

    decisions: Mapping[str, Decision] = field(default_factory=dict)
    proposals: Mapping[str, Decision] = field(default_factory=dict)
    orders: Mapping[str, OrderFacts] = field(default_factory=dict)
    keys: Mapping[str, Collection[int]] = field(default_factory=dict)

    def keys_of(self, posting_id: str) -> Collection[int]:
        """The keys with which an order named in the posting's advice finds the posting later."""
        return self.keys.get(posting_id, ())

    def beside(self, decision: Decision, stored: StoredPosting) -> Decision:
        """The decision, or the advice's proposal if the engine is not certain."""
        said = self.proposals.get(stored.id)
        if said is None or decision.match is not None or not _is_untouched(stored, said):
            return decision
        if said.match is not None and "by-hand" not in decision.flags:
            return said
        first = said.suggestions or ((said.match,) if said.match is not None else ())
        if not first:
            return decision._replace(review_reason=said.review_reason or decision.review_reason)
        others = tuple(each for each in decision.suggestions if each.allocations != first[0].allocations)
        return decision._replace(
            outcome=MatchOutcome.SUGGESTED, suggestions=(*first, *others), review_reason=said.review_reason
        )


NOT_ADVISED: Final = AdvisedDecisions()


def advised_postings(tx: ShopTx, loaded: Sequence[StoredPosting], now: datetime) -> AdvisedDecisions:
    """Advices' results for a batch of postings; schedules matching of other postings that they now explain."""
    rows = store.readable(tx, tx.shop.today(now))
    before = store.explained_postings(tx)
    if not rows and not before:
        return NOT_ADVISED
    own = {each.id for each in loaded}
    explained = _explanations_of(tx, rows, before)
    _call_others(tx, {key: each for key, each in explained.items() if key not in own}, before, now)
    waiting = {each.id: each for each in loaded if each.is_open and each.id in explained}
    said = {key: _as_kept(explained[key]) if key in waiting else "" for key in own}
    store.set_explained(tx, {key: each for key, each in said.items() if each or key in before})
    if not waiting:
        return NOT_ADVISED
    return _Advised(tx, tx.shop, rows, {key: explained[key] for key in waiting}, waiting).decide()


def call_explained(tx: ShopTx, now: datetime) -> None:
    """Schedules matching of postings whose explanation by advices has changed since they were decided."""
    statement_store.lock_matching(tx)
    before = store.explained_postings(tx)
    explained = _explanations_of(tx, store.readable(tx, tx.shop.today(now)), before)
    _call_others(tx, explained, before, now)


def _explanations_of(tx: ShopTx, rows: Sequence[AdviceRow], before: Mapping[str, str]) -> dict[str, Explanation]:
    payers = senders.payers_by_address(tx) if any(row.proof for row in rows) else {}
    known = [
        KnownAdvice(
            row.id, row.advice, row.received_on, row.channel in TRUSTED, row.posting_id,
            payers.get(row.sender, frozenset()) if row.proof else frozenset(),
        )
        for row in rows
        if row.advice is not None
    ]  # fmt: skip
    if not known:
        return {}
    advices = [each.advice for each in known]
    numbers = {each.number for each in advices if len(each.number) >= NUMBER_LENGTH}
    found = store.candidates(
        tx, (min(each.first_day for each in known), max(each.day for each in known) + LATER),
        {each.paid_minor for each in advices}, {each.payer.lower() for each in advices if each.payer},
        {each.posting_id for each in known if each.posting_id}, numbers,
        {each.payer_account for each in advices if each.payer_account},
    )  # fmt: skip
    postings = [
        _as_advised(each)
        for each in posting_store.load(tx, found)
        if not each.by_hand and not is_at_provider(each.posting.account)
        and not is_bank_return(each.posting) and not is_returned_money(each.posting)
    ]  # fmt: skip
    return explain_postings(known, postings, before)


def _as_kept(explained: Explanation) -> str:
    """The advices in the explanation, as they are stored with the posting; a choice is not the same as their sum."""
    return " ".join((*sorted(explained.advice_ids), *(_CHOICE if explained.is_choice else ())))


def _as_advised(stored: StoredPosting) -> AdvisedPosting:
    posting = stored.posting
    return AdvisedPosting(
        stored.id, posting.currency, posting.amount_minor, posting.booking_date, payer_of(posting)[0],
        posting.counterparty_name, f"{posting.shown_text}\n{posting.end_to_end_id}",
    )  # fmt: skip


def _call_others(tx: ShopTx, explained: Mapping[str, Explanation], before: Mapping[str, str], now: datetime) -> None:
    """Postings with a changed explanation are decided again; a match by the engine gives way."""
    changed = [key for key, each in explained.items() if before.get(key, "") != _as_kept(each)]
    again = []
    for stored in posting_store.load(tx, changed):
        own = explained[stored.id]
        if stored.by_hand:
            continue
        if stored.status is PostingStatus.MATCHED:
            if own.link is AdviceLink.SUM or not own.may_decide or own.is_choice:
                continue
            reopen(tx, [stored.id], now)
        again.append(stored.id)
    match_store.mark_postings_for_rematch(tx, again, now)


def reopen(tx: ShopTx, postings: Sequence[str], now: datetime) -> None:
    """Undoes automatic matches, so these postings are decided again."""
    release(tx, postings, now)
    posting_store.write_decisions(tx, [DecidedRow(each, INITIAL, "") for each in postings], now)
    match_store.mark_postings_for_rematch(tx, postings, now)


class _Advised:
    """The postings of a batch that advices explain, with the orders that the advices name."""

    def __init__(
        self,
        tx: ShopTx,
        shop: Shop,
        rows: Sequence[AdviceRow],
        explained: Mapping[str, Explanation],
        waiting: Mapping[str, StoredPosting],
    ) -> None:
        self._shop, self._explained, self._waiting = shop, explained, waiting
        self._rows = {row.id: row for row in rows}
        texts = {NUMBER + compact_of(reference) for each in explained.values() for reference in _references(each)}
        in_order = sorted(texts)
        self._key_of = dict(zip(in_order, keys_of(in_order), strict=True))
        self._hits, _ = match_store.find_orders(tx, set(self._key_of.values()), MAX_HITS)
        numbers = sorted({number for found in self._hits.values() for number in found})
        order_store.lock(tx, numbers)
        self.orders = match_store.load_orders(tx, numbers)
        self._views = {number: OrderView(each) for number, each in self.orders.items()}
        self._tariffs = payout_store.tariffs(tx, [each.posting for each in waiting.values()])
        self._wrong = statement_store.postings_not_adding_up(tx, list(waiting))

    def decide(self) -> AdvisedDecisions:
        """The decisions, in the order of the postings: an order is credited once."""
        decisions: dict[str, Decision] = {}
        proposals: dict[str, Decision] = {}
        keys: dict[str, Collection[int]] = {}
        for key in sorted(self._waiting, key=lambda each: (self._waiting[each].posting.booking_date, each)):
            stored, own = self._waiting[key], self._explained[key]
            decision = self._choice(stored, own) if own.is_choice else self._decision(stored, own)
            keys[key] = {self._key_of[NUMBER + compact_of(reference)] for reference in _references(own)}
            if decision.match is not None and own.link < AdviceLink.SUM and _is_untouched(stored, decision):
                decisions[key] = decision
                for allocation in decision.match.allocations:
                    self._views[allocation.order_number].take(allocation.pays_minor, 0)
            else:
                proposals[key] = decision
        return AdvisedDecisions(decisions, proposals, self.orders, keys)

    def _choice(self, stored: StoredPosting, own: Explanation) -> Decision:
        """Suggests all that may explain the posting, what leaves no other doubt first."""
        decisions = sorted((self._decision(stored, each) for each in own.choices), key=lambda each: each.match is None)
        proposals = [part for each in decisions for part in (*each.suggestions, each.match) if part is not None]
        if not proposals:
            return decisions[0]
        likely = tuple(proposal._replace(probability=_LIKELY) for proposal in proposals)
        doubt = Message("advices-alike")
        return Decision(stored.id, MatchOutcome.SUGGESTED, None, likely, doubt, decisions[0].flags)

    def _credit(self, stored: StoredPosting, own: Explanation) -> AdvisedCredit:
        return credit(
            own, self._order_of, stored.posting.currency,
            terms=self._terms(stored),
            discount_basis_points=self._shop.discount_basis_points,
        )  # fmt: skip

    def _terms(self, stored: StoredPosting) -> PayerTerms:
        """The known fee of this posting's payer: by its name, and by payouts that a person confirmed."""
        kind = fee_kind_of(parse_name(stored.posting.counterparty_name))
        unit = int(10 ** digits_of(Currency(stored.posting.currency)))
        tariffs = self._tariffs.get(payer_of(stored.posting))
        return PayerTerms(kind or FeeKind.COMMISSION, unit, tariffs, is_named=kind is not None)

    def _decision(self, stored: StoredPosting, own: Explanation) -> Decision:
        found = self._credit(stored, own)
        doubt: str = found.doubt
        if not doubt and stored.id in self._wrong:
            doubt = Message("statement-does-not-add-up")
        if not found.allocations:
            return Decision(stored.id, MatchOutcome.UNMATCHED, review_reason=doubt)
        kind = catalogue.ADVICE if own.may_decide else catalogue.ADVICE_UNCONFIRMED
        senders = dict.fromkeys(self._sender(each, stored) for each in own.advice_ids)
        reason = kind.reason(words=Message(kind.code, sender=", ".join(senders)))
        proposal = Proposal(found.allocations, _LIKELY if doubt else _CERTAIN, (reason,))
        flags = ("collective",) if self._passes_on(stored, found) else ()
        if doubt:
            return Decision(stored.id, MatchOutcome.SUGGESTED, None, (proposal,), doubt, flags)
        return Decision(stored.id, MatchOutcome.MATCHED, proposal, (), "", flags)

    def _passes_on(self, stored: StoredPosting, found: AdvisedCredit) -> bool:
        """Whether the payer's name is a carrier's, marketplace's or service's, and not that of the orders it pays."""
        payer = parse_name(stored.posting.counterparty_name)
        if fee_kind_of(payer) is None:
            return False
        names = [self._views[each.order_number].names for each in found.allocations]
        return payer_of(stored.posting) in self._tariffs or not is_named_like_its_orders((payer,), names)

    def _sender(self, advice_id: str, stored: StoredPosting) -> str:
        row = self._rows[advice_id]
        said: Advice | None = row.advice
        return (said.payer if said else "") or stored.posting.counterparty_name or row.file_name

    def _order_of(self, references: Sequence[str]) -> AdvisedOrder | None:
        """The one order that the references name; None if they name several."""
        found = {
            number
            for reference in references
            for number in self._hits.get(self._key_of[NUMBER + compact_of(reference)], ())
            if self._names(number, compact_of(reference))
        }
        if len(found) != 1:
            return None
        view = self._views[found.pop()]
        is_closed = view.state is OrderState.CLOSED
        return AdvisedOrder(view.number, view.facts.currency, view.open, is_closed)

    def _names(self, number: str, compact: str) -> bool:
        known = self._views[number].find(compact) if number in self._views else None
        return known is not None and known[0] < KeyKind.CUSTOMER and known[1] is Form.FULL


def _references(explained: Explanation) -> Iterator[str]:
    """The references of all lines that may explain the posting."""
    for choice in explained.choices:
        for each in choice.shares:
            yield from each.share.line.references


def _is_untouched(stored: StoredPosting, decision: Decision) -> bool:
    """False if a person has taken the posting off an order."""
    return not stored.taken_back and decision.posting_id == stored.id
