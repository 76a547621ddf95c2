"""Refunds that wait for a payment: the immediate effects of a payment (D-3 to D-5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from paymatch.domain.refunds.money_out import RefundFacts, hold_reason
from paymatch.domain.refunds.refunds import (
    REFUND_LIFECYCLE,
    HoldReason,
    PendingRefundClaim,
    RefundEvent,
    RefundStatus,
    refunds_covered_by,
)
from paymatch.store.refunds import clearance, refunds
from paymatch.store.refunds.clearance import PayerPayment
from paymatch.store.refunds.refunds import PayerAccount
from paymatch.store.transactions import ShopTx


def follow_payments(tx: ShopTx, refundable_minor: Mapping[str, int], now: datetime) -> None:
    """Refunds of orders with new money take its bank details, and no longer wait for cover.

    `refundable_minor`: order number -> money that is left of its payments. The caller holds the orders' locks.
    """
    pending = refunds.pending_of(tx, sorted(refundable_minor))
    for refund in pending:
        if refund.status is RefundStatus.BANKDETAILS_MISSING:
            account = payer_account(tx, refund.order_number)
            if account is not None:
                status = REFUND_LIFECYCLE.move(refund.status, RefundEvent.BANK_DETAILS_RECEIVED)
                refunds.set_account(tx, refund.id, account, status, now, given=False)
    if pending:
        covered = covered_of(pending, refundable_minor)
        free = [row.id for row in pending if hold_reason(RefundFacts(row.id in covered), now) is None]
        refunds.replace_reason(tx, sorted(free), HoldReason.NOT_COVERED, "")


def follow_lost_payments(tx: ShopTx, refundable_minor: Mapping[str, int], now: datetime) -> None:
    """Refunds of orders that have lost money wait for cover again, and give up accounts of payments that are gone.

    `refundable_minor`: order number -> money that is left of its payments. The caller holds the orders' locks.
    """
    pending = refunds.pending_of(tx, sorted(refundable_minor))
    if pending:
        covered = covered_of(pending, refundable_minor)
        short = sorted(row.id for row in pending if row.status is not RefundStatus.IN_PROCESS and row.id not in covered)
        _give_up_payers(tx, [each for each in pending if _follows_payer(each)], now)
        refunds.replace_reason(tx, short, "", HoldReason.NOT_COVERED)


def _give_up_payers(tx: ShopTx, pending: Sequence[refunds.RefundRow], now: datetime) -> None:
    """Refunds give up an account that came with a payment which is no longer their order's.

    They take the account of another payment, or the customer is asked. A named account stays, and so
    does one of an order whose payer was forgotten (D-63).
    """
    payments = clearance.payments_of(tx, sorted({each.order_number for each in pending})) if pending else {}
    for refund in pending:
        known = payments.get(refund.order_number, [])
        if any(each.forgotten or each.iban == refund.iban for each in known):
            continue
        if (account := main_payer(known)) is not None:
            refunds.set_account(tx, refund.id, account, refund.status, now, given=False)
        else:
            status = REFUND_LIFECYCLE.move(refund.status, RefundEvent.PAYMENT_UNDONE)
            refunds.forget_account(tx, refund.id, status, now)


def _follows_payer(refund: refunds.RefundRow) -> bool:
    return refund.status is RefundStatus.NEW and bool(refund.iban) and not refund.iban_given


def payer_account(tx: ShopTx, number: str) -> PayerAccount | None:
    """The account for a refund of the order unless another is named (D-5)."""
    return main_payer(clearance.payments_of(tx, [number]).get(number, ()))


def main_payer(payments: Sequence[PayerPayment]) -> PayerAccount | None:
    """The customer's own account from which most has arrived, the latest of equal ones; `payments` latest first (D-5).

    Not simply the latest: anyone can pay a cent. Money in another currency counts only if there is nothing else.
    """
    own = [each for each in payments if each.iban]
    comparable = [each for each in own if each.in_order_currency] or own
    paid = Counter[str]()
    for each in comparable:
        paid[each.iban] += each.arrived_minor
    chosen = max(comparable, key=lambda each: paid[each.iban], default=None)
    return PayerAccount(chosen.iban, chosen.bic, chosen.holder) if chosen else None


def arrived_by(payments: Sequence[PayerPayment]) -> Counter[str]:
    """Account -> money received from it in the order's currency, in minor units; other currencies count as 0."""
    found = Counter[str]()
    for each in payments:
        found[each.iban] += each.arrived_minor if each.in_order_currency else 0
    return found


def covered_of(pending: Sequence[refunds.RefundRow], refundable_minor: Mapping[str, int]) -> frozenset[str]:
    """Ids of the pending refunds that the money of their orders covers (D-3); `pending` in the order of filing."""
    found: set[str] = set()
    for number, available in refundable_minor.items():
        own = [refund for refund in pending if refund.order_number == number]
        found |= refunds_covered_by(
            available, [PendingRefundClaim(refund.id, refund.amount_minor, refund.status) for refund in own]
        )
    return frozenset(found)
