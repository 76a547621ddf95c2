"""Keeping the filter of the orders under a name, and deleting it."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.page import Visit, page
from paymatch.area.people import saved_views as kept
from paymatch.area.people.accounts import UserRefused
from paymatch.area.people.roles import Permission
from paymatch.area.views.orders.order_list import orders

_NOT_KEPT: Final = frozenset({"after", "format"})
"""What of an address belongs to a moment, not to a view."""


@page("saved-views", "saved_views", changes=Permission.READ)
def saved_views(request: HttpRequest, visit: Visit) -> HttpResponse:
    """POST keeps the list's filter under a name, or deletes a view; both lead back to the list."""
    if request.method != "POST":
        return orders(request, visit)
    name, query = request.POST.get("name", "").strip(), _filter(request.POST.get("query", ""))
    try:
        if "delete" in request.POST:
            kept.delete(visit.user, visit.shop.id, "orders", request.POST["delete"])
        else:
            kept.keep(visit.user, visit.shop.id, "orders", name, query)
            messages.success(request, _("The view “{name}” is saved.").format(name=name), extra_tags="green")
    except UserRefused as refused:
        messages.error(request, in_words_of(refused), extra_tags="red")
    return redirect(f"{visit.url('orders')}?{query}")


def _filter(text: str) -> str:
    """The query string without what belongs to a moment."""
    given = QueryDict(text[: 4 * kept.MAX_QUERY])
    return urlencode([(key, value) for key, values in given.lists() for value in values if key not in _NOT_KEPT])
