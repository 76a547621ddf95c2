"""A simple matcher to compare with: the order's number stands in the text, and the amount is its amount."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

Json = dict[str, Any]


def _plain(text: str) -> str:
    return re.sub(r"[^A-Z0-9]", "", text.upper())


def decide(orders: list[Json], postings: list[Json]) -> dict[str, Json]:
    """Matched when exactly one unpaid order of that amount has its number in text, EndToEndId or reference; suggested
    when the number or (alone in the shop) the amount fits."""
    by_amount: dict[tuple[str, str], list[Json]] = defaultdict(list)
    for order in orders:
        by_amount[f"{order['amount']:.2f}", order["currency"]].append(order)
    paid: set[str] = set()
    return {p["id"]: _decide(p, by_amount, paid) for p in postings}


def _decide(posting: Json, by_amount: dict[tuple[str, str], list[Json]], paid: set[str]) -> Json:
    if posting["amount"] <= 0:
        return {"status": "unmatched", "allocations": []}
    text = _plain(posting["text"]) + "|" + _plain(posting["endToEndId"]) + "|" + posting["reference"]
    same = [o for o in by_amount[f"{posting['amount']:.2f}", posting["currency"]] if o["number"] not in paid]
    named = [
        o
        for o in same
        if any(
            _plain(n) in text for n in (o["number"], *o.get("invoiceNumbers", ()), o.get("referenceNumber", "")) if n
        )
    ]
    if len(named) == 1:
        paid.add(named[0]["number"])
    status = "matched" if len(named) == 1 else "suggested" if named or len(same) == 1 else "unmatched"
    chosen = named[0] if named else same[0] if same else None
    allocations = (
        [{"orderNumber": chosen["number"], "amount": posting["amount"]}] if chosen and status != "unmatched" else []
    )
    return {"status": status, "allocations": allocations}
