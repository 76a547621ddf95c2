"""Orders in a list for people: who owes what, who paid too much, what a word finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import msgspec

from paymatch.store.database import ShopId, Tx

_COLUMNS: Final = """o.number, o.order_date, o.due_date, o.type, o.status, coalesce(o.mark, ''), o.currency,
    o.amount_minor, o.postings_minor - o.refunded_minor, o.doc,
    coalesce((SELECT sum(r.order_amount_minor) FROM refunds r WHERE r.shop_id = o.shop_id AND r.order_number = o.number
              AND r.status IN ('NEW', 'BANKDETAILS_MISSING', 'IN_PROCESS')), 0)::bigint"""
_OVERPAID: Final = """o.postings_minor - o.refunded_minor
    > CASE WHEN o.mark = 'CANCELLED' THEN 0 ELSE greatest(o.amount_minor, 0) END"""


class _Person(msgspec.Struct, rename="camel"):
    first_name: str = ""
    last_name: str = ""
    company: str = ""


class _Doc(msgspec.Struct):
    billing: _Person = msgspec.field(default_factory=_Person)


@dataclass(frozen=True, slots=True)
class ListedOrder:
    """An order; amounts in minor units of its currency. `planned_minor`: refunds that are not executed yet."""

    number: str
    ordered: date
    due: date | None
    type: str
    status: str
    mark: str
    currency: str
    amount_minor: int
    paid_minor: int
    customer: str
    planned_minor: int

    @property
    def overpaid_minor(self) -> int:
        """What the customer has paid too much; all of it once the order is cancelled."""
        return max(self.paid_minor - (0 if self.mark == "CANCELLED" else max(self.amount_minor, 0)), 0)


def page(
    tx: Tx, shop: ShopId, *, statuses: Sequence[str] = (), overpaid: bool = False, text: str = "", limit: int = 50
) -> list[ListedOrder]:
    """Orders, latest first: with one of the statuses, overpaid ones only, or with a text in number or document."""
    rows = tx.rows(
        f"SELECT {_COLUMNS} FROM orders o WHERE o.shop_id = $1 AND ($2::text[] = '{{}}' OR o.status = ANY($2))"
        f" AND (NOT $3 OR {_OVERPAID}) AND ($4 = '' OR position(lower($4) IN lower(o.number || ' ' || o.doc)) > 0)"
        " ORDER BY o.order_date DESC, o.number DESC LIMIT $5",
        shop, list(statuses), overpaid, text, limit,
    )  # fmt: skip
    return [_listed(row) for row in rows]


def find(tx: Tx, shop: ShopId, number: str) -> ListedOrder | None:
    """The order of this number; None if there is none."""
    row = tx.row(f"SELECT {_COLUMNS} FROM orders o WHERE o.shop_id = $1 AND o.number = $2", shop, number)
    return None if row is None else _listed(row)


def _listed(row: tuple[Any, ...]) -> ListedOrder:
    return ListedOrder(*(*row[:9], _customer(row[9]), row[10]))


def _customer(doc: Any) -> str:
    try:
        person = msgspec.json.decode(doc, type=_Doc).billing
    except msgspec.ValidationError:
        return ""
    name = " ".join(part for part in (person.first_name, person.last_name) if part)
    return person.company or name
