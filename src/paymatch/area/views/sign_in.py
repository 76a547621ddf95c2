"""Sign-in by a link that works once, or by a passkey; the way to a second factor."""

from __future__ import annotations

from allauth.account.utils import perform_login
from allauth.core.internal.ratelimit import respond_429
from allauth.mfa.webauthn.views import login_webauthn
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_http_methods

from paymatch.area.people.accounts import person_of_link, redeem
from paymatch.area.people.known_browsers import may_try_passkey, remember
from paymatch.area.people.models import User
from paymatch.area.proof import set_up_second_factor
from paymatch.area.service import the_service


@require_http_methods(["GET", "HEAD", "POST"])
def by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Says who would be signed in; POST does it and leads on, over the second factor where there is one.

    Programs that look at mail, chats and logs follow links, so looking changes nothing. A link that was used or has
    expired says so (410).
    """
    now = the_service().clock()
    if request.method == "POST":
        return _signed_in(request, redeem(token, now))
    user = person_of_link(token, now)
    return render(request, "area/link.html", {"person": user.email}) if user is not None else _answer_expired(request)


def _signed_in(request: HttpRequest, user: User | None) -> HttpResponse:
    if user is None:
        return _answer_expired(request)
    remember(request, user)
    answer: HttpResponse = perform_login(request, user, email_verification="none", redirect_url=reverse("home"))
    return answer


def by_passkey(request: HttpRequest) -> HttpResponse:
    """Sign-in by a passkey, counted by browser where it is known, so that strangers at its address lock nobody out."""
    answer: HttpResponse = login_webauthn(request) if may_try_passkey(request) else respond_429(request)
    return answer


def _answer_expired(request: HttpRequest) -> HttpResponse:
    return render(request, "area/link_expired.html", status=410)


@require_GET
@login_required
def second_factor(request: HttpRequest) -> HttpResponse:
    """Leads to where a second factor is set up, and from there to the page `next`."""
    back = request.GET.get("next", "/")
    is_ours = back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    return set_up_second_factor(request, back if is_ours else "/")
