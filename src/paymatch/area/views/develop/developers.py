"""For developers: API keys, the callback address and its access code, and how to make a first call."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.setting_forms import Setting, SettingForm, switch
from paymatch.domain.shops.api_keys import KeyScope
from paymatch.store.shops.shops import KeyRow
from paymatch.usecases.shops import shops

_DEVELOP: Final = Permission.DEVELOP
SCOPES: Final = (
    (KeyScope.READ.value, gettext_lazy("Read orders, postings and refunds")),
    (KeyScope.ORDERS.value, gettext_lazy("Submit and change orders; reads too")),
    (KeyScope.REFUNDS.value, gettext_lazy("File and cancel refunds; reads too")),
    (KeyScope.STATEMENTS.value, gettext_lazy("Upload bank statements, and nothing else")),
    (KeyScope.COLLECTION.value, gettext_lazy("Report on orders in collection, and nothing else")),
)
CALLBACK: Final = (
    Setting("callback-url", gettext_lazy("Callback address"), gettext_lazy("https, without a user name in it")),
    switch("callbacks", gettext_lazy("Callbacks"), (gettext_lazy("Send"), gettext_lazy("Do not send"))),
    Setting(
        "callback-success",
        gettext_lazy("What counts as received"),
        values=(("200", gettext_lazy("The answer 200")), ("2xx", gettext_lazy("Any answer from 200 to 299"))),
    ),
    Setting(
        "callback-ports",
        gettext_lazy("Further ports"),
        gettext_lazy("Beside 443 and 80, separated by commas, such as 8443."),
    ),
    Setting(
        "callback-grace",
        gettext_lazy("Seconds for undoing"),
        gettext_lazy(
            "Waiting time before the callback of a person's decision; a decision undone by then sends none. 0 to 300."
        ),
    ),
    Setting(
        "callback-access-code",
        gettext_lazy("New access code"),
        gettext_lazy("Sent in the header X-Service-Access-Code. Leave it empty to keep the present one."),
        secret=True,
    ),
)


class KeyForm(forms.Form):
    """A new key."""

    label = forms.CharField(max_length=100, required=False, label=gettext_lazy("What it is for"))
    scopes = forms.MultipleChoiceField(
        choices=SCOPES,
        label=gettext_lazy("What it may do"),
        widget=forms.CheckboxSelectMultiple,
        initial=[KeyScope.ORDERS.value, KeyScope.REFUNDS.value],
    )


class RollForm(forms.Form):
    """How long the old key stays valid."""

    hours = forms.IntegerField(
        min_value=0, max_value=720, initial=24, label=gettext_lazy("Hours that the old key stays valid")
    )


@page("developers", "developers", needs=_DEVELOP)
def developers(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Keys, address and first call on one page."""
    with visit.transaction() as tx:
        keys = shops.keys(tx)
    base = visit.service.base(request)
    clock = visit.service.clock()
    rows = [{"key": key, "ended": _end_key(key, clock), "url": visit.url("key", key=key.id)} for key in reversed(keys)]
    return render(
        request,
        "area/developers.html",
        {
            "rows": rows, "base": f"{base}/api/v2", "today": f"{visit.today:%d-%m-%Y}", "new_url": visit.url("new_key"),
            "callback_url": visit.url("callback_settings"), "sandbox_url": visit.url("sandbox"),
            "callbacks_url": visit.url("callbacks"), "requests_url": visit.url("requests"),
            "trying_url": visit.url("trying"), "connectors_url": visit.url("connectors"),
        },
    )  # fmt: skip


def _end_key(key: KeyRow, clock: datetime) -> bool:
    return key.expires_at is not None and key.expires_at <= clock


@page("developers/keys/new", "new_key", needs=_DEVELOP, changes=_DEVELOP, proof=True)
def new_key(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Makes a key and shows it once."""
    form = KeyForm(request.POST) if request.method == "POST" else KeyForm()
    values: dict[str, Any] = {"form": form, "list_url": visit.url("developers")}
    if form.is_bound and form.is_valid():
        scope = ",".join(form.cleaned_data["scopes"])
        with visit.transaction() as tx:
            values["made"] = shops.create_key(tx, scope=scope, label=form.cleaned_data["label"])
    return render(request, "area/new_key.html", values)


@page("developers/keys/<str:key>", "key", needs=_DEVELOP, changes=_DEVELOP, proof=True)
def key(request: HttpRequest, visit: Visit, key: str) -> HttpResponse:
    """One key: replace it by a new one, or revoke it."""
    with visit.transaction() as tx:
        found = next((each for each in shops.keys(tx) if each.id == key), None)
    if found is None:
        raise Http404
    clock, values = visit.service.clock(), {"key": found, "form": RollForm(), "list_url": visit.url("developers")}
    values["ended"] = _end_key(found, clock)
    match request.POST.get("do"):
        case "revoke":
            with visit.transaction() as tx:
                shops.revoke_key(tx, key)
            messages.success(
                request, _("The key is revoked: calls with it are refused from now on."), extra_tags="green"
            )
            return redirect(visit.url("developers"))
        case "roll":
            values["form"] = form = RollForm(request.POST)
            if form.is_valid():
                overlap = timedelta(hours=form.cleaned_data["hours"])
                with visit.transaction() as tx:
                    values["made"] = shops.roll_key(tx, key, overlap)
    return render(request, "area/key.html", values)


@page("developers/callback", "callback_settings", needs=_DEVELOP, changes=_DEVELOP, proof=True)
def callback_settings(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The address that callbacks go to, and the code that they carry."""
    with visit.transaction() as tx:
        initial = shops.settings_as_texts(tx)
        shows = request.POST.get("do") == "show"
        secrets = shops.show_secrets(tx) if shows else None
    form = SettingForm(
        CALLBACK, visit, initial=initial, data=request.POST if request.method == "POST" and not shows else None
    )
    if form.is_bound and form.is_valid() and form.save() is not None:
        messages.success(request, _("Saved. Send a test event to see whether it arrives."), extra_tags="green")
        return redirect(visit.url("callbacks"))
    values = {"form": form, "secrets": secrets, "list_url": visit.url("developers")}
    return render(request, "area/callback_settings.html", values)
