"""A new shop, created by the operator in the browser, with a link for its first owner."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.language.countries import country_choices
from paymatch.area.language.sentences import refusal as in_words_of
from paymatch.area.people import accounts
from paymatch.area.service import the_service
from paymatch.area.views.manage.operator import database_of, for_operators
from paymatch.domain.money import CURRENCIES
from paymatch.domain.shops.shop import SettingRefused, Shop
from paymatch.usecases.shops import shops
from paymatch.usecases.work import installation


class NewShopForm(forms.Form):
    """What a shop cannot do without; everything else is a setting of the shop."""

    name = forms.CharField(label=gettext_lazy("Name of the shop"), max_length=255)
    country = forms.ChoiceField(label=gettext_lazy("Country"), choices=country_choices, initial="DE")
    currency = forms.ChoiceField(
        label=gettext_lazy("Currency"), choices=[(code, code) for code in sorted(CURRENCIES)], initial="EUR"
    )
    owner = forms.EmailField(label=gettext_lazy("E-mail address of the owner"), required=False)
    sandbox = forms.BooleanField(label=gettext_lazy("A sandbox, to try things out"), required=False)


@for_operators("GET", "HEAD", "POST")
def new_shop(request: HttpRequest) -> HttpResponse:
    """The form; POST creates the shop, and leads to its set-up, or shows the link of the owner to begin with."""
    is_first = not installation.counts(the_service().database)[0]
    form = NewShopForm(request.POST or None, initial={"owner": request.user.email} if is_first else None)
    if request.method == "POST" and form.is_valid():
        try:
            made = _create(request, form.cleaned_data)
        except SettingRefused as refusal:
            form.add_error(None, in_words_of(refusal))
        else:
            is_owner = form.cleaned_data["owner"].casefold() == request.user.email.casefold()
            return redirect("setup", shop=made.id) if is_owner else redirect("operator_shops")
    values = {"form": form, "tab": "operator_shops", "is_first": is_first}
    return render(request, "area/operator_new_shop.html", values)


def _create(request: HttpRequest, wanted: dict[str, Any]) -> Shop:
    """The shop that was created, without a key of the API: its owner makes one. SettingRefused."""
    service, by = the_service(), database_of(request)
    name, now = " ".join(wanted["name"].split()), service.clock()
    with shops.free_name(by, name):
        made = shops.create(
            by, name, now, currency=wanted["currency"], country=wanted["country"], sandbox=wanted["sandbox"],
            with_key=False,
        )  # fmt: skip
    messages.success(request, _("%(shop)s is created.") % {"shop": name}, extra_tags="green")
    if wanted["owner"]:
        person = accounts.create_person(wanted["owner"], shop=made.shop.id, by=by)
        if not accounts.has_way_in(person):
            link = accounts.link_to_begin(person, service.base(request), now, by=by)
            text = _("%(email)s starts with this link. It works once, within seven days:") % {"email": person.email}
            messages.warning(request, f"{text} {link}")
    return made.shop
