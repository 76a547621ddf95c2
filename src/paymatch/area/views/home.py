"""`/` leads to where the person was."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from paymatch.area.people.models import Membership


def home(request: HttpRequest) -> HttpResponse:
    """The page where the person was, else their first shop, or the installation; the sign-in for everybody else."""
    user = request.user
    if not user.is_authenticated:
        return redirect("account_login")
    if user.last_page and url_has_allowed_host_and_scheme(user.last_page, allowed_hosts=None):
        return redirect(user.last_page)
    first = Membership.objects.filter(user=user).order_by("created_at").first()
    if first is not None:
        return redirect(reverse("overview", kwargs={"shop": first.shop_id}))
    return redirect("operator") if user.is_staff else render(request, "area/no_shop.html")
