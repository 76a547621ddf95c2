"""Undoing matches: the allocations of postings are removed and their orders settled again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from paymatch.domain.matching.returns import find_returned
from paymatch.domain.postings import POSTING_LIFECYCLE, PostingEvent
from paymatch.domain.shops.shop import ShopUnknown
from paymatch.store.matching import matching as match_store
from paymatch.store.matching import returns as return_store
from paymatch.store.orders import orders as order_store
from paymatch.store.shops import shops as shop_store
from paymatch.store.statements import postings as store
from paymatch.store.statements.postings import DecidedRow, StoredPosting
from paymatch.store.transactions import ShopTx
from paymatch.usecases.refunds.feedback import take_back
from paymatch.usecases.settlement.ledger import settle


def release(tx: ShopTx, posting_ids: Sequence[str], now: datetime, *, undoes_refunds: bool = True) -> list[str]:
    """Drops the allocations of the postings; returns the numbers of the orders that were settled again.

    Returns that reverse them are decided again unless a person has matched them: an order that did not receive a
    payment has not lost it either. Refunds that the postings executed or brought back return to their earlier state,
    unless the parts of a posting that replace it are about to do the same (`undoes_refunds` False).
    """
    held = sorted({row.order_number for row in store.allocations(tx, posting_ids)})
    if not held:
        return []
    order_store.lock(tx, held)
    followers = _returns_left_behind(tx, posting_ids, held)
    numbers = store.drop_allocations(tx, [*posting_ids, *(each.id for each in followers)], now)
    shop = shop_store.load(tx)
    if shop is None:
        raise ShopUnknown(str(tx.shop_id))
    _decide_again(tx, followers, now)
    take_back(tx, posting_ids, now, undoes=undoes_refunds)
    settle(tx, numbers, cause="match undone", now=now)
    return numbers


def _returns_left_behind(tx: ShopTx, posting_ids: Sequence[str], numbers: Sequence[str]) -> list[StoredPosting]:
    """Automatically matched returns of these orders that reverse one of the postings, or leave less than nothing."""
    known = store.load(tx, return_store.automatic_returns(tx, numbers, posting_ids))
    if not known:
        return []
    short = set(return_store.below_nothing(tx, numbers, posting_ids))
    allocated = store.allocations(tx, [each.id for each in known]) if short else []
    too_much = {row.posting_id for row in allocated if row.order_number in short}
    reversed_by = {each.id: _reversed_by(tx, each) for each in known}
    gone, before = {*posting_ids, *too_much}, 0
    while len(gone) > before:  # a return may itself be returned, and so on
        before = len(gone)
        gone |= {id_ for id_, payment in reversed_by.items() if payment in gone}
    return [each for each in known if each.id in gone]


def _reversed_by(tx: ShopTx, returned: StoredPosting) -> str:
    """The id of the posting that the return reverses, "" if none is clear; each seems returned, by this one."""
    earlier = return_store.earlier_postings(tx, returned.id, returned.posting)
    past = find_returned(returned.posting, [replace(each, returned=False) for each in earlier])
    return past.id if past is not None else ""


def _decide_again(tx: ShopTx, returns: Sequence[StoredPosting], now: datetime) -> None:
    rows = [
        DecidedRow(
            each.id, POSTING_LIFECYCLE.move(each.status, PostingEvent.PAYMENT_LEFT), "", taken_back=each.taken_back
        )
        for each in returns
    ]
    store.write_decisions(tx, rows, now)
    match_store.mark_postings_for_rematch(tx, [each.id for each in returns], now)


def settle_days(tx: ShopTx, posting_ids: Sequence[str], now: datetime) -> None:
    """Settles the orders of postings whose booking day has changed: an order knows the day of its last payment."""
    numbers = sorted({row.order_number for row in store.allocations(tx, posting_ids)})
    if not numbers:
        return
    order_store.lock(tx, numbers)
    shop = shop_store.load(tx)
    if shop is None:
        raise ShopUnknown(str(tx.shop_id))
    settle(tx, numbers, cause="booking day changed", now=now)
