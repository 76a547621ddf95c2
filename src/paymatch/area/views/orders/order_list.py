"""Orders: who owes what, found by anything that a customer or a statement says."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from paymatch.area.badges import ORDER_STATES, Badge, order_badge
from paymatch.area.language.figures import amount
from paymatch.area.lists import PAGE_ROWS, Choice, ListColumn, ListColumnKind, Listing, ListPage, ListQuery
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.people.saved_views import views_of
from paymatch.area.views.orders.deeds import NEEDS, TITLES
from paymatch.formats.order_files.exported import FILE_FIELDS, file_cells
from paymatch.store.orders.order_list import ListedOrder
from paymatch.store.transactions import ShopTx
from paymatch.usecases.desk.order_actions import CARRIED_OUT_BY
from paymatch.usecases.orders import order_lists
from paymatch.usecases.orders.order_lists import OVERPAID


def found_orders(tx: ShopTx, visit: Visit, asked: ListQuery, limit: int) -> list[ListedOrder]:
    """The orders that are asked for, latest first, `limit` at most."""
    status = asked.filters.get("status", "")
    return order_lists.find_orders(
        tx,
        statuses=[status] if status and status != OVERPAID else [],
        overpaid=status == OVERPAID, text=asked.search, after=_place(asked.after), limit=limit,
    )  # fmt: skip


def _fetch(tx: ShopTx, visit: Visit, asked: ListQuery) -> ListPage:
    orders = found_orders(tx, visit, asked, asked.limit + 1)
    shown = orders[: asked.limit]
    following = f"{shown[-1].ordered.isoformat()} {shown[-1].number}" if len(orders) > asked.limit else ""
    about = _about(tx, visit, asked) if asked.limit == PAGE_ROWS else {}
    return ListPage([_row(order, visit) for order in shown], following, order_lists.counts(tx), about)


def _about(tx: ShopTx, visit: Visit, asked: ListQuery) -> dict[str, object]:
    """How many orders the filter finds, and their amounts together by currency."""
    status = asked.filters.get("status", "")
    found = order_lists.totals(
        tx, statuses=[status] if status and status != OVERPAID else [], overpaid=status == OVERPAID,
        text=asked.search,
    )  # fmt: skip
    sums = [(currency, minor) for currency, _count, minor in found[:_SUMS]]
    return {"total": sum(count for _currency, count, _minor in found), "sums": sums}


def _place(after: str) -> tuple[date, str] | None:
    """The key of a page: date and number of the order before it; None for the first page and for what is no key."""
    day, _space, number = after.partition(" ")
    try:
        return (date.fromisoformat(day), number) if number else None
    except ValueError:
        return None


def _row(order: ListedOrder, visit: Visit) -> dict[str, object]:
    return {
        "number": order.number,
        "link": visit.url("order", number=order.number),
        "ordered": order.ordered,
        "due": order.due,
        "customer": order.customer,
        "type": order.type,
        "state": _state(order),
        "currency": order.currency,
        "amount": order.amount_minor,
        "paid": order.paid_minor,
        "open": order.open_minor,
        "overpaid": order.overpaid_minor or None,
        "planned": order.planned_minor or None,
    } | file_cells(order.document)


def _state(order: ListedOrder) -> Badge:
    """The order's state; of one with more paid than is due, by how much. The API's status stays in title and export."""
    if not order.overpaid_minor:
        return order_badge(order.status)
    over = f"{amount(order.overpaid_minor, order.currency)} {order.currency}"
    return "amber", order.status, gettext("Overpaid by %(amount)s") % {"amount": over}


_SUMS: Final = 3
_LABELS: Final[Mapping[str, str | Promise]] = {
    "currency": _("Currency"),
    "customerEmail": _("E-mail"),
    "customerNumber": _("Customer number"),
    "invoiceNumbers": _("Invoice numbers"),
    "language": _("Language"),
    "billing.firstName": _("First name"),
    "billing.lastName": _("Last name"),
    "billing.company": _("Company"),
    "billing.street": _("Street"),
    "billing.postCode": _("Post code"),
    "billing.city": _("City"),
    "billing.countryCode": _("Country code"),
}
"""What a workbook calls the columns that an import takes back; the others have the names of the API."""

ORDERS: Final = Listing(
    "orders",
    columns=(
        ListColumn("number", _("Number"), link="link"),
        ListColumn("ordered", _("Ordered"), ListColumnKind.DAY),
        ListColumn("customer", _("Customer")),
        ListColumn("type", _("Type"), chosen=False),
        ListColumn("due", _("Due"), ListColumnKind.DAY),
        ListColumn("state", _("State"), ListColumnKind.BADGE),
        ListColumn("amount", _("Amount"), ListColumnKind.MONEY),
        ListColumn("paid", _("Paid"), ListColumnKind.MONEY),
        ListColumn("planned", _("Refunds planned"), ListColumnKind.MONEY, chosen=False),
        ListColumn("overpaid", _("Overpaid"), ListColumnKind.MONEY, chosen=False),
        ListColumn("open", _("Open amount"), ListColumnKind.MONEY),
    ),
    choices=(Choice("status", _("State"), (*ORDER_STATES[:3], (OVERPAID, _("Overpaid")), *ORDER_STATES[3:])),),
    fetch=_fetch,
    exported=tuple(ListColumn(field, _LABELS.get(field, field)) for field in FILE_FIELDS),
)


@page("orders", "orders")
def orders(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The orders of a shop, latest first."""
    query = request.GET.urlencode()
    return ORDERS.answer(
        request, visit, "area/orders.html",
        views=[(each.name, each.query, each.query == query) for each in views_of(visit.user, visit.shop.id, "orders")],
        may_make=visit.may(Permission.DECIDE), may_develop=visit.may(Permission.DEVELOP),
        bulk=[(action, TITLES[action]) for action in CARRIED_OUT_BY if visit.may(NEEDS[action])],
    )  # fmt: skip
