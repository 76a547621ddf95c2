"""Reports of the agency that an order is paid, and for which no money has arrived (D-54)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from paymatch.domain.collection.cases import CaseStatus
from paymatch.domain.orders.settlement import Mark, PaymentStatus
from paymatch.domain.shops.alerts import Alert, AlertKind
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.words.message import Message, Sum
from paymatch.store.collection import cases as store
from paymatch.store.collection.cases import ListedCase
from paymatch.store.transactions import ShopTx
from paymatch.store.work import audit

PAID_OUT_WITHIN: Final = timedelta(days=30)
"""How long an agency may keep what it has collected: many settle once a month."""


def unpaid_report_alerts(tx: ShopTx) -> Iterator[Alert]:
    """An alert per case that the agency reported as paid, in full or in part, and whose money is missing since.

    A report never pays an order. A payout of the agency, a direct payment, another report, or the withdrawal of the
    order ends the alert.
    """
    claimed = [each for each in store.cases(tx, active_only=True) if _lacks_its_money(each)]
    reported = _reported_at(tx, claimed) if claimed else {}
    for each in claimed:
        case, at = each.case, reported.get(each.case.order_number)
        if at is not None and at + PAID_OUT_WITHIN < tx.now:
            said = Message(
                "alert-case-unpaid", partner=case.partner, order=case.order_number, day=tx.shop.day_of(at),
                amount=Sum(each.open_minor, each.currency),
            )  # fmt: skip
            yield Alert(AlertKind.COLLECTION, f"{case.id} {case.status} unpaid", said)


def _lacks_its_money(found: ListedCase) -> bool:
    """Whether the money of the reported state is missing; after a part payment, any money would do."""
    case = found.case
    if found.mark != Mark.COLLECTION or found.order_status != PaymentStatus.COLLECTION:
        return False
    nothing_came = found.open_minor >= case.claim_minor
    return case.status is CaseStatus.PAID or (case.status is CaseStatus.PAID_PARTIAL and nothing_came)


def _reported_at(tx: ShopTx, cases: Sequence[ListedCase]) -> dict[str, datetime]:
    """Order number -> when the agency reported the case's present state; none for a state that follows from books."""
    wanted = {each.case.order_number: each.case.status for each in cases}
    found: dict[str, datetime] = {}
    for entry in audit.of_kind(tx, AuditAction.COLLECTION_REPORTED, sorted(wanted)):
        if entry.after and json.loads(entry.after).get("status") == wanted[entry.subject]:
            found[entry.subject] = entry.shop_at or entry.at
    return found
