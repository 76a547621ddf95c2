"""One order as people look at it: where it stands, what has happened, who did it, how it is paid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from paymatch.domain.orders.actions import Action, Standing, WhyNot, actions
from paymatch.domain.orders.settlement import AWAITING_MONEY, Mark, PaymentStatus
from paymatch.domain.orders.submission import OrderRefused, OrderUnknown
from paymatch.domain.shops.shop import Shop
from paymatch.store.database import ShopId, Tx
from paymatch.store.orders import order_history, order_list
from paymatch.store.orders.order_history import HistoryRow
from paymatch.store.orders.order_json import Include
from paymatch.store.orders.order_list import ListedOrder
from paymatch.usecases.orders import orders
from paymatch.usecases.orders.images import ImageFormat, ImageType, image
from paymatch.usecases.work.audit import deeds_about

DEEDS: int = 200
"""At most so many of the last deeds about an order are shown."""


@dataclass(frozen=True, slots=True)
class OrderView:
    """An order for a page. `document` is what the API answers; `code` an SVG, empty where there is none to pay by."""

    order: ListedOrder
    document: bytes
    history: tuple[HistoryRow, ...]
    deeds: tuple[dict[str, Any], ...]
    actions: dict[Action, WhyNot | None]
    code: bytes


def view(tx: Tx, shop: Shop, number: str) -> OrderView:
    """The order with all that is known of it; OrderUnknown."""
    shop_id = ShopId(shop.id)
    found = order_list.find(tx, shop_id, number)
    if found is None:
        raise OrderUnknown(number)
    include = Include(postings=True, collection_history=True, payment_reminders=True, refunds=True)
    document = orders.read(tx, shop, number, include)
    history = order_history.of_order(tx, shop_id, number)
    subjects = {number} | {row.facts[key] for row in history for key in ("refund", "posting") if key in row.facts}
    deeds = deeds_about(tx, shop, sorted(subjects), DEEDS)
    standing = Standing(
        PaymentStatus(found.status), Mark(found.mark) if found.mark else None, found.refundable_minor,
        found.reminders_stopped,
    )  # fmt: skip
    return OrderView(found, document, tuple(history), tuple(deeds), actions(standing), _code(tx, shop, found))


def _code(tx: Tx, shop: Shop, order: ListedOrder) -> bytes:
    """The code by which what is open is paid, as SVG."""
    if order.status not in AWAITING_MONEY or not order.open_minor:
        return b""
    try:
        return image(tx, shop, order.number, ImageType.QRCODE, ImageFormat.SVG)
    except OrderRefused:
        return b""
