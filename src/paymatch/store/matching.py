"""What the matching engine needs of the database: keys of orders and postings, the facts of orders."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

import msgspec

from paymatch.domain.matching.model import OrderFacts, OrderState
from paymatch.domain.settlement import PaymentStatus
from paymatch.store.database import ShopId, Tx

_SETTLED: Final = frozenset({PaymentStatus.PAID, PaymentStatus.REFUNDED, PaymentStatus.REFUNDED_PARTIAL})
_CLOSED: Final = frozenset({PaymentStatus.CANCELLED, PaymentStatus.DISAPPEARED, PaymentStatus.LEGACY})


class _Address(msgspec.Struct):
    firstName: str = ""  # noqa: N815  the contract's spelling, here and below
    lastName: str = ""  # noqa: N815
    company: str = ""
    postCode: str = ""  # noqa: N815
    city: str = ""
    phone: str = ""


class _Item(msgspec.Struct):
    number: str


class _Doc(msgspec.Struct):
    """The fields of the stored wire document that matching looks at."""

    customerEmail: str = ""  # noqa: N815
    customerNumber: str = ""  # noqa: N815
    marketplaceNumber: str = ""  # noqa: N815
    itemNumbers: tuple[str, ...] = ()  # noqa: N815
    items: tuple[_Item, ...] = ()
    invoiceNumbers: tuple[str, ...] = ()  # noqa: N815
    shippingNumbers: tuple[str, ...] = ()  # noqa: N815
    proformaNumbers: tuple[str, ...] = ()  # noqa: N815
    billing: _Address = msgspec.field(default_factory=_Address)
    shipping: _Address | None = None


_DECODE: Final = msgspec.json.Decoder(_Doc).decode
_JSON: Final = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class OrderColumns:
    """The columns beside the document that make an order's facts; amounts in minor units of its currency."""

    number: str
    type: str
    currency: str
    amount_minor: int
    order_date: date
    due_date: date | None
    exchange_rate: Decimal | None
    status: PaymentStatus
    reference: str
    paid_minor: int = 0
    refunded_minor: int = 0
    last_posting_date: date | None = None
    refund_references: tuple[str, ...] = ()


def order_facts(doc: str | bytes, columns: OrderColumns) -> OrderFacts:
    """The order as the matching engine sees it."""
    wire = _DECODE(doc)
    return OrderFacts(
        number=columns.number,
        currency=columns.currency,
        amount_minor=columns.amount_minor,
        open_minor=columns.amount_minor - columns.paid_minor + columns.refunded_minor,
        state=_state(columns.status),
        order_date=columns.order_date,
        type=columns.type,
        due_date=columns.due_date,
        exchange_rate=columns.exchange_rate,
        creditor_reference=columns.reference,
        customer_number=wire.customerNumber,
        marketplace_number=wire.marketplaceNumber,
        invoice_numbers=wire.invoiceNumbers,
        proforma_numbers=wire.proformaNumbers,
        shipping_numbers=wire.shippingNumbers,
        item_numbers=tuple(dict.fromkeys([item.number for item in wire.items] + list(wire.itemNumbers))),
        names=_names(wire),
        email=wire.customerEmail,
        post_code=wire.billing.postCode,
        city=wire.billing.city,
        phone=wire.billing.phone,
        paid_minor=columns.paid_minor,
        refund_references=columns.refund_references,
        last_payment_date=columns.last_posting_date,
    )


def _state(status: PaymentStatus) -> OrderState:
    if status in _CLOSED:
        return OrderState.CLOSED
    return OrderState.SETTLED if status in _SETTLED else OrderState.OPEN


def _names(wire: _Doc) -> tuple[str, ...]:
    found: list[str] = []
    for address in (wire.billing, wire.shipping):
        if address is not None:
            found += [f"{address.firstName} {address.lastName}".strip(), address.company]
    return tuple(dict.fromkeys(name for name in found if name))


def save_order_keys(tx: Tx, shop: ShopId, keys: Mapping[str, Collection[int]], replaced: Sequence[str]) -> None:
    """Stores the look-up keys of orders; those of the `replaced` ones are removed first."""
    if replaced:
        tx.run("DELETE FROM match_keys WHERE shop_id = $1 AND number = ANY($2)", shop, list(replaced))
    rows = [{"n": number, "k": sorted(found)} for number, found in keys.items() if found]
    if rows:
        tx.run(
            "INSERT INTO match_keys (shop_id, key, number) SELECT $1, k::text::bigint, r.n"
            " FROM json_to_recordset($2::json) AS r(n text, k json), json_array_elements(r.k) k ON CONFLICT DO NOTHING",
            shop,
            _JSON.encode(rows).decode(),
        )


def find_orders(tx: Tx, shop: ShopId, keys: Iterable[int], limit: int) -> tuple[dict[int, list[str]], frozenset[int]]:
    """(key -> order numbers, keys that more than `limit` orders have): each key costs one bounded index look-up."""
    hits: dict[int, list[str]] = {}
    overflowed: set[int] = set()
    rows = tx.rows(
        "SELECT w.key, m.number FROM unnest($2::bigint[]) w(key), LATERAL (SELECT number FROM match_keys"
        " WHERE shop_id = $1 AND key = w.key ORDER BY number LIMIT $3) m",
        shop,
        list(keys),
        limit + 1,
    )
    for key, number in rows:
        hits.setdefault(key, []).append(number)
    for key, numbers in hits.items():
        if len(numbers) > limit:
            overflowed.add(key)
            numbers.pop()
    return hits, frozenset(overflowed)


_FACTS: Final = """
SELECT o.doc, o.number, o.type, o.currency, o.amount_minor, o.order_date, o.due_date, o.exchange_rate, o.status,
       o.reference, o.postings_minor, o.refunded_minor, o.last_posting_date,
       ARRAY(SELECT r.reference FROM refunds r WHERE r.shop_id = $1 AND r.order_number = o.number)
FROM orders o WHERE o.shop_id = $1 AND o.number = ANY($2)"""


def load_orders(tx: Tx, shop: ShopId, numbers: Collection[str]) -> dict[str, OrderFacts]:
    """The facts of the orders by number."""
    found: dict[str, OrderFacts] = {}
    for row in tx.rows(_FACTS, shop, list(numbers)):
        columns = OrderColumns(
            number=row[1],
            type=row[2],
            currency=row[3],
            amount_minor=row[4],
            order_date=row[5],
            due_date=row[6],
            exchange_rate=row[7],
            status=PaymentStatus(row[8]),
            reference=row[9],
            paid_minor=row[10],
            refunded_minor=row[11],
            last_posting_date=row[12],
            refund_references=tuple(row[13]),
        )
        found[columns.number] = order_facts(row[0], columns)
    return found


def save_posting_keys(tx: Tx, shop: ShopId, keys: Mapping[str, Collection[int]]) -> None:
    """Stores the look-up keys of open postings, so that an order that comes later finds them."""
    rows = [{"p": posting, "k": sorted(found)} for posting, found in keys.items() if found]
    if rows:
        tx.run(
            "INSERT INTO posting_keys (shop_id, key, posting_id) SELECT $1, k::text::bigint, r.p"
            " FROM json_to_recordset($2::json) AS r(p text, k json), json_array_elements(r.k) k ON CONFLICT DO NOTHING",
            shop,
            _JSON.encode(rows).decode(),
        )


def drop_posting_keys(tx: Tx, shop: ShopId, postings: Sequence[str]) -> None:
    """Forgets the keys of postings that are decided."""
    if postings:
        tx.run("DELETE FROM posting_keys WHERE shop_id = $1 AND posting_id = ANY($2)", shop, list(postings))


def call_for_rematch(tx: Tx, shop: ShopId, keys: Collection[int], now: datetime, limit: int) -> int:
    """Marks open postings that share a key as due for matching; their number. Keys that many share say nothing."""
    return tx.run(
        "UPDATE postings SET rematch_at = $3 WHERE shop_id = $1 AND rematch_at IS NULL AND NOT by_hand"
        " AND status IN ('suggested', 'unmatched') AND id IN (SELECT k.posting_id FROM unnest($2::bigint[]) w(key),"
        " LATERAL (SELECT posting_id FROM posting_keys WHERE shop_id = $1 AND key = w.key LIMIT $4) k)",
        shop,
        list(keys),
        now,
        limit,
    )


def due_for_rematch(tx: Tx, shop: ShopId, now: datetime, limit: int) -> list[str]:
    """Claims postings whose matching is due; they stay locked until the transaction ends."""
    rows: list[tuple[Any, ...]] = tx.rows(
        "SELECT id FROM postings WHERE shop_id = $1 AND rematch_at <= $2 ORDER BY rematch_at, id LIMIT $3"
        " FOR UPDATE SKIP LOCKED",
        shop,
        now,
        limit,
    )
    return [row[0] for row in rows]
