"""A small shop for the engine's tests: orders and postings with sensible defaults, decided in one batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from paymatch.domain.matching.decide import decide
from paymatch.domain.matching.lookup.memory_index import MemoryIndex
from paymatch.domain.matching.model import Decision, OrderFacts, OrderState, PostingFacts, Related, ShopFacts
from paymatch.domain.matching.prepare import prepare
from paymatch.domain.money import currency_of
from paymatch.domain.postings import Posting

ORDERED = date(2026, 3, 2)
BOOKED = date(2026, 3, 9)
SHOP_ACCOUNT = "DE53677979049691425502"


def order(number: str, amount: int = 4990, name: str = "Claire Gotthard", **more: Any) -> OrderFacts:
    """An open order of 2 March 2026, in minor units of EUR."""
    facts: dict[str, Any] = {
        "number": number,
        "currency": "EUR",
        "amount_minor": amount,
        "open_minor": amount,
        "state": OrderState.OPEN,
        "order_date": ORDERED,
        "type": "PREPAYMENT",
        "names": (name,),
        "customer_number": f"C{abs(hash_of(name)) % 90000 + 10000}",
    }
    return OrderFacts(**{**facts, **more})


def hash_of(text: str) -> int:
    """A number for a text, the same in every process."""
    return sum((i + 1) * ord(c) for i, c in enumerate(text))


def paid(facts: OrderFacts, **more: Any) -> dict[str, Any]:
    """What changes in an order's facts once it is paid in full."""
    return {"state": OrderState.SETTLED, "open_minor": 0, "paid_minor": facts.amount_minor, **more}


def posting(text: str, amount: int = 4990, name: str = "Claire Gotthard", **more: Any) -> PostingFacts:
    """Money in on 9 March 2026, in minor units of EUR. `id` among `more` names it."""
    posting_id = more.pop("id", "P1")
    currency = more.pop("currency", "EUR")
    facts: dict[str, Any] = {
        "account": SHOP_ACCOUNT,
        "currency": currency_of(currency),
        "amount_minor": amount,
        "booking_date": BOOKED,
        "counterparty_name": name,
        "remittance_lines": (text,) if text else (),
    }
    return PostingFacts(posting_id, Posting(**{**facts, **more}), amount)


def decided(
    orders: Sequence[OrderFacts],
    postings: Sequence[PostingFacts],
    shop: ShopFacts | None = None,
    related: Mapping[str, Related] | None = None,
) -> list[Decision]:
    """The decisions on the postings, against these orders."""
    shop = shop or ShopFacts(open_orders=200)
    index = MemoryIndex(orders)
    prepared = prepare(postings, shop)
    return decide(prepared, index.known_orders(prepared.keys), shop, related or {})


def outcome(decision: Decision) -> tuple[str, tuple[tuple[str, int], ...]]:
    """(matched, suggested or unmatched; order numbers with amounts of the match or of the first suggestion)."""
    proposal = decision.match or (decision.suggestions[0] if decision.suggestions else None)
    if proposal is None:
        return decision.outcome.value, ()
    return decision.outcome.value, tuple((a.order_number, a.amount_minor) for a in proposal.allocations)


RATE_PLN = Decimal("4.27")
