"""An order that a person makes or changes, by phone, mail or at the counter: rules and errors are those of the API."""

from __future__ import annotations

from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.language.countries import country_choices
from paymatch.area.language.figures import amount
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.known_customer import fill_in, find_known, habit_words
from paymatch.area.views.orders.fields import AmountField, DayField, why_refused
from paymatch.area.views.reminders.labels import why_words
from paymatch.domain.calendar import date_text, parse_date
from paymatch.domain.money import Currency, decimal_to_minor, minor_to_text
from paymatch.domain.orders.customer_names import split_name
from paymatch.domain.refusal import Refused
from paymatch.formats.contract.values import MAX_NUMBER
from paymatch.formats.languages.texts import LANGUAGES
from paymatch.usecases.desk import order_outlook
from paymatch.usecases.orders import made_here
from paymatch.usecases.orders.images import code_svg
from paymatch.usecases.settlement import credits
from paymatch.usecases.shops import dunning_plans

KINDS: Final = (
    ("INVOICE", gettext_lazy("Invoice")),
    ("PREPAYMENT", gettext_lazy("Prepayment")),
    ("COD", gettext_lazy("Cash on delivery")),
)
_LATEST: Final = 5
_ADDRESS: Final = ("first", "last", "company", "street", "post_code", "city", "country")
_MORE: Final = ("language", "invoice", "customer_number", "phone", "no_reminders")
_PARTS: Final = {
    "first": "firstName", "last": "lastName", "company": "company", "street": "street", "post_code": "postCode",
    "city": "city", "country": "countryCode", "phone": "phone",
}  # fmt: skip
"""Field of the form -> part of the billing address."""
_FIELDS: Final = {
    "customerEmail": "email", "dueDate": "due", "billing": "customer", "invoiceNumbers": "invoice",
    "customerNumber": "customer_number",
} | {f"billing.{part}": name for name, part in _PARTS.items()}  # fmt: skip
"""Parameter of the API -> the field of the form that it comes from, where their names differ."""


def _countries() -> list[tuple[str, str]]:
    return [("", _("As the shop")), *country_choices()]


class OrderForm(forms.Form):
    """What an order needs, and folded below it what it may have; the rest is as usual in the shop."""

    number = forms.CharField(label=gettext_lazy("Order number"), max_length=MAX_NUMBER)
    type = forms.ChoiceField(label=gettext_lazy("Kind"), choices=KINDS)
    customer = forms.CharField(
        label=gettext_lazy("Customer"), required=False, max_length=255,
        help_text=gettext_lazy("first name and surname, or a company"),
    )  # fmt: skip
    email = forms.CharField(
        label=gettext_lazy("E-mail"), required=False, max_length=254,
        help_text=gettext_lazy("the payment information is sent there"),
    )  # fmt: skip
    due = DayField(label=gettext_lazy("Due"), required=False)
    first = forms.CharField(label=gettext_lazy("First name"), required=False, max_length=255)
    last = forms.CharField(label=gettext_lazy("Last name"), required=False, max_length=255)
    company = forms.CharField(label=gettext_lazy("Company"), required=False, max_length=255)
    street = forms.CharField(label=gettext_lazy("Street"), required=False, max_length=255)
    post_code = forms.CharField(label=gettext_lazy("Postcode"), required=False, max_length=50)
    city = forms.CharField(label=gettext_lazy("City"), required=False, max_length=255)
    country = forms.ChoiceField(label=gettext_lazy("Country"), required=False, choices=_countries)
    language = forms.ChoiceField(
        label=gettext_lazy("Language of mail and letters"), required=False,
        choices=(("", gettext_lazy("As the shop")), *LANGUAGES.items()),
    )  # fmt: skip
    invoice = forms.CharField(label=gettext_lazy("Invoice numbers"), required=False, max_length=255)
    customer_number = forms.CharField(label=gettext_lazy("Customer number"), required=False, max_length=255)
    phone = forms.CharField(label=gettext_lazy("Phone number"), required=False, max_length=50)
    no_reminders = forms.BooleanField(label=gettext_lazy("No reminders"), required=False)

    def __init__(self, data: Any, currency: str, **more: Any) -> None:
        super().__init__(data, **more)
        self.fields["amount"] = AmountField(
            currency, label=_("Amount"), help_text=_("in %(currency)s") % {"currency": currency}
        )
        self.order_fields(["number", "type", "customer", "email", "amount", "due"])

    def add_refusals(self, refusals: Iterable[Refused]) -> None:
        """Shows each refusal next to its field, unless the field has one already."""
        for refused in refusals:
            name, group = refused.parameter, refused.parameter.partition(".")[0]
            is_nameless = name == "billing.lastName" and refused.message.code == "order-parameter-missing"
            field = _FIELDS.get(group if is_nameless else name) or _FIELDS.get(group, name)
            known = field if field in self.fields else None
            if known not in self.errors:
                self.add_error(known, why_refused(refused))

    def reasons_of_filled(self) -> list[str]:
        """What is wrong with fields that are filled in already: the others may still be on their way."""
        data = self.data
        wrong = [(name, errors) for name, errors in self.errors.items() if name not in self.fields or data.get(name)]
        return [f"{self[name].label}: {errors[0]}" if name in self.fields else str(errors[0]) for name, errors in wrong]

    def main_fields(self) -> list[forms.BoundField]:
        """The six that every order needs."""
        return [self[name] for name in ("number", "type", "customer", "email", "amount", "due")]

    def folded(self) -> list[tuple[str, str, list[forms.BoundField], bool]]:
        """(title, what is in it, fields, whether one of them is wrong) of what is folded."""
        groups = (
            (_("Name in parts and address"), _ADDRESS, _("for letters, and to distinguish customers")),
            (_("Language, numbers, reminders"), _MORE, _("as usual in the shop unless you say otherwise")),
        )
        return [
            (
                title,
                self._filled(names) or usual,
                [self[name] for name in names],
                any(self[name].errors for name in names),
            )
            for title, names, usual in groups
        ]

    def _filled(self, names: Sequence[str]) -> str:
        """What is typed in the fields already, so that it can be read while they are folded; "" for nothing."""
        values = [self[name].value() for name in names]
        return " · ".join(str(value) for value in values if value and value is not True)


@page("new-order", "new_order", needs=Permission.DECIDE, changes=Permission.DECIDE)
def new_order(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The form of a new order; POST makes it, or with `do=preview` only shows what would happen.

    Every refusal is shown next to its field, and nothing is stored.
    """
    data = request.POST if request.method == "POST" else None
    with visit.transaction() as tx:
        latest, days = made_here.list_latest(tx, _LATEST), dunning_plans.plan_of(tx).term_days
        following = made_here.next_number(tx) if data is None else ""
    form = OrderForm(data, visit.shop.currency, initial={"number": following})
    if following:
        form.fields["number"].help_text = _("the next free one; change it as you like")
    form.fields["due"].help_text = _("if empty %(days)s days from today, as usual in your shop") % {"days": days}
    if _is_preview(request):
        return _preview(request, visit, form, {"latest": latest})
    if form.is_bound and _is_stored(form, visit, {}):
        number = form.cleaned_data["number"]
        messages.success(request, _("Order %(number)s is created.") % {"number": number})
        return redirect(visit.url("new_order") if request.POST.get("another") else visit.url("order", number=number))
    return render(
        request, "area/new_order.html", {"form": form, "latest": latest}, status=422 if form.is_bound else 200
    )


@page("change-order/<path:number>", "change_order", needs=Permission.DECIDE, changes=Permission.DECIDE)
def change_order(request: HttpRequest, visit: Visit, number: str) -> HttpResponse:
    """The form of an order created here, with its present values; POST changes it, or previews the change."""
    with visit.transaction() as tx:
        stored = made_here.document_of(tx, number)
    if stored is None:
        raise Http404
    data = request.POST.copy() if request.method == "POST" else None
    if data is not None:
        data["number"] = number
    form = OrderForm(data, stored["currency"], initial=_initial(stored))
    form.fields["number"].disabled = True
    if _is_preview(request):
        return _preview(request, visit, form, {"changes": number}, stored)
    if form.is_bound and _is_stored(form, visit, stored):
        messages.success(request, _("Order %(number)s is changed.") % {"number": number})
        return redirect(visit.url("order", number=number))
    values = {"form": form, "changes": number}
    return render(request, "area/new_order.html", values, status=422 if form.is_bound else 200)


def _is_preview(request: HttpRequest) -> bool:
    return request.POST.get("do") == "preview"


def _preview(
    request: HttpRequest,
    visit: Visit,
    form: OrderForm,
    values: Mapping[str, Any],
    stored: Mapping[str, Any] = MappingProxyType({}),
) -> HttpResponse:
    """The page with what would happen, or what is wrong with the fields that are filled in already.

    The empty fields of a customer with earlier orders are filled in, so that they are seen before they are stored.
    """
    known = None if stored else find_known(visit, request.POST)
    if known is not None:
        form.data = fill_in(request.POST, known)
    is_valid, document = form.is_valid(), _document(form, visit, stored)
    uses_credit = "use_credit" in request.POST
    outlook = None
    if is_valid:
        with suppress(Refused):
            outlook = _outlook(visit, document, stored, use_credit=uses_credit)
    if outlook is None:
        with visit.transaction() as tx:
            form.add_refusals(made_here.list_refusals(tx, document, is_new=not stored))
    more: dict[str, Any] = {
        "form": form,
        "outlook": outlook,
        "reasons": form.reasons_of_filled(),
        "uses_credit": uses_credit,
    }
    habit = known.habit if known is not None else None
    more |= {"known": known, "habit": habit_words(habit) if habit is not None else ""}
    return render(request, "area/new_order.html", {**values, **more})


def _outlook(
    visit: Visit, document: Mapping[str, Any], stored: Mapping[str, Any], *, use_credit: bool = False
) -> dict[str, Any]:
    """What happens once the document is stored, in words. OrderRefused."""
    with visit.transaction() as tx:
        found = order_outlook.foresee(tx, document, is_new=not stored, use_credit=use_credit)
    reminded = [visit.local(mail.at).date() for mail in found.mails if mail.level and not mail.thanks]
    informed = next((mail for mail in found.mails if mail.level == 0 and not mail.thanks), None)
    code = code_svg(found.to_pay.code) if found.to_pay is not None else b""
    return {
        "found": found, "informed": informed,
        "informed_at": visit.local(informed.at).replace(tzinfo=None) if informed and informed.at > visit.now else None,
        "reminded": reminded,
        "held": "" if reminded or found.held is None else why_words(found.held.why, found.held.named),
        "code": f"data:image/svg+xml;base64,{b64encode(code).decode()}" if code else "",
        "credit_minor": found.credit.offered_minor,
    }  # fmt: skip


def _is_stored(form: OrderForm, visit: Visit, stored: Mapping[str, Any]) -> bool:
    """Stores the order, new or instead of the `stored` one; False with all reasons in the form if it is refused."""
    is_valid, document = form.is_valid(), _document(form, visit, stored)
    try:
        if is_valid:
            with visit.transaction() as tx:
                (made_here.change if stored else made_here.make)(tx, document)
                if "use_credit" in form.data:
                    credits.use(tx, form.cleaned_data["number"])
            return True
    except Refused as refused:
        form.add_refusals([refused])
    with visit.transaction() as tx:
        form.add_refusals(made_here.list_refusals(tx, document, is_new=not stored))
    return False


def _document(form: OrderForm, visit: Visit, stored: Mapping[str, Any]) -> dict[str, Any]:
    """The order as a shop would submit it; what the form has no field for keeps its `stored` value.

    A field with an error counts as empty.
    """
    said, shop = defaultdict(str, form.cleaned_data), visit.shop
    currency = str(stored.get("currency") or shop.currency)
    found: dict[str, Any] = {"date": date_text(visit.today), "language": shop.language} | dict(stored)
    found |= {
        "number": said["number"], "type": said["type"], "currency": currency,
        "amount": minor_to_text(said["amount"], Currency(currency)) if "amount" in said else "",
    }  # fmt: skip
    billing = dict(found.get("billing") or {})
    for name, part in _PARTS.items():
        _put(billing, part, said[name])
    if said["customer"] and said["customer"] != _name_of(stored.get("billing") or {}):
        for part in ("firstName", "lastName", "company"):
            billing.pop(part, None)
        billing |= split_name(said["customer"])
    billing.setdefault("countryCode", shop.country)
    found["billing"] = billing
    _put(found, "customerEmail", said["email"])
    _put(found, "dueDate", date_text(said["due"]) if said["due"] else "")
    _put(found, "customerNumber", said["customer_number"])
    _put(found, "invoiceNumbers", [each for each in said["invoice"].replace(";", ",").split(",") if each.strip()])
    found["language"] = said["language"] or found["language"]
    if said["no_reminders"] or "stopReminder" in stored:
        found["stopReminder"] = said["no_reminders"]
    return found


def _put(into: dict[str, Any], name: str, value: Any) -> None:
    """Sets what was typed; an empty field takes it away."""
    if value:
        into[name] = [each.strip() for each in value] if isinstance(value, list) else value
    else:
        into.pop(name, None)


def _name_of(billing: Mapping[str, Any]) -> str:
    """The customer in one field."""
    person = " ".join(filter(None, (billing.get("firstName"), billing.get("lastName"))))
    return person or str(billing.get("company") or "")


def _initial(stored: Mapping[str, Any]) -> dict[str, Any]:
    """What the form shows of an order."""
    billing, currency = stored.get("billing") or {}, Currency(str(stored["currency"]))
    due: date | None = parse_date(stored["dueDate"]) if stored.get("dueDate") else None
    parts = {name: billing.get(part, "") for name, part in _PARTS.items()}
    return parts | {
        "number": stored["number"], "type": stored["type"], "customer": _name_of(billing), "due": due,
        "amount": amount(decimal_to_minor(Decimal(str(stored["amount"])), currency), currency),
        "email": stored.get("customerEmail", ""), "language": stored.get("language", ""),
        "invoice": ", ".join(stored.get("invoiceNumbers") or ()),
        "customer_number": stored.get("customerNumber", ""), "no_reminders": bool(stored.get("stopReminder")),
    }  # fmt: skip
