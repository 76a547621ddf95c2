"""Orders: debts and payments, found by anything that a customer or a statement says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from paymatch.area.badges import ORDER_STATES, Badge, order_badge
from paymatch.area.language.figures import amount
from paymatch.area.lists import Choice, ListColumn, ListColumnKind, Listing, ListPage, ListQuery
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.people.saved_views import views_of
from paymatch.area.views.orders.actions import NEEDS, TITLES
from paymatch.formats.order_files.exported import FILE_FIELDS, file_cells
from paymatch.store.lists.sorted_lists import PageOfRows
from paymatch.store.orders import order_list as order_store
from paymatch.store.orders.order_list import ListedOrder, OrderSums
from paymatch.store.transactions import ShopTx
from paymatch.usecases.desk.order_actions import CARRIED_OUT_BY
from paymatch.usecases.orders import order_lists
from paymatch.usecases.orders.order_lists import OVERPAID


def found_orders(tx: ShopTx, asked: ListQuery, sums: Sequence[OrderSums] | None = None) -> PageOfRows[ListedOrder]:
    """The orders that are asked for, latest first unless they are sorted; `sums` are those of all orders."""
    status = asked.filters.get("status", "")
    return order_lists.page(
        tx,
        statuses=[status] if status and status != OVERPAID else [],
        overpaid=status == OVERPAID, text=asked.search, asked=asked.page, sums=sums,
    )  # fmt: skip


def _fetch(tx: ShopTx, visit: Visit, asked: ListQuery) -> ListPage:
    sums = order_lists.sums(tx) if asked.page.counts else []
    found = found_orders(tx, asked, sums)
    rows = [_row(order, visit) for order in found.rows]
    return ListPage(rows, found.next, order_lists.counts(tx, sums) if asked.page.counts else {}, totals=found.totals)


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
    "billing.postCode": _("Postcode"),
    "billing.city": _("City"),
    "billing.countryCode": _("Country code"),
}
"""What a workbook calls the columns that an import reads again; the others have the names of the API."""

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
    sorts=order_store.SORTS,
    usual="-ordered",
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
