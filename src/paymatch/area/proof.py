"""A fresh proof of who acts: asked for before keys, secrets, accounts and the release of money."""

from __future__ import annotations

from typing import Final

from allauth.account.adapter import get_adapter
from allauth.account.app_settings import REAUTHENTICATION_TIMEOUT
from allauth.account.authentication import get_authentication_records
from allauth.core.exceptions import ReauthenticationRequired
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from paymatch.area.configuration import COMPANY
from paymatch.area.people.adapters import SECOND_FACTORS
from paymatch.clock import utc_now

_LINK_AT: Final = "signed_in_by_link_at"


def came_by_link(request: HttpRequest) -> None:
    """The session remembers that a link has just proven who the person is."""
    request.session[_LINK_AT] = utc_now().timestamp()


def first_prove(request: HttpRequest) -> HttpResponse | None:
    """None if the person has proven a moment ago who they are; else where they do so first.

    A second factor counts where the person has one, otherwise the password. ReauthenticationRequired has allauth ask,
    and send the form again afterwards. Who has neither, and only a link, has just come by it or chooses a password.
    """
    since = utc_now().timestamp() - REAUTHENTICATION_TIMEOUT
    methods = {each["id"] for each in get_adapter().get_reauthentication_methods(request.user)}
    if not methods:
        if request.session.get(_LINK_AT, 0) > since:
            return None
        by_company = [each["at"] for each in get_authentication_records(request, request.user) if "provider" in each]
        if by_company:
            return None if max(by_company) > since else _again_by_company(request)
        messages.warning(request, _("Choose a password first: this needs a proof that it is you."))
        return redirect("account_set_password")
    accepted = {"mfa"} if any(each.startswith(SECOND_FACTORS) for each in methods) else {"password"}
    records = get_authentication_records(request, request.user)
    if not any(each["method"] in accepted and each["at"] > since for each in records):
        raise ReauthenticationRequired
    return None


def _again_by_company(request: HttpRequest) -> HttpResponse:
    """Leads to the company and back to this page."""
    messages.warning(request, _("This needs a fresh proof that it is you. You have signed in again: repeat it now."))
    back = urlencode({"next": request.path})
    return redirect(f"{reverse('openid_connect_login', kwargs={'provider_id': COMPANY})}?{back}")
