"""Personal data of one person: shown, exported, erased (D-63)."""

from __future__ import annotations

from typing import Any

import msgspec
from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from paymatch.area.language.sentences import in_words
from paymatch.area.language.sentences import refusal as words_of
from paymatch.area.page import Visit, page
from paymatch.area.people.roles import Permission
from paymatch.area.views.manage.labels.data import rows_in_words
from paymatch.area.views.manage.settings import tabs
from paymatch.domain.privacy.person import PersonRefused, Sought, sought
from paymatch.usecases.privacy import erasing, exporting
from paymatch.usecases.privacy.erasing import Erasure
from paymatch.usecases.privacy.files import Folders


class PersonForm(forms.Form):
    """The person's details, as for `paymatch privacy`; the use case checks them."""

    email = forms.CharField(label=lazy("E-mail address"), required=False, max_length=255)
    name = forms.CharField(label=lazy("First and last name, or company"), required=False, max_length=255)
    iban = forms.CharField(label=lazy("IBAN"), required=False, max_length=100)
    customer = forms.CharField(label=lazy("Customer number"), required=False, max_length=255)

    def sought_person(self) -> Sought:
        """The typed details. PersonRefused if they identify no one."""
        return sought(**{name: self.cleaned_data[name] for name in ("email", "name", "iban", "customer")})


@page("settings/privacy", "privacy", needs=Permission.MANAGE, changes=Permission.MANAGE, proof=True)
def privacy(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The form; showing, exporting and erasing need a fresh proof."""
    form = PersonForm(request.POST if request.method == "POST" else None)
    found: Erasure | None = None
    if form.is_bound and form.is_valid():
        try:
            answer = _act(request, visit, form)
        except PersonRefused as refusal:
            form.add_error(None, words_of(refusal))
        else:
            if isinstance(answer, HttpResponse):
                return answer
            found = answer
    values = {"form": form, "found": _person_fields(found)}
    return render(request, "area/privacy.html", values | tabs(visit, "privacy"))


def _act(request: HttpRequest, visit: Visit, form: PersonForm) -> HttpResponse | Erasure:
    """A file, the way back after the person was erased, or what would be erased."""
    asked, action = form.sought_person(), request.POST.get("action")
    database, clock = visit.database, visit.service.clock()
    folders = Folders.of(visit.service.settings, visit.shop)
    if action in ("json", "pdf"):
        data = exporting.export(database, visit.shop, asked, clock)
        content = exporting.as_pdf(data) if action == "pdf" else msgspec.json.encode(data, enc_hook=str)
        return _file(content, f"personal-data.{action}", f"application/{action}")
    if action == "erase" and request.POST.get("sure"):
        done = erasing.erase(
            database, visit.shop, asked, visit.service.files, folders, clock,
            although_open=bool(request.POST.get("although-open")),
        )  # fmt: skip
        messages.success(request, _("Erased. The audit log calls it %(id)s.") % {"id": done.id}, extra_tags="green")
        return redirect(visit.url("privacy"))
    if action == "erase":
        messages.warning(request, _("Nothing was erased: tick the box to confirm."))
    return erasing.preview(database, visit.shop, asked, folders, clock)


def _file(content: bytes, name: str, media_type: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"}
    return HttpResponse(content, content_type=media_type, headers=headers)


def _person_fields(found: Erasure | None) -> dict[str, Any] | None:
    if found is None:
        return None
    shown = found.shown()
    return {
        "names": found.person.names,
        "unsettled": [in_words(each) for each in found.person.unsettled],
        "counts": [(lazy("Orders"), shown["orders"]), (lazy("Postings"), shown["postings"]),
                   (lazy("Refunds"), shown["refunds"]), (lazy("Invoices and files"), sum(found.files.values()))],
        "rows": rows_in_words(found.rows),
        "shared": bool(found.person.shared),
    }  # fmt: skip
