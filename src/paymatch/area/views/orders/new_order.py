"""An order that a person makes, by phone, mail or at the counter: the rules and errors are those of the API."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.templatetags.wording import refusal as in_words_of
from paymatch.area.views.orders.fields import AmountField
from paymatch.domain.calendar import date_text
from paymatch.domain.money import Currency, minor_to_text
from paymatch.domain.refusal import Refused
from paymatch.formats.contract import bodies
from paymatch.formats.contract.values import MAX_NUMBER
from paymatch.usecases.orders import orders

KINDS: Final = (
    ("INVOICE", gettext_lazy("Invoice")),
    ("PREPAYMENT", gettext_lazy("Prepayment")),
    ("COD", gettext_lazy("Cash on delivery")),
)
_FIELDS: Final = {"customerEmail": "email", "dueDate": "due", "billing": "customer"}
"""Parameter of the API -> the field of the form that it comes from, where their names differ."""


class OrderForm(forms.Form):
    """What an order needs; the rest is as usual in the shop."""

    number = forms.CharField(label=gettext_lazy("Order number"), max_length=MAX_NUMBER)
    type = forms.ChoiceField(label=gettext_lazy("Kind"), choices=KINDS)
    customer = forms.CharField(label=gettext_lazy("Customer"), max_length=255)
    email = forms.CharField(
        label=gettext_lazy("E-mail"), required=False, max_length=254,
        help_text=gettext_lazy("the payment information goes there"),
    )  # fmt: skip
    due = forms.DateField(
        label=gettext_lazy("Due"), required=False, widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )

    def __init__(self, data: Any, currency: str) -> None:
        super().__init__(data)
        self.fields["amount"] = AmountField(currency, label=_("Amount"), help_text=currency)
        self.order_fields(["number", "type", "customer", "email", "amount", "due"])


@page("new-order", "new_order", needs=Permission.DECIDE, changes=Permission.DECIDE)
def new_order(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The form of a new order; POST makes it. A refusal stands beside its field, and nothing is stored."""
    form = OrderForm(request.POST if request.method == "POST" else None, visit.shop.currency)
    if form.is_valid() and _made(form, visit):
        number = form.cleaned_data["number"]
        messages.success(request, _("The order %(number)s is made.") % {"number": number})
        return redirect(visit.url("order", number=number))
    return render(request, "area/new_order.html", {"form": form}, status=422 if form.is_bound else 200)


def _made(form: OrderForm, visit: Visit) -> bool:
    """Stores the order; False with the reason in the form if it is refused."""
    number = form.cleaned_data["number"]
    try:
        submitted = bodies.check_order(bodies.decode_order(msgspec.json.encode(_document(form, visit))), number)
        with visit.transaction() as tx:
            if orders.lock_new(tx, visit.shop, number):
                orders.submit(tx, visit.shop, [submitted], visit.service.clock())
                return True
    except Refused as refused:
        field = _FIELDS.get(refused.parameter.partition(".")[0], refused.parameter)
        form.add_error(field if field in form.fields else None, in_words_of(refused))
        return False
    form.add_error("number", _("There is an order with this number already."))
    return False


def _document(form: OrderForm, visit: Visit) -> dict[str, Any]:
    """The order as a shop would submit it."""
    said, shop = form.cleaned_data, visit.shop
    found: dict[str, Any] = {
        "number": said["number"], "date": date_text(visit.today), "type": said["type"],
        "amount": minor_to_text(said["amount"], Currency(shop.currency)), "currency": shop.currency,
        "language": shop.language, "billing": {"lastName": said["customer"], "countryCode": shop.country},
    }  # fmt: skip
    if said["email"]:
        found["customerEmail"] = said["email"]
    if said["due"]:
        found["dueDate"] = date_text(said["due"])
    return found
