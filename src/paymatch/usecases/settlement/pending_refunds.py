"""Refunds that wait for a payment: what a payment changes for them at once (D-3 to D-5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from paymatch.domain.refunds import (
    HoldReason,
    PendingRefundClaim,
    RefundEvent,
    RefundStatus,
    next_status,
    refunds_covered_by,
)
from paymatch.store.database import ShopId, Tx
from paymatch.store.refunds import payers, refunds
from paymatch.store.refunds.payers import PayerPayment
from paymatch.store.refunds.refunds import PayerAccount


def follow_payments(tx: Tx, shop: ShopId, net_minor: Mapping[str, int], now: datetime) -> None:
    """Refunds of orders that money has come in for take the bank details that it brought, and wait for cover no more.

    `net_minor`: order number -> what was paid less what was refunded. The caller holds the orders' locks.
    """
    pending = refunds.pending_of(tx, shop, sorted(net_minor))
    for refund in pending:
        if refund.status is RefundStatus.BANKDETAILS_MISSING:
            account = payer_account(tx, shop, refund.order_number)
            if account is not None:
                status = next_status(refund.status, RefundEvent.BANK_DETAILS_RECEIVED)
                refunds.set_account(tx, shop, refund.id, account, status, now, given=False)
    if pending:
        refunds.no_longer(tx, shop, sorted(covered_of(pending, net_minor)), HoldReason.NOT_COVERED)


def payer_account(tx: Tx, shop: ShopId, number: str) -> PayerAccount | None:
    """The account that a refund of the order goes to unless somebody names another (D-5)."""
    return main_payer(payers.payments_of(tx, shop, [number]).get(number, ()))


def main_payer(payments: Sequence[PayerPayment]) -> PayerAccount | None:
    """The customer's own account from which most has arrived, the latest of equal ones; `payments` latest first (D-5).

    Not simply the latest: anybody can pay a cent. Money in another currency counts only where there is nothing else.
    """
    own = [each for each in payments if each.iban]
    comparable = [each for each in own if each.in_order_currency] or own
    paid = Counter[str]()
    for each in comparable:
        paid[each.iban] += each.arrived_minor
    chosen = max(comparable, key=lambda each: paid[each.iban], default=None)
    return PayerAccount(chosen.iban, chosen.bic, chosen.holder) if chosen else None


def arrived_by(payments: Sequence[PayerPayment]) -> Counter[str]:
    """Account -> what arrived from it in the order's currency, in minor units; money in others counts as nothing."""
    found = Counter[str]()
    for each in payments:
        found[each.iban] += each.arrived_minor if each.in_order_currency else 0
    return found


def covered_of(pending: Sequence[refunds.RefundRow], net_minor: Mapping[str, int]) -> frozenset[str]:
    """Ids of the pending refunds that the money of their orders covers (D-3); `pending` in the order of filing."""
    found: set[str] = set()
    for number, available in net_minor.items():
        own = [refund for refund in pending if refund.order_number == number]
        found |= refunds_covered_by(
            available, [PendingRefundClaim(refund.id, refund.amount_minor, refund.status) for refund in own]
        )
    return frozenset(found)
