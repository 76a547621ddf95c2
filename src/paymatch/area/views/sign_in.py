"""Sign-in by a link that works once."""

from __future__ import annotations

from allauth.account.utils import perform_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from paymatch.area.people.accounts import redeem
from paymatch.area.proof import came_by_link
from paymatch.area.service import the_service


@require_GET
def by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Signs the person in and leads on, over the second factor where there is one.

    A link that was used or has expired says so (410).
    """
    user = redeem(token, the_service().clock())
    if user is None:
        return render(request, "area/link_expired.html", status=410)
    answer: HttpResponse = perform_login(request, user, email_verification="none", redirect_url=reverse("home"))
    if request.user.is_authenticated:
        came_by_link(request)
    return answer
