"""A fresh second factor of who acts: asked for before keys, secrets, accounts and the release of money."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from allauth.account.app_settings import REAUTHENTICATION_TIMEOUT
from allauth.account.authentication import get_authentication_records
from allauth.core.exceptions import ReauthenticationRequired
from allauth.mfa.utils import is_mfa_enabled
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from paymatch.area.configuration import COMPANY
from paymatch.clock import utc_now

_GOES_ON: Final = "second_factor_first"
_MOST_KEPT: Final = 20_000
"""Characters of a form that is kept until there is a second factor."""
_TOKEN: Final = "csrfmiddlewaretoken"  # noqa: S105  a field's name


@dataclass(frozen=True, slots=True)
class GoingOn:
    """Where a person goes on who had to set up a second factor first; `fields` are those of the form that was sent."""

    url: str
    fields: tuple[tuple[str, str], ...] = ()


def first_prove(request: HttpRequest, back: str) -> HttpResponse | None:
    """None if the person has given a second factor a moment ago; else where they do so first, and then go `back`.

    People who signed in through their company prove it there. ReauthenticationRequired makes allauth ask for the
    factor, and send the form again afterwards; people without one set one up: a password alone moves no money and makes
    no key.
    """
    since = utc_now().timestamp() - REAUTHENTICATION_TIMEOUT
    records = get_authentication_records(request, request.user)
    if lacks_second_factor(request):
        fields = _fields_of(request)
        return set_up_second_factor(request, request.get_full_path() if fields else back, fields)
    if not is_mfa_enabled(request.user):
        return None if max(_by_company(request)) > since else _again_by_company(request)
    if not any(each["method"] == "mfa" and each["at"] > since for each in records):
        raise ReauthenticationRequired
    return None


def lacks_second_factor(request: HttpRequest) -> bool:
    """Whether the person has neither a second factor nor a company that has signed them in."""
    return not is_mfa_enabled(request.user) and not _by_company(request)


def set_up_second_factor(request: HttpRequest, back: str, fields: Sequence[tuple[str, str]] = ()) -> HttpResponse:
    """Leads to where a second factor is set up; from there a link leads `back`, or a button sends `fields` there."""
    request.session[_GOES_ON] = {"to": back, "fields": list(fields)}
    messages.warning(
        request,
        _("This needs a second factor, so that a stolen password is not enough. Set one up here, then continue."),
    )
    return redirect("mfa_activate_totp")


def goes_on_at(request: HttpRequest) -> GoingOn | None:
    """Where the person goes on who was led to set up a second factor, and has one now; None elsewhere."""
    kept = request.session.get(_GOES_ON) if request.user.is_authenticated else None
    if not kept or not is_mfa_enabled(request.user):
        return None
    if request.get_full_path() == kept["to"]:
        del request.session[_GOES_ON]
        return None
    if not request.path.startswith(reverse("mfa_index")):
        return None
    return GoingOn(kept["to"], tuple((name, value) for name, value in kept["fields"]))


def _fields_of(request: HttpRequest) -> list[tuple[str, str]]:
    """The form that was sent, to be sent again; none of a form with files, or of a very long one."""
    if request.FILES:
        return []
    fields = [(name, value) for name, values in request.POST.lists() if name != _TOKEN for value in values]
    return fields if sum(len(name) + len(value) for name, value in fields) <= _MOST_KEPT else []


def _by_company(request: HttpRequest) -> list[float]:
    """When the company has signed the person in, in this session."""
    return [each["at"] for each in get_authentication_records(request, request.user) if "provider" in each]


def _again_by_company(request: HttpRequest) -> HttpResponse:
    """Leads to the company and back to this page."""
    messages.warning(
        request, _("This required you to confirm your identity again. You have done so: please repeat the action.")
    )
    back = urlencode({"next": request.path})
    return redirect(f"{reverse('openid_connect_login', kwargs={'provider_id': COMPANY})}?{back}")
