"""Postings with their decisions as the command line prints them (stable names: DESIGN.md section 3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from paymatch.domain.money import minor_to_decimal
from paymatch.store.database import ShopId, Tx

_ROWS: Final = """
SELECT p.id, p.bank_reference, p.booking_date, p.amount_minor, p.currency, p.counterparty_name, p.counterparty_iban,
       p.remittance, p.status, p.decision, p.source, p.aside_reason, p.by_hand,
       (SELECT json_agg(json_build_array(a.order_number, a.amount_minor) ORDER BY a.order_number)
        FROM allocations a WHERE a.shop_id = $1 AND a.posting_id = p.id)
FROM postings p WHERE p.shop_id = $1 AND ($2::text[] = '{}' OR p.status = ANY($2)) ORDER BY p.booking_date, p.id"""


def report(tx: Tx, shop: ShopId, statuses: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
    """One dict per posting, by booking date; amounts as decimals of the posting's currency."""
    for row in tx.stream(_ROWS, shop, list(statuses)):
        currency = row[4]
        decision = msgspec.json.decode(row[9]) if row[9] else {}
        found: dict[str, Any] = {
            "id": row[0],
            "reference": row[1],
            "bookingDate": f"{row[2]:%d-%m-%Y}",
            "amount": _number(row[3], currency),
            "currency": currency,
            "originator": row[5],
            "iban": row[6],
            "text": row[7],
            "status": row[8],
            "byHand": row[12],
            "provisional": row[10] != "FINAL",
            "allocations": [
                {"orderNumber": number, "amount": _number(minor, currency)} for number, minor in row[13] or ()
            ],
            "suggestions": decision.get("suggestions", []),
            "flags": decision.get("flags", []),
            "heldBack": decision.get("heldBack", ""),
        }
        if "probability" in decision:
            found["probability"] = decision["probability"]
            found["evidence"] = decision.get("evidence", [])
        if row[11]:
            found["reason"] = row[11]
        yield found


def _number(minor: int, currency: str) -> msgspec.Raw:
    return msgspec.Raw(f"{minor_to_decimal(minor, currency):.2f}".encode())  # type: ignore[arg-type]
