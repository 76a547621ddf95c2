"""The shop's collection agency: who it is, how cases reach it, from when on orders are handed over (D-54)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from paymatch.area.language.figures import day
from paymatch.area.language.reader_language import in_figures
from paymatch.area.language.sentences import in_words, refusal
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.setting_forms import Setting, switch
from paymatch.area.views.manage.settings import tabs
from paymatch.domain.collection.agency import Channel
from paymatch.domain.collection.cases import CollectionRefused
from paymatch.domain.collection.default_interest import last_known
from paymatch.domain.shops.shop import SettingRefused
from paymatch.usecases.collection import base_rates
from paymatch.usecases.collection.cases import set_agency
from paymatch.usecases.collection.tokens import roll_token, token_hint

_RATE: Final = "rate"
_ON_OFF: Final = (lazy("On"), lazy("Off"))
FIELDS: Final = (
    Setting("name", lazy("Name"), lazy("As the API and the customer see it.")),
    Setting(
        "channel",
        lazy("How cases reach the agency"),
        values=(
            (str(Channel.FOLDER), lazy("Files in a folder")),
            (str(Channel.MAIL), lazy("Mail with the files")),
            (str(Channel.HTTP), lazy("A call to its server")),
        ),
    ),
    Setting("address", lazy("Address"), lazy("E-mail address or URL that takes new cases; a folder needs none.")),
    Setting("customer-number", lazy("Your number at the agency")),
    Setting(
        "after-days",
        lazy("Days after the last reminder"),
        lazy("Orders are then handed over automatically. Empty: only by hand."),
        none="off",
    ),
    switch("interest", lazy("Claim statutory interest"), _ON_OFF),
    switch("lump-sum", lazy("Claim the lump sum of 40.00 EUR"), _ON_OFF, lazy("Only of companies.")),
)


class AgencyForm(forms.Form):
    """The settings as `paymatch collection agency` takes them; the use case judges them."""

    def __init__(self, *, initial: Mapping[str, str], data: Any = None) -> None:
        super().__init__(data, initial={each.name: each.shown(initial[each.name]) for each in FIELDS})
        self.fields.update({each.name: each.field() for each in FIELDS})

    def save(self, visit: Visit) -> bool:
        """Whether it was written; a refusal is shown next to its field."""
        wanted = {each.name: each.written(self.cleaned_data[each.name], visit.shop.currency) for each in FIELDS}
        try:
            with visit.transaction() as tx:
                set_agency(tx, wanted)
        except SettingRefused as refusal:
            name = refusal.parameter if refusal.parameter in self.fields else None
            self.add_error(name, in_words(refusal.expected or refusal.message))
            return False
        return True


class RateForm(forms.Form):
    """The base rate of the next half-year, or another one for a half-year whose rate the shop has added."""

    def __init__(self, half_years: Sequence[tuple[str, str]], data: Any = None) -> None:
        super().__init__(data, prefix=_RATE)
        self.fields["from"] = forms.ChoiceField(label=_("Half-year from"), choices=half_years)
        percent = _("As Deutsche Bundesbank announces it, for example %(rate)s.") % {"rate": percent_text("1.27")}
        self.fields["percent"] = forms.CharField(label=_("Percent per year"), max_length=10, help_text=percent)

    def save(self, visit: Visit) -> bool:
        """Whether it was added; a refusal is shown next to its field."""
        first, percent = self.cleaned_data["from"], self.cleaned_data["percent"].strip()
        try:
            with visit.transaction() as tx:
                base_rates.add_rate(tx, first, percent)
        except SettingRefused as refusal:
            if refusal.parameter == "percent":
                self.add_error("percent", _("This is not a base rate: per cent a year with two decimals"))
            else:
                self.add_error("from", _("This rate is known by now"))
            return False
        return True


def _half_years(rates: Sequence[Mapping[str, Any]], known_until: date) -> list[tuple[str, str]]:
    """The half-years whose rate may be entered, with their words: the next, then those that the shop has added."""
    following = known_until + timedelta(days=1)
    added = [(each["from"], each["percent"]) for each in rates if not each["published"]]
    words = _("%(day)s (now %(rate)s)")
    known = [(f"{at}", words % {"day": day(at), "rate": percent_text(f"{rate}")}) for at, rate in added]
    return [(f"{following}", day(following)), *known]


def percent_text(rate: str) -> str:
    """A rate as the reader writes it."""
    return in_figures(rate)


def _new_token(request: HttpRequest, visit: Visit) -> str:
    """The agency's new token, if one is asked for and there is an agency; it is shown on this page and never again."""
    if request.method != "POST" or "token" not in request.POST:
        return ""
    try:
        with visit.transaction() as tx:
            return roll_token(tx)
    except CollectionRefused as refused:
        messages.error(request, refusal(refused))
        return ""


@page("settings/agency", "agency_settings", needs=Permission.MANAGE, changes=Permission.MANAGE, proof=True)
def agency_settings(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The form: customers' data leave by it, so a fresh proof comes before a change."""
    with visit.transaction() as tx:
        initial = set_agency(tx, {})
    made = _new_token(request, visit)
    with visit.transaction() as tx:
        rates, hint = base_rates.list_base_rates(tx), token_hint(tx)
        known_until = last_known(base_rates.rates_of(tx))
    is_rate = f"{_RATE}-percent" in request.POST
    rate_form = RateForm(_half_years(rates, known_until), request.POST if is_rate else None)
    if is_rate and rate_form.is_valid() and rate_form.save(visit):
        messages.success(request, _("The base rate is added."), extra_tags="green")
        return redirect(visit.url("agency_settings"))
    is_agency = bool(request.POST) and "token" not in request.POST and not is_rate
    form = AgencyForm(initial=initial, data=request.POST if is_agency else None)
    if form.is_bound and form.is_valid() and form.save(visit):
        messages.success(request, _("Saved."), extra_tags="green")
        return redirect(visit.url("agency_settings"))
    values = {
        "form": form, "is_set": bool(initial["name"]), "token": made, "token_hint": hint, "rates": rates[:6],
        "known_until": known_until, "rate_form": rate_form,
        "is_outdated": known_until < visit.today,
    }  # fmt: skip
    return render(request, "area/agency.html", values | tabs(visit, "agency_settings"))
