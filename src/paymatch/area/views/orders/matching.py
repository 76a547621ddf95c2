"""Matching an open posting to an order from the order's side, by the use case of the queue."""

from __future__ import annotations

from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from paymatch.area.badges import order_badge
from paymatch.area.language.figures import amount
from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.language.typed import typed_minor
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.queue import decisions
from paymatch.domain.money import CURRENCIES, AmountUnreadable
from paymatch.domain.refusal import Refused
from paymatch.domain.search.query import comparable_amount
from paymatch.store.orders import order_list
from paymatch.store.orders.order_list import ListedOrder
from paymatch.store.statements.posting_queue import QueueFilter
from paymatch.usecases.matching import assigning, queue
from paymatch.usecases.matching.assigning import Part

SHOWN: Final = 25


@page("order-postings/<path:number>", "order_postings", needs=Permission.DECIDE, changes=Permission.DECIDE)
def order_postings(request: HttpRequest, visit: Visit, number: str) -> HttpResponse:
    """Open postings that may be the order's: those that name it or have its amount, or that a search finds.

    POST matches one of them, as a whole or with an amount.
    """
    errors: dict[str, str] = {}
    if request.method == "POST":
        try:
            _match(request, visit, number)
        except (Refused, AmountUnreadable) as refused:
            unreadable = isinstance(refused, AmountUnreadable)
            errors[request.POST.get("posting", "")] = (
                _("Enter an amount such as 12.50") if unreadable else in_words_of(refused)
            )
        else:
            return redirect(visit.url("order", number=number))
    search = request.GET.get("q", "").strip()[:200]
    with visit.transaction() as tx:
        order = order_list.find(tx, number)
        if order is None:
            raise Http404
        wanted = QueueFilter("open", search or number, "in", [] if search else _open_amount(order))
        rows, _following = queue.list_postings(tx, wanted, limit=SHOWN)
    values = {
        "order": order, "badge": order_badge(order.status), "search": search, "most": SHOWN,
        "rows": [_row(row, order, visit, errors, request) for row in rows],
        "error": "" if any(row["id"] in errors for row in rows) else next(iter(errors.values()), ""),
    }  # fmt: skip
    return render(request, "area/order_postings.html", values)


def _open_amount(order: ListedOrder) -> list[int]:
    """What is looked for before anything was typed, as searches compare amounts: what the order has open."""
    return [comparable_amount(order.open_minor, CURRENCIES[order.currency])] if order.open_minor else []


def _row(
    row: dict[str, Any], order: ListedOrder, visit: Visit, errors: dict[str, str], request: HttpRequest
) -> dict[str, Any]:
    suggested = [
        each.probability
        for each in row["decision"].suggestions
        if order.number in {credit.order_number for credit in each.allocations}
    ]
    error = errors.get(row["id"], "")
    typed = request.POST.get("amount", "") if error else amount(row["amount_minor"], row["currency"])
    return row | {
        "link": visit.url("posting", posting=row["id"]), "amount": typed, "error": error,
        "percent": round(100 * max(suggested)) if suggested else None,
        "is_due": row["amount_minor"] == order.open_minor and row["currency"] == order.currency,
    }  # fmt: skip


def _match(request: HttpRequest, visit: Visit, number: str) -> None:
    """Matches the posting, and keeps it as the last decision of this session, which one key undoes in the queue."""
    posting_id, typed = request.POST.get("posting", ""), request.POST.get("amount", "").strip()
    currency = assigning.currency_of(visit.database, visit.shop, posting_id)
    part = Part(number, typed_minor(typed, currency) if typed else None)
    seen = request.POST.get("stamp", "")
    numbers = assigning.match(visit.database, visit.shop, posting_id, [part], visit.service.clock(), seen=seen)
    decisions.remember(request, visit, posting_id, "matched", numbers)
    messages.success(request, _("The posting is matched; it can be undone among the postings."), extra_tags="green")
