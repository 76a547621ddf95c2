"""The person's own choices: language and theme."""

from __future__ import annotations

from typing import Final

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from paymatch.area.people import accounts
from paymatch.area.people.models import User

_YEAR: Final = 365 * 86_400
_THEMES: Final = ("", "light", "dark")


@require_POST
def change(request: HttpRequest) -> HttpResponse:
    """Stores what was chosen and leads back; other values are ignored. Of a stranger the browser keeps the language."""
    choices = {"language": ("", *dict(settings.LANGUAGES)), "theme": _THEMES}
    chosen = {name: request.POST[name] for name, values in choices.items() if request.POST.get(name) in values}
    if chosen and request.user.is_authenticated:
        User.objects.filter(pk=request.user.pk).update(**chosen)
    back = request.POST.get("next", "/")
    is_ours = back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    answer = HttpResponseRedirect(back if is_ours else "/")
    if chosen.get("language"):
        answer.set_cookie(
            settings.LANGUAGE_COOKIE_NAME, chosen["language"], max_age=_YEAR, httponly=True, samesite="Lax"
        )
    return answer


class NameForm(forms.Form):
    """What the person is called."""

    name = forms.CharField(
        max_length=120, label=gettext_lazy("Name"), widget=forms.TextInput(attrs={"autocomplete": "name"})
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def profile(request: HttpRequest) -> HttpResponse:
    """The person's name; POST changes it."""
    form = NameForm(request.POST if request.method == "POST" else None, initial={"name": request.user.name})
    if not form.is_valid():
        return render(request, "area/profile.html", {"form": form}, status=422 if form.is_bound else 200)
    User.objects.filter(pk=request.user.pk).update(name=form.cleaned_data["name"])
    accounts.forget_names()
    return redirect("home")
