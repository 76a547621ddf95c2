"""A customer says that an order is paid: the payment is found from the order in one step."""

from __future__ import annotations

from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from paymatch.area.badges import order_badge
from paymatch.area.language.typed import typed_minor
from paymatch.area.page import Visit, page
from paymatch.domain.money import AmountUnreadable, Currency
from paymatch.domain.orders.submission import OrderUnknown
from paymatch.domain.words.typed_days import typed_day
from paymatch.usecases.desk.complaints import Complaint, currency_of, search_payment

_LONGEST: Final = 200
_ASKED: Final = ("amount", "day", "name", "account")


@page("complaints/<path:number>", "complaint")
def complaint(request: HttpRequest, visit: Visit, number: str) -> HttpResponse:
    """The postings that may be the payment, the likeliest first; the form holds what the customer says."""
    error, asked = "", {name: request.GET.get(name, "").strip()[:_LONGEST] for name in _ASKED}
    try:
        with visit.transaction() as tx:
            currency = Currency(currency_of(tx, number))
            try:
                day = typed_day(asked["day"])
                if asked["day"] and day is None:
                    raise ValueError
                minor = typed_minor(asked["amount"], currency) if asked["amount"] else None
            except (ValueError, AmountUnreadable):
                day, minor, error = None, None, _("Enter an amount such as 12.50, and a day.")
            found = search_payment(tx, number, Complaint(minor, day, asked["name"], asked["account"]))
    except OrderUnknown:
        raise Http404 from None
    values = {
        "order": found.order, "badge": order_badge(found.order.status), "asked": asked, "error": error,
        "wanted": found.wanted, "payments": found.payments,
    }  # fmt: skip
    return render(request, "area/complaint.html", values, status=422 if error else 200)
