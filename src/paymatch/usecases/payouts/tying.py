"""Ties payouts to their postings on the shop's bank accounts: recomputed from both (D-40, D-83)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Final

from paymatch.domain.matching.text.normalise import flat
from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.orders.split import AssignmentRefused
from paymatch.domain.payouts.debts import amounts_without_debt, with_debts
from paymatch.domain.payouts.payouts import Payout
from paymatch.domain.payouts.providers import PROVIDERS, is_at_provider, provider_of
from paymatch.domain.payouts.ties import BankPosting, ProviderPayout, Tie, Ties, tie_payouts
from paymatch.domain.plurals import count_of
from paymatch.domain.postings import INITIAL, POSTING_LIFECYCLE, PostingEvent, PostingStatus
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.words.message import Message
from paymatch.store.matching import matching as match_store
from paymatch.store.payouts import payout_decisions
from paymatch.store.payouts import payouts as store
from paymatch.store.payouts.payouts import PayoutCandidate, PayoutRow
from paymatch.store.payouts.settlement_lines import AccountKey
from paymatch.store.statements import postings as posting_store
from paymatch.store.statements import statements as statement_store
from paymatch.store.statements.postings import DecidedRow
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.matching.unmatching import release
from paymatch.usecases.payouts.account_books import change_amounts

_EARLIER: Final = timedelta(days=3)
"""Some files date a payout later than the bank books it."""
_TIED: Final = '{"flags":["payout"],"heldBack":"","evidence":[],"suggestions":[]}'


@dataclass(frozen=True, slots=True)
class TiedPayouts:
    """All payouts of a shop, the postings that may be payouts, and the ties between them."""

    rows: Sequence[PayoutRow]  # with their present debts
    candidates: Sequence[PayoutCandidate]
    ties: Ties
    changed: Sequence[PayoutRow] = ()  # rows whose debt has changed

    def pairs(self) -> list[tuple[PayoutRow, PayoutCandidate, Tie]]:
        """Each payout with its posting."""
        by_key = {(row.account, row.currency, row.payout_id): row for row in self.rows}
        accounts = sorted({row.account for row in self.rows})
        return [
            (by_key[accounts[tie.payout[0]], tie.payout[1], tie.payout[2]], self.candidates[tie.posting_id], tie)
            for tie in self.ties.tied
        ]

    def without_file(self) -> list[PayoutCandidate]:
        """Postings of a provider that no file explains."""
        return [self.candidates[each] for each in sorted(self.ties.without_file)]


def find_ties(tx: ShopTx) -> TiedPayouts:
    """The ties between postings and payouts, by all present files."""
    rows = store.all_of(tx)
    if not rows:
        return TiedPayouts(rows, (), Ties())
    accounts = sorted({row.account for row in rows})
    names = {row.account: row.name for row in store.provider_accounts(tx)}
    providers = {each: provider_of(each.partition(":")[0], names.get(each, "")) for each in accounts}
    first = min((row.sent_on for row in rows if row.sent_on), default=date.min + _EARLIER) - _EARLIER
    own_name = flat(tx.shop.holder)
    services = {word for each in providers.values() if each.code in PROVIDERS for word in each.bank_names}
    others = {word for each in providers.values() if each.code not in PROVIDERS for word in each.bank_names}
    if tx.shop.holder and any(each.sends_in_own_name for each in providers.values()):
        others.add(tx.shop.holder.casefold())
    amounts = {minor for row in rows for minor in amounts_without_debt(row.as_payout())} - {0}
    candidates = store.candidates(tx, first, accounts, amounts, services, others)
    postings = [
        BankPosting(
            place, each.currency, each.amount_minor, each.booking_date, each.counterparty_name, each.remittance,
            each.end_to_end_id, is_from_own_name=bool(own_name) and flat(each.counterparty_name) == own_name,
            payer_account=each.counterparty_iban,
        )
        for place, each in enumerate(candidates)
    ]  # fmt: skip
    as_kept = [ProviderPayout(accounts.index(row.account), providers[row.account], row.as_payout()) for row in rows]
    payouts = with_debts(as_kept, postings)
    changed = {each.key: each.payout for each, kept in zip(payouts, as_kept, strict=True) if each != kept}
    rows = [
        _with_amounts(row, changed[kept.key]) if kept.key in changed else row
        for row, kept in zip(rows, as_kept, strict=True)
    ]
    said = payout_decisions.all_of(tx)
    decided = {
        place: None if word is None else (accounts.index(word.account), word.currency, word.payout_id)
        for place, each in enumerate(candidates)
        if each.id in said and ((word := said[each.id]) is None or word.account in accounts)
    }
    differing = [row for row, kept in zip(rows, as_kept, strict=True) if kept.key in changed]
    return TiedPayouts(rows, candidates, tie_payouts(payouts, postings, decided), differing)


def _with_amounts(row: PayoutRow, payout: Payout) -> PayoutRow:
    return replace(
        row, amount_minor=payout.amount_minor, carried_in_minor=payout.carried_in_minor,
        carried_out_minor=payout.carried_out_minor,
    )  # fmt: skip


def may_be_payout(tx: ShopTx, row: PayoutRow) -> tuple[PayoutCandidate, ...]:
    """The postings for a person to choose from: free, and with the payout's amount or id."""
    found = find_ties(tx)
    tied = {each.posting_id for each in found.ties.tied}
    accounts = sorted({each.account for each in found.rows})
    key = (accounts.index(row.account), row.currency, row.payout_id)
    return tuple(
        each
        for place, each in enumerate(found.candidates)
        if place not in tied
        and (
            (each.amount_minor, each.currency) == (row.amount_minor, row.currency)
            or key in found.ties.suggested.get(place, ())
        )
    )


def decide(tx: ShopTx, posting_id: str, account: str, currency: str, payout_id: str) -> None:
    """Ties a posting to a payout as a person says. AssignmentRefused if there is no such payout or no such posting."""
    statement_store.lock_matching(tx)
    if store.find(tx, AccountKey(account, currency), payout_id) is None:
        raise AssignmentRefused(Message("no-payout", payout=repr(payout_id)))
    (posting,) = posting_store.load(tx, [posting_id]) or (None,)
    if posting is None or posting.posting.currency != currency or is_at_provider(posting.posting.account):
        raise AssignmentRefused(Message("no-posting", posting=repr(posting_id)))
    payout_decisions.decide(tx, posting_id, payout_decisions.DecidedPayout(account, currency, payout_id))
    tie(tx, tx.now)
    record(tx, tx.shop, AuditAction.POSTING_DECIDED, posting_id, after={"payout": payout_id})


def tie(tx: ShopTx, now: datetime) -> None:
    """Writes each payout's posting; a posting that is no longer a payout waits for matching again."""
    before = store.tied_postings(tx)
    if not before and not store.any_of(tx):
        return
    found = find_ties(tx)
    change_amounts(tx, found.changed, now)
    pairs = found.pairs()
    tied = {candidate.id for _, candidate, _ in pairs}
    lost = [each for each in before if each not in tied]
    if lost or any(_differs(row, candidate, each) for row, candidate, each in pairs):
        statement_store.lock_matching(tx)
    _untie(tx, lost, now)
    of_row = {(row.account, row.currency, row.payout_id): (candidate, each) for row, candidate, each in pairs}
    for row in found.rows:
        candidate, each = of_row.get((row.account, row.currency, row.payout_id), (None, None))
        if candidate is None or each is None:
            if row.posting_id:
                store.tie(tx, row, "", "", 0)
            continue
        if _differs(row, candidate, each):
            store.tie(tx, row, candidate.id, each.reason, each.short_minor)
        _set_aside(tx, row, candidate, each, now)


def _differs(row: PayoutRow, candidate: PayoutCandidate, found: Tie) -> bool:
    is_aside = candidate.status == PostingStatus.IGNORED
    return not is_aside or (row.posting_id, row.reason, row.short_minor) != (
        candidate.id, found.reason, found.short_minor
    )  # fmt: skip


def _untie(tx: ShopTx, postings: Sequence[str], now: datetime) -> None:
    loaded = [each for each in posting_store.load(tx, postings) if not each.by_hand]
    decided = [
        DecidedRow(each.id, POSTING_LIFECYCLE.move(each.status, PostingEvent.NO_ORDER_TAKEN_BACK), "")
        for each in loaded
        if each.status is PostingStatus.IGNORED
    ]
    ids = [each.id for each in decided]
    posting_store.write_decisions(tx, decided, now)
    if ids:
        posting_store.set_reason_of_all(tx, ids, "", now)
        match_store.mark_postings_for_rematch(tx, ids, now)


def _set_aside(tx: ShopTx, row: PayoutRow, candidate: PayoutCandidate, found: Tie, now: datetime) -> None:
    """Marks the posting as a transfer between two accounts of the shop, not an order payment."""
    if candidate.by_hand:
        return
    reason = said_of(row, found.short_minor)
    if candidate.status == PostingStatus.IGNORED and posting_store.reason(tx, candidate.id) == reason:
        return
    status = PostingStatus(candidate.status)
    if status is PostingStatus.MATCHED:
        release(tx, [candidate.id], now)
        status = INITIAL
    decided = DecidedRow(candidate.id, POSTING_LIFECYCLE.move(status, PostingEvent.NO_ORDER_RECOGNISED), _TIED)
    posting_store.write_decisions(tx, [decided], now)
    posting_store.set_reason_of_all(tx, [candidate.id], reason, now)
    match_store.forget_rematch_index(tx, [candidate.id])


def said_of(row: PayoutRow, short_minor: int) -> str:
    """A payout's contents: `payout po_1Q2abc: 3 orders, 2.40 kept, rest 0.00`."""
    currency = Currency(row.currency)
    said = (
        f"payout {row.payout_id}: {count_of(row.order_count, 'order')}, {minor_to_text(row.fee_minor, currency)} kept,"
        f" rest {minor_to_text(row.rest_minor, currency)}"
    )
    return f"{said}, short by {minor_to_text(short_minor, currency)}" if short_minor else said
