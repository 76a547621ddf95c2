"""Debts that a payout below zero leaves to the next: the bank's postings show them, a file may not (D-129)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

from paymatch.domain.payouts.payouts import Payout
from paymatch.domain.payouts.ties import BankPosting, ProviderPayout, SearchedPostings


def amounts_without_debt(payout: Payout) -> tuple[int, ...]:
    """The amounts that may reach the bank: as the payout is, and as if no debt were taken off."""
    if not payout.is_implied:
        return (payout.amount_minor,)
    return tuple({payout.amount_minor, payout.net_minor - payout.fee_minor} - {0})


def with_debts(payouts: Sequence[ProviderPayout], postings: Sequence[BankPosting]) -> list[ProviderPayout]:
    """The payouts with the debts of earlier ones, in the given order.

    Only payouts whose amount no file states take over a debt. They do so automatically unless a posting that may be the
    payout has the amount without it. A sum below zero is a transfer only if the bank has booked exactly that.
    """
    searched = SearchedPostings(postings)
    chains: dict[tuple[int, str], list[ProviderPayout]] = defaultdict(list)
    for each in payouts:
        chains[each.account_id, each.payout.currency].append(each)
    settled = {each.key: each for chain in chains.values() for each in _settle_chain(chain, searched)}
    return [settled[each.key] for each in payouts]


def _settle_chain(chain: Iterable[ProviderPayout], searched: SearchedPostings) -> list[ProviderPayout]:
    found, debt = [], 0
    for sent in sorted(chain, key=lambda each: (each.payout.sent_on or date.max, each.payout.payout_id)):
        payout = sent.payout
        if payout.is_implied:
            settled, debt = _take_debt(sent, debt, searched)
            found.append(settled)
        else:
            debt = max(debt + min(payout.carried_in_minor, 0), 0) - min(payout.carried_out_minor, 0)
            found.append(sent)
    return found


def _take_debt(sent: ProviderPayout, debt: int, searched: SearchedPostings) -> tuple[ProviderPayout, int]:
    """The payout after the debt, and the debt that is left then."""
    own = sent.payout.net_minor - sent.payout.fee_minor
    as_it_is, reduced = _of(sent, own, 0), _of(sent, own, debt)
    if debt and own > 0 and searched.has(as_it_is) and not (reduced.payout.amount_minor and searched.has(reduced)):
        return as_it_is, debt
    if own < 0:
        taken = replace(sent, payout=replace(sent.payout, amount_minor=own, carried_in_minor=0, carried_out_minor=0))
        if searched.has(taken):
            return taken, debt
    return reduced, -reduced.payout.carried_out_minor


def _of(sent: ProviderPayout, own: int, debt: int) -> ProviderPayout:
    amount = max(own - debt, 0)
    payout = replace(sent.payout, amount_minor=amount, carried_in_minor=-debt, carried_out_minor=own - debt - amount)
    return replace(sent, payout=payout)
