"""All addresses of the area. A page of a shop is declared beside its view (`page.py`)."""

from __future__ import annotations

from allauth.account.views import login, logout
from django.urls import include, path, re_path

from paymatch.area.page import routes
from paymatch.area.views import ALL, home, preferences, refusals, sign_in
from paymatch.area.views.mail_events import mail_events
from paymatch.area.views.manage import operator
from paymatch.area.views.manage.new_shop import new_shop

assert ALL  # imported so that their pages are declared

urlpatterns = [
    path("", home.home, name="home"),
    path("shops", home.shops, name="shops"),
    path("login/link/<str:token>", sign_in.by_link, name="sign_in_link"),
    path("login/first/<str:token>", sign_in.by_first_link, name="first_person"),
    path("login/invitation/<str:token>", sign_in.by_invitation, name="sign_in_invitation"),
    path("second-factor", sign_in.second_factor, name="second_factor"),
    path("preferences", preferences.change, name="preferences"),
    path("profile", preferences.profile, name="profile"),
    path("operator/", operator.operator, name="operator"),
    path("operator/shops", operator.shop_list, name="operator_shops"),
    path("operator/shops/new", new_shop, name="operator_new_shop"),
    path("operator/shops/<uuid:shop>", operator.set_shop, name="operator_shop"),
    path("operator/people", operator.people, name="operator_people"),
    path("operator", operator.operator),
    path("mail-events/<str:provider>/tracking/", mail_events),
    *routes(),
    # No one can change their address or sign up: the address is the person's identity, for the audit log and for four
    # eyes (D-46). The names of these pages stay, because pages of allauth link to each other.
    re_path(r"^account/(?:email|confirm-email|signup|3rdparty)(?:/|$)", refusals.answer_not_found),
    path("account/2fa/webauthn/login/", sign_in.by_passkey),
    path("account/", include("allauth.urls")),
    path("login/", login),
    path("logout", logout, name="account_logout"),
    path("login", login, name="account_login"),
    re_path(r"^(?!api/)", refusals.answer_not_found),
]

handler400 = "paymatch.area.views.refusals.bad_request"
handler403 = "paymatch.area.views.refusals.not_allowed"
handler404 = "paymatch.area.views.refusals.not_found"
handler429 = "paymatch.area.views.refusals.too_many"  # django-allauth's
handler500 = "paymatch.area.views.refusals.server_error"
