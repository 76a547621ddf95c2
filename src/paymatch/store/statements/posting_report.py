"""Postings with their decisions for the command line (its names are stable: docs/command-line.md)."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

import msgspec

from paymatch.domain.money import minor_to_decimal
from paymatch.store.sealing import POSTING_PARTY
from paymatch.store.transactions import ShopTx

_ROWS: Final = """
SELECT p.id, p.account, p.bank_reference, p.booking_date, p.amount_minor, p.currency, p.counterparty_name,
       p.counterparty_iban,
       p.remittance, p.status, p.decision, p.source, p.aside_reason, p.by_hand,
       (SELECT json_agg(json_build_array(a.order_number, a.amount_minor + a.withheld_minor, a.withheld_minor,
                                         a.fee_kind) ORDER BY a.order_number)
        FROM allocations a WHERE a.shop_id = $1 AND a.posting_id = p.id) AS allocations,
       (SELECT i.channel FROM imports i WHERE i.shop_id = $1 AND i.id = p.import_id) AS channel
FROM postings p WHERE p.shop_id = $1 AND ($2::text[] = '{}' OR p.status = ANY($2))
AND ($3 = '' OR p.id = $3) ORDER BY p.booking_date, p.id"""


def report(tx: ShopTx, statuses: tuple[str, ...] = (), posting_id: str = "") -> Iterator[dict[str, Any]]:
    """One dict per posting (or for one of them), by booking date; amounts as decimal texts, days as in ISO 8601."""
    vault = tx.vault()
    for row in tx.stream(_ROWS, tx.shop_id, list(statuses), posting_id):
        currency = row.currency
        decision = msgspec.json.decode(row.decision) if row.decision else {}
        found: dict[str, Any] = {
            "id": row.id,
            "account": row.account,
            "reference": row.bank_reference,
            "bookingDate": row.booking_date.isoformat(),
            "amount": _amount(row.amount_minor, currency),
            "currency": currency,
            "originator": row.counterparty_name,
            "iban": vault.open(POSTING_PARTY, row.counterparty_iban),
            "text": row.remittance,
            "status": row.status,
            "byHand": row.by_hand,
            "provisional": row.source != "FINAL",
            "channel": row.channel,
            "allocations": [_allocation(each, currency) for each in row.allocations or ()],
            "suggestions": [_suggestion_fields(each) for each in decision.get("suggestions", [])],
            "flags": decision.get("flags", []),
            "heldBack": decision.get("heldBack", ""),
        }
        if "probability" in decision:
            found["probability"] = decision["probability"]
            found["evidence"] = decision.get("evidence", [])
        if row.aside_reason:
            found["reason"] = row.aside_reason
        yield found


def _allocation(row: list[Any], currency: str) -> dict[str, Any]:
    """The order's credit, and the withheld amount (D-36)."""
    number, credited, withheld, kind = row
    found = {"orderNumber": number, "amount": _amount(credited, currency)}
    return found | {"fee": _amount(withheld, currency), "feeKind": kind} if kind else found


def _amount(minor: int, currency: str) -> str:
    return f"{minor_to_decimal(minor, currency):.2f}"  # type: ignore[arg-type]


def _suggestion_fields(suggestion: dict[str, Any]) -> dict[str, Any]:
    """A stored suggestion, with its amounts as texts."""
    return suggestion | {"allocations": [_with_texts(each) for each in suggestion["allocations"]]}


def _with_texts(allocation: dict[str, Any]) -> dict[str, Any]:
    amounts = {name: allocation[name] for name in ("amount", "fee", "orderAmount") if allocation.get(name) is not None}
    return allocation | {name: f"{Decimal(str(value)):.2f}" for name, value in amounts.items()}
