"""Refunds of another system, taken over as LEGACY: they are listed, and never sent (docs/api.md, States)."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Final, TextIO

from paymatch.domain.money import currency_of, digits_of, text_to_minor
from paymatch.domain.orders.submission import OrderUnknown
from paymatch.domain.refunds.refunds import RefundRefused, RefundStatus, SubmittedRefund
from paymatch.domain.refunds.transfers import refund_reference
from paymatch.domain.shops.audit import AuditAction
from paymatch.domain.words.message import Message
from paymatch.store.ids import new_id, new_reference_payload
from paymatch.store.orders import orders as order_store
from paymatch.store.refunds import refunds as store
from paymatch.store.transactions import ShopTx
from paymatch.usecases.audit import record
from paymatch.usecases.refunds.refunds import REFERENCE_LENGTH

COLUMNS: Final = ("orderNumber", "externalReference", "amount", "currency", "plannedDate")
"""Columns of the CSV file; the date is yyyy-MM-dd, the amount has a decimal point."""


def read_refunds(text: TextIO) -> list[tuple[str, SubmittedRefund]]:
    """(order number, refund) per line of a CSV file; RefundRefused with the first faulty line."""
    return list(_rows(csv.DictReader(text)))


def _rows(reader: csv.DictReader[str]) -> Iterator[tuple[str, SubmittedRefund]]:
    missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        raise RefundRefused(Message("refund-file-lacks-columns", missing=", ".join(missing)))
    for row in reader:
        try:
            yield row["orderNumber"], _refund(row)
        except (TypeError, ValueError) as error:
            raise RefundRefused(Message("refund-line", line=reader.line_num, error=str(error))) from None


def _refund(row: Mapping[str, str]) -> SubmittedRefund:
    currency = currency_of(row["currency"])
    minor = text_to_minor(row["amount"], currency)
    if minor <= 0 or not row["externalReference"]:
        raise ValueError("an amount above 0 and an externalReference are needed")
    planned = date.fromisoformat(row["plannedDate"])
    return SubmittedRefund(row["externalReference"], minor, currency, digits_of(currency), planned)


def take_over(tx: ShopTx, order_number: str, submitted: SubmittedRefund) -> str:
    """Stores the refund as LEGACY; returns its id. OrderUnknown; RefundRefused for another currency or a known one."""
    now = tx.now
    order_store.lock(tx, [order_number])
    currency = order_store.currency(tx, order_number)
    if currency is None:
        raise OrderUnknown(order_number)
    if submitted.currency != currency:
        raise RefundRefused(
            Message("refund-currency-order", external_reference=submitted.external_reference, currency=currency)
        )
    refund_id = new_id("rf", now)
    reference = refund_reference(new_reference_payload(REFERENCE_LENGTH))
    stored = store.add(
        tx, refund_id, order_number, submitted, reference=reference, status=RefundStatus.LEGACY, account=None,
        now=now,
    )  # fmt: skip
    if not stored:
        raise RefundRefused(Message("refund-already-exists", external_reference=submitted.external_reference))
    record(tx, tx.shop, AuditAction.REFUND_TAKEN_OVER, refund_id, after={"order": order_number})
    return refund_id
