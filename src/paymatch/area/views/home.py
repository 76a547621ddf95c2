"""`/` leads to where the person was, `/shops` to another shop."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from paymatch.area.people.models import ROLE_NAMES, Membership
from paymatch.area.people.roles import TeamRole
from paymatch.area.service import the_service
from paymatch.domain.shops.shop import ShopUnknown
from paymatch.store.transactions import ShopId
from paymatch.usecases.shops import shops as known
from paymatch.usecases.work import installation, todo


def home(request: HttpRequest) -> HttpResponse:
    """The page where the person was, else their first shop, or the installation; the sign-in for everyone else.

    An operator of an installation without shops comes to the form of its first.
    """
    user = request.user
    if not user.is_authenticated:
        return redirect("account_login")
    if user.last_page and url_has_allowed_host_and_scheme(user.last_page, allowed_hosts=None):
        return redirect(user.last_page)
    first = Membership.objects.filter(user=user).order_by("created_at").first()
    if first is not None:
        begins = first.role == TeamRole.OWNER.value and _is_in_setup(ShopId(first.shop_id))
        return redirect(reverse("setup" if begins else "overview", kwargs={"shop": first.shop_id}))
    if not user.is_staff:
        return render(request, "area/no_shop.html")
    shops_there_are, _names = installation.counts(the_service().database)
    return redirect("operator" if shops_there_are else "operator_new_shop")


def _is_in_setup(shop: ShopId) -> bool:
    """Whether the shop is led through its first steps; not one that is gone."""
    with the_service().database.of_shop(shop) as tx:
        try:
            return bool(todo.shop_with_todo(tx)[1]["in_setup"])
        except ShopUnknown:
            return False


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
