"""`/` leads to where the person was, `/shops` to another shop."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from paymatch.area.people.models import ROLE_NAMES, Membership
from paymatch.area.service import the_service
from paymatch.usecases.shops import shops as known


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


@login_required
def shops(request: HttpRequest) -> HttpResponse:
    """The shops that the person works for, by name, each with their role in it."""
    roles, words = {each["shop"]: each["role"] for each in request.user.known_roles}, dict(ROLE_NAMES)
    found = [shop for shop in known.every(the_service().database) if str(shop.id) in roles]
    rows = [
        {"shop": shop, "role": words[roles[str(shop.id)]], "url": reverse("overview", kwargs={"shop": shop.id})}
        for shop in found
    ]
    return render(request, "area/shops.html" if rows else "area/no_shop.html", {"rows": rows})
